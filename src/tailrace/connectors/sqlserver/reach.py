"""Whether the change tables still have what comes behind a progress, judged without reading them."""

from __future__ import annotations

from tailrace.connectors.base import History, Lane, Progress
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.sqlserver import catalog, transactions
from tailrace.connectors.sqlserver.capture_instances import CaptureInstances
from tailrace.connectors.sqlserver.connection import Session, connect
from tailrace.connectors.sqlserver.lost_changes import SNAPSHOT_AGAIN, LostChanges
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.replicas import wait_for
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.signal_table import is_for_signals
from tailrace.connectors.sqlserver.told_structures import ToldStructures
from tailrace.errors import PositionLostError
from tailrace.schema.names import Names
from tailrace.schema.tables import TableId


def require_within_reach(settings: SqlServerSettings, progress: Progress, history: History, lane: Lane) -> None:
    """Raise where reading can't go on from a lane's progress.

    The schema history tells which tables were read before, and from which instances. Without one an instance that is older
    than the position was read, and has lost its changes from there on to the clean-up; one that is younger is taken for new.

    Raises:
        PositionLostError: change data behind it is gone, or the database was restored.
        SourceSetupError: the user may not see a table any more that was read.

    """
    restart = POSITIONS.restart(progress.restart, settings.database_names)
    records = history()
    told = ToldStructures(settings, records, tells=False)
    for name in settings.database_names:
        with connect(settings, name) as session:
            catalog.require_captured(session, name)
            lsn = restart[name].lsn
            wait_for(session, lsn)
            head = transactions.head(session).lsn
            require_not_restored(session.database, head, lsn)
            if records:
                _require_told(session, settings, told, Window(lsn, head), lane)
            else:
                _require_older(session, settings, lsn)


def _require_told(
    session: Session, settings: SqlServerSettings, told: ToldStructures, window: Window, lane: Lane
) -> None:
    names = Names(settings)

    def matters(table: TableId) -> bool:
        counts = settings.provide_transaction_metadata or is_for_signals(settings, table)
        return counts or lane.count == 1 or lane.owns(names.topic(table))

    instances = CaptureInstances(settings, told)
    instances.refresh(session)
    LostChanges(settings, told, instances, matters).require_all(session, window)


def _require_older(session: Session, settings: SqlServerSettings, lsn: Lsn) -> None:
    reaches_back = transactions.reaches_back_to(session, lsn)
    made = session.one("SELECT MAX(tran_end_time) FROM cdc.lsn_time_mapping WHERE start_lsn <= ?", lsn.raw)
    for instance in catalog.instances(session):
        start = instance.start_lsn
        if start is None or start <= lsn.next() or not settings.tables.matches(instance.table):
            continue
        is_older = made is None or instance.create_date <= made
        gap = Window(lsn, start.previous())
        if is_older and (not reaches_back or transactions.count_transactions(session, gap)):
            raise PositionLostError(
                f"{instance.table}: changes are lost: they were read up to {lsn}, and the capture instance {instance.name} has "
                f"them from {start} on; {SNAPSHOT_AGAIN}"
            )


def require_not_restored(database: str, head: Lsn, lsn: Lsn) -> None:
    """Raise where a log ends before where it was read up to; one of which nothing is known is no such case."""
    if head < lsn and not head.is_zero:
        raise PositionLostError(
            f"the log of {database} was read up to {lsn}, and now it is captured up to {head} only: the database was "
            f"restored, or it is another one; {SNAPSHOT_AGAIN}"
        )
