"""The structures that are new in windows of the logs, found by a planner.

A reader of the range announces them as they were found here, so that a range yields the same events each time it is
read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.change_tables.announced_structures import AnnouncedStructures
from tailrace.connectors.change_tables.capture_instances import CaptureInstances
from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.lost_changes import LostChanges
from tailrace.connectors.change_tables.structure_changes import announce_new, announce_removed
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.batches import Batch


def new_structures(
    dialect: Dialect[Session],
    history: Sequence[HistoryRecord],
    windows: Mapping[str, Window],
    now_us: int,
    as_of_us: Mapping[str, int | None],
) -> list[dict[str, Any]]:
    """The records that windows add to the schema history.

    Args:
        dialect: of the database.
        history: up to the beginning of the windows.
        windows: by database.
        now_us: the processing time, microseconds since the epoch.
        as_of_us: by database, that of the position at the window's beginning.

    Raises:
        PositionLostError: changes in a window are lost.

    """
    announced = AnnouncedStructures(dialect, history, emits_events=False)
    for name, window in windows.items():
        if not window.is_empty:
            with dialect.connect(name) as session:
                dialect.wait_for(session, window.until)
                _look(dialect, session, announced, window, Batch(now_us), as_of_us.get(name))
    return [dict(record) for record in announced.take_history()]


def _look(
    dialect: Dialect[Session],
    session: Session,
    announced: AnnouncedStructures,
    window: Window,
    batch: Batch,
    as_of_us: int | None,
) -> None:
    instances = CaptureInstances(dialect, announced)
    instances.refresh(session)
    lost = LostChanges(dialect, announced, instances, dialect.log(dialect.database(session), None))
    announce_removed(session, lost, announced, window, batch, as_of_us)
    while not window.is_empty:
        switch = instances.first_switch(window)
        piece = window if switch is None else Window(window.after, switch.previous())
        announce_new(instances, announced, piece, batch)
        window = Window(piece.until, window.until)
