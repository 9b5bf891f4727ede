"""Restores change data capture when a server starts with a folder: instances, the log's end, and the uncaptured log."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.cdc import log_file, lsn, rows
from tailrace_standins.sqlserver.cdc.instances import Captured, Instance, Instances
from tailrace_standins.sqlserver.cdc.system_rows import CapturedColumn, ChangeTable, IndexColumn, LsnTime
from tailrace_standins.sqlserver.cdc.transaction_log import Entry, TransactionLog, is_change_table
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.storage.log import Operation

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.server import Engine
    from tailrace_standins.sqlserver.engine.session import EngineSession


def restored_log(engine: Engine, instances: Instances) -> TransactionLog:
    """The log of a starting server, whose LSNs are after all that were used before; fills `instances`."""
    last = lsn.FIRST_FILE - 1
    if not engine.is_kept:
        return TransactionLog(instances, last + 1)
    session = engine.internal_session("master")
    try:
        log_file.prepare(session.connection)
        last = max(last, log_file.last_file(session.connection))
        databases = {each.id: each for each in engine.catalog.databases.values() if each.is_cdc_enabled}
        for database in databases.values():
            _restore_instances(session, database, instances)
            for found in rows.listed(session, database, LsnTime, order="start_lsn DESC", limit=1):
                last = max(last, lsn.file_of(found.start_lsn))
        log = TransactionLog(instances, last + 1)
        for database, entry in log_file.read(session.connection, databases, log.first_file):
            _enable_later(entry, instances)
            log.put(database.id, entry)
        return log
    finally:
        session.close()


def _restore_instances(session: EngineSession, database: Database, instances: Instances) -> None:
    columns: defaultdict[int, list[Captured]] = defaultdict(list)
    keys: defaultdict[int, list[int]] = defaultdict(list)
    for c in rows.listed(session, database, CapturedColumn, order="column_ordinal"):
        columns[c.object_id].append(Captured(c.column_name, c.column_id, c.column_ordinal, bool(c.is_computed)))
    for k in rows.listed(session, database, IndexColumn, order="index_ordinal"):
        keys[k.object_id].append(k.column_id)
    for row in rows.listed(session, database, ChangeTable):
        ids = (database.id, row.object_id, row.source_object_id)
        listed, key = tuple(columns[row.object_id]), tuple(keys[row.object_id])
        net, start = bool(row.supports_net_changes), row.start_lsn or lsn.ZERO
        made = Instance(*ids, row.capture_instance, listed, key, row.index_name, net, row.role_name, start)
        instances.put(made)


def _enable_later(entry: Entry, instances: Instances) -> None:
    """Let an instance begin at the entry that enables it, if that entry still waits in the log."""
    for record in entry.records:
        instance = instances.active.get(record.table.id)
        if record.operation is Operation.CREATE_TABLE and is_change_table(record.table) and instance is not None:
            instance.enabled = entry.commit_lsn
