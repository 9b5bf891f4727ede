"""Whether the change tables still retain what follows a progress, determined without reading them."""

from __future__ import annotations

from tailrace.connectors.base import History, Lane, Progress
from tailrace.connectors.change_tables.announced_structures import AnnouncedStructures
from tailrace.connectors.change_tables.capture_instances import CaptureInstances
from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.instances import in_use
from tailrace.connectors.change_tables.lost_changes import SNAPSHOT_AGAIN, LostChanges
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import Positions
from tailrace.connectors.change_tables.same_log import require_same_log
from tailrace.connectors.change_tables.signal_tables import is_for_signals
from tailrace.connectors.change_tables.windows import Window
from tailrace.errors import PositionLostError
from tailrace.schema.names import Names
from tailrace.schema.tables import TableId


def require_retained(dialect: Dialect[Session], progress: Progress, history: History, lane: Lane) -> None:
    """Raise an error if reading can't resume from a lane's progress.

    The schema history shows which tables were read before, and from which instances. Without one, an instance that is
    older than the position is assumed to have been read; if it now begins after the position, the clean-up has removed
    its changes. A younger one is assumed to be new.

    Raises:
        PositionLostError: changes after the progress are lost, or the database was restored.
        SourceSetupError: the user may not see a table any more that was read.

    """
    restart = Positions(dialect.lsns).restart(progress.restart, dialect.databases)
    records = history()
    announced = AnnouncedStructures(dialect, records, emits_events=False)
    for name in dialect.databases:
        with dialect.connect(name) as session:
            dialect.require_captured(session, name)
            lsn = restart[name].lsn
            dialect.wait_for(session, lsn)
            head = dialect.head(session)
            require_same_log(dialect, session, dialect.database(session), restart[name], head)
            if records:
                _require_announced(dialect, session, announced, Window(lsn, head), lane, restart[name].as_of_us)
            else:
                _require_older(dialect, session, lsn)


def _require_announced(
    dialect: Dialect[Session],
    session: Session,
    announced: AnnouncedStructures,
    window: Window,
    lane: Lane,
    as_of_us: int | None,
) -> None:
    names, counts_all = Names(dialect.settings), dialect.settings.provide_transaction_metadata

    def matters(table: TableId) -> bool:
        counts = counts_all or is_for_signals(dialect, table)
        return counts or lane.count == 1 or names.is_of(lane, table)

    instances = CaptureInstances(dialect, announced)
    instances.refresh(session)
    log = dialect.log(dialect.database(session), None)
    LostChanges(dialect, announced, instances, log, matters).require_all(session, window, as_of_us)


def _require_older(dialect: Dialect[Session], session: Session, lsn: Lsn) -> None:
    reaches_back = dialect.reaches_back_to(session, lsn)
    made = dialect.newest_commit(session, lsn)
    for instance in in_use(dialect.instances(session)):
        start = instance.start_lsn
        if start is None or start <= lsn.next() or not dialect.settings.tables.matches(instance.table):
            continue
        is_older = made is None or instance.create_date <= made
        gap = Window(lsn, start.previous())
        if is_older and (not reaches_back or dialect.count_transactions(session, gap)):
            raise PositionLostError(
                f"{instance.table}: changes are lost: they were read up to {lsn}, and the capture instance {instance.name} has "
                f"them from {start} on; {SNAPSHOT_AGAIN}"
            )
