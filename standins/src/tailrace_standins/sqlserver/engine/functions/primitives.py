"""The SQLite functions to which operators, CAST and a few functions are compiled.

Source: "Operators (Transact-SQL)", https://learn.microsoft.com/sql/t-sql/language-elements/operators-transact-sql
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_UP, Decimal, DivisionByZero, InvalidOperation
from typing import Any, Final

from tailrace_standins.sqlserver.engine import stored
from tailrace_standins.sqlserver.engine.compiling.values import CONVERSIONS
from tailrace_standins.sqlserver.engine.convert_text import characters
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.stored import EXACT, Stored, exact, packed
from tailrace_standins.sqlserver.engine.types import INTEGER_RANGE, family
from tailrace_standins.sqlserver.values import SqlType


def _conv(number: int, value: Stored) -> Stored:
    return None if value is None else CONVERSIONS[number](value)


def raised(number: int) -> Stored:
    """An error as the value of an expression: it ends the statement."""
    raise error(number)


def _row_count(count: int | None) -> int:
    if count is None or count < 0:
        raise error(127)
    return count


def _whole(operator: str, a: int | None, b: int | None, of: str) -> int | None:
    if a is None or b is None:
        return None
    match operator:
        case "+":
            result = a + b
        case "-":
            result = a - b
        case "*":
            result = a * b
        case _:
            if b == 0:
                raise error(8134)
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            result = quotient if operator == "/" else a - quotient * b
    low, high = INTEGER_RANGE[of]
    if not low <= result <= high:
        raise error(8115, "expression", of)
    return result


def _float(operator: str, a: float | None, b: float | None) -> float | None:
    if a is None or b is None:
        return None
    if b == 0:
        raise error(8134)
    return a / b if operator == "/" else a - b * int(a / b)


def _decimal(operator: str, left: str | None, right: str | None, precision: int, scale: int) -> str | None:
    if left is None or right is None:
        return None
    a, b = exact(left), exact(right)
    try:
        match operator:
            case "+":
                result = EXACT.add(a, b)
            case "-":
                result = EXACT.subtract(a, b)
            case "*":
                result = EXACT.multiply(a, b)
            case "/":
                result = EXACT.divide(a, b)
            case _:
                result = EXACT.remainder(a, b)
    except (DivisionByZero, InvalidOperation):
        raise error(8134) from None
    result = result.quantize(Decimal(1).scaleb(-scale), ROUND_DOWN if operator == "/" else ROUND_HALF_UP, EXACT)
    if len(result.as_tuple().digits) > precision and result.copy_abs() >= Decimal(10) ** (precision - scale):
        raise error(8115, "expression", "numeric")
    return packed(result)


def _rounded(name: str, value: Any, digits: int | None, cut: int | None, kind: str) -> Stored:
    if value is None or digits is None:
        return None
    number = exact(value) if kind == "decimal" else Decimal(value)
    if name == "abs":
        number = number.copy_abs()
    else:
        how = {"floor": ROUND_FLOOR, "ceiling": ROUND_CEILING}.get(name, ROUND_DOWN if cut else ROUND_HALF_UP)
        number = number.quantize(Decimal(1).scaleb(-digits), how, EXACT)
    if kind == "decimal":
        return packed(number)
    return int(number) if kind == "int" else float(number)


def _datalength(value: Any, name: str, precision: int, scale: int) -> int | None:
    if value is None:
        return None
    of = SqlType(name, precision=precision, scale=scale)
    kind = family(of)
    if kind == "text":
        return len(characters(value, of if name != "xml" else SqlType("nvarchar")))
    if kind == "binary":
        return len(value)
    if kind == "variant":
        inner, held = stored.variant_parts(value)
        return _datalength(held, inner.name, inner.precision, inner.scale)
    seconds = 0 if scale < 3 else 1 if scale < 5 else 2
    sizes = {"bit": 1, "tinyint": 1, "smallint": 2, "int": 4, "bigint": 8, "real": 4, "float": 8, "money": 8, "smallmoney": 4,
             "date": 3, "smalldatetime": 4, "datetime": 8, "time": 3 + seconds, "datetime2": 6 + seconds,
             "datetimeoffset": 8 + seconds,
             "uniqueidentifier": 16}  # fmt: skip
    return sizes.get(name, 5 if precision < 10 else 9 if precision < 20 else 13 if precision < 29 else 17)


def _concat_ws(separator: str | None, *values: str | None) -> str:
    return (separator or "").join(value for value in values if value is not None)


def _variant_property(text: str | None, what: str) -> str | None:
    if text is None:
        return None
    of, _ = stored.variant_parts(text)
    nvarchar, number = SqlType("nvarchar", 128), SqlType("int")
    match what.lower():
        case "basetype":
            return stored.variant_stored(nvarchar, of.name)
        case "precision":
            return stored.variant_stored(number, of.precision)
        case "scale":
            return stored.variant_stored(number, of.scale)
        case "maxlength":
            return stored.variant_stored(number, of.length * (2 if of.name[0] == "n" else 1))
        case "collation":
            return None if of.collation is None else stored.variant_stored(nvarchar, of.collation)
    return None


PRIMITIVES: Final[dict[str, Callable[..., Stored]]] = {
    "conv": _conv,
    "num": _whole,
    "flo": _float,
    "dec": _decimal,
    "row_count": _row_count,
    "rounded": _rounded,
    "datalength": _datalength,
    "concat_ws": _concat_ws,
    "without_zeros": lambda data: None if data is None else data.rstrip(b"\0"),
    "variant_property": _variant_property,
}
