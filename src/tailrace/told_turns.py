"""What the tasks of a query tell the driver of their turns, and what the driver tells the others.

Spark plans the next turn when every lane has ended this one, and on a cluster it tries a failed task three more times. So:

- When the first lane has ended its turn, those that had begun by then end theirs after their next commit. Otherwise a task that
  had to begin again, since its process was killed, would work for its whole time, and the other lanes would wait for it.
- An error that remains wherever a task runs, such as a refused login, is kept. Further attempts raise it instead of logging in
  again, which may lock the account, and the other lanes commit and end.

Only the newest task of each lane is believed: one on a machine that was cut off may come back late. Spark numbers its tasks.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any, Final

from attrs import frozen

from tailrace import errors
from tailrace.errors import (
    FencedError,
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
GO, STOP, OVER, FAILED = b"g", b"s", b"o", b"f"
"""The driver's answers; after `FAILED` comes the failure."""
_PASSING: Final = (FencedError, StoppedError, RetriableError, NoSuchHostError, MissingLocallyError)
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


class ToldTurns:
    """The driver's part.

    Attributes:
        failure: what one of the query's tasks has failed with; None if none has.

    """

    def __init__(self) -> None:
        self.failure: Failure | None = None
        self._lock = threading.Lock()
        self._newest: dict[int, int] = {}  # the task of each lane
        self._old = -1  # the newest task of queries before
        self._ended = -1  # the newest turn that a lane has ended
        self._over: frozenset[int] = frozenset()  # the tasks that had begun when it did

    def forget(self) -> None:
        """Another query begins: what was told does not hold for it, nor does what its predecessor's tasks may still tell."""
        with self._lock:
            self.failure = None
            self._old = max(self._old, *self._newest.values(), -1)
            self._newest, self._ended, self._over = {}, -1, frozenset()

    def heard(self, kind: str, content: Any) -> bool:
        """Whether a message is about turns; takes note of it then."""
        if kind not in (BEGUN, _ENDED, _FAILED):
            return False
        with self._lock:
            if kind == BEGUN:
                self._begun(content["lane"], content["task"])
            elif self._newest.get(content["lane"]) == content["task"]:
                if kind == _ENDED:
                    self._has_ended(content["turn"])
                elif self.failure is None:
                    self.failure = Failure(content["kind"], content["text"])
        return True

    def answer(self, kind: str, content: Any, *, stopping: bool) -> bytes:
        """What the sender of a message is told."""
        if (failure := self.failure) is not None:
            return FAILED + json.dumps([failure.kind, failure.text]).encode()
        if stopping:
            return STOP
        return OVER if kind == ASK and content in self._over else GO

    def _begun(self, lane: int, task: int) -> None:
        if task > self._old:
            self._newest[lane] = max(task, self._newest.get(lane, task))

    def _has_ended(self, turn: int) -> None:
        if turn > self._ended:  # tasks that begin after the first end have their whole time: lanes may outnumber cores
            self._ended, self._over = turn, frozenset(self._newest.values())


class TurnReporter:
    """A task's part: what both kinds of reporters have in common.

    Attributes:
        failure: what a task of this query has failed with, as far as it was heard.

    """

    def __init__(self) -> None:
        self.failure: Failure | None = None
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

    def begin_turn(self, turn: int, lane: int, task: int) -> None:
        """Tell which turn this task is at."""
        self._task = task
        self._identity = {"turn": turn, "lane": lane, "task": task}
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

    def turn_is_over(self) -> bool:
        """Whether another lane has ended this turn, by the last answer."""
        return self._told_to_end

    def _hear(self, answer: bytes) -> None:
        if answer[:1] == FAILED:
            self.failure = Failure(*json.loads(answer[1:]))
        self._told_to_stop = answer[:1] in (STOP, FAILED)
        self._told_to_end |= answer == OVER
