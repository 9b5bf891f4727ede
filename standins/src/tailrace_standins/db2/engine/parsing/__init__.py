"""From SQL to trees."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from tailrace_standins.db2.engine import tree
from tailrace_standins.db2.engine.parsing.statements import Statements

_SHORT: Final = 4000


def parsed(sql: str) -> tuple[tree.Statement, int]:
    """A statement, and how many parameter markers it has."""
    return _remembered(sql) if len(sql) < _SHORT else _parsed(sql)


def _parsed(sql: str) -> tuple[tree.Statement, int]:
    reader = Statements(sql)
    return reader.statement(), reader.markers


def expression(sql: str) -> tree.Expression:
    """An expression by itself: a default, a generated column's."""
    reader = Statements(sql)
    found = reader.condition()
    reader.end()
    return found


_remembered: Final = lru_cache(2000)(_parsed)
