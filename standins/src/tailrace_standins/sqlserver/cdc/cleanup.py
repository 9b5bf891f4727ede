"""Clean-up: the low endpoint of an instance's validity interval moves on, and changes before it are deleted.

Sources: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sys-sp-cdc-cleanup-change-table-transact-sql;
"Administer and monitor change data capture",
https://learn.microsoft.com/sql/relational-databases/track-changes/administer-and-monitor-change-data-capture-sql-server
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.cdc import rows
from tailrace_standins.sqlserver.cdc.jobs import CLEANUP, setting
from tailrace_standins.sqlserver.cdc.messages import failure
from tailrace_standins.sqlserver.cdc.shapes import START_LSN
from tailrace_standins.sqlserver.cdc.system_rows import ChangeTable, LsnTime
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.log import Transaction
from tailrace_standins.storage.transactions import Undo, write

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession
    from tailrace_standins.sqlserver.shortcuts.change_tables.columns import ColumnStore


def clean_instance(
    session: EngineSession,
    database: Database,
    columns: ColumnStore,
    instance: str,
    mark: bytes | None,
    threshold: int = 5000,
) -> None:
    """sp_cdc_cleanup_change_table; raises 22920, 22850, 22964."""
    change_tables = rows.table(database, "change_tables")
    found = next((row for row in rows.listed(session, database, ChangeTable) if row.is_named(instance)), None)
    if found is None:
        raise failure(22920, instance, database.name)
    if threshold <= 0:
        raise failure(22850)
    low = found.start_lsn
    if mark is not None:
        adjusted = _adjusted(session, database, mark)
        if low is None or adjusted > low:
            low = adjusted
            write(session, lambda t: rows.change(session, t, database, change_tables, found, start_lsn=low))
    if low is not None:
        _delete_before(session, database, columns, found.object_id, low, threshold)


def _adjusted(session: EngineSession, database: Database, mark: bytes) -> bytes:
    """The smallest start_lsn among the entries with the same commit time as the mark's entry; raises 22964."""
    found = rows.listed(session, database, LsnTime, "start_lsn=?1", [mark], limit=1)
    if not found:
        raise failure(22964, "0x" + mark.hex().upper())
    time = found[0].tran_end_time
    return rows.listed(session, database, LsnTime, "tran_end_time=?1", [time], order="start_lsn", limit=1)[0].start_lsn


def _delete_before(
    session: EngineSession, database: Database, columns: ColumnStore, table_id: int, low: bytes, threshold: int
) -> None:
    """Delete rows before the low endpoint, `threshold` at a time."""
    table = database.by_id[table_id]
    while True:
        old = rows.read(session, table, f"{START_LSN}<?1", [low], order=START_LSN, limit=threshold)
        if not old:
            columns.trim(table_id, low)
            return

        def work(transaction: Transaction, old: list[rows.Version] = old) -> None:
            transaction.undo.append(Undo(action=lambda _: columns.forget(table_id)))
            rows.remove(session, transaction, database, table, old)

        write(session, work)


def clean_database(session: EngineSession, database: Database, columns: ColumnStore) -> None:
    """Run the clean-up job: delete changes older than its retention, counted from the last entry's time; raises 22997."""
    job = setting(session, database, CLEANUP)
    if job is None:
        raise failure(22997, CLEANUP)
    mapping = rows.table(database, "lsn_time_mapping")
    last = rows.listed(session, database, LsnTime, order="start_lsn DESC", limit=1)
    if not last:
        return
    newest = dt.datetime.fromisoformat(last[0].tran_end_time[:26])
    oldest = (newest - dt.timedelta(minutes=job.retention)).strftime("%Y-%m-%d %H:%M:%S.%f") + "0"
    kept = rows.listed(session, database, LsnTime, "tran_end_time>=?1", [oldest], order="start_lsn", limit=1)
    low = kept[0].start_lsn
    for row in rows.listed(session, database, ChangeTable):
        clean_instance(session, database, columns, row.capture_instance, low, job.threshold)
    old = rows.read(session, mapping, "start_lsn<?1", [low])
    write(session, lambda transaction: rows.remove(session, transaction, database, mapping, old))
