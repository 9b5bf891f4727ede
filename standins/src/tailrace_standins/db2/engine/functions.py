"""Db2's functions: how they are compiled, and those that run in Python.

Source: IBM Db2 documentation, "Built-in functions" (SQL reference)
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import ROUND_DOWN, Context, Decimal, DivisionByZero
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from tailrace_standins.db2.engine import convert, types
from tailrace_standins.db2.engine.compiling.scope import Typed, collation
from tailrace_standins.db2.session import SqlError
from tailrace_standins.db2.values import SqlType
from tailrace_standins.storage.sessions import Stored

if TYPE_CHECKING:
    from tailrace_standins.db2.engine import tree
    from tailrace_standins.db2.engine.compiling.expressions import Expressions
    from tailrace_standins.db2.engine.compiling.scope import Scope

_WIDE: Final = Context(prec=80)


def key(of: SqlType | None) -> str:
    """A type as text, for functions that run in SQLite."""
    return f"{of.name}:{of.length}:{of.precision}:{of.scale}:{int(of.bit_data)}" if of is not None else ""


@lru_cache(4096)
def unkeyed(text: str) -> SqlType | None:
    """The type that `key` wrote."""
    if not text:
        return None
    name, length, precision, scale, bit_data = text.split(":")
    return SqlType(name, int(length), int(precision), int(scale), bit_data == "1")


def _converted(value: Stored, source: str, target: str) -> Stored:
    wanted = unkeyed(target)
    assert wanted is not None  # noqa: S101  # the compiler has it
    return convert.converted(value, unkeyed(source), wanted)


def _calculated(operator: str, left: Stored, right: Stored, of: str) -> Stored:
    if left is None or right is None:
        return None
    target = unkeyed(of)
    assert target is not None  # noqa: S101  # the compiler has it
    a, b = convert.exact(left), convert.exact(right)
    context = Context(prec=34) if target.name == "decfloat" else _WIDE
    try:
        found = {"+": context.add, "-": context.subtract, "*": context.multiply, "/": context.divide}[operator](a, b)
    except (DivisionByZero, ArithmeticError):
        raise SqlError(-801, "22012") from None
    return convert.written(found, target)


def _divided(left: Stored, right: Stored) -> Stored:
    if left is None or right is None:
        return None
    if right == 0:
        raise SqlError(-801, "22012")
    if isinstance(left, int) and isinstance(right, int):
        whole = abs(left) // abs(right)
        return whole if (left < 0) == (right < 0) else -whole
    return left / right


def _joined(left: Stored, right: Stored) -> Stored:
    if left is None or right is None:
        return None
    a, b = (each if isinstance(each, bytes) else str(each).encode() for each in (left, right))
    return a + b


def moved(value: Stored, unit: str, amount: Stored, of: str) -> Stored:
    """A date, time or timestamp moved by a labelled duration."""
    if value is None or amount is None:
        return None
    target = unkeyed(of)
    assert target is not None  # noqa: S101  # the compiler has it
    steps = convert.exact(amount)
    text = str(value)
    if target.name == "time":
        text = "2000-01-01 " + text
    begin = dt.datetime.fromisoformat(text[:19])
    fraction = text[19:]
    if unit in {"YEAR", "MONTH"}:
        months = begin.year * 12 + begin.month - 1 + int(steps) * (12 if unit == "YEAR" else 1)
        year, month = divmod(months, 12)
        last = (dt.date(year + month // 11, (month + 1) % 12 + 1, 1) - dt.timedelta(days=1)).day
        end = begin.replace(year=year, month=month + 1, day=min(begin.day, last))
    else:
        micros = int((Decimal("0" + fraction) * 1_000_000).to_integral_value(ROUND_DOWN)) if fraction else 0
        size = {
            "DAY": 86_400_000_000,
            "HOUR": 3_600_000_000,
            "MINUTE": 60_000_000,
            "SECOND": 1_000_000,
            "MICROSECOND": 1,
        }[unit]
        whole = micros + int((steps * size).to_integral_value(ROUND_DOWN))
        end = begin + dt.timedelta(microseconds=whole)
        digits = fraction[1:]
        fraction = f".{end.microsecond:06}{digits[6:]}"[: len(digits) + 1] if digits else ""
        end = end.replace(microsecond=0)
    if target.name == "date":
        return end.isoformat()[:10]
    shown = end.isoformat(sep=" ") + fraction
    return shown[11:] if target.name == "time" else shown


def _part(value: Stored, unit: str) -> Stored:
    if value is None:
        return None
    text = str(value)
    day, clock = (text[:10], text[11:]) if text[4:5] == "-" else ("", text)
    if unit == "MICROSECOND":
        return int(clock[9:15].ljust(6, "0") or 0)
    place = ("YEAR", "MONTH", "DAY").index(unit) if unit in {"YEAR", "MONTH", "DAY"} else -1
    return (
        int(day.split("-")[place])
        if place >= 0
        else int(clock.split(":")[("HOUR", "MINUTE", "SECOND").index(unit)][:2])
    )


def _substr(value: Stored, start: int, length: int | None = None) -> Stored:
    if start < 1 or (length is not None and length < 0):
        raise SqlError(-138, "22011")
    return value[start - 1 :] if length is None else value[start - 1 : start - 1 + length]


def _hex(value: Stored) -> str:
    return (value if isinstance(value, bytes) else str(value).encode()).hex().upper()


def _length(value: Stored) -> int:
    return len(value) if isinstance(value, bytes) else len(str(value).encode())


SCALARS: Final[dict[str, Callable[..., Stored]]] = {
    "converted": _converted, "calculated": _calculated, "divided": _divided, "joined": _joined, "moved": moved, "part": _part,
}  # fmt: skip
"""What compiled text calls; these take NULL."""
STRICT: Final[dict[str, Callable[..., Stored]]] = {
    "f_substr": _substr, "f_hex": _hex, "f_length": _length, "f_upper": lambda v: str(v).upper(),
    "f_lower": lambda v: str(v).lower(),
    "f_ltrim": lambda v: v.lstrip(b" ") if isinstance(v, bytes) else str(v).lstrip(" "),
    "f_rtrim": lambda v: v.rstrip(b" ") if isinstance(v, bytes) else str(v).rstrip(" "),
    "f_trim": lambda v: v.strip(b" ") if isinstance(v, bytes) else str(v).strip(" "),
    "f_locate": lambda s, v: v.find(s) + 1, "f_posstr": lambda v, s: v.find(s) + 1, "f_repeat": lambda v, n: v * n,
    "f_replace": lambda v, a, b: v.replace(a, b) if a else v,
}  # fmt: skip
"""Those that are NULL with any NULL."""

_LIKE_FIRST: Final = {"SUBSTR": "f_substr", "UPPER": "f_upper", "UCASE": "f_upper", "LOWER": "f_lower", "LCASE": "f_lower",
                      "LTRIM": "f_ltrim", "RTRIM": "f_rtrim", "TRIM": "f_trim", "STRIP": "f_trim", "REPLACE": "f_replace",
                      "REPEAT": "f_repeat"}  # fmt: skip
_WHOLE: Final = {"LENGTH": "f_length", "LOCATE": "f_locate", "POSSTR": "f_posstr"}
_CASTS: Final = {"INTEGER": types.INTEGER, "INT": types.INTEGER, "BIGINT": types.BIGINT, "SMALLINT": types.SMALLINT,
                 "DOUBLE": types.DOUBLE, "FLOAT": types.DOUBLE, "REAL": types.REAL, "DATE": types.DATE, "TIME": types.TIME,
                 "TIMESTAMP": types.TIMESTAMP, "DECFLOAT": types.DECFLOAT, "BOOLEAN": types.BOOLEAN}  # fmt: skip
_PARTS: Final = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND"})
_RANKS: Final = frozenset({"ROW_NUMBER", "RANK", "DENSE_RANK"})
_SHIFTS: Final = frozenset({"LEAD", "LAG", "FIRST_VALUE", "LAST_VALUE"})
AGGREGATES: Final = frozenset({"COUNT", "COUNT_BIG", "SUM", "AVG", "MIN", "MAX"})


def called(compiler: Expressions, node: tree.Call, scope: Scope) -> Typed:
    """A call; raises `SqlError` -440 for a function that is not known."""
    name = node.names[-1]
    values = [compiler.value(each, scope) for each in node.arguments]
    over = _over(compiler, node, scope)
    if name in AGGREGATES and (len(values) == 1 or node.star):
        return _aggregate(node, name, values, over)
    if over and name in _RANKS:
        return Typed(f"{name.lower()}(){over}", types.BIGINT, nullable=False)
    if over and name in _SHIFTS:
        values = [*values[:2], *compiler.unified([values[0], *values[2:]])[1:]]
        return Typed(f"{name.lower()}({', '.join(each.sql for each in values)}){over}", values[0].type)
    if name in {"COALESCE", "VALUE", "IFNULL", "NVL"} and values:
        values = compiler.unified(values)
        return Typed(
            f"coalesce({', '.join(each.sql for each in values)})", values[0].type, all(each.nullable for each in values)
        )
    if name == "NULLIF" and len(values) == 2:
        return Typed(
            f"(CASE WHEN {compiler.compared('=', *values).sql} THEN NULL ELSE {values[0].sql} END)", values[0].type
        )
    if name == "CONCAT" and len(values) == 2:
        return compiler._concatenated(*values)  # noqa: SLF001  # the operator as a function
    if name in _CASTS and values:
        return compiler.cast(values[0], _CASTS[name])
    if (
        name in {"VARCHAR", "CHAR", "DECIMAL", "DEC", "CLOB", "BLOB", "VARBINARY", "VARGRAPHIC", "GRAPHIC", "BINARY"}
        and values
    ):
        return compiler.cast(values[0], _sized(name, values[0].type, node))
    if name in _PARTS and len(values) == 1:
        value = compiler.typed(values[0], types.TIMESTAMP)
        return Typed(f"part({value.sql}, '{name}')", types.INTEGER, value.nullable)
    if name == "ABS" and len(values) == 1:
        value = compiler.typed(values[0], types.DOUBLE)
        return Typed(
            f"ltrim({value.sql}, '-')" if value.type and types.is_exact(value.type) else f"abs({value.sql})", value.type
        )
    if name == "MOD" and len(values) == 2:
        return Typed(f"({values[0].sql} % {values[1].sql})", types.common(values[0].type, values[1].type))
    if name == "HEX" and len(values) == 1:
        return Typed(
            f"f_hex({values[0].sql})", types.varchar(max(2 * (values[0].type.length if values[0].type else 16), 32))
        )
    listed = ", ".join(compiler.typed(each, types.varchar(4000)).sql for each in values)
    if name in _WHOLE:
        return Typed(f"{_WHOLE[name]}({listed})", types.INTEGER)
    if name in _LIKE_FIRST and values:
        listed = ", ".join(compiler.typed(each, types.INTEGER if place and name in {"SUBSTR",
        "REPEAT"} else types.varchar(4000)).sql
                           for place, each in enumerate(values))  # fmt: skip
        of = compiler.typed(values[0], types.varchar(4000)).type or types.varchar(4000)
        return Typed(
            f"{_LIKE_FIRST[name]}({listed})",
            SqlType({"char": "varchar"}.get(of.name, of.name), of.length, bit_data=of.bit_data),
        )
    raise SqlError(-440, "42884", ".".join(node.names), "FUNCTION")


def _sized(name: str, source: SqlType | None, node: tree.Call) -> SqlType:
    sizes = [int(getattr(each, "value", 0)) for each in node.arguments[1:]]
    if not sizes and name in {"VARCHAR", "CHAR", "VARGRAPHIC", "GRAPHIC", "VARBINARY", "BINARY"}:
        sizes = [source.length if source is not None and source.length else 42]
    bit_data = bool(source and source.bit_data) and name in {"VARCHAR", "CHAR"}
    return types.named(
        "DECIMAL" if name == "DEC" else name, sizes or ([15] if name in {"DECIMAL", "DEC"} else []), bit_data=bit_data
    )


def _over(compiler: Expressions, node: tree.Call, scope: Scope) -> str:
    window = node.window
    if window is None:
        return ""
    parts = []
    if window.partition:
        parts.append("PARTITION BY " + ", ".join(compiler.value(each, scope).collated() for each in window.partition))
    if window.order:
        listed = []
        for each in window.order:
            value = compiler.value(each.expression, scope)
            listed.append(
                f"{value.collated()}{' DESC' if each.descending else ''} NULLS {'FIRST' if each.descending else 'LAST'}"
            )
        parts.append("ORDER BY " + ", ".join(listed))
    return f" OVER ({' '.join([*parts, window.frame]).strip()})"


def _aggregate(node: tree.Call, name: str, values: list[Typed], over: str) -> Typed:
    distinct = "DISTINCT " if node.distinct else ""
    if name in {"COUNT", "COUNT_BIG"}:
        inner = "*" if node.star else values[0].collated()
        of = types.INTEGER if name == "COUNT" else SqlType("decimal", precision=31)
        counted = f"count({distinct}{inner}){over}"
        return Typed(counted if name == "COUNT" else f"CAST({counted} AS TEXT)", of, nullable=False)
    value = values[0]
    of = value.type or types.INTEGER
    if name in {"MIN", "MAX"}:
        return Typed(f"{name.lower()}({value.sql}{collation(of)}){over}", of)
    if not types.is_number(of):
        raise SqlError(-402, "42819", name)
    if types.is_exact(of):
        result = SqlType("decimal", precision=31, scale=of.scale) if of.name == "decimal" else of
        return Typed(f"exact_{name.lower()}({distinct}{value.sql}, '{key(result)}'){over}", result)
    if name == "SUM":
        return Typed(f"sum({distinct}{value.sql}){over}", types.INTEGER if of.name == "smallint" else of)
    averaged = f"avg({distinct}{value.sql}){over}"
    return Typed(f"CAST({averaged} AS INTEGER)" if of.name in types.WHOLE else averaged, of)


class ExactSum:
    """SUM of exact numbers."""

    def __init__(self) -> None:
        self.total: Decimal | None = None
        self.count = 0
        self.of = ""

    def step(self, value: Stored, of: str) -> None:
        """Add a value."""
        self.of = of
        if value is not None:
            self.total = _WIDE.add(self.total or Decimal(0), convert.exact(value))
            self.count += 1

    def finalize(self) -> Stored:
        """The sum, NULL of no values."""
        target = unkeyed(self.of)
        return None if self.total is None or target is None else convert.written(self.total, target)


class ExactAverage(ExactSum):
    """AVG of exact numbers."""

    def finalize(self) -> Stored:
        """The average."""
        target = unkeyed(self.of)
        return (
            None
            if self.total is None or target is None
            else convert.written(_WIDE.divide(self.total, Decimal(self.count)), target)
        )


def compared_exactly(left: str, right: str) -> int:
    """The collation of exact numbers."""
    a, b = Decimal(left), Decimal(right)
    return (a > b) - (a < b)


def register(define: Callable[..., Any], raw: Any) -> None:
    """Give a connection all functions."""
    for name, call in SCALARS.items():
        define(name, call)
    for name, call in STRICT.items():
        define(name, lambda *arguments, call=call: None if None in arguments else call(*arguments))
    raw.create_aggregate("exact_sum", 2, ExactSum)
    raw.create_aggregate("exact_avg", 2, ExactAverage)
    raw.create_collation("EXACT", compared_exactly)
