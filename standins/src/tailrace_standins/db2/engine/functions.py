"""Functions of compiled text that run in Python.

Source: IBM Db2 documentation, "Built-in functions" (SQL reference)
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal, DivisionByZero
from functools import lru_cache
from typing import Any, Final

from tailrace_standins.db2.engine import convert, durations
from tailrace_standins.db2.session import SqlError
from tailrace_standins.db2.values import SqlType
from tailrace_standins.storage.sessions import Stored

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
    return convert.converted(value, unkeyed(source), _known(target))


def _calculated(operator: str, left: Stored, right: Stored, of: str) -> Stored:
    if left is None or right is None:
        return None
    target = _known(of)
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


def _moved(value: Stored, unit: str, amount: Stored, of: str) -> Stored:
    return durations.moved(value, unit, amount, _known(of))


def _by_duration(value: Stored, sign: int, duration: Stored, of: str, digits: int) -> Stored:
    return durations.by_duration(value, sign, duration, _known(of), digits)


def _between(left: Stored, right: Stored, of: str) -> Stored:
    return durations.between(left, right, _known(of))


def _known(text: str) -> SqlType:
    found = unkeyed(text)
    assert found is not None  # noqa: S101  # the compiler has it
    return found


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
    "converted": _converted, "calculated": _calculated, "divided": _divided, "joined": _joined, "moved": _moved,
    "by_duration": _by_duration, "duration": _between, "part": _part,
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
