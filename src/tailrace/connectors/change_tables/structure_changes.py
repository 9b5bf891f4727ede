"""The structure changes in a window: tables that are no longer captured, and structures that are not announced yet.

A reader of a window and its planner find the same.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from tailrace.connectors.change_tables.announced_structures import NO_INSTANCE, AnnouncedStructures
from tailrace.connectors.change_tables.capture_instances import CaptureInstances
from tailrace.connectors.change_tables.dialect import Session
from tailrace.connectors.change_tables.instances import Instance, identity, name_of
from tailrace.connectors.change_tables.lost_changes import LostChanges
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.batches import Batch
from tailrace.schema.tables import TableId

log = logging.getLogger(__name__)


def announce_removed(
    session: Session,
    lost: LostChanges[Session],
    announced: AnnouncedStructures,
    window: Window,
    batch: Batch,
    as_of_us: int | None = None,
) -> None:
    """Announce that tables are no longer captured, and leave them out; `as_of_us`: see `LostChanges.require_all`.

    Raises:
        PositionLostError: changes of a table that come next are lost.
        SourceSetupError: the user may not see a table any more that was read.

    """
    for table in lost.require_all(session, window, as_of_us):
        if announced.is_wanted(table):
            log.warning(
                "%s is not captured any more, and left out from now on; what was not read of it behind %s is lost",
                table, window.after,
            )  # fmt: skip
        else:
            log.warning("the lists of tables leave %s out now: its changes behind %s are not delivered", table, window.after)
        announced.announce_removal(table, window.after, batch)


def announce_new(
    instances: CaptureInstances[Session],
    announced: AnnouncedStructures,
    window: Window,
    batch: Batch,
    reads: Callable[[TableId], bool] = lambda _: False,
) -> None:
    """Announce the structures that are new in a window without a switch; `reads`: the tables whose switches are logged."""
    for each, structure in instances.unannounced_in(window):
        start = max(each.instance.start_lsn or window.after, window.after)
        before = announced.announced_instance(each.table)
        is_known = (
            before is not None or announced.get(each.table) is None
        )  # Debezium's history does not name instances
        if reads(each.table) and is_known and before != identity(each.instance):
            _log_switch(before, each.instance, start)
        announced.announce(structure, each.instance, start, batch)


def _log_switch(before: str | None, instance: Instance, start: Lsn) -> None:
    """Log that a table is read from another instance, from its first one, or again."""
    if before == NO_INSTANCE:
        log.warning(
            "%s is read again, from LSN %s on; what changed in it before is not delivered, an incremental snapshot brings its "
            "rows", instance.table, start,
        )  # fmt: skip
        return
    old = "" if not before else f" instead of {name_of(before)}"
    log.info("%s is read from the capture instance %s%s, from LSN %s on", instance.table, instance.name, old, start)
