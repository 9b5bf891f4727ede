"""SQL Server's dialect of change tables: its catalogue, its transactions, its part of events."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from tailrace.config.filters import TableFilter
from tailrace.connectors.change_tables.altered_columns import Types
from tailrace.connectors.change_tables.dialect import Advice
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.landmarks import Landmark
from tailrace.connectors.change_tables.lsn import Lsn, LsnForm
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.sqlserver import (
    altered_columns,
    catalog,
    connection,
    replicas,
    setup_sql,
    source_block,
    structures,
    tables_with_changes,
    transactions,
)
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.errors_of_driver import DeniedError
from tailrace.connectors.sqlserver.lsn import LSNS
from tailrace.connectors.sqlserver.properties.reading import FUNCTION
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.transaction_log import TransactionLog
from tailrace.errors import SourceSetupError
from tailrace.schema.connect import Schema
from tailrace.schema.tables import Table, TableId

ADVICE: Final = Advice(
    capture="the capture job",
    clean_up="the clean-up job",
    keep_longer="EXEC sys.sp_cdc_change_job @job_type = 'cleanup', @retention = minutes",
    add_columns="make a second one (EXEC sys.sp_cdc_enable_table with another @capture_instance); tailrace goes over to it by "
    "itself",
    first_instance=lambda table: str(setup_sql.enable_table(table)),
    all_columns="make an instance that captures them all (without @captured_column_list), and let column.include.list and "
    "column.exclude.list leave them alone",
    own_structures="a SQL Server's structures are read from its catalog",
)


class SqlServerDialect:
    """A `Dialect` for one configuration. Cheap to make; holds no connection."""

    connector = source_block.CONNECTOR
    omits_database = False
    skips_records = False

    def __init__(self, settings: SqlServerSettings) -> None:
        self._settings = settings

    @property
    def settings(self) -> SqlServerSettings:
        """The connector's settings."""
        return self._settings

    @property
    def lsns(self) -> LsnForm:
        """SQL Server's LSNs: ten bytes."""
        return LSNS

    @property
    def advice(self) -> Advice:
        """The advice in messages, in T-SQL."""
        return ADVICE

    @property
    def databases(self) -> Sequence[str]:
        """`database.names`."""
        return self._settings.database_names

    @property
    def uses_processing_time(self) -> bool:
        """Whether `source.timestamp.mode` is `processing`."""
        return self._settings.uses_processing_time

    def folded(self, table: TableId) -> TableId:
        """The table id in lower case: names are compared without regard to case."""
        return TableFilter.lower(table)

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
        return {"commit_lsn": lsn.text, "change_lsn": None, "event_serial_no": None}

    def history_position(self, lsn: Lsn) -> Mapping[str, Any]:
        """An LSN as a position in Debezium's schema history."""
        return {"commit_lsn": lsn.text, "change_lsn": None, "event_serial_no": 0}

    def connect(self, database: str) -> Session:
        """A session in a database."""
        return connection.connect(self._settings, database)

    def database(self, session: Session) -> str:
        """The session's database, as the server spells it."""
        return session.database

    def require_captured(self, session: Session, database: str) -> str:
        """Require that change data capture is enabled for a database; returns its name as the server spells it."""
        return catalog.require_captured(session, database)

    def instances(self, session: Session) -> Sequence[Instance]:
        """The instances in `cdc.change_tables`."""
        return catalog.instances(session)

    def hidden(self, session: Session) -> Sequence[tuple[str, int]]:
        """The instances of tables that the user may not see."""
        return catalog.hidden(session)

    def stamp(self, session: Session) -> object:
        """The start LSNs of all instances, and the newest entry of `cdc.ddl_history`."""
        return catalog.instances_stamp(session)

    def altered(self, session: Session) -> Collection[int]:
        """The change tables with an entry in `cdc.ddl_history`."""
        return catalog.altered_since_captured(session)

    def structures(self, session: Session, wanted: Callable[[TableId], bool]) -> Mapping[TableId, Table]:
        """The structures as Debezium sees them through JDBC."""
        return structures.tables(session, session.database, wanted)

    def column_types(self, session: Session) -> Mapping[int, Types]:
        """The columns whose type differs because capture has not reached an ALTER COLUMN yet."""
        return altered_columns.other_types(session)

    def name_in_database(self, table: TableId) -> str:
        """`schema.table`, in brackets if a name contains a dot."""
        return catalog.name_in_database(table)

    def begun_by(self, session: Session, instance: Instance) -> Lsn | None:  # noqa: ARG002
        """The start LSN."""
        return instance.start_lsn

    def require_visible(self, session: Session, table: TableId) -> None:
        """Raise `SourceSetupError` if the table exists and the user may not read it.

        It is accepted if the table is gone, or if nothing is hidden from the user.
        """
        if not catalog.hidden(session):
            return
        try:
            # No row is read: only the permission matters.
            session.rows(f"SELECT TOP (0) 1 AS seen FROM {quoted(table.schema, table.name)}")  # noqa: S608 -- it is quoted
        except DeniedError as error:
            user = session.one("SELECT USER_NAME()")
            raise SourceSetupError(
                f"{table} was read up to now, and the user {user} may not see it any more: "
                f"{setup_sql.grant_select(table, str(user))} Or leave it out (table.exclude.list)"
            ) from error
        except SourceSetupError:
            return  # error 208: there is no such table

    def wait_for(self, session: Session, lsn: Lsn) -> None:
        """Wait until the session's replica has an LSN."""
        replicas.wait_for(session, lsn)

    def log(self, database: str, planned: DatabasePosition | None) -> TransactionLog:
        """The log of a database, with the clock offset of the plan."""
        return TransactionLog(self._settings, database, None if planned is None else planned.offset_minutes)

    def head(self, session: Session) -> Lsn:
        """The max LSN (`sys.fn_cdc_get_max_lsn`)."""
        return transactions.head(session).lsn

    def end_now(self, session: Session) -> DatabasePosition:
        """The max LSN, with how far the server's clock is ahead of UTC."""
        found = transactions.head(session)
        return DatabasePosition(found.lsn, offset_minutes=found.offset_minutes)

    def count_transactions(self, session: Session, window: Window) -> int:
        """The number of transactions in a window, from `cdc.lsn_time_mapping`."""
        return transactions.count_transactions(session, window)

    def reaches_back_to(self, session: Session, lsn: Lsn) -> bool:
        """Whether `cdc.lsn_time_mapping` still has all transactions after an LSN."""
        return transactions.reaches_back_to(session, lsn)

    def nth_transaction(self, session: Session, window: Window, number: int) -> tuple[Lsn, bool]:
        """The commit LSN of the transaction with this number in a window."""
        return transactions.nth_transaction(session, window, number)

    def newest_commit(self, session: Session, lsn: Lsn) -> dt.datetime | None:
        """The end time of the newest transaction up to an LSN, in the server's local time."""
        return transactions.newest_commit(session, lsn)

    def landmark(self, session: Session, lsn: Lsn) -> Landmark | None:
        """The newest transaction with changes up to an LSN, in cdc.lsn_time_mapping."""
        return transactions.newest(session, lsn)

    def may_be_cleaned_up(self, session: Session, landmark: Landmark) -> bool:  # noqa: ARG002
        """True: what the clean-up took shows in the start LSNs of the instances."""
        return True

    def has_rows(self, session: Session, instances: Sequence[Instance], window: Window) -> Sequence[bool]:
        """Which instances have rows in a window; the change tables are read as `data.query.mode` says."""
        return tables_with_changes.has_rows(session, instances, window, by_function=self._by_function)

    def row_counts(self, session: Session, instances: Sequence[Instance], window: Window) -> Sequence[int]:
        """The number of rows that each instance has in a window."""
        return tables_with_changes.row_counts(session, instances, window, by_function=self._by_function)

    def row_bytes(self, session: Session, instance: Instance, window: Window) -> int:
        """The approximate size of an instance's row in bytes."""
        return tables_with_changes.row_bytes(session, instance, window, by_function=self._by_function)

    @property
    def _by_function(self) -> bool:
        return self._settings.data_query_mode == FUNCTION
