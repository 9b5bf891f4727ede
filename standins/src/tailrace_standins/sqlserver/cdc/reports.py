"""sp_cdc_help_change_data_capture, sp_cdc_get_captured_columns, sp_cdc_get_ddl_history, sp_cdc_help_jobs.

Sources: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sys-sp-cdc-help-change-data-capture-transact-sql,
https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sys-sp-cdc-get-captured-columns-transact-sql,
https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sys-sp-cdc-get-ddl-history-transact-sql,
https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sys-sp-cdc-help-jobs-transact-sql
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.cdc import gating, jobs, rows
from tailrace_standins.sqlserver.cdc.arguments import Given, needed, result, text
from tailrace_standins.sqlserver.cdc.messages import failure
from tailrace_standins.sqlserver.cdc.net_changes import quoted
from tailrace_standins.sqlserver.cdc.shapes import LSN
from tailrace_standins.sqlserver.cdc.system_rows import CapturedColumn, ChangeTable, DdlChange, IndexColumn
from tailrace_standins.sqlserver.engine import stored, types
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.session import Outcome
from tailrace_standins.sqlserver.values import MAX, SqlType, Value

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

_N: Final = types.SYSNAME
_LONG: Final = types.text("nvarchar", MAX)
_INSTANCE: Final = (
    ("source_schema", _N),
    ("source_table", _N),
    ("capture_instance", _N),
    ("object_id", types.INT),
    ("source_object_id", types.INT),
    ("start_lsn", LSN),
    ("end_lsn", LSN),
    ("supports_net_changes", types.BIT),
    ("has_drop_pending", types.BIT),
    ("role_name", _N),
    ("index_name", _N),
    ("filegroup_name", _N),
    ("create_date", types.DATETIME),
    ("index_column_list", _LONG),
    ("captured_column_list", _LONG),
)
_COLUMN: Final = (
    ("source_schema", _N),
    ("source_table", _N),
    ("capture_instance", _N),
    ("column_name", _N),
    ("column_id", types.INT),
    ("column_ordinal", types.INT),
    ("data_type", _N),
    ("character_maximum_length", types.INT),
    ("numeric_precision", types.TINYINT),
    ("numeric_precision_radix", types.SMALLINT),
    ("numeric_scale", types.INT),
    ("datetime_precision", types.SMALLINT),
)
_HISTORY: Final = (
    ("source_schema", _N),
    ("source_table", _N),
    ("capture_instance", _N),
    ("required_column_update", types.BIT),
    ("ddl_command", _LONG),
    ("ddl_lsn", LSN),
    ("ddl_time", types.DATETIME),
)
_JOB: Final = (
    ("job_id", types.GUID),
    ("job_type", types.text("nvarchar", 20)),
    ("job_name", _N),
    ("maxtrans", types.INT),
    ("maxscans", types.INT),
    ("continuous", types.BIT),
    ("pollinginterval", types.BIGINT),
    ("retention", types.BIGINT),
    ("threshold", types.BIGINT),
)
_BITS: Final = {"bit": None, "tinyint": 3, "smallint": 5, "int": 10, "bigint": 19, "real": 24, "float": 53}


def instances(session: EngineSession, database: Database, given: Given) -> Iterator[Outcome]:
    """sp_cdc_help_change_data_capture [@source_schema, @source_name]; raises 22901, 22972, 22931."""
    schema, name = text(given, "source_schema"), text(given, "source_name")
    rows.table(database, "change_tables")
    if bool(schema) != bool(name):
        raise failure(22972)
    wanted = database.table(schema, name) if schema and name else None
    if schema and name and wanted is None:
        raise failure(22981)
    captured = rows.listed(session, database, CapturedColumn, order="object_id, column_ordinal")
    keys = rows.listed(session, database, IndexColumn, order="object_id, index_ordinal")
    found: list[tuple[Value, ...]] = []
    for row in rows.listed(session, database, ChangeTable):
        source = database.by_id.get(row.source_object_id)
        if source is None or (wanted is not None and source.id != wanted.id):
            continue
        if not gating.may_see(session, database, source.id, row.role_name):
            continue
        key_list = ", ".join(quoted(k.column_name) for k in keys if k.object_id == row.object_id) or None
        column_list = ", ".join(quoted(c.column_name) for c in captured if c.object_id == row.object_id)
        created = stored.decoded(row.create_date, types.DATETIME)
        found.append((
            source.schema, source.name, row.capture_instance, row.object_id, row.source_object_id, row.start_lsn, row.end_lsn,
            row.supports_net_changes, row.has_drop_pending, row.role_name, row.index_name, row.filegroup_name, created,
            key_list, column_list,
        ))  # fmt: skip
    yield result(_INSTANCE, found)


def _instance(session: EngineSession, database: Database, given: Given) -> tuple[ChangeTable, str, str]:
    """The row of cdc.change_tables for @capture_instance, with the source table's schema and name; raises 22963, 22981."""
    rows.table(database, "change_tables")
    name = needed(given, "capture_instance")
    for row in rows.listed(session, database, ChangeTable):
        source = database.by_id.get(row.source_object_id)
        if source is not None and row.is_named(name) and gating.may_see(session, database, source.id, row.role_name):
            return row, source.schema, source.name
    raise failure(22981)


def captured_columns(session: EngineSession, database: Database, given: Given) -> Iterator[Outcome]:
    """sp_cdc_get_captured_columns @capture_instance."""
    row, schema, name = _instance(session, database, given)
    change_table, instance = database.by_id[row.object_id], row.capture_instance
    found = [
        (schema, name, instance, c.column_name, c.column_id, c.column_ordinal, c.column_type,
         *_facets(change_table.column(c.column_name).type))
        for c in rows.listed(session, database, CapturedColumn, "object_id=?1", [row.object_id], order="column_ordinal")
    ]  # fmt: skip
    yield result(_COLUMN, found)


def _facets(of: SqlType) -> tuple[Value, ...]:
    """character_maximum_length, numeric_precision, its radix, numeric_scale, datetime_precision."""
    family = types.family(of)
    length = of.length if family in {"text", "binary"} else None
    precision = of.precision if family == "decimal" else _BITS.get(of.name)
    radix = None if precision is None else 2 if family == "float" else 10
    scale = of.scale if family == "decimal" else 0 if family == "int" and of.name != "bit" else None
    moment = (
        {"date": 0, "smalldatetime": 0, "datetime": 3}.get(of.name, of.scale)
        if family in {"date", "time", "datetime", "offset"}
        else None
    )
    return length, precision, radix, scale, moment


def ddl_history(session: EngineSession, database: Database, given: Given) -> Iterator[Outcome]:
    """sp_cdc_get_ddl_history @capture_instance."""
    row, schema, name = _instance(session, database, given)
    history = rows.listed(session, database, DdlChange, "object_id=?1", [row.object_id], order="ddl_lsn, rid")
    found = [
        (schema, name, row.capture_instance, h.required_column_update, h.ddl_command, h.ddl_lsn,
         stored.decoded(h.ddl_time, types.DATETIME))
        for h in history
    ]  # fmt: skip
    yield result(_HISTORY, found)


def help_jobs(session: EngineSession, database: Database, _given: Given) -> Iterator[Outcome]:
    """sp_cdc_help_jobs; raises 22901, 22904."""
    rows.table(database, "change_tables")
    gating.check_owner(session, database)
    found = [
        (
            stored.guid_value(job.id),
            job.type,
            f"cdc.{database.name}_{job.type}",
            job.maxtrans,
            job.maxscans,
            int(job.continuous),
            job.pollinginterval,
            job.retention,
            job.threshold,
        )
        for job in jobs.settings(session, database)
    ]
    yield result(_JOB, found)
