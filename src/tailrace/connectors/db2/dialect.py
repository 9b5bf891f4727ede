"""Db2's dialect of change tables: its catalogue, its transactions, its part of events."""

# ruff: noqa: S608 -- advice for people
from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from tailrace.connectors.change_tables.altered_columns import Types
from tailrace.connectors.change_tables.capture_instances import GAP
from tailrace.connectors.change_tables.dialect import Advice
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.landmarks import Landmark
from tailrace.connectors.change_tables.lsn import Lsn, LsnForm
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.db2 import (
    catalog,
    connection,
    source_block,
    structures,
    tables_with_changes,
    transactions,
)
from tailrace.connectors.db2.connection import Session, literal
from tailrace.connectors.db2.lsn import form_of
from tailrace.connectors.db2.properties.reading import ACCEPT
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.transaction_log import TransactionLog
from tailrace.schema.connect import Schema
from tailrace.schema.tables import Table, TableId

log = logging.getLogger(__name__)


def advice_of(settings: Db2Settings) -> Advice:
    """The advice in messages, with the configured schema of the control tables."""
    schema = settings.control_schema
    return Advice(
        capture="the Capture program",
        clean_up="pruning",
        keep_longer=f"UPDATE {schema}.IBMSNAP_CAPPARMS SET RETENTION_LIMIT = minutes",
        add_columns="alter its CD table likewise and let the Capture program take the column, or register the table anew",
        first_instance=lambda table: f"CALL {schema}.ADDTABLE({literal(table.schema)}, {literal(table.name)})",
        all_columns="register it with all of its columns, and let column.include.list and column.exclude.list leave them alone",
        own_structures="a Db2's structures are read from its catalogue",
        accept_gap="set tailrace.registered.anew=accept if nobody changed the table in between",
    )


class Db2Dialect:
    """A `Dialect` for one configuration. Cheap to make; holds no connection."""

    connector: Final = source_block.CONNECTOR
    omits_database = True
    skips_records = True

    def __init__(self, settings: Db2Settings) -> None:
        self._settings = settings
        self._advice = advice_of(settings)

    @property
    def settings(self) -> Db2Settings:
        """The connector's settings."""
        return self._settings

    @property
    def lsns(self) -> LsnForm:
        """Db2's LSNs, as wide as the platform has them."""
        return form_of(self._settings)

    @property
    def advice(self) -> Advice:
        """The advice in messages, in Db2's SQL."""
        return self._advice

    @property
    def databases(self) -> Sequence[str]:
        """`database.dbname`."""
        return (self._settings.database_dbname,)

    @property
    def uses_processing_time(self) -> bool:
        """Whether `source.timestamp.mode` is `processing`."""
        return self._settings.uses_processing_time

    def folded(self, table: TableId) -> TableId:
        """The table id without its database: there is only one."""
        return TableId("", table.schema, table.name)

    def source_schema(self) -> Schema:
        """The source block of rows."""
        return source_block.schema(self._settings)

    def change_schema(self) -> Schema:
        """The source block of schema-change events."""
        return source_block.change_schema(self._settings)

    def context(self) -> Mapping[str, str]:
        """The context headers."""
        return source_block.context(self._settings)

    def constants(self, table: TableId) -> Mapping[str, str | None]:
        """The constant fields of a table's source block."""
        return source_block.constants(self._settings, table)

    def source_at(self, lsn: Lsn) -> Mapping[str, Any]:
        """The LSN fields of an event that is not a row change."""
        return {"commit_lsn": lsn.text, "change_lsn": None}

    def history_position(self, lsn: Lsn) -> Mapping[str, Any]:
        """An LSN as a position in Debezium's schema history."""
        return {"commit_lsn": lsn.text, "change_lsn": None, "event_serial_no": 0}

    def connect(self, database: str) -> Session:  # noqa: ARG002 -- there is only one
        """A session in the database."""
        return connection.connect(self._settings)

    def database(self, session: Session) -> str:
        """The session's database, as the server spells it."""
        return session.database

    def require_captured(self, session: Session, database: str) -> str:  # noqa: ARG002 -- the session is in it
        """Require that SQL Replication is set up; returns the database's name as the server spells it."""
        return catalog.require_captured(session, self._settings)

    def instances(self, session: Session) -> Sequence[Instance]:
        """The registrations in IBMSNAP_REGISTER."""
        return catalog.instances(session, self._settings)

    def hidden(self, session: Session) -> Sequence[tuple[str, int]]:  # noqa: ARG002
        """None: everybody may see the whole catalogue."""
        return ()

    def stamp(self, session: Session) -> object:
        """Numbers, states and times of the registrations and their tables."""
        return catalog.stamp(session, self._settings)

    def altered(self, session: Session) -> Collection[int]:
        """The CD tables that are older than the last ALTER of their source."""
        return catalog.altered_since_registered(session, self._settings)

    def structures(self, session: Session, wanted: Callable[[TableId], bool]) -> Mapping[TableId, Table]:
        """The structures as Debezium sees them through JDBC."""
        return structures.tables(session, session.database, wanted, catalog.sql_of(self._settings))

    def column_types(self, session: Session) -> Mapping[int, Types]:
        """The columns whose type differs because the CD table was not altered with its source."""
        return catalog.other_types(session, self._settings)

    def name_in_database(self, table: TableId) -> str:
        """`SCHEMA.TABLE`."""
        return catalog.name_in_database(table)

    def begun_by(self, session: Session, instance: Instance) -> Lsn | None:
        """The commit of its oldest row, or CD_NEW_SYNCHPOINT; zero if the user accepts what may lie before."""
        if instance.start_lsn is not None:
            log.warning("%s was registered anew; %s", instance.table, GAP)
        if self._settings.tailrace_registered_anew == ACCEPT:
            return self.lsns.zero
        return catalog.begun_by(session, self._settings, instance)

    def require_visible(self, session: Session, table: TableId) -> None:
        """Accept every table: nothing is hidden from anybody."""

    def wait_for(self, session: Session, lsn: Lsn) -> None:
        """Do nothing: there are no replicas that are read."""

    def log(self, database: str, planned: DatabasePosition | None) -> TransactionLog:  # noqa: ARG002 -- there is only one
        """The log of the database, with the clock offset of the plan."""
        return TransactionLog(self._settings, None if planned is None else planned.offset_minutes)

    def head(self, session: Session) -> Lsn:
        """The greatest synchpoint."""
        return transactions.head(session, self._settings).lsn

    def end_now(self, session: Session) -> DatabasePosition:
        """The greatest synchpoint, with how far the server's clock is ahead of UTC."""
        found = transactions.head(session, self._settings)
        return DatabasePosition(found.lsn, offset_minutes=found.offset_minutes, as_of_us=found.synchtime_us)

    def count_transactions(self, session: Session, window: Window) -> int:
        """The number of transactions in a window, from IBMSNAP_UOW."""
        return transactions.count_transactions(session, self._settings, window)

    def reaches_back_to(self, session: Session, lsn: Lsn) -> bool:  # noqa: ARG002
        """True: what pruning may have taken is decided for all tables at once (`TransactionLog.is_kept`)."""
        return True

    def nth_transaction(self, session: Session, window: Window, number: int) -> tuple[Lsn, bool]:
        """The commit LSN of the transaction with this number in a window."""
        found = transactions.nth_transaction(session, self._settings, window, number)
        return (window.until, True) if found is None else (found, False)

    def newest_commit(self, session: Session, lsn: Lsn) -> dt.datetime | None:
        """The time of the newest transaction up to an LSN, in the server's local time."""
        return transactions.newest_commit(session, self._settings, lsn)

    def landmark(self, session: Session, lsn: Lsn) -> Landmark | None:
        """The newest row of IBMSNAP_UOW up to an LSN, and when that table was made."""
        return transactions.landmark(session, self._settings, lsn)

    def may_be_cleaned_up(self, session: Session, landmark: Landmark) -> bool:
        """Whether pruning may have taken the row: it is old, or Apply has it; or the user accepts what may be missing."""
        if transactions.may_be_pruned(session, self._settings, landmark):
            return True
        if self._settings.tailrace_registered_anew != ACCEPT:
            return False
        log.warning("IBMSNAP_UOW of %s does not list %s any more; %s", session.database, landmark, GAP)
        return True

    def has_rows(self, session: Session, instances: Sequence[Instance], window: Window) -> Sequence[bool]:
        """Which instances have rows in a window."""
        return tables_with_changes.has_rows(session, instances, window)

    def row_counts(self, session: Session, instances: Sequence[Instance], window: Window) -> Sequence[int]:
        """The number of rows that each instance has in a window."""
        return tables_with_changes.row_counts(session, instances, window)

    def row_bytes(self, session: Session, instance: Instance, window: Window) -> int:
        """The approximate size of an instance's row in bytes."""
        return tables_with_changes.row_bytes(session, instance, window)
