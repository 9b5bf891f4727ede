"""Checks whether change tables have the columns that their tables have now, and which columns can't be captured.

A change table keeps the columns that it was made with. One that the table got later, or that has another type since, must be
altered in both, while the table is not captured for a moment; that is for people (`setup_sql.Services.altered_online`).

Sources: IBM Db2 documentation, "Restrictions for SQL Replication data types"; Debezium documentation, "Schema evolution" of Db2
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tailrace.connectors.change_tables.altered_columns import Types
from tailrace.connectors.change_tables.instances import Instance, not_captured
from tailrace.connectors.db2.before_images import LARGE
from tailrace.connectors.db2.catalog import name_in_database
from tailrace.connectors.db2.connection import quoted
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.setup_sql import Services
from tailrace.connectors.findings import Finding, Level, listed
from tailrace.schema.tables import Column, Table, TableId

_UNCAPTURED: Final = frozenset({"BOOLEAN"})
_WITH_LENGTH: Final = frozenset(
    {"CHAR", "VARCHAR", "GRAPHIC", "VARGRAPHIC", "BINARY", "VARBINARY", "CLOB", "DBCLOB", "BLOB", "DECFLOAT"}
)


def findings(
    settings: Db2Settings,
    services: Services,
    tables: Mapping[TableId, Table],
    instances: Sequence[Instance],
    others: Mapping[int, Types],
    altered: Collection[int],
) -> Iterator[Finding]:
    """The findings about columns.

    Args:
        settings: with the lists of columns.
        services: how SQL Replication is operated.
        tables: the included ones.
        instances: of the database.
        others: columns whose types differ from the source's, by the instance's object id.
        altered: the object ids of instances whose source table was altered since.

    """
    wanted = [each for each in instances if each.table in tables]
    for each in wanted:
        table = _included(settings, tables[each.table])
        yield from _missing(services, table, each, is_altered=each.object_id in altered)
        yield from _of_other_type(services, table, each, others.get(each.object_id, {}))
    yield from _boolean([_included(settings, table) for table in tables.values()])
    yield from _large(settings, [_included(settings, tables[each.table]) for each in wanted])


def _included(settings: Db2Settings, table: Table) -> Table:
    """A table with the columns that the configuration leaves in its events."""
    return replace(
        table, columns=tuple(each for each in table.columns if settings.columns.matches(table.id, each.name))
    )


def _missing(services: Services, table: Table, instance: Instance, *, is_altered: bool) -> Iterator[Finding]:
    missing = not_captured(table, instance)
    if not missing:
        return
    if not is_altered:
        yield Finding(
            Level.OK, f"{name_in_database(table.id)}: the columns {listed(missing)} were left out of {instance.name}"
        )
        return
    columns = {each.name: each for each in table.columns}
    changes = [f"ADD COLUMN {quoted(name)} {_sql_type(columns[name])}" for name in missing]
    yield Finding(
        Level.WARNING,
        f"{name_in_database(table.id)} was altered, and its change table {instance.name} lacks columns: {listed(missing)}",
        services.altered_online(table.id, instance.change_table, changes),
    )


def _of_other_type(services: Services, table: Table, instance: Instance, others: Types) -> Iterator[Finding]:
    changed = [each for each in table.columns if each.name in others]
    if not changed:
        return
    names = [each.name for each in changed]
    changes = [f"ALTER COLUMN {quoted(each.name)} SET DATA TYPE {_sql_type(each)}" for each in changed]
    yield Finding(
        Level.WARNING,
        f"{name_in_database(table.id)} has columns of another type than its change table {instance.name}: {listed(names)}",
        services.altered_online(table.id, instance.change_table, changes),
    )


def _boolean(tables: Sequence[Table]) -> Iterator[Finding]:
    if names := _columns_of(tables, _UNCAPTURED):
        mend = "make them SMALLINT, or register the table without them and exclude them in column.exclude.list"
        yield Finding(Level.WARNING, f"SQL Replication does not capture BOOLEAN columns: {listed(names)}", mend)


def _large(settings: Db2Settings, tables: Sequence[Table]) -> Iterator[Finding]:
    if names := _columns_of(tables, LARGE):
        stands = settings.large_object_placeholder or "null"
        what = f"large objects and XML are in snapshots only, not in changes, which have {stands} for them: {listed(names)}"
        yield Finding(Level.OK, what)


def _columns_of(tables: Sequence[Table], kinds: frozenset[str]) -> list[str]:
    return [
        f"{name_in_database(table.id)}.{column.name}"
        for table in tables
        for column in table.columns
        if column.type_name in kinds
    ]


def _sql_type(column: Column) -> str:
    """A column's type in SQL."""
    name, length, scale = column.type_name, column.length, column.scale
    if "()" in name:
        return name.replace("()", f"({length})")
    if name == "DECIMAL":
        return f"DECIMAL({length}, {scale})"
    if name == "TIMESTAMP":
        return f"TIMESTAMP({scale})"
    return f"{name}({length})" if name in _WITH_LENGTH else name
