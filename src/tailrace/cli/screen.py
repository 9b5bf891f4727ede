"""The output of a running job: events, notices and progress.

On a terminal the progress stays at the bottom: one line, and during a snapshot one more for each table that is
being read; elsewhere it is a plain line now and then, so that a log file stays readable. Progress, notices and log
lines go to standard error, events to standard output.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.status import Status
from rich.text import Text

from tailrace.cli import snapshot_lines
from tailrace.cli.events import event_line
from tailrace.cli.outputs import Output, StandardError
from tailrace.errors import TailraceError
from tailrace.source.log_lines import LINE
from tailrace.source.snapshot_progress import SnapshotProgress
from tailrace.streaming.totals import Totals

PLAIN_SECONDS = 10.0


class Screen:
    """Handles the messages of the link; see `Link` for the thread they come on."""

    def __init__(self, *, verbose: bool = False, quiet_progress: bool = False) -> None:
        self.totals = Totals()
        self._verbose = verbose
        self._out: Console = Output(soft_wrap=True, highlight=False, markup=False, emoji=False)
        self._err = StandardError()
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # an event may have characters that the terminal's encoding lacks
        self._status: Status | None = None
        self._live = self._err.is_terminal and not quiet_progress
        self._plain = not self._err.is_terminal and not quiet_progress
        self._reported_at = time.monotonic()
        self._snapshot: SnapshotProgress | None = None
        self._warned: set[str] = set()

    def __enter__(self) -> Self:
        if self._live:
            # events that go to the same terminal are printed above the line, so both need the one console
            self._out = self._err if self._out.is_terminal else self._out
            self._status = self._err.status("starting Spark")
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def handle(self, kind: str, content: Any) -> None:
        """Show a message of a task."""
        if kind == "events":
            self._print_events(content)
        elif kind == "notice":
            self.notice(content)
        elif kind == "figures":
            self.totals.add(content)
            self._note_snapshot(content)
            self._show_progress()
        elif kind == LINE:
            self._log_line(*content)

    def _print_events(self, lines: Sequence[str]) -> None:
        try:
            for line in lines:
                Console.print(self._out, line if self._verbose else event_line(line))  # an error counts, where both are one too
        except OSError as error:  # such as `| head` that has enough: what nobody sees must not count as delivered
            raise TailraceError(
                f"standard output takes no more events ({error.strerror}); what came since the last commit comes again"
            ) from error

    @property
    def snapshot(self) -> SnapshotProgress | None:
        """The snapshot that is being read."""
        return self._snapshot

    def notice(self, text: str) -> None:
        """A line for people."""
        self._err.print(Text(text, "yellow"))

    def say(self, text: str) -> None:
        """Show the current activity."""
        if self._status is not None:
            self._status.update(text)
        elif self._plain:
            self._err.print(text)

    def finish(self, word: str) -> None:
        """The last line: totals."""
        self._end_snapshot()
        self._err.print(f"{word}: {self.totals}")

    def _note_snapshot(self, figures: dict[str, Any]) -> None:
        """Add the figures of a task that reads a snapshot."""
        told = figures.get("snapshot")
        if told is not None:
            if self._snapshot is None or (self._snapshot.done and not told["ended"]):
                self._snapshot = SnapshotProgress()
            self._snapshot.add(figures["lane"], told, time.monotonic())
        elif self._snapshot is not None and self._snapshot.done:
            self._end_snapshot()

    def _end_snapshot(self) -> None:
        snapshot, self._snapshot = self._snapshot, None
        if snapshot is not None and snapshot.done and (self._live or self._plain):
            self._err.print(snapshot_lines.ended(snapshot))

    def _log_line(self, level: int, text: str) -> None:
        """Show a log line; a warning only once, since each lane and each task repeats it."""
        if level < logging.WARNING:
            self._err.print(text)
        elif text not in self._warned:
            self._warned.add(text)
            self.notice(text)

    def _show_progress(self) -> None:
        if self._status is not None:
            self._status.update(Text(self._rendered(snapshot_lines.block)))
        elif self._plain and time.monotonic() - self._reported_at >= PLAIN_SECONDS:
            self._reported_at = time.monotonic()
            self._err.print(self._rendered(snapshot_lines.line))

    def _rendered(self, tell: Callable[[SnapshotProgress], str]) -> str:
        snapshot = self._snapshot
        if snapshot is None:
            return str(self.totals)
        return f"{self.totals}\n{tell(snapshot)}" if snapshot.is_beside else tell(snapshot)
