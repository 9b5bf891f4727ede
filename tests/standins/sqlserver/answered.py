"""Queries that may be answered from columns of Arrow: their rows, and which way they came."""

from __future__ import annotations

from uuid import UUID

from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.session import ArrowRows, Parameter, ResultColumn, ResultSet
from tailrace_standins.sqlserver.values import SqlType, Value

Given = dict[str, tuple[SqlType, Value]]


def through_sqlite(client: Client, sql: str, parameters: Given) -> list[tuple[Value, ...]]:
    """The rows of a query, whoever could give them otherwise."""
    answers, client.engine.system.answers[:] = list(client.engine.system.answers), []
    try:
        return run(client, sql, parameters)[0]
    finally:
        client.engine.system.answers[:] = answers


def run(client: Client, sql: str, parameters: Given) -> tuple[list[tuple[Value, ...]], bool]:
    """The rows of a query, and whether they came as columns."""
    passed = [Parameter(f"@{name}", of, value) for name, (of, value) in parameters.items()]
    rows: list[tuple[Value, ...]] = []
    kinds: set[bool] = set()
    for outcome in client.session.execute(sql, passed):
        assert isinstance(outcome, ResultSet), outcome
        for piece in outcome.pieces:
            kinds.add(isinstance(piece, ArrowRows))
            if isinstance(piece, ArrowRows):
                rows += zip(*_values(outcome.columns, piece), strict=True)
            else:
                assert isinstance(piece, list)
                rows += [tuple(row) for row in piece]
    return rows, kinds == {True} or not rows


def _values(columns: tuple[ResultColumn, ...], piece: ArrowRows) -> list[list[Value]]:
    arrays = [array.to_pylist() for array in piece.batch.columns]
    guids = [column.type.name == "uniqueidentifier" for column in columns]
    return [
        [UUID(bytes=value) if is_guid and value is not None else value for value in values]
        for values, is_guid in zip(arrays, guids, strict=True)
    ]
