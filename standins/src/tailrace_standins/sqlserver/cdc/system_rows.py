"""Stored rows of the tables of `shapes.py`, with their columns by name; each begins with the numbers of its version.

Source: "Change data capture tables", https://learn.microsoft.com/sql/relational-databases/system-tables/change-data-capture-tables-transact-sql
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeVar


class ChangeTable(NamedTuple):
    """A row of cdc.change_tables."""

    rid: int
    row: int
    end: int
    object_id: int
    version: int
    source_object_id: int
    capture_instance: str
    start_lsn: bytes | None
    end_lsn: bytes | None
    supports_net_changes: int
    has_drop_pending: int
    role_name: str | None
    index_name: str | None
    filegroup_name: str | None
    create_date: str
    partition_switch: int

    def is_named(self, instance: str) -> bool:
        """Whether it is that capture instance's."""
        return self.capture_instance.lower() == instance.lower()


class CapturedColumn(NamedTuple):
    """A row of cdc.captured_columns."""

    rid: int
    row: int
    end: int
    object_id: int
    column_name: str
    column_id: int
    column_type: str
    column_ordinal: int
    is_computed: int


class IndexColumn(NamedTuple):
    """A row of cdc.index_columns."""

    rid: int
    row: int
    end: int
    object_id: int
    column_name: str
    index_ordinal: int
    column_id: int


class DdlChange(NamedTuple):
    """A row of cdc.ddl_history."""

    rid: int
    row: int
    end: int
    source_object_id: int
    object_id: int
    required_column_update: int
    ddl_command: str
    ddl_lsn: bytes
    ddl_time: str


class LsnTime(NamedTuple):
    """A row of cdc.lsn_time_mapping."""

    rid: int
    row: int
    end: int
    start_lsn: bytes
    tran_begin_time: str
    tran_end_time: str
    tran_id: bytes
    tran_begin_lsn: bytes | None


class JobRow(NamedTuple):
    """A row of msdb.dbo.cdc_jobs."""

    rid: int
    row: int
    end: int
    database_id: int
    job_type: str
    job_id: bytes
    maxtrans: int
    maxscans: int
    continuous: int
    pollinginterval: int
    retention: int
    threshold: int


Row = TypeVar("Row", ChangeTable, CapturedColumn, IndexColumn, DdlChange, LsnTime, JobRow)
NAMES: Final[dict[type, str]] = {
    ChangeTable: "change_tables",
    CapturedColumn: "captured_columns",
    IndexColumn: "index_columns",
    DdlChange: "ddl_history",
    LsnTime: "lsn_time_mapping",
}
"""The names of the tables in the schema cdc."""
