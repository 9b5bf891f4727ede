"""Catalog views of the schema sys.

Source: "System catalog views",
https://learn.microsoft.com/sql/relational-databases/system-catalog-views/catalog-views-transact-sql
"""

# the texts are built of names of our own
# ruff: noqa: E501  # texts of SQL Server and lists of columns are not wrapped
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import types
from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.metadata import availability_views, view_types
from tailrace_standins.sqlserver.engine.metadata.constraint_views import CONSTRAINT_VIEWS
from tailrace_standins.sqlserver.engine.metadata.views import (
    OBJECT,
    ViewRows,
    no_rows,
    row_count,
    schema_id,
    tables_of,
    view,
)
from tailrace_standins.sqlserver.engine.system import SystemObjects
from tailrace_standins.sqlserver.values import SqlType, Value, Variant

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def _databases(session: EngineSession, _database: Database) -> ViewRows:
    for d in session.databases():
        snapshot = d.is_on("ALLOW_SNAPSHOT_ISOLATION") or d.name in {"master", "msdb"}
        yield (
            d.name, d.id, None, b"\x01", d.created, 160, d.collation, 0, "MULTI_USER", 0, 0, 0, 0, "ONLINE", 0, 0,
            int(snapshot), "ON" if snapshot else "OFF", int(d.is_on("READ_COMMITTED_SNAPSHOT")),
            {"FULL": 1, "BULK_LOGGED": 2, "SIMPLE": 3}[d.options.get("RECOVERY", "FULL")], d.options.get("RECOVERY", "FULL"), int(d.is_cdc_enabled), 0, 0, 0,
            *availability_views.of_database(session, d),
        )  # fmt: skip


def _schemas(_session: EngineSession, database: Database) -> ViewRows:
    return [(name, number, 1) for number, name in database.schemas.values()]


def objects(session: EngineSession, database: Database) -> Iterator[tuple[Value, ...]]:
    """sys.objects: tables and constraints.

    Rows are (name, object_id, schema_id, parent, type, type_desc, created, modified, shipped, 0, 0).

    """
    for t in tables_of(session, database):
        schema = schema_id(database, t)
        rest = (t.created, t.modified, int(t.is_shipped), 0, 0)
        yield (t.name, t.id, schema, 0, "U ", "USER_TABLE", *rest)
        for index in t.indexes:
            if index.constraint_id:
                kind = ("PK", "PRIMARY_KEY_CONSTRAINT") if index.primary else ("UQ", "UNIQUE_CONSTRAINT")
                yield (index.name, index.constraint_id, schema, t.id, *kind, *rest)
        for check in t.checks:
            yield (check.name, check.id, schema, t.id, "C ", "CHECK_CONSTRAINT", *rest)
        for key in t.foreign_keys:
            yield (key.name, key.id, schema, t.id, "F ", "FOREIGN_KEY_CONSTRAINT", *rest)
        for column in t.columns:
            if column.default:
                yield (column.default.name, column.default.id, schema, t.id, "D ", "DEFAULT_CONSTRAINT", *rest)


def _tables(session: EngineSession, database: Database) -> ViewRows:
    for t in tables_of(session, database):
        tracked = int(_is_tracked(session, database, t))
        yield (
            t.name,
            t.id,
            schema_id(database, t),
            0,
            "U ",
            "USER_TABLE",
            t.created,
            t.modified,
            int(t.is_shipped),
            0,
            0,
            0,
            tracked,
            0,
            0,
            0,
            "NON_TEMPORAL_TABLE",
            t.next_column - 1,
        )


def _is_tracked(session: EngineSession, database: Database, table: Table) -> bool:
    return any(hook.is_tracked(database, table) for hook in session.engine.hooks)


def _columns(session: EngineSession, database: Database) -> ViewRows:
    for t in tables_of(session, database):
        for c in t.columns:
            system, user = view_types.column_type_ids(c)
            yield (
                t.id, c.name, c.id, system, user, view_types.max_length(c.type), view_types.precision(c.type), view_types.scale(c.type),
                c.type.collation if types.is_text(c.type) else None, int(c.nullable), 1, 0, int(bool(c.identity)), int(bool(c.computed)),
                c.default.id if c.default else 0, 0, 0, 0, 0, 0, "NOT_APPLICABLE",
            )  # fmt: skip


def _types(_session: EngineSession, _database: Database) -> ViewRows:
    for name, (system, user) in view_types.TYPE_IDS.items():
        of = (
            SqlType("nvarchar", 128)
            if name == "sysname"
            else SqlType(name, length=8000 if "char" in name or "binary" in name else 0, precision=38, scale=0)
        )
        yield (name, system, user, 4, view_types.max_length(of), view_types.precision(of), 0, None, 1, 0, 0, 0, 0, 0)


def _partitions(session: EngineSession, database: Database) -> ViewRows:
    for t in tables_of(session, database):
        count = row_count(session, t)
        trees = {i.id: i.tree for i in t.indexes if i.has_tree}
        for number, tree in trees.items() if 1 in trees else [(0, 0), *trees.items()]:
            yield (t.id * 16 + number, t.id, number, 1, tree or t.id * 16 + number, count, 0, "NONE")


def _configurations(_session: EngineSession, _database: Database) -> ViewRows:
    return [(16384, "Agent XPs", Variant(types.INT, 1), Variant(types.INT, 1))]


_VIEWS: Final = (
    view("databases", "name:n database_id:i source_database_id:i owner_sid:y create_date:d compatibility_level:t collation_name:n user_access:t user_access_desc:x is_read_only:b is_auto_close_on:b is_auto_shrink_on:b state:t state_desc:x is_in_standby:b is_cleanly_shutdown:b snapshot_isolation_state:t snapshot_isolation_state_desc:x is_read_committed_snapshot_on:b recovery_model:t recovery_model_desc:x is_cdc_enabled:b is_encrypted:b is_published:b is_distributor:b replica_id:g group_database_id:g", _databases, is_live=True),
    view("schemas", "name:n schema_id:i principal_id:i", _schemas),
    view("objects", OBJECT + " is_published:b is_schema_published:b", objects),
    view("all_objects", OBJECT + " is_published:b is_schema_published:b", objects),
    view("tables", OBJECT + " is_published:b is_schema_published:b is_replicated:b is_tracked_by_cdc:b is_memory_optimized:b is_external:b temporal_type:t temporal_type_desc:x max_column_id_used:i", _tables, is_live=True),
    view("columns", "object_id:i name:n column_id:i system_type_id:t user_type_id:i max_length:s precision:t scale:t collation_name:n is_nullable:b is_ansi_padded:b is_rowguidcol:b is_identity:b is_computed:b default_object_id:i is_sparse:b is_hidden:b is_xml_document:b is_replicated:b generated_always_type:t generated_always_type_desc:x", _columns),
    view("all_columns", "object_id:i name:n column_id:i system_type_id:t user_type_id:i max_length:s precision:t scale:t collation_name:n is_nullable:b is_ansi_padded:b is_rowguidcol:b is_identity:b is_computed:b default_object_id:i is_sparse:b is_hidden:b is_xml_document:b is_replicated:b generated_always_type:t generated_always_type_desc:x", _columns),
    view("types", "name:n system_type_id:t user_type_id:i schema_id:i max_length:s precision:t scale:t collation_name:n is_nullable:b is_user_defined:b is_assembly_type:b default_object_id:i rule_object_id:i is_table_type:b", _types),
    *CONSTRAINT_VIEWS,
    view("partitions", "partition_id:l object_id:i index_id:i partition_number:i hobt_id:l rows:l data_compression:t data_compression_desc:x", _partitions, is_live=True),
    view("configurations", "configuration_id:i name:n value:v value_in_use:v", _configurations),
    view("views", OBJECT, no_rows),
    view("procedures", OBJECT, no_rows),
    view("triggers", "name:n object_id:i parent_class:t parent_id:i type:c type_desc:n", no_rows),
    view("synonyms", OBJECT + " base_object_name:x", no_rows),
    view("extended_properties", "class:t class_desc:n major_id:i minor_id:i name:n value:v", no_rows),
)  # fmt: skip


def register(system: SystemObjects) -> None:
    """Make the views known."""
    system.add("sys", *_VIEWS)
