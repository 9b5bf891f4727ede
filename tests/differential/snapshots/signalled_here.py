"""Scenarios of signals that tailrace has to be played in other steps than Debezium, to come to the same.

A signal takes effect at its place in the log, and a chunk is read between two batches of it: two signals that come together
are both handled before the first chunk is read, where Debezium reads it on coming by the first one. So a signal is sent
when the chunk before it has come. And a pause lasts over a restart, so that it has to be ended there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.differential.snapshots.signalled import (
    change,
    execute,
    notices,
    pulse,
    reads,
    signal,
    start,
    until_completed,
)

INCREMENTAL = {"type": "incremental"}
AT_LEISURE = 500
"""Milliseconds that a chunk waits for the log: a signal that is sent behind the chunk before it comes in time."""


def paused(session: Any) -> None:
    """As `signalled.paused`."""
    start(session)
    session.sql(execute("to-pause", "s_inc.orders"))
    _until_read(session, 3)
    session.sql(signal("pause", "pause-snapshot", INCREMENTAL))
    session.until(lambda found: notices(found, "PAUSED"), "the pause")
    session.sql(signal("resume", "resume-snapshot", INCREMENTAL))
    until_completed(session, 1)
    session.sql(execute("to-stop-one", "s_inc.orders", "s_inc.items"))
    _until_read(session, 7 + 3)
    session.sql(signal("stop-one", "stop-snapshot", {**INCREMENTAL, "data-collections": ["s_inc.items"]}))
    until_completed(session, 2)
    session.sql(execute("to-stop-all", "s_inc.orders", "s_inc.items"))
    _until_read(session, 7 + 7 + 3)
    session.sql(signal("stop-all", "stop-snapshot", INCREMENTAL))
    session.until(lambda found: len(notices(found, "ABORTED")) == 2, "the second stop")
    change(session)


def restarted(session: Any) -> None:
    """As `signalled.restarted`."""
    start(session)
    session.sql(execute("to-restart", "s_inc.orders", "s_inc.items"))
    _until_read(session, 3)
    session.sql(signal("pause", "pause-snapshot"))
    pulse(session)
    session.stop()
    session.start()
    session.sql(signal("resume", "resume-snapshot"))
    until_completed(session, 1)
    change(session)


def _until_read(session: Any, rows: int) -> None:
    session.until(lambda found: len(reads(found)) == rows, f"{rows} rows")


PLAYS: dict[str, Callable[[Any], None]] = {
    "incremental, paused and stopped": paused,
    "incremental, started again": restarted,
}
