"""CAST, CONVERT and the conversions that SQL Server makes by itself, over stored values.

Source: "CAST and CONVERT", https://learn.microsoft.com/sql/t-sql/functions/cast-and-convert-transact-sql
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Any, Final, TypeAlias
from uuid import UUID

from tailrace.standin.sqlserver.engine import convert_text, moments, stored
from tailrace.standin.sqlserver.engine.errors import error
from tailrace.standin.sqlserver.engine.stored import EXACT, Stored, exact, packed
from tailrace.standin.sqlserver.engine.types import INTEGER_RANGE, family
from tailrace.standin.sqlserver.session import SqlError
from tailrace.standin.sqlserver.values import MAX, SqlType

Conversion: TypeAlias = Callable[[Any], Stored]
_WIDTHS: Final = {"bit": 1, "tinyint": 1, "smallint": 2, "int": 4, "bigint": 8}


@lru_cache(maxsize=4096)
def conversion(
    source: SqlType, target: SqlType, style: int = 0, column: tuple[str, str] | None = None
) -> Conversion | None:
    """What makes of a stored value (not NULL) of `source` one of `target`; None where it stays as it is.

    With `column` (table, column) it is an assignment: what does not fit raises 2628 instead of being cut.
    Raises 529 where there is no conversion.
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


def _to_int(source: SqlType, target: SqlType, _style: int, _column: Any) -> Conversion | None:
    low, high = INTEGER_RANGE[target.name] if target.name != "boolean" else (0, 1)
    if target.name == "bit":
        return _to_bit(source)
    kind = family(source)
    if kind == "int":
        inner = INTEGER_RANGE.get(source.name, (0, 1))
        if low <= inner[0] and inner[1] <= high:
            return None

    def check(value: int) -> int:
        if not low <= value <= high:
            if target.name in {"tinyint", "smallint"} and kind == "int":
                raise error(220, target.name, value)
            raise error(8115, "expression" if kind != "text" else source.name, target.name)
        return value

    def number(value: Any) -> int:
        return check(_whole(value, source, target))

    return check if kind == "int" else number


def _whole(value: Any, source: SqlType, target: SqlType) -> int:
    match family(source):
        case "decimal":
            number = exact(value)
            return int(number.to_integral_value(ROUND_HALF_UP, EXACT)) if "money" in source.name else int(number)
        case "float":
            return int(value)
        case "text":
            return convert_text.to_int(value, source, target)
        case "binary":
            width = _WIDTHS[target.name]
            return int.from_bytes(
                value[-width:].rjust(width, b"\0"), "big", signed=target.name not in {"tinyint", "bit"}
            )
        case "datetime" | "date":
            day, ticks = moments.moment(value)
            return day - moments.EPOCH + (1 if ticks >= moments.DAY // 2 else 0)
    raise error(529, source.name, target.name)


def _to_bit(source: SqlType) -> Conversion:
    match family(source):
        case "text":
            return lambda value: convert_text.to_bit(value, source)
        case "decimal":
            return lambda value: int(exact(value) != 0)
        case "binary":
            return lambda value: int(any(value[-1:]))
    return lambda value: int(value != 0)


def _to_float(source: SqlType, target: SqlType, _style: int, _column: Any) -> Conversion:
    single = target.name == "real"

    def fit(value: float) -> float:
        if not single:
            return value
        try:
            return float(struct.unpack("<f", struct.pack("<f", value))[0])
        except OverflowError:
            raise error(232, "real", value) from None

    match family(source):
        case "decimal":
            return lambda value: fit(float(exact(value)))
        case "text":
            return lambda value: fit(convert_text.to_float(value, source, target))
        case "datetime":
            return lambda value: fit(_days(value))
    return lambda value: fit(float(value))


def _days(value: str) -> float:
    day, ticks = moments.moment(value)
    return day - moments.EPOCH + ticks / moments.DAY


def _to_decimal(source: SqlType, target: SqlType, _style: int, _column: Any) -> Conversion | None:
    kind = family(source)
    if (
        kind == "decimal"
        and source.scale <= target.scale
        and source.precision - source.scale <= target.precision - target.scale
    ):
        return None
    unit, limit = Decimal(1).scaleb(-target.scale), Decimal(10) ** (target.precision - target.scale)
    if target.name == "money":
        limit = Decimal("922337203685477.5808")
    shown = "numeric" if target.name == "decimal" else target.name

    def fit(number: Decimal) -> str:
        number = number.quantize(unit, ROUND_HALF_UP, EXACT)
        if abs(number) >= limit:
            raise error(8115, source.name if kind != "text" else "varchar", shown)
        return packed(number)

    match kind:
        case "decimal":
            return lambda value: fit(exact(value))
        case "int":
            return lambda value: fit(Decimal(value))
        case "float":
            return lambda value: fit(Decimal(value))
        case "text":
            return lambda value: fit(convert_text.to_decimal(value, source, target))
        case "binary":
            return lambda value: fit(Decimal(int.from_bytes(value, "big", signed=True)))
    raise error(529, source.name, target.name)


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
            width = _WIDTHS[source.name]
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


def _moment_of(source: SqlType) -> Callable[[Any], moments.Moment]:
    match family(source):
        case "text":
            return lambda value: moments.parsed(value)[0]
        case "offset":
            return moments.local
        case "int":
            return lambda value: (moments.EPOCH + value, 0)
        case "date" | "time" | "datetime":
            return moments.moment
        case "float":
            return lambda value: (moments.EPOCH, round(value * moments.DAY))
    raise error(529, source.name, "datetime")


def _to_date(source: SqlType, _target: SqlType, _style: int, _column: Any) -> Conversion | None:
    if source.name == "date":
        return None
    if family(source) == "datetime":
        return lambda value: value[:10]
    read = _moment_of(source)
    return lambda value: moments.date_text(read(value)[0])


def _to_time(source: SqlType, target: SqlType, _style: int, _column: Any) -> Conversion | None:
    if source.name == "time" and source.scale <= target.scale:
        return None
    read, scale = _moment_of(source), target.scale
    return lambda value: moments.time_text(moments.rounded(read(value), scale)[1])


def _to_datetime(source: SqlType, target: SqlType, _style: int, _column: Any) -> Conversion | None:
    if target.name == "datetime2" and family(source) == "datetime" and _digits(source) <= target.scale:
        return None
    if source.name == target.name == "smalldatetime" or source.name == target.name == "datetime":
        return None
    read = _moment_of(source)
    if target.name == "datetime":
        return lambda value: moments.text(moments.as_datetime(read(value)))
    if target.name == "smalldatetime":
        return lambda value: moments.text(moments.as_smalldatetime(read(value)))
    scale = target.scale
    return lambda value: moments.text(moments.rounded(read(value), scale))


def _digits(of: SqlType) -> int:
    return 0 if of.name == "smalldatetime" else 3 if of.name == "datetime" else of.scale


def _to_offset(source: SqlType, target: SqlType, _style: int, _column: Any) -> Conversion | None:
    scale = target.scale
    if family(source) == "offset":
        if source.scale <= scale:
            return None
        return lambda value: moments.text(moments.rounded(moments.moment(value[:27]), scale)) + value[-6:]
    if family(source) == "text":
        return lambda value: _parsed_offset(value, scale)
    read = _moment_of(source)
    return lambda value: moments.with_offset(moments.rounded(read(value), scale), 0)


def _parsed_offset(value: str, scale: int) -> str:
    shown, offset = moments.parsed(value)
    return moments.with_offset(moments.rounded(shown, scale), offset or 0)


def _to_variant(source: SqlType, _target: SqlType, _style: int, _column: Any) -> Conversion:
    return lambda value: stored.variant_stored(source, value)


_MAKERS: Final[dict[str, Callable[[SqlType, SqlType, int, Any], Conversion | None]]] = {
    "int": _to_int,
    "float": _to_float,
    "decimal": _to_decimal,
    "text": _to_text,
    "binary": _to_binary,
    "guid": _to_guid,
    "date": _to_date,
    "time": _to_time,
    "datetime": _to_datetime,
    "offset": _to_offset,
    "variant": _to_variant,
}
_IMPOSSIBLE: Final = {
    *(("int", to) for to in ("date", "time", "offset", "guid")),
    ("guid", "int"),
    ("guid", "decimal"),
    ("float", "date"),
}
