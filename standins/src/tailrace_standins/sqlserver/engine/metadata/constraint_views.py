"""Catalog views of indexes, keys, checks, defaults, identity and computed columns.

Source: "Object catalog views",
https://learn.microsoft.com/sql/relational-databases/system-catalog-views/object-catalog-views-transact-sql
"""

# the texts are built of names of our own
# ruff: noqa: E501  # texts of SQL Server and lists of columns are not wrapped
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import types
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.metadata import view_types
from tailrace_standins.sqlserver.engine.metadata.views import OBJECT, ViewRows, schema_id, tables_of, view
from tailrace_standins.sqlserver.values import Variant

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def _indexes(session: EngineSession, database: Database) -> ViewRows:
    for t in tables_of(session, database):
        if not any(index.clustered for index in t.indexes):
            yield (t.id, None, 0, 0, "HEAP", 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, None)
        for i in t.indexes:
            kind = (1, "CLUSTERED") if i.clustered else (2, "NONCLUSTERED")
            yield (
                t.id,
                i.name,
                i.id,
                *kind,
                int(i.unique),
                1,
                0,
                int(i.primary),
                int(bool(i.constraint_id and not i.primary)),
                0,
                0,
                int(i.is_disabled),
                int(i.is_hypothetical),
                0,
                None,
            )


def _index_columns(session: EngineSession, database: Database) -> ViewRows:
    for t in tables_of(session, database):
        for i in t.indexes:
            for place, (column, descending) in enumerate(i.columns, 1):
                yield (t.id, i.id, place, column, place, 0, int(descending), 0)
            for place, column in enumerate(i.included, len(i.columns) + 1):
                yield (t.id, i.id, place, column, 0, 0, 0, 1)


def _key_constraints(session: EngineSession, database: Database) -> ViewRows:
    for t in tables_of(session, database):
        for i in t.indexes:
            if i.constraint_id:
                kind = ("PK", "PRIMARY_KEY_CONSTRAINT") if i.primary else ("UQ", "UNIQUE_CONSTRAINT")
                yield (
                    i.name,
                    i.constraint_id,
                    schema_id(database, t),
                    t.id,
                    *kind,
                    t.created,
                    t.modified,
                    0,
                    i.id,
                    int(i.name[2:4] == "__"),
                    1,
                )


def _default_constraints(session: EngineSession, database: Database) -> ViewRows:
    for t in tables_of(session, database):
        for c in t.columns:
            if c.default:
                yield (
                    c.default.name,
                    c.default.id,
                    schema_id(database, t),
                    t.id,
                    "D ",
                    "DEFAULT_CONSTRAINT",
                    t.created,
                    t.modified,
                    0,
                    c.id,
                    c.default.text,
                    0,
                )


def _check_constraints(session: EngineSession, database: Database) -> ViewRows:
    for t in tables_of(session, database):
        for c in t.checks:
            yield (c.name, c.id, schema_id(database, t), t.id, "C ", "CHECK_CONSTRAINT", 0, 0, c.text)


def _computed_columns(session: EngineSession, database: Database) -> ViewRows:
    for t in tables_of(session, database):
        for c in t.columns:
            if c.computed:
                yield (
                    t.id,
                    c.name,
                    c.id,
                    *view_types.type_ids(c.type),
                    int(c.nullable),
                    f"({c.computed})",
                    0,
                    int(c.persisted),
                    1,
                )


def _masked_columns(session: EngineSession, database: Database) -> ViewRows:
    for t in tables_of(session, database):
        yield from ((t.id, c.name, c.id, 1, c.masked) for c in t.columns if c.masked)


def _identity_columns(session: EngineSession, database: Database) -> ViewRows:
    for t in tables_of(session, database):
        c = t.identity
        if c is not None and c.identity is not None:
            seed, step = (Variant(types.BIGINT, number) for number in c.identity)
            last = session.engine.identities.get(t.id)
            yield (
                t.id,
                c.name,
                c.id,
                *view_types.type_ids(c.type),
                0,
                seed,
                step,
                None if last is None else Variant(types.BIGINT, last),
                0,
            )


def _foreign_keys(session: EngineSession, database: Database) -> ViewRows:
    for t in tables_of(session, database):
        for k in t.foreign_keys:
            yield (
                k.name,
                k.id,
                schema_id(database, t),
                t.id,
                "F ",
                "FOREIGN_KEY_CONSTRAINT",
                k.table_id,
                0,
                0,
                0,
                "NO_ACTION",
                0,
                "NO_ACTION",
            )


def _foreign_key_columns(session: EngineSession, database: Database) -> ViewRows:
    for t in tables_of(session, database):
        for k in t.foreign_keys:
            for place, (a, b) in enumerate(zip(k.columns, k.referenced, strict=True), 1):
                yield (k.id, place, t.id, a, k.table_id, b)


CONSTRAINT_VIEWS: Final = (
    view("indexes", "object_id:i name:n index_id:i type:t type_desc:x is_unique:b data_space_id:i ignore_dup_key:b is_primary_key:b is_unique_constraint:b fill_factor:t is_padded:b is_disabled:b is_hypothetical:b has_filter:b filter_definition:m", _indexes),
    view("index_columns", "object_id:i index_id:i index_column_id:i column_id:i key_ordinal:t partition_ordinal:t is_descending_key:b is_included_column:b", _index_columns),
    view("key_constraints", OBJECT + " unique_index_id:i is_system_named:b is_enforced:b", _key_constraints),
    view("default_constraints", OBJECT + " parent_column_id:i definition:m is_system_named:b", _default_constraints),
    view("check_constraints", "name:n object_id:i schema_id:i parent_object_id:i type:c type_desc:n is_disabled:b is_not_trusted:b definition:m", _check_constraints),
    view("computed_columns", "object_id:i name:n column_id:i system_type_id:t user_type_id:i is_nullable:b definition:m uses_database_collation:b is_persisted:b is_computed:b", _computed_columns),
    view("masked_columns", "object_id:i name:n column_id:i is_masked:b masking_function:x", _masked_columns),
    view("identity_columns", "object_id:i name:n column_id:i system_type_id:t user_type_id:i is_nullable:b seed_value:v increment_value:v last_value:v is_not_for_replication:b", _identity_columns, is_live=True),
    view("foreign_keys", "name:n object_id:i schema_id:i parent_object_id:i type:c type_desc:n referenced_object_id:i is_disabled:b is_not_trusted:b delete_referential_action:t delete_referential_action_desc:n update_referential_action:t update_referential_action_desc:n", _foreign_keys),
    view("foreign_key_columns", "constraint_object_id:i constraint_column_id:i parent_object_id:i parent_column_id:i referenced_object_id:i referenced_column_id:i", _foreign_key_columns),
)  # fmt: skip
