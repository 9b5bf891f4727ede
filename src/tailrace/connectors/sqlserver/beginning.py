"""Where a connector begins: how far the logs are captured, and the structures that hold there."""

from __future__ import annotations

from collections.abc import Sequence

from tailrace import epoch
from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.change_tables.instances import Instance, of_instance
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.told_structures import first_history
from tailrace.connectors.sqlserver import catalog
from tailrace.connectors.sqlserver.connection import Session, connect
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.replicas import connect_at
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.structures import tables
from tailrace.schema.tables import Table


def heads(settings: SqlServerSettings) -> dict[str, Lsn]:
    """How far the log of each database is captured, in the configuration's order."""
    found = {}
    for name in settings.database_names:
        with connect(settings, name) as session:
            catalog.require_captured(session, name)
            found[name] = catalog.max_lsn(session)
    return found


def structures_at(session: Session, settings: SqlServerSettings, lsn: Lsn) -> list[tuple[Table, Instance]]:
    """The wanted tables that are captured at an LSN, by name, each with the structure of the instance that is read there."""
    begun: dict[object, Instance] = {}
    for instance in catalog.instances(session):  # of a table the older one comes first
        is_begun = instance.start_lsn is not None and instance.start_lsn <= lsn.next()
        if is_begun and settings.tables.matches(instance.table):
            begun[instance.table] = instance
    found = tables(session, session.database, lambda table: table in begun)
    return [(of_instance(found.get(each.table), each), each) for each in begun.values()]


def history_at(settings: SqlServerSettings, lsns: dict[str, Lsn]) -> list[HistoryRecord]:
    """The structures at these LSNs, as the first records of a schema history."""
    records: list[HistoryRecord] = []
    now_us = epoch.now_us()
    for name, lsn in lsns.items():
        with connect_at(settings, name, lsn) as session:
            found: Sequence[tuple[Table, Instance]] = structures_at(session, settings, lsn)
        records += first_history(SqlServerDialect(settings), found, lsn, now_us)
    return records
