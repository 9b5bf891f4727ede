"""What the tasks of a query tell the driver of their turns, and what the driver tells the others.

Spark plans the next turn when every lane has ended this one, and on a cluster it tries a failed task three more times. So:

- When the first lane has ended its turn, those that had begun by then end theirs after their next commit. Otherwise one that
  had to begin again, since its process was killed, would work for its whole time, and the others would wait for it.
- An error that remains wherever a task runs, such as a refused login, is kept. Further attempts raise it instead of logging in
  again, which may lock the account, and the other lanes commit and end.

Only the newest task of each lane is believed, and none of an earlier query, which is told to end: one on a machine that was cut
off may come back late. Spark numbers its tasks; each query has a name.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from attrs import frozen

from tailrace import errors
from tailrace.errors import (
    DriverAwayError,
    FencedError,
    MachineRefusedError,
    MissingLocallyError,
    NoSuchHostError,
    RetriableError,
    StoppedError,
    TailraceError,
)

ASK: Final = "ask"
BEGUN: Final = "turn begun"
_ENDED: Final = "turn ended"
_FAILED: Final = "turn failed"
OF_TURNS: Final = (BEGUN, _ENDED, _FAILED)
GO, STOP, OVER, FAILED = b"g", b"s", b"o", b"f"
"""The driver's answers; after `FAILED` comes the failure."""
_PASSING: Final = (
    FencedError,
    StoppedError,
    DriverAwayError,
    RetriableError,
    NoSuchHostError,
    MissingLocallyError,
    MachineRefusedError,
)
"""Errors of one task or one machine: another attempt may do better."""


@frozen
class Attempt:
    """A task of Spark's.

    Attributes:
        task: its number; later ones have higher ones.
        before: how many attempts have failed before.

    """

    task: int = 0
    before: int = 0


@frozen
class Failure:
    """Why a task has ended: its error's class in `errors`, by name, and its text."""

    kind: str
    text: str

    @classmethod
    def of(cls, error: TailraceError) -> Failure:
        """Of an error; a class that is defined elsewhere counts as the one that it comes from."""
        kind = next(kind for kind in type(error).__mro__ if kind.__module__ == errors.__name__)
        return cls(kind.__name__, str(error))

    def error(self) -> TailraceError:
        """The error again."""
        kind = getattr(errors, self.kind, None)
        return kind(self.text) if isinstance(kind, type) and issubclass(kind, TailraceError) else TailraceError(self.text)


class _Newest(NamedTuple):
    """The newest task of a lane, and the turn that it is at."""

    task: int
    turn: int


class ToldTurns:
    """The driver's part.

    Attributes:
        failure: what one of the query's tasks has failed with; None if none has.
        query: its name.

    """

    def __init__(self) -> None:
        self.failure: Failure | None = None
        self._lock = threading.Lock()
        self._newest: dict[int, _Newest] = {}  # of each lane
        self.query = ""
        self._outlived: set[int] = set()  # tasks of queries before
        self._ended = -1  # the newest turn that a lane has ended
        self._late: frozenset[int] = frozenset()  # the lanes that had begun it when it did

    def begin(self, query: str) -> None:
        """Another query begins: what was told does not hold for it, nor does what its predecessor's tasks may still tell."""
        with self._lock:
            self.failure, self.query = None, query
            self._outlived.update(each.task for each in self._newest.values())
            self._newest, self._ended, self._late = {}, -1, frozenset()

    def heard(self, kind: str, content: Any) -> bool:
        """Whether a message is about turns; takes note of it then."""
        if kind not in OF_TURNS:
            return False
        lane, teller = content["lane"], _Newest(content["task"], content["turn"])
        with self._lock:
            if kind == BEGUN:
                self._begun(lane, teller, content["query"])
            elif self._newest.get(lane) == teller:
                if kind == _ENDED:
                    self._has_ended(teller.turn)
                else:
                    self._failed(Failure(content["kind"], content["text"]))
        return True

    def fail(self, error: TailraceError) -> None:
        """End the query with an error of the driver's own."""
        with self._lock:
            self._failed(Failure.of(error))

    def answer(self, task: int | None, *, stopping: bool) -> bytes:
        """What a task is told; None: it is at no turn."""
        if (failure := self.failure) is not None:
            return FAILED + json.dumps([failure.kind, failure.text]).encode()
        if stopping or task in self._outlived:
            return STOP
        with self._lock:
            is_over = any(self._newest[lane] == (task, self._ended) for lane in self._late)
        return OVER if is_over else GO

    def _begun(self, lane: int, teller: _Newest, query: str) -> None:
        if query == self.query:
            self._newest[lane] = max(teller, self._newest.get(lane, teller))
        else:
            self._outlived.add(teller.task)

    def _has_ended(self, turn: int) -> None:
        if turn > self._ended:  # lanes that begin after the first end have their whole time: they may outnumber cores
            self._ended, self._late = turn, frozenset(lane for lane, each in self._newest.items() if each.turn == turn)

    def _failed(self, failure: Failure) -> None:
        if self.failure is None:
            self.failure = failure


class TurnReporter:
    """A task's part: what both kinds of reporters have in common.

    Attributes:
        failure: what a task of this query has failed with, as far as it was heard.
        is_away: whether the driver was there, and has not been reached for long.

    """

    def __init__(self) -> None:
        self.failure: Failure | None = None
        self.is_away = False
        self._told_to_stop = self._told_to_end = False
        self._identity: Mapping[str, Any] = {}
        self._task: int | None = None

    def send(self, kind: str, content: Any) -> None:
        """Send a message."""
        raise NotImplementedError

    def report(self, figures: Mapping[str, Any]) -> None:
        """Send the figures so far."""
        self.send("figures", figures)

    def notice(self, text: str) -> None:
        """Send a notice for people."""
        self.send("notice", text)

    def begin_turn(self, turn: int, lane: int, task: int, query: str = "") -> None:
        """Tell which turn of which query this task is at."""
        self._task = task
        self._identity = {"query": query, "turn": turn, "lane": lane, "task": task}
        self.send(BEGUN, self._identity)

    def end_turn(self) -> None:
        """Tell that this lane has ended its turn."""
        self.send(_ENDED, self._identity)

    def fail(self, error: TailraceError) -> None:
        """Tell what ends this task, if that remains wherever the next one runs."""
        if not isinstance(error, _PASSING):
            failure = Failure.of(error)
            self.send(_FAILED, {**self._identity, "kind": failure.kind, "text": failure.text})

    def raise_failure(self) -> None:
        """Raise what a task of this query has failed with, if any."""
        if self.failure is not None:
            raise self.failure.error()

    def raise_stopped(self) -> None:
        """Raise why this task ends before its work is done: it was asked to, or the driver is away."""
        if self.is_away:
            raise DriverAwayError("the driver was not to be reached for long; everything that was read is delivered")
        raise StoppedError("stopped as asked; everything that was read is delivered")

    def turn_is_over(self) -> bool:
        """Whether another lane has ended this turn, by the last answer."""
        return self._told_to_end

    def _message(self, kind: str, content: Any) -> bytes:
        """A message as it is sent; whatever is sent, the answer is about this task."""
        return json.dumps([kind, content, self._task]).encode()

    def _is_gone(self) -> None:
        self._told_to_stop = self.is_away = True

    def _hear(self, answer: bytes) -> None:
        self.is_away = False
        if answer[:1] == FAILED:
            self.failure = Failure(*json.loads(answer[1:]))
        self._told_to_stop = answer[:1] in (STOP, FAILED)
        self._told_to_end |= answer == OVER
