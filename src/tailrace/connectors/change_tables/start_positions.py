"""Where a connector begins: how far the logs are captured, and the structures there."""

from __future__ import annotations

from collections.abc import Mapping

from tailrace import epoch
from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.change_tables.announced_structures import first_history
from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.instances import Instance, instances_at, of_instance
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import DatabasePosition, RestartPosition
from tailrace.schema.tables import Table


def restart_now(dialect: Dialect[Session], *, initial: bool = False) -> RestartPosition:
    """The position at the heads of the logs; `initial`: a connector begins there, and delivers structures first."""
    found = {}
    for name in dialect.databases:
        with dialect.connect(name) as session:
            dialect.require_captured(session, name)
            log = dialect.log(name, None)
            head = log.head(session)
            newest = dialect.landmark(session, head)
            found[name] = DatabasePosition(head, initial=initial, as_of_us=log.as_of_us, landmark=newest)
    return RestartPosition(found)


def structures_at(dialect: Dialect[Session], session: Session, lsn: Lsn) -> list[tuple[Table, Instance]]:
    """The wanted tables that are captured at an LSN, by name, each with the structure of the instance read there."""
    matches = dialect.settings.tables.matches
    begun = instances_at([each for each in dialect.instances(session) if matches(each.table)], lsn)
    found = dialect.structures(session, lambda table: table in begun)
    return [(of_instance(found.get(each.table), each), each) for each in begun.values()]


def history_at(dialect: Dialect[Session], lsns: Mapping[str, Lsn]) -> list[HistoryRecord]:
    """The structures at these LSNs, as the first records of a schema history."""
    records: list[HistoryRecord] = []
    now_us = epoch.now_us()
    for name, lsn in lsns.items():
        with dialect.connect(name) as session:
            dialect.wait_for(session, lsn)
            found = structures_at(dialect, session, lsn)
        records += first_history(dialect, found, lsn, now_us)
    return records
