"""What a window brings of structures: tables that are not captured any more, and structures that nobody was told of.

Those who read a window and those who only plan it find the same.
"""

from __future__ import annotations

import logging

from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.sqlserver.capture_instances import CaptureInstances
from tailrace.connectors.sqlserver.change_tables import Window
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.lost_changes import LostChanges
from tailrace.connectors.sqlserver.told_structures import ToldStructures

log = logging.getLogger(__name__)


def leave_gone(session: Session, lost: LostChanges, told: ToldStructures, window: Window, batch: Batch) -> None:
    """Leave the tables out that are not captured any more, and tell so.

    Raises:
        PositionLostError: changes of a table that come next are gone.
        SourceSetupError: the user may not see a table any more that was read.

    """
    for table in lost.require_all(session, window):
        log.warning(
            "%s is not captured any more, and left out from now on; what was not read of it behind %s is lost",
            table, window.after,
        )  # fmt: skip
        told.leave(table, window.after, batch)


def tell_new(instances: CaptureInstances, told: ToldStructures, window: Window, batch: Batch) -> None:
    """Tell the structures that are new in a window without a switch."""
    for each in instances.active(window):
        structure = instances.untold(each.instance)
        if structure is not None:
            start = each.instance.start_lsn or window.after
            told.tell(structure, each.instance, max(start, window.after), batch)
