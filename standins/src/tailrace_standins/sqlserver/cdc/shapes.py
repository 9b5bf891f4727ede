"""The tables of the schema cdc, with the columns that Microsoft documents, and dbo.cdc_jobs of msdb.

They are tables of the engine's catalog (`is_shipped`), so that any query can read them and a rollback undoes their changes.

Sources: "Change data capture tables", https://learn.microsoft.com/sql/relational-databases/system-tables/change-data-capture-tables-transact-sql;
"cdc.<capture_instance>_CT", https://learn.microsoft.com/sql/relational-databases/system-tables/cdc-capture-instance-ct-transact-sql;
"dbo.cdc_jobs", https://learn.microsoft.com/sql/relational-databases/system-tables/dbo-cdc-jobs-transact-sql
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tailrace_standins.sqlserver.engine import types
from tailrace_standins.sqlserver.engine.catalog import Catalog, Column, Index, Table
from tailrace_standins.sqlserver.values import MAX, SqlType

LSN: Final = types.binary("binary", 10)
_MASK: Final = types.binary("varbinary", 128)
_ROLE: Final = types.SYSNAME
START_LSN, END_LSN, SEQVAL, OPERATION, UPDATE_MASK, COMMAND_ID = (
    "__$start_lsn",
    "__$end_lsn",
    "__$seqval",
    "__$operation",
    "__$update_mask",
    "__$command_id",
)
RESERVED: Final = frozenset((START_LSN, END_LSN, SEQVAL, OPERATION, UPDATE_MASK))
BEFORE_CAPTURED: Final = 5  # columns of a change table before the captured ones

CHANGE_TABLES: Final = (
    ("object_id", types.INT),
    ("version", types.INT),
    ("source_object_id", types.INT),
    ("capture_instance", types.SYSNAME),
    ("start_lsn", LSN),
    ("end_lsn", LSN),
    ("supports_net_changes", types.BIT),
    ("has_drop_pending", types.BIT),
    ("role_name", _ROLE),
    ("index_name", types.SYSNAME),
    ("filegroup_name", types.SYSNAME),
    ("create_date", types.DATETIME),
    ("partition_switch", types.BIT),
)
CAPTURED_COLUMNS: Final = (
    ("object_id", types.INT),
    ("column_name", types.SYSNAME),
    ("column_id", types.INT),
    ("column_type", types.SYSNAME),
    ("column_ordinal", types.INT),
    ("is_computed", types.BIT),
)
INDEX_COLUMNS: Final = (
    ("object_id", types.INT),
    ("column_name", types.SYSNAME),
    ("index_ordinal", types.TINYINT),
    ("column_id", types.INT),
)
DDL_HISTORY: Final = (
    ("source_object_id", types.INT),
    ("object_id", types.INT),
    ("required_column_update", types.BIT),
    ("ddl_command", types.text("nvarchar", MAX)),
    ("ddl_lsn", LSN),
    ("ddl_time", types.DATETIME),
)
LSN_TIME_MAPPING: Final = (
    ("start_lsn", LSN),
    ("tran_begin_time", types.DATETIME),
    ("tran_end_time", types.DATETIME),
    ("tran_id", types.binary("varbinary", 10)),
    ("tran_begin_lsn", LSN),
)
CDC_JOBS: Final = (
    ("database_id", types.INT),
    ("job_type", types.text("nvarchar", 20)),
    ("job_id", types.GUID),
    ("maxtrans", types.INT),
    ("maxscans", types.INT),
    ("continuous", types.BIT),
    ("pollinginterval", types.BIGINT),
    ("retention", types.BIGINT),
    ("threshold", types.BIGINT),
)
# name, columns, columns of its clustered index, columns of its other indexes
SYSTEM_TABLES: Final = (
    ("change_tables", CHANGE_TABLES, ("object_id",), ()),
    ("captured_columns", CAPTURED_COLUMNS, ("object_id", "column_name"), ()),
    ("index_columns", INDEX_COLUMNS, ("object_id", "index_ordinal"), ()),
    ("ddl_history", DDL_HISTORY, ("object_id", "ddl_lsn"), ()),
    ("lsn_time_mapping", LSN_TIME_MAPPING, ("start_lsn",), (("tran_end_time",),)),
)
_REQUIRED: Final = frozenset(
    ("object_id", "column_name", "index_ordinal", "start_lsn", START_LSN, SEQVAL, OPERATION, "database_id", "job_type")
)


def system_table(
    catalog: Catalog,
    schema: str,
    name: str,
    columns: Sequence[tuple[str, SqlType]],
    clustered: Sequence[str] = (),
    others: Sequence[Sequence[str]] = (),
    *,
    created: str = "",
    not_null: frozenset[str] = _REQUIRED,
    alias: str = "sysname",
) -> Table:
    """A table definition with its indexes; columns of nvarchar(128) are of the alias type."""
    made = tuple(
        Column(column, of, column not in not_null, place, f"c{place}", alias=alias if of == types.SYSNAME else "")
        for place, (column, of) in enumerate(columns, 1)
    )
    ids = {column.name: column.id for column in made}
    indexes = []
    if clustered:
        indexes.append(
            Index(f"{name}_clustered_idx", 1, tuple((ids[c], False) for c in clustered), unique=True, clustered=True)
        )
    for number, other in enumerate(others, 2):
        indexes.append(
            Index(
                f"{name}_idx" if number == 2 else f"{name}_idx{number}", number, tuple((ids[c], False) for c in other)
            )
        )
    return Table(
        catalog.new_id(),
        schema,
        name,
        made,
        tuple(indexes),
        created=created,
        modified=created,
        is_shipped=True,
        next_column=len(made) + 1,
    )


def change_table(
    catalog: Catalog, instance: str, captured: Sequence[Column], key: Sequence[str], *, created: str
) -> Table:
    """The definition of cdc.<capture_instance>_CT; the columns in `key` get the index that net changes use.

    As documented, rowversion columns are binary(8), identity columns lose that property, and all captured columns are
    nullable.
    """
    columns: list[tuple[str, SqlType]] = [
        (START_LSN, LSN),
        (END_LSN, LSN),
        (SEQVAL, LSN),
        (OPERATION, types.INT),
        (UPDATE_MASK, _MASK),
    ]
    columns += [(column.name, captured_type(column.type)) for column in captured]
    columns.append((COMMAND_ID, types.INT))
    name = f"{instance}_CT"
    not_null = frozenset((START_LSN, SEQVAL, OPERATION))
    others = [list(key)] if key else []
    return system_table(
        catalog,
        "cdc",
        name,
        columns,
        (START_LSN, COMMAND_ID, SEQVAL, OPERATION),
        others,
        created=created,
        not_null=not_null,
        alias="",
    )


def captured_type(of: SqlType) -> SqlType:
    """The type of a captured column in the change table."""
    return types.binary("binary", 8) if of.name == "timestamp" else of
