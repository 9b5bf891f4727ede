"""From SQL to trees."""

from __future__ import annotations

from tailrace_standins.db2.engine import tree
from tailrace_standins.db2.engine.parsing.statements import Statements


def parsed(sql: str) -> tuple[tree.Statement, int]:
    """A statement, and how many parameter markers it has."""
    reader = Statements(sql)
    return reader.statement(), reader.markers


def expression(sql: str) -> tree.Expression:
    """An expression by itself: a default, a generated column's."""
    reader = Statements(sql)
    found = reader.condition()
    reader.end()
    return found
