"""The next window of a log."""

from __future__ import annotations

from tailrace.connectors.change_tables.capture_instances import CaptureInstances
from tailrace.connectors.change_tables.dialect import Session
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.change_tables.same_log import require_not_restored
from tailrace.connectors.change_tables.windows import Window


def next_window(
    session: Session,
    database: str,
    instances: CaptureInstances[Session],
    position: DatabasePosition,
    head: Lsn,
    until: Lsn | None = None,
) -> Window | None:
    """The window after a position, without the limit of its transactions; None if there is none yet.

    A window that is delivered in part comes again, unchanged. Any other ends at the max LSN, at `until`, or before a
    table switches to another instance.

    Raises:
        PositionLostError: the log ends before the position.

    """
    require_not_restored(database, head, position.reached)
    # A started window must stay what it was: its tables are in order of their names, and `position` is within one of
    # them.
    if position.until is not None:
        instances.refresh(session)
        return Window(position.lsn, position.until)
    window = Window(position.lsn, head if until is None else min(head, until))
    if window.is_empty:
        return None
    instances.refresh(session)
    switch = instances.first_switch(window)
    return window if switch is None else Window(window.after, switch.previous())
