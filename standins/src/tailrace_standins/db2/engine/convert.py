"""Conversions of stored values, and between stored values and those of the wire.

Stored is: whole numbers and truth values as integers, floats as floats, exact numbers as text with all their digits, text,
times
as text, bytes as bytes.

Source: IBM Db2 documentation, "CAST specification", "Assignments and comparisons", "String representations of datetime values"
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import ROUND_DOWN, Context, Decimal, InvalidOperation
from typing import Any, Final

from tailrace_standins.db2.engine import types
from tailrace_standins.db2.session import SqlError
from tailrace_standins.db2.values import SqlType, Value
from tailrace_standins.storage.sessions import Stored

_LIMITS: Final = {"smallint": 1 << 15, "integer": 1 << 31, "bigint": 1 << 63}
_WIDE: Final = Context(prec=80)
_DATE: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_TIME: Final = re.compile(r"(\d{1,2})[.:](\d{2})(?:[.:](\d{2}))?")
_TIMESTAMP: Final = re.compile(r"(\d{4}-\d{1,2}-\d{1,2})(?:[-T ](\d{1,2}[.:]\d{2}[.:]\d{2})(?:[.,](\d{0,12}))?)?")


def exact(value: Stored) -> Decimal:
    """A stored number of any type as Decimal; raises `SqlError` -420 for text that is none."""
    try:
        return Decimal(str(value).strip())
    except InvalidOperation:
        raise SqlError(-420, "22018", "DECFLOAT") from None


def written(value: Decimal, of: SqlType) -> str:
    """A number as stored text of a decimal or decfloat type; raises `SqlError` -413."""
    if of.name == "decfloat":
        return str(value if not value.is_finite() else Context(prec=of.precision).plus(value))
    if not value.is_finite():
        raise SqlError(-413, "22003")
    made = value.quantize(Decimal(1).scaleb(-of.scale), rounding=ROUND_DOWN, context=_WIDE)
    if made and made.adjusted() + 1 > of.precision - of.scale:
        raise SqlError(-413, "22003")
    return f"{made:f}" if made else f"{abs(made):f}"


def converted(value: Stored, source: SqlType | None, target: SqlType, *, assigned: bool = False) -> Stored:
    """A stored value as one of another type.

    `assigned` is for INSERT and UPDATE, where text that is too long is an error unless blanks are cut.
    """
    if value is None:
        return None
    name = target.name
    if types.is_binary(target):
        return _bytes(value, target, assigned=assigned)
    if types.is_text(target):
        return _text(value, source, target, assigned=assigned)
    if name in types.WHOLE:
        whole = int(value) if isinstance(value, int | float) else int(exact(value).to_integral_value(ROUND_DOWN))
        if not -_LIMITS[name] <= whole < _LIMITS[name]:
            raise SqlError(-413, "22003")
        return whole
    if name in types.FLOATS:
        return float(value) if isinstance(value, int | float) else float(exact(value))
    if types.is_exact(target):
        return written(exact(repr(value) if isinstance(value, float) else value), target)
    if name == "boolean":
        return _truth(value)
    return temporal(str(value), target, source)


def assigner(source: SqlType | None, target: SqlType) -> Callable[[Stored], Stored] | None:
    """What makes stored values of one type those of a column, for many of them; None: they are what they should be."""
    if source == target or (source is not None and _widens(source, target)):
        return None
    if target.name == "varchar" and not target.bit_data and (source is None or types.is_text(source)):
        return lambda value: value if _is_short(value, target.length) else converted(value, source, target, assigned=True)
    return lambda value: converted(value, source, target, assigned=True)


def _is_short(value: Stored, length: int) -> bool:
    """Whether it is text that fits for sure."""
    return isinstance(value, str) and len(value) <= length and value.isascii()


def _widens(source: SqlType, target: SqlType) -> bool:
    """Whether all values of a type are the same in the other one."""
    if source.name in types.WHOLE and target.name in types.WHOLE:
        return types.WHOLE.index(source.name) <= types.WHOLE.index(target.name)
    if source.name in {"varchar", "varbinary"}:
        return source.name == target.name and source.bit_data == target.bit_data and source.length <= target.length
    return False


def _truth(value: Stored) -> int:
    if isinstance(value, str):
        text = value.strip().lower()
        if text in {"true", "t", "yes", "y", "on", "1"}:
            return 1
        if text in {"false", "f", "no", "n", "off", "0"}:
            return 0
        raise SqlError(-420, "22018", "BOOLEAN")
    return int(bool(value))


def _bytes(value: Stored, target: SqlType, *, assigned: bool) -> bytes:
    data = value if isinstance(value, bytes) else str(value).encode()
    if target.name == "blob":
        return data
    if len(data) > target.length:
        if assigned and data[target.length :].strip(b" "):
            raise SqlError(-433, "22001", data[:20].hex())
        data = data[: target.length]
    if target.name == "char":
        return data.ljust(target.length, b" ")
    return data.ljust(target.length, b"\0") if target.name == "binary" else data


def _text(value: Stored, source: SqlType | None, target: SqlType, *, assigned: bool) -> str:
    text = _shown(value, source)
    if target.name in types.LARGE:
        return text
    wide = target.name in {"graphic", "vargraphic", "long vargraphic"}
    size = len(text.encode("utf-16-be")) // 2 if wide else len(text.encode())
    if size > target.length:
        if wide:
            kept = text.encode("utf-16-be")[: target.length * 2].decode("utf-16-be", "ignore")
        else:
            kept = text.encode()[: target.length].decode("utf-8", "ignore")
        if assigned and text[len(kept) :].strip(" "):
            raise SqlError(-433, "22001", text[:20])
        text, size = kept, target.length
    return text + " " * (target.length - size) if target.name in {"char", "graphic"} else text


def _shown(value: Stored, source: SqlType | None) -> str:
    if source is not None and source.name == "boolean":
        return "TRUE" if value else "FALSE"
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise SqlError(-420, "22018", "VARCHAR") from None
    if isinstance(value, float):
        return f"{Decimal(repr(value)):.17G}"
    if source is not None and source.name == "timestamp":
        return f"{value[:10]}-{value[11:19].replace(':', '.')}{value[19:]}"  # as Db2 writes it
    if source is not None and source.name == "time":
        return str(value).replace(":", ".")
    return str(value)


def temporal(text: str, target: SqlType, source: SqlType | None = None) -> str:
    """A date, time or timestamp from text or from another of them; raises `SqlError` -180, -181."""
    text = text.strip()
    if target.name == "time":
        if source is not None and source.name == "timestamp":
            return text[11:19]
        match = _TIME.fullmatch(text)
        if match is None:
            raise SqlError(-180, "22007")
        return _clock(match[1], match[2], match[3] or "00")
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        raise SqlError(-180, "22007")
    day = _day(match[1])
    if target.name == "date":
        return day
    hour, minute, second = re.split(r"[.:]", match[2] or "00.00.00")
    clock = _clock(hour, minute, second)
    return f"{day} {clock}" + (f".{(match[3] or '').ljust(target.scale, '0')[: target.scale]}" if target.scale else "")


def _day(text: str) -> str:
    match = _DATE.fullmatch(text)
    assert match is not None  # noqa: S101  # the caller's pattern has this one inside
    year, month, day = (int(each) for each in match.groups())
    last = 29 if month == 2 and (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)) else 28
    if not (1 <= month <= 12 and 1 <= day <= (last if month == 2 else 30 if month in {4, 6, 9, 11} else 31) and year):
        raise SqlError(-181, "22007")
    return f"{year:04}-{month:02}-{day:02}"


def _clock(hour: str, minute: str, second: str) -> str:
    whole = int(hour) * 3600 + int(minute) * 60 + int(second)
    if int(minute) > 59 or int(second) > 59 or whole > 86400:
        raise SqlError(-181, "22007")
    return f"{int(hour):02}:{minute}:{second}"


def encoded(value: Value, of: SqlType) -> Stored:
    """A value of the wire as a stored one of the type."""
    if value is None:
        return None
    if isinstance(value, bool):
        value = int(value)
    return converted(str(value) if isinstance(value, Decimal) else value, None, of)


def decoder(of: SqlType) -> Callable[[Any], Value] | None:
    """How stored values become those of the wire; None where they are the same."""
    if types.is_exact(of):
        return Decimal
    return bool if of.name == "boolean" else None
