"""Aggregates that SQLite lacks: sums of decimals (also over windows), STRING_AGG, standard deviations."""

from __future__ import annotations

import math
import sqlite3
from decimal import ROUND_DOWN, Decimal
from typing import Any, cast

from tailrace_standins.sqlserver.engine.stored import EXACT, exact, packed


class DecimalSum:
    """SUM of packed decimals."""

    def __init__(self) -> None:
        self._sum = Decimal(0)
        self._count = 0
        self._scale = 0

    def step(self, value: str | None, scale: int) -> None:
        """One more row."""
        self._scale = scale
        if value is not None:
            self._sum = EXACT.add(self._sum, exact(value))
            self._count += 1

    def inverse(self, value: str | None, _scale: int) -> None:
        """A row leaves the window."""
        if value is not None:
            self._sum = EXACT.subtract(self._sum, exact(value))
            self._count -= 1

    def value(self) -> str | None:
        """The result so far."""
        return packed(self._sum) if self._count else None

    finalize = value


class DecimalAverage(DecimalSum):
    """AVG of packed decimals, cut to the result's scale."""

    def value(self) -> str | None:
        """The result so far."""
        if not self._count:
            return None
        return packed(
            EXACT.divide(self._sum, Decimal(self._count)).quantize(Decimal(1).scaleb(-self._scale), ROUND_DOWN, EXACT)
        )

    finalize = value


class StringAggregate:
    """STRING_AGG (value, separator) WITHIN GROUP (ORDER BY key)."""

    def __init__(self) -> None:
        self._parts: list[tuple[Any, str]] = []
        self._separator = ""
        self._descending = False

    def step(self, value: str | None, separator: str, key: Any, descending: int) -> None:
        """One more row."""
        self._separator, self._descending = separator, bool(descending)
        if value is not None:
            self._parts.append((key, value))

    def finalize(self) -> str | None:
        """The texts in order."""
        if not self._parts:
            return None
        if any(key is not None for key, _ in self._parts):
            self._parts.sort(
                key=lambda part: (
                    part[0] is not None,
                    part[0].casefold() if isinstance(part[0], str) else part[0] or 0,
                ),
                reverse=self._descending,
            )
        return self._separator.join(value for _, value in self._parts)


class _Deviation:
    population = False
    root = True

    def __init__(self) -> None:
        self._values: list[float] = []

    def step(self, value: float | None) -> None:
        """One more row."""
        if value is not None:
            self._values.append(value)

    def finalize(self) -> float | None:
        """The deviation, or its square."""
        count = len(self._values) - (0 if self.population else 1)
        if count < 1:
            return None
        mean = math.fsum(self._values) / len(self._values)
        variance = math.fsum((value - mean) ** 2 for value in self._values) / count
        return math.sqrt(variance) if self.root else variance


def register(connection: sqlite3.Connection) -> None:
    """Make the aggregates known to a connection."""
    connection.create_window_function("dsum", 2, cast("Any", DecimalSum))
    connection.create_window_function("davg", 2, cast("Any", DecimalAverage))
    connection.create_aggregate("string_agg", 4, cast("Any", StringAggregate))
    for name, population, root in (
        ("stdev", False, True),
        ("stdevp", True, True),
        ("var", False, False),
        ("varp", True, False),
    ):
        kind = type(name, (_Deviation,), {"population": population, "root": root})
        connection.create_aggregate(name, 1, cast("Any", kind))
