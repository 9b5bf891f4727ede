"""CAST, CONVERT and implicit conversions, over stored values.

Source: "CAST and CONVERT", https://learn.microsoft.com/sql/t-sql/functions/cast-and-convert-transact-sql
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from tailrace_standins.sqlserver.engine import convert_text, stored
from tailrace_standins.sqlserver.engine.convert_numbers import WIDTHS, to_decimal, to_float, to_int
from tailrace_standins.sqlserver.engine.convert_temporal import to_date, to_datetime, to_offset, to_time
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.stored import Conversion, Stored
from tailrace_standins.sqlserver.engine.types import family
from tailrace_standins.sqlserver.session import SqlError
from tailrace_standins.sqlserver.values import MAX, SqlType


@lru_cache(maxsize=4096)
def conversion(
    source: SqlType, target: SqlType, style: int = 0, column: tuple[str, str] | None = None
) -> Conversion | None:
    """The function that converts a stored value (not NULL) of `source` to `target`; None if it does not change.

    With `column` (table, column) it is an assignment: what does not fit raises 2628 instead of being cut.
    Raises 529 if there is no conversion.
    """
    if source.name == "null" or source == target:
        return None
    maker = _MAKERS.get(family(target))
    if maker is None or (family(source), family(target)) in _IMPOSSIBLE:
        raise error(529, source.name, target.name)
    if source.name == "sql_variant" and target.name != "sql_variant":
        return _from_variant(target, style, column)
    return maker(source, target, style, column)


def converted(value: Stored, source: SqlType, target: SqlType, style: int = 0) -> Stored:
    """A stored value converted once."""
    change = conversion(source, target, style)
    return value if value is None or change is None else change(value)


def trying(change: Conversion) -> Conversion:
    """TRY_CAST: NULL instead of an error."""

    def attempt(value: Any) -> Stored:
        try:
            return change(value)
        except SqlError:
            return None

    return attempt


def _from_variant(target: SqlType, style: int, column: tuple[str, str] | None) -> Conversion:
    def change(text: str) -> Stored:
        inner, value = stored.variant_parts(text)
        further = conversion(inner, target, style, column)
        return further(value) if further else value

    return change


def _to_text(source: SqlType, target: SqlType, style: int, column: tuple[str, str] | None) -> Conversion | None:
    shown = convert_text.shower(source, target, style)
    fit = convert_text.fitter(source, target, column)
    if shown is None:
        return fit
    if fit is None:
        return shown
    both, first = fit, shown
    return lambda value: both(first(value))


def _to_binary(source: SqlType, target: SqlType, style: int, column: tuple[str, str] | None) -> Conversion:
    def fit(data: bytes) -> bytes:
        if target.length != MAX and len(data) > target.length:
            if column and family(source) == "binary":
                raise error(2628, *column, "")
            data = data[-target.length :] if family(source) == "int" else data[: target.length]
        return (
            data.ljust(target.length, b"\0")
            if target.name in {"binary", "timestamp"} and family(source) != "int"
            else _left(data)
        )

    def _left(data: bytes) -> bytes:
        return data.rjust(target.length, b"\0") if target.name == "binary" else data

    match family(source):
        case "binary":
            return fit
        case "int":
            width = WIDTHS[source.name]
            return lambda value: fit(value.to_bytes(width, "big", signed=value < 0))
        case "text":
            return lambda value: fit(convert_text.to_bytes(value, source, style))
        case "guid":
            return lambda value: fit(stored.guid_value(value).bytes_le)
    raise error(529, source.name, target.name)


def _to_guid(source: SqlType, target: SqlType, _style: int, _column: Any) -> Conversion | None:
    match family(source):
        case "guid":
            return None
        case "text":
            return lambda value: stored.guid_stored(convert_text.to_guid(value))
        case "binary":
            return lambda value: stored.guid_stored(UUID(bytes_le=value[:16].ljust(16, b"\0")))
    raise error(529, source.name, target.name)


def _to_variant(source: SqlType, _target: SqlType, _style: int, _column: Any) -> Conversion:
    return lambda value: stored.variant_stored(source, value)


_MAKERS: Final[dict[str, Callable[[SqlType, SqlType, int, Any], Conversion | None]]] = {
    "int": to_int,
    "float": to_float,
    "decimal": to_decimal,
    "text": _to_text,
    "binary": _to_binary,
    "guid": _to_guid,
    "date": to_date,
    "time": to_time,
    "datetime": to_datetime,
    "offset": to_offset,
    "variant": _to_variant,
}
_IMPOSSIBLE: Final = {
    *(("int", to) for to in ("date", "time", "offset", "guid")),
    ("guid", "int"),
    ("guid", "decimal"),
    ("float", "date"),
}
