"""Describes a batch's first result set without running it (sp_prepare, sp_describe_first_result_set)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import dml, reading, tree
from tailrace_standins.sqlserver.engine.variables import assigns
from tailrace_standins.sqlserver.session import ResultColumn

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def described(session: EngineSession, statements: Sequence[tree.Statement]) -> tuple[ResultColumn, ...]:
    """The columns of the first SELECT; variables that are declared before it are known to it."""
    for statement in statements:
        if isinstance(statement, tree.Declare):
            session.types.update({v.name: v.type for v in statement.variables if v.type is not None})
        if isinstance(statement, tree.SelectStatement) and not assigns(statement):
            return reading.planned(session, statement, statement.query).columns
        if (
            isinstance(statement, tree.Insert | tree.Update | tree.Delete)
            and statement.output
            and not statement.output_into
        ):
            return dml.output_columns(session, statement)
    return ()
