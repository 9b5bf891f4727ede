"""A session of the engine, driven without a wire."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from tailrace_standins.sqlserver.engine.availability import Replica
from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.session import (
    Affected,
    Failed,
    Login,
    Notice,
    Outcome,
    Parameter,
    ResultColumn,
    ResultSet,
    SqlError,
)
from tailrace_standins.sqlserver.values import SqlType, Value

T = TypeVar("T")
INT = SqlType("int")


class Client:
    """Runs batches; errors are raised, those that let the batch go on too."""

    def __init__(
        self, server: Engine | Replica, database: str = "shop", user: str = "sa", password: str | None = None
    ) -> None:
        self.engine = server.group.engine if isinstance(server, Replica) else server
        self.session = server.login(Login(user, self.engine.password if password is None else password, database))

    def outcomes(self, sql: str, **parameters: tuple[SqlType, Value]) -> list[Outcome]:
        given = [Parameter(f"@{name}", of, value) for name, (of, value) in parameters.items()]
        run = self.session.execute(sql, given) if given else self.session.batch(sql)
        return [self._whole(outcome) for outcome in run]

    @staticmethod
    def _whole(outcome: Outcome) -> Outcome:
        if not isinstance(outcome, ResultSet):
            return outcome
        rows = [row for piece in outcome.pieces for row in _sequence(piece)]
        return ResultSet(outcome.columns, iter([rows]))

    def run(self, sql: str, **parameters: tuple[SqlType, Value]) -> list[Outcome]:
        found = self.outcomes(sql, **parameters)
        for outcome in found:
            if isinstance(outcome, Failed):
                raise outcome.error
        return found

    def results(
        self, sql: str, **parameters: tuple[SqlType, Value]
    ) -> list[tuple[tuple[ResultColumn, ...], list[Sequence[Value]]]]:
        return [
            (o.columns, list(_sequence(next(iter(o.pieces)))))
            for o in self.run(sql, **parameters)
            if isinstance(o, ResultSet)
        ]

    def rows(self, sql: str, **parameters: tuple[SqlType, Value]) -> list[Sequence[Value]]:
        return self.results(sql, **parameters)[-1][1]

    def value(self, sql: str, **parameters: tuple[SqlType, Value]) -> Value:
        ((only,),) = self.rows(sql, **parameters)
        return only

    def types(self, sql: str) -> list[SqlType]:
        return [column.type for column in self.results(sql)[-1][0]]

    def counts(self, sql: str) -> list[int | None]:
        return [o.count for o in self.run(sql) if isinstance(o, Affected)]

    def messages(self, sql: str) -> list[str]:
        return [o.message for o in self.run(sql) if isinstance(o, Notice)]

    def error(self, sql: str, **parameters: tuple[SqlType, Value]) -> int:
        try:
            self.run(sql, **parameters)
        except SqlError as problem:
            return problem.number
        raise AssertionError(f"no error from {sql}")


def _sequence(piece: object) -> Iterable[Sequence[Value]]:
    assert isinstance(piece, list)
    return piece
