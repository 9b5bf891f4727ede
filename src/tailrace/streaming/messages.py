"""What a stream's tasks tell: figures are summed, lines are logged, and both are handed on."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from tailrace.config.remarks import notes_of, warnings_of
from tailrace.errors import TailraceError
from tailrace.source.log_lines import LINE
from tailrace.source.snapshot_progress import SnapshotProgress
from tailrace.streaming.status import State, StreamStatus
from tailrace.streaming.totals import FIELDS, Totals

if TYPE_CHECKING:
    from tailrace.config.settings import Settings
    from tailrace.config.worker import Worker

_LOG: Final = logging.getLogger("tailrace.stream")
_ENDS: Final = (State.STOPPED, State.DONE, State.FAILED)
_ORDER: Final = {State.STARTING: 0, State.RUNNING: 1, State.STOPPING: 2, **dict.fromkeys(_ENDS, 3)}
"""What follows what: an end stays, and who was asked to stop does not begin to run."""


class Messages:
    """Handles the messages of the link; see `Link` for the thread they come on."""

    def __init__(
        self,
        on_notice: Callable[[str], None] | None,
        on_progress: Callable[[StreamStatus], None] | None,
        on_event: Callable[[str], None] | None,
    ) -> None:
        self._state = State.STARTING
        self._on_notice = on_notice
        self._on_progress = on_progress
        self._on_event = on_event or _print
        self._totals = Totals()
        self._snapshot: SnapshotProgress | None = None
        self._lock = threading.Lock()
        self._calling = threading.local()

    def handle(self, kind: str, content: Any) -> None:
        """Take a message of a task."""
        if kind == "figures":
            with self._lock:
                self._totals.add(content)
                self._note_snapshot(content)
            self._call(self._on_progress, self.status())
        elif kind == "notice":
            self.notice(content)
        elif kind == LINE:
            _LOG.log(*content)
        elif kind == "events":
            for line in content:
                self._hand_on(line)

    def notice(self, text: str) -> None:
        """Hand a line for people on."""
        _LOG.warning(text)
        self._call(self._on_notice, text)

    def say(self, text: str) -> None:
        """Log what is being done."""
        _LOG.info(text)

    def tell_of(self, worker: Worker | None, settings: Settings) -> None:
        """Hand on what is to be said of the configuration."""
        for note in notes_of(worker, settings):
            self.say(f"note: {note}")
        for warning in warnings_of(worker, settings):
            self.notice(f"warning: {warning}")

    def become(self, state: State) -> None:
        """Change to another state, if that can follow: a stop may be asked for while the stream ends, or begins to run."""
        with self._lock:
            if _ORDER[self._state] < _ORDER[state]:
                self._state = state

    def status(self) -> StreamStatus:
        """The status now."""
        with self._lock:
            latest = self._totals.latest
            lag = latest.get("lag_ms", -1)
            return StreamStatus(
                state=self._state,
                **{name: self._totals.count(name) for name in FIELDS},
                delivered=latest.get("delivered", ""),
                lag_seconds=lag / 1000 if lag >= 0 else None,
                snapshot=None if self._snapshot is None else self._snapshot.to_dict(),
            )

    def _note_snapshot(self, figures: dict[str, Any]) -> None:
        told = figures.get("snapshot")
        if told is not None:
            if self._snapshot is None or (self._snapshot.done and not told["ended"]):
                self._snapshot = SnapshotProgress()
            self._snapshot.add(figures["lane"], told, time.monotonic())
        elif self._snapshot is not None and self._snapshot.done:
            self._snapshot = None

    def is_calling(self) -> bool:
        """Whether this thread is within a function of the user's that a message has called."""
        return getattr(self._calling, "depth", 0) > 0

    def _hand_on(self, line: str) -> None:
        """Hand a record on: what the user's function did not take must not count as delivered."""
        try:
            with self._within():
                self._on_event(line)
        except Exception as error:
            _LOG.exception("the function that was given to tailrace.stream for events failed")
            raise TailraceError(
                f"on_event has failed ({type(error).__name__}); the records since the last commit come again in the next stream"
            ) from error

    def _call(self, function: Callable[[Any], None] | None, content: Any) -> None:
        """Call the user's function: what it raises must not end a connection to a task."""
        if function is None:
            return
        try:
            with self._within():
                function(content)
        except Exception:  # noqa: BLE001 -- of the user
            _LOG.exception("a function that was given to tailrace.stream failed")

    @contextmanager
    def _within(self) -> Iterator[None]:
        """For the block, which calls a function of the user's; such calls may be nested."""
        self._calling.depth = getattr(self._calling, "depth", 0) + 1
        try:
            yield
        finally:
            self._calling.depth -= 1


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
