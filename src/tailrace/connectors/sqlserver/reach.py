"""Whether the change tables still have what comes behind a progress, judged without reading them."""

from __future__ import annotations

from tailrace.config.settings import SqlServerSettings
from tailrace.connectors.base import Progress
from tailrace.connectors.sqlserver import catalog, transactions
from tailrace.connectors.sqlserver.capture_instances import SNAPSHOT_AGAIN
from tailrace.connectors.sqlserver.change_tables import Window
from tailrace.connectors.sqlserver.connection import Session, connect
from tailrace.connectors.sqlserver.lsn import Lsn
from tailrace.connectors.sqlserver.positions import RestartPosition
from tailrace.errors import PositionLostError


def require_within_reach(settings: SqlServerSettings, progress: Progress) -> None:
    """Raise where reading can't go on from a progress.

    Which tables were read before does not stand in the progress. An instance that is older than the position was, and has
    lost its changes from there on to the clean-up; one that is younger is taken for new here: who reads knows better.

    Raises:
        PositionLostError: change data behind it is gone, or the database was restored.

    """
    restart = RestartPosition.from_dict(progress.restart, settings.database_names)
    for name in settings.database_names:
        with connect(settings, name) as session:
            catalog.require_captured(session, name)
            _require(session, settings, restart[name].lsn)


def _require(session: Session, settings: SqlServerSettings, lsn: Lsn) -> None:
    require_not_restored(session.database, transactions.head(session).lsn, lsn)
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
