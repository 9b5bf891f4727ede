"""Conversions to numbers.

Source: "CAST and CONVERT", https://learn.microsoft.com/sql/t-sql/functions/cast-and-convert-transact-sql
"""

from __future__ import annotations

import struct
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

from tailrace_standins.sqlserver.engine import convert_text, temporal
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.stored import EXACT, Conversion, exact, packed
from tailrace_standins.sqlserver.engine.types import INTEGER_RANGE, family
from tailrace_standins.sqlserver.values import SqlType

_MONEY_LIMITS: Final = {"money": Decimal("922337203685477.5808"), "smallmoney": Decimal("214748.3648")}
WIDTHS: Final = {"bit": 1, "tinyint": 1, "smallint": 2, "int": 4, "bigint": 8}


def to_int(source: SqlType, target: SqlType, _style: int, _column: Any) -> Conversion | None:
    """The conversion to an integer or bit; None if no value changes."""
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
            width = WIDTHS[target.name]
            return int.from_bytes(
                value[-width:].rjust(width, b"\0"), "big", signed=target.name not in {"tinyint", "bit"}
            )
        case "datetime" | "date":
            day, ticks = temporal.moment(value)
            return day - temporal.EPOCH + (1 if ticks >= temporal.DAY // 2 else 0)
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


def to_float(source: SqlType, target: SqlType, _style: int, _column: Any) -> Conversion:
    """The conversion to float or real; None if no value changes."""
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
    day, ticks = temporal.moment(value)
    return day - temporal.EPOCH + ticks / temporal.DAY


def to_decimal(source: SqlType, target: SqlType, _style: int, _column: Any) -> Conversion | None:
    """The conversion to a decimal or money; None if no value changes."""
    kind = family(source)
    if (
        kind == "decimal"
        and source.scale <= target.scale
        and source.precision - source.scale <= target.precision - target.scale
        and (target.name not in _MONEY_LIMITS or source.precision < target.precision)
    ):
        return None
    unit, limit = Decimal(1).scaleb(-target.scale), Decimal(10) ** (target.precision - target.scale)
    lowest = EXACT.subtract(unit, limit)
    if target.name in _MONEY_LIMITS:
        limit = _MONEY_LIMITS[target.name]
        lowest = -limit
    shown = "numeric" if target.name == "decimal" else target.name

    def fit(number: Decimal) -> str:
        number = number.quantize(unit, ROUND_HALF_UP, EXACT)
        if not lowest <= number < limit:
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
