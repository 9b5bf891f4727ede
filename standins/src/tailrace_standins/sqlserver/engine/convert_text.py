"""Conversions to and from character types.

Source: "CAST and CONVERT", date and time styles,
https://learn.microsoft.com/sql/t-sql/functions/cast-and-convert-transact-sql
"""

# ruff: noqa: E501  # tables have long lines
from __future__ import annotations

import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any, Final
from uuid import UUID

from tailrace_standins.sqlserver.engine import stored, temporal
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.types import family
from tailrace_standins.sqlserver.values import MAX, SqlType

_INTEGER: Final = re.compile(r"\s*([+-]?)\s*(\d*)\s*$")
_DECIMAL: Final = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)\s*$")
_MONEY: Final = str.maketrans("", "", ",$£€")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# Styles of dates: {d} day, {m} month, {y} year of four digits, {s} of two, {n} the month's name.
_DATES: Final = {
    1: "{m}/{d}/{s}", 2: "{s}.{m}.{d}", 3: "{d}/{m}/{s}", 4: "{d}.{m}.{s}", 5: "{d}-{m}-{s}", 6: "{d} {n} {s}", 7: "{n} {d}, {s}",
    10: "{m}-{d}-{s}", 11: "{s}/{m}/{d}", 12: "{s}{m}{d}",
    101: "{m}/{d}/{y}", 102: "{y}.{m}.{d}", 103: "{d}/{m}/{y}", 104: "{d}.{m}.{y}", 105: "{d}-{m}-{y}", 106: "{d} {n} {y}",
    107: "{n} {d}, {y}", 110: "{m}-{d}-{y}", 111: "{y}/{m}/{d}", 112: "{y}{m}{d}", 23: "{y}-{m}-{d}",
}  # fmt: skip


_NARROW: Final = frozenset(("char", "varchar", "text"))


def to_int(value: str, source: SqlType, target: SqlType) -> int:
    """Raises 245."""
    match = _INTEGER.match(value)
    if match is None:
        raise error(245, source.name, value, target.name)
    number = int(match.group(2) or 0)
    return -number if match.group(1) == "-" else number


def to_bit(value: str, source: SqlType) -> int:
    """`true`, `false` or a number; raises 245."""
    word = value.strip().lower()
    if word in {"true", "false"}:
        return int(word == "true")
    return int(to_int(value, source, SqlType("bit")) != 0)


def to_float(value: str, source: SqlType, target: SqlType) -> float:
    """Raises 8114."""
    try:
        return float(value.strip() or 0)
    except ValueError:
        raise error(8114, source.name, target.name) from None


def to_decimal(value: str, source: SqlType, target: SqlType) -> Decimal:
    """Raises 8114, for money 235."""
    if "money" in target.name:
        try:
            return Decimal(value.strip().translate(_MONEY) or 0)
        except InvalidOperation:
            raise error(235) from None
    if not _DECIMAL.match(value):
        raise error(8114, source.name, "numeric")
    return Decimal(value.strip())


def to_bytes(value: str, source: SqlType, style: int) -> bytes:
    """The text's bytes; with styles 1 and 2 those of its hexadecimal digits; raises 8114."""
    if style in {1, 2}:
        digits = value[2:] if style == 1 and value[:2].lower() == "0x" else value
        try:
            return bytes.fromhex(digits)
        except ValueError:
            raise error(8114, source.name, "varbinary") from None
    return characters(value, source)


def characters(value: str, of: SqlType) -> bytes:
    """The bytes that SQL Server keeps for the text: UTF-16 for n-types, UTF-8 or code page 1252 by the collation for others."""
    if of.name[0] != "n" and _is_utf8(of):
        return value.encode()
    return value.encode("utf-16-le", "surrogatepass") if of.name[0] == "n" else value.encode("cp1252", "replace")


def to_guid(value: str) -> UUID:
    """The first 36 characters, in braces or not; raises 8169."""
    try:
        return UUID(value.strip().strip("{}")[:36])
    except ValueError:
        raise error(8169) from None


def shower(source: SqlType, target: SqlType, style: int) -> Callable[[Any], str] | None:
    """What writes a stored value of `source` as text; None where it is one."""
    match family(source):
        case "text":
            return None
        case "int":
            return str
        case "float":
            return lambda value: float_text(value, style)
        case "decimal":
            return lambda value: _decimal_text(value, source, style)
        case "binary":
            return lambda value: _bytes_text(value, target, style)
        case "guid":
            return lambda value: str(stored.guid_value(value)).upper()
        case "date" | "datetime" | "time" | "offset":
            return lambda value: moment_text(value, source, style)
    raise error(529, source.name, target.name)


def float_text(value: float, style: int) -> str:
    """Style 0 has six digits, 1 has eight, 2 has sixteen, 3 as many as necessary."""
    if style == 3:
        return repr(value)
    if style in {1, 2}:
        return f"{value:.{7 if style == 1 else 15}e}"
    text = f"{value:.6g}"
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}e{exponent[0]}{int(exponent[1:]):03}" if exponent else text


def _decimal_text(value: str, source: SqlType, style: int) -> str:
    number = stored.unpacked(value, source.scale)
    if "money" not in source.name:
        return format(number, "f")
    if style == 2:
        return format(number, "f")
    return format(number.quantize(Decimal("0.01"), ROUND_HALF_UP), ",f" if style == 1 else "f")


def _bytes_text(value: bytes, target: SqlType, style: int) -> str:
    if style in {1, 2}:
        return ("0x" if style == 1 else "") + value.hex().upper()
    if target.name[0] == "n" or target.name == "xml":
        return value.decode("utf-16-le", "replace")
    return value.decode("cp1252", "replace")


def moment_text(value: str, source: SqlType, style: int) -> str:
    """A date or time in a style of CONVERT."""
    kind = family(source)
    if kind == "date":
        return value if style in {0, 20, 21, 25, 120, 121, 126, 127} else _date_text(value, style)
    if kind == "time":
        return stored.decoded(value, source) if style not in {108, 8} else value[:8]  # type: ignore[return-value]
    if kind == "offset":
        shown = temporal.offset_value(value, source.scale)
        return shown.replace(" ", "T", 1).replace(" ", "") if style in {126, 127} else shown
    shown = str(stored.decoded(value, source))
    if source.name in {"datetime", "smalldatetime"} and style in {0, 100, 9, 109}:
        return _american(value, with_milliseconds=style in {9, 109})
    if style in {0, 21, 25, 121}:
        return shown if source.name != "smalldatetime" else f"{shown}.000"
    if style in {20, 120}:
        return value[:19]
    if style in {126, 127}:
        head, _, fraction = shown.replace(" ", "T").partition(".")
        return (
            head
            if not fraction.strip("0") and source.name != "datetime2"
            else (head if not fraction.strip("0") else f"{head}.{fraction}")
        )
    if style in {8, 24, 108}:
        return value[11:19]
    if style in {14, 114}:
        return f"{value[11:19]}:{value[20:23]}"
    return _date_text(value, style)


def _american(value: str, *, with_milliseconds: bool) -> str:
    hour = int(value[11:13])
    seconds = f"{value[16:19]}:{value[20:23]}" if with_milliseconds else ""
    month = _MONTHS[int(value[5:7]) - 1]
    return f"{month} {int(value[8:10]):2} {value[:4]} {(hour % 12) or 12:2}{value[13:16]}{seconds}{'PM' if hour >= 12 else 'AM'}"


def _date_text(value: str, style: int) -> str:
    pattern = _DATES.get(style)
    if pattern is None:
        raise unsupported(f"style {style} of CONVERT")
    return pattern.format(d=value[8:10], m=value[5:7], y=value[:4], s=value[2:4], n=_MONTHS[int(value[5:7]) - 1])


def fitter(source: SqlType, target: SqlType, column: tuple[str, str] | None) -> Callable[[str], str] | None:
    """What cuts or fills a text to a type's length; None where every text fits.

    Raises 2628 in an assignment, 8115 for numbers.
    """
    narrow = target.name in _NARROW and (source.name not in _NARROW or _is_utf8(source)) and not _is_utf8(target)
    length, fixed = target.length, target.name in {"char", "nchar"}
    if length == MAX or target.name == "xml":
        return _to_code_page if narrow else None
    within = family(source) == "text" and source.length != MAX and source.length <= length
    if within and not fixed and not narrow:
        return None

    def fit(value: str) -> str:
        if narrow and not value.isascii():
            value = _to_code_page(value)
        if len(value) > length:
            value = _cut(value, source, length, column)
        return value.ljust(length) if fixed else value

    return fit


def _is_utf8(of: SqlType) -> bool:
    return (of.collation or "").upper().endswith("_UTF8")


def _cut(value: str, source: SqlType, length: int, column: tuple[str, str] | None) -> str:
    if family(source) in {"int", "decimal", "float"}:
        if family(source) == "int" and source.name != "bigint":
            return "*"
        raise error(8115, source.name, "varchar")
    if column and value[length:].strip(" "):
        raise error(2628, *column, value[:length])
    return value[:length]


def _to_code_page(value: str) -> str:
    return value if value.isascii() else value.encode("cp1252", "replace").decode("cp1252")
