"""Turns outcomes into tokens, with the right kind of DONE after each statement.

A DONE says whether more results follow, so each is held back until the next outcome, or the end, is known. In a batch a
statement ends with DONE, in a call with DONEINPROC. The call itself ends with its status, its output parameters and DONEPROC.

Source: [MS-TDS] 2.2.7.6 DONE, 2.2.7.7 DONEINPROC, 2.2.7.8 DONEPROC, 2.2.7.18 RETURNSTATUS
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tailrace_standins.sqlserver.session import (
    Affected,
    ArrowRows,
    Change,
    Changed,
    EncodedRows,
    Failed,
    Notice,
    Outcome,
    Parameter,
    ResultSet,
    ReturnStatus,
    ReturnValue,
    SqlError,
)
from tailrace_standins.sqlserver.tds import tokens
from tailrace_standins.sqlserver.tds.rows import encoded_piece
from tailrace_standins.sqlserver.tds.tokens import Done, Environment

Chunk = bytes | memoryview
_CLOSES: Final = 20
"""Errors of this severity or higher end the connection."""
_ENVIRONMENT: Final = {
    Change.DATABASE: Environment.DATABASE,
    Change.BEGUN: Environment.BEGUN,
    Change.COMMITTED: Environment.COMMITTED,
    Change.ROLLED_BACK: Environment.ROLLED_BACK,
}


class Answer:
    """The tokens of one request.

    Attributes:
        closes: an error was sent after which the connection ends.

    """

    def __init__(self) -> None:
        self.closes = False
        self._kind = Done.BATCH
        self._in_call = False
        self._status: int | None = None
        self._values: list[ReturnValue] = []
        self._held: bytes | None = None

    def batch(self, outcomes: Iterable[Outcome]) -> Iterator[Chunk]:
        """The tokens of a batch."""
        yield from self._told(outcomes)
        yield self._last()

    def failure(self, problem: SqlError) -> Iterator[Chunk]:
        """The tokens of an answer that is only an error."""
        yield from self._error(problem)
        yield self._last()

    def call(self, outcomes: Iterable[Outcome], given: Sequence[Parameter], *, is_last: bool) -> Iterator[Chunk]:
        """The tokens of a call with these parameters."""
        self._in_call, self._kind, self._status, self._values = True, Done.IN_PROCEDURE, None, []
        yield from self._told(outcomes)
        yield self._more()
        yield tokens.return_status(self._status or 0)
        for value, place in zip(self._values, places(self._values, given), strict=True):
            yield tokens.return_value(value, place)
        yield tokens.done(Done.PROCEDURE, 0 if is_last else tokens.MORE | tokens.IN_BATCH)

    def _told(self, outcomes: Iterable[Outcome]) -> Iterator[Chunk]:
        try:
            for outcome in outcomes:
                yield from self._outcome(outcome)
        except SqlError as problem:
            yield from self._error(problem)

    def _outcome(self, outcome: Outcome) -> Iterator[Chunk]:
        if isinstance(outcome, ReturnValue):
            self._values.append(outcome)
            return
        if isinstance(outcome, ReturnStatus) and self._in_call:
            self._status = outcome.status
            return
        yield self._more()
        if isinstance(outcome, ResultSet):
            yield from self._rows(outcome)
        elif isinstance(outcome, Affected):
            self._hold(count=outcome.count, verb=outcome.verb)
        elif isinstance(outcome, Notice):
            yield tokens.info(outcome)
        elif isinstance(outcome, Failed):
            yield from self._error(outcome.error)
        elif isinstance(outcome, Changed):
            yield _environment(outcome)
        else:
            yield tokens.return_status(outcome.status)
            self._held = tokens.done(Done.PROCEDURE)

    def _rows(self, result: ResultSet) -> Iterator[Chunk]:
        yield tokens.columns(result.columns)
        count = 0
        for given in result.pieces:
            if isinstance(given, EncodedRows):
                piece = given
            elif isinstance(given, ArrowRows):
                from tailrace_standins.sqlserver.tds.columnar import encoded_batch

                piece = encoded_batch(result.columns, given.batch)
            else:
                piece = encoded_piece(result.columns, given)
            count += piece.count
            yield piece.data
        self._hold(count=count, verb="SELECT")

    def _error(self, problem: SqlError) -> Iterator[Chunk]:
        yield self._more()
        yield tokens.error(problem)
        self.closes = self.closes or problem.severity >= _CLOSES
        self._status = problem.number if self._status is None else self._status
        self._held = tokens.done(self._kind, tokens.ERROR)

    def _hold(self, *, count: int | None, verb: str) -> None:
        self._held = tokens.done(self._kind, count=count, verb=verb)

    def _more(self) -> bytes:
        """The DONE that was held back, with the flag that more follows."""
        held, self._held = self._held, None
        return bytes([held[0], held[1] | tokens.MORE]) + held[2:] if held else b""

    def _last(self) -> bytes:
        held, self._held = self._held, None
        return held or tokens.done(self._kind)


def places(values: Sequence[ReturnValue], given: Sequence[Parameter]) -> list[int]:
    """The indices (from 0) of the parameters that values belong to: by name, else in the order of output parameters."""
    left = [place for place, parameter in enumerate(given) if parameter.is_output]
    found = []
    for value in values:
        named = [place for place in left if given[place].name.lower() == value.name.lower()]
        place = next(iter(named or left), 0)
        left = [other for other in left if other != place]
        found.append(place)
    return found


def _environment(change: Changed) -> bytes:
    what = _ENVIRONMENT[change.what]
    if isinstance(change.new, str) and isinstance(change.old, str):
        return tokens.changed_text(what, change.new, change.old)
    return tokens.changed_bytes(what, bytes_of(change.new), bytes_of(change.old))


def bytes_of(told: str | bytes) -> bytes:
    """A transaction descriptor as bytes; a missing one may be an empty text."""
    return told if isinstance(told, bytes) else told.encode("utf-16-le")
