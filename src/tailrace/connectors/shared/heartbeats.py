"""Heartbeats: the records, and the statement that runs on the source with each.

The statement (`heartbeat.action.query`) changes a table, say, whose change then comes through the log. It has its own
connection and thread, so that the stream does not wait if the statement waits for a lock. If it fails, a warning is
logged, and the next heartbeat tries again on a new connection.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final, Protocol

from tailrace.config.settings import Settings
from tailrace.connectors.base import Progress
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.configured_sql import ConfiguredSql, is_filled
from tailrace.errors import TailraceError
from tailrace.events.heartbeats import HeartbeatLayouts, Timer

_QUERY: Final = "heartbeat.action.query"
CLOSING_SECONDS: Final = 2.0  # the thread is a daemon: one that does not end by then is left behind

log = logging.getLogger(__name__)


class ActionConnection(Protocol):
    """A connection to the source, for the heartbeat's statement."""

    def run(self, statement: str) -> None:
        """Run the statement.

        Raises:
            TailraceError: the server refused it, or the connection was lost.
            OSError: the connection was lost.

        """

    def interrupt(self) -> None:
        """Wake the thread that waits for an answer. It is called from another thread."""

    def close(self) -> None:
        """Close the connection, broken or not."""


class Heartbeats:
    """Adds heartbeats to batches."""

    def __init__(self, settings: Settings, connect: Callable[[], ActionConnection], timer: Timer | None = None) -> None:
        self._layouts = HeartbeatLayouts(settings)
        self._timer = timer or Timer(self._layouts.topic, settings.heartbeat_interval_ms)
        self._action = ActionQuery(_statement(settings), connect) if settings.heartbeat_action_query else None

    def wait_ms(self, longest: int) -> int:
        """How long to wait for the log (ms), so that the next heartbeat is in time."""
        return min(longest, int(self._timer.milliseconds_left()) + 1)

    def hurry(self) -> None:
        """Make the next one due now."""
        self._timer.hurry()

    def beat(self, batch: Batch, progress: Progress, now_us: int) -> None:
        """Add a heartbeat at the end of a batch, if one is due; it has the batch's progress."""
        if self._timer.milliseconds_left() > 0:
            return
        batch.add(self._layouts.heartbeat(now_us // 1000, progress.delivered, batch.rank))
        self._timer.restart()
        if self._action is not None:
            self._action.run()

    def close(self) -> None:
        """Close the statement's connection."""
        if self._action is not None:
            self._action.close()


class ActionQuery:
    """Runs the statement, at most one at a time."""

    def __init__(self, statement: str, connect: Callable[[], ActionConnection]) -> None:
        self._statement = statement
        self._connect = connect
        self._connection: ActionConnection | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def run(self) -> None:
        """Start the statement in its thread, unless the last one still runs."""
        if self._thread is not None and self._thread.is_alive():
            log.warning("%s: the statement of an earlier heartbeat is still running", _QUERY)
            return
        self._thread = threading.Thread(target=self._run, name=_QUERY, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Close the connection, and thereby end a running statement."""
        self._closed = True
        opened, thread = self._connection, self._thread
        if opened is not None and thread is not None and thread.is_alive():
            opened.interrupt()
        if thread is not None:
            thread.join(CLOSING_SECONDS)
        self._drop()

    def _run(self) -> None:
        try:
            if self._connection is None:
                self._connection = self._connect()
            self._connection.run(self._statement)
        except (TailraceError, OSError) as error:
            # `close` interrupts the statement, so its error is expected then.
            if not self._closed:
                log.warning("%s: %s", _QUERY, error)
            self._drop()

    def _drop(self) -> None:
        opened, self._connection = self._connection, None
        if opened is not None:
            opened.close()


def _statement(settings: Settings) -> ConfiguredSql:
    text = settings.heartbeat_action_query or ""
    return ConfiguredSql(text, name="the statement", is_filled=is_filled(settings, _QUERY, text))
