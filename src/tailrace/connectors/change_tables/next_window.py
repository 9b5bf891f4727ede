"""Which window of a log is read next."""

from __future__ import annotations

from tailrace.connectors.change_tables.capture_instances import CaptureInstances
from tailrace.connectors.change_tables.dialect import Session
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.change_tables.reach import require_not_restored
from tailrace.connectors.change_tables.windows import Window


def next_window(
    session: Session,
    database: str,
    instances: CaptureInstances[Session],
    position: DatabasePosition,
    head: Lsn,
    until: Lsn | None = None,
) -> Window | None:
    """The window behind a position, without a limit of its transactions; None while there is none.

    One that is delivered in part is the same again. Any other ends at the head, or at `until`, or where a table is read from
    another instance from then on.

    Raises:
        PositionLostError: the log ends before the position.

    """
    if position.until is not None:
        instances.refresh(session)
        return Window(position.lsn, position.until)
    require_not_restored(database, head, position.lsn)
    window = Window(position.lsn, head if until is None else min(head, until))
    if window.is_empty:
        return None
    instances.refresh(session)
    switch = instances.first_switch(window)
    return window if switch is None else Window(window.after, switch.previous())
