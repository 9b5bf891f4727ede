"""Schema-change events: what the topic named after the prefix carries, and what the schema history records.

A statement makes one event for each table that it names; one that names none (or none that is known) makes
one event with the statement as it stands and no table changes. TRUNCATE makes none: it is a data change. The
scope says whose events are wanted (`schema.history.internal.store.only.captured.…`).

Source: Debezium documentation, MySQL connector, "Schema change topic".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from tailrace.connectors.mysql.ddl import ChangeType, TableChange
from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.event_shapes import CURRENT, SHAPE_1_4
from tailrace.schema.tables import Column, Table, TableId

_NAMES = "io.debezium.connector"
_STRING = Schema(Type.STRING)
_OPTIONAL_STRING = Schema(Type.STRING, optional=True)
_INT32 = Schema(Type.INT32)
_OPTIONAL_INT32 = Schema(Type.INT32, optional=True)
_OPTIONAL_BOOLEAN = Schema(Type.BOOLEAN, optional=True)
_OPTIONAL_STRINGS = Schema(Type.ARRAY, optional=True, items=_STRING)
_COLUMN_FIELDS = (
    Field("name", _STRING),
    Field("jdbcType", _INT32),
    Field("nativeType", _OPTIONAL_INT32),
    Field("typeName", _STRING),
    Field("typeExpression", _OPTIONAL_STRING),
    Field("charsetName", _OPTIONAL_STRING),
    Field("length", _OPTIONAL_INT32),
    Field("scale", _OPTIONAL_INT32),
    Field("position", _INT32),
    Field("optional", _OPTIONAL_BOOLEAN),
    Field("autoIncremented", _OPTIONAL_BOOLEAN),
    Field("generated", _OPTIONAL_BOOLEAN),
    Field("comment", _OPTIONAL_STRING),
    Field("defaultValueExpression", _OPTIONAL_STRING),
    Field("enumValues", _OPTIONAL_STRINGS),
)
_SINCE_1_4 = ("ts_ms", "comment", "defaultValueExpression", "enumValues")
# Statements that Debezium neither records nor tells of.
_SET_STATEMENT = r"(?:SET\s+STATEMENT\s.*?FOR\s+)?"
_UNTOLD = re.compile(
    rf"\s*(?:BEGIN|END|COMMIT|FLUSH\s+PRIVILEGES|XA\s.*|SAVEPOINT\s.*|FLUSH\s+RELAY\s+LOGS.*|#\s*Dummy\s+event.*"
    r"|DROP\s+TEMPORARY\s+TABLE\s+IF\s+EXISTS\s.+/\*\s*generated\s+by\s+server\s*\*/"
    rf"|{_SET_STATEMENT}(?:INSERT\s+INTO|DELETE\s+FROM)\s+(?:mysql\.)?rds_(?:heartbeat2|sysinfo|monitor)\b.*"
    rf"|{_SET_STATEMENT}(?:REPLACE\s+INTO|GRANT|REVOKE)\s.*"
    rf"|{_SET_STATEMENT}(?:ANALYZE|OPTIMIZE|REPAIR)\s+(?:NO_WRITE_TO_BINLOG\s+|LOCAL\s+)?TABLE\s.*"
    rf"|{_SET_STATEMENT}(?:CREATE|ALTER|DROP)\s+(?:OR\s+REPLACE\s+)?(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(?:USER|ROLE)\b.*"
    rf"|{_SET_STATEMENT}(?:CREATE|ALTER|DROP)\s+(?:OR\s+REPLACE\s+)?(?:ALGORITHM\s*=\s*\S+\s+)?(?:DEFINER\s*=\s*\S+\s+)?"
    r"(?:SQL\s+SECURITY\s+\S+\s+)?(?:VIEW|FUNCTION|PROCEDURE|TRIGGER)\s.*)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose schema changes are told and recorded; everybody's by default.

    Attributes:
        only_captured_tables: `schema.history.internal.store.only.captured.tables.ddl`.
        only_captured_databases: `schema.history.internal.store.only.captured.databases.ddl`.
        table: whether a table is captured.
        database: whether a database is captured.

    """

    only_captured_tables: bool = False
    only_captured_databases: bool = False
    table: Callable[[TableId], bool] = lambda _table: True
    database: Callable[[str], bool] = lambda _database: True

    def captures(self, change: TableChange) -> bool:
        """Whether a change concerns what is captured, or the server."""
        if change.id is None:
            return change.database == "" or self.database(change.database)
        return self.table(change.id)


@dataclass(frozen=True, slots=True)
class SchemaEvent:
    """One schema-change event.

    Attributes:
        database: the key of the event, and the source block's `db`.
        ddl: the statement, cut down to the table concerned; empty where no statement says it.
        changes: at most one; a table that is gone by the end of its statement has none.
        source_table: the source block's `table`.
        recorded: whether the schema history gets it.
        schema: the schema that the table is in, where the database has such.

    """

    database: str
    ddl: str
    changes: tuple[TableChange, ...]
    source_table: str | None
    recorded: bool = True
    schema: str | None = None


def schema_events(
    database: str, ddl: str, changes: Sequence[TableChange], scope: Scope = Scope()
) -> list[SchemaEvent]:
    """The events of one statement, in order; `changes` is what `Structures.apply` said of it."""
    statement = ddl.strip()
    if any(change.type is ChangeType.TRUNCATE for change in changes) or _UNTOLD.fullmatch(statement):
        return []
    is_set = not database and statement.upper().startswith("SET ")
    if scope.only_captured_tables and not is_set and not any(map(scope.captures, changes)):
        return []
    if not changes:
        events = [SchemaEvent(database, statement, (), "", recorded=not scope.only_captured_tables or is_set)]
    else:
        events = list(_events_of_changes(changes, scope))
    return [event for event in events if _in_scope(event, scope)]


def source_table(ids: Iterable[TableId]) -> str | None:
    """The source block's `table` for an event about these tables: names in the order of Java's HashSet."""
    names = {str(i): i.name for i in ids}
    return ",".join(names[key] for key in _hash_set_order(names)) if names else None


def schema_change_schemas(source: Schema, connector: str = "mysql", shape: str = CURRENT) -> tuple[Schema, Schema]:
    """The schemas of key and value; `source` is the schema of the source block, `shape` is `tailrace.event.shape`."""
    column = Schema(Type.STRUCT, name=f"{_NAMES}.schema.Column", version=1, fields=_COLUMN_FIELDS)
    table = _struct(
        "schema.Table",
        Field("defaultCharsetName", _OPTIONAL_STRING),
        Field("primaryKeyColumnNames", _OPTIONAL_STRINGS),
        Field("columns", Schema(Type.ARRAY, items=column)),
        Field("comment", _OPTIONAL_STRING),
    ).with_(optional=True)
    change = _struct("schema.Change", Field("type", _STRING), Field("id", _STRING), Field("table", table))
    key = _struct(f"{connector}.SchemaChangeKey", Field("databaseName", _STRING))
    value = _struct(
        f"{connector}.SchemaChangeValue",
        Field("source", source),
        Field("ts_ms", Schema(Type.INT64)),
        Field("databaseName", _OPTIONAL_STRING),
        Field("schemaName", _OPTIONAL_STRING),
        Field("ddl", _OPTIONAL_STRING),
        Field("tableChanges", Schema(Type.ARRAY, items=change)),
    )
    if shape == SHAPE_1_4:
        named = value.without("source", *_SINCE_1_4)
        return key.without(), named.with_(fields=(Field("source", source), *named.fields))
    return key, value


def schema_change_key(event: SchemaEvent) -> dict[str, Any]:
    """The key of an event."""
    return {"databaseName": event.database}


def schema_change_value(
    source: Mapping[str, Any], ts_ms: int, event: SchemaEvent, *, comments: bool = False
) -> dict[str, Any]:
    """The value of an event; `ts_ms` is the time of processing, `comments` is `include.schema.comments`."""
    return {
        "source": source,
        "ts_ms": ts_ms,
        "databaseName": event.database,
        "schemaName": event.schema,
        "ddl": event.ddl or None,
        "tableChanges": [_change(change, comments=comments) for change in told_changes(event)],
    }


def told_changes(event: SchemaEvent) -> list[TableChange]:
    """The table changes that can be told of: those whose table is still there, and drops."""
    return [c for c in event.changes if c.type is ChangeType.DROP or c.table is not None]


def quoted_id(table_id: TableId) -> str:
    """A table's id as records have it: each part in double quotes."""
    parts = (table_id.catalog, table_id.schema, table_id.name)
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts if part)


def quoted_labels(column: Column) -> list[str]:
    """The labels of an ENUM or SET as records have them: as SQL literals."""
    escaped = (label.replace("\\", "\\\\").replace("'", "''") for label in column.enum_values)
    return [f"'{label}'" for label in escaped]


def _events_of_changes(changes: Sequence[TableChange], scope: Scope) -> Iterable[SchemaEvent]:
    for database, group in groupby(changes, key=lambda change: change.database):
        if scope.only_captured_tables and database and not scope.database(database):
            continue
        of_database = list(group)
        tables = source_table(change.id for change in of_database if change.id is not None)
        for change in of_database:
            yield SchemaEvent(
                database, change.ddl, () if change.id is None else (change,), tables, _recorded(change, scope)
            )


def _recorded(change: TableChange, scope: Scope) -> bool:
    if not scope.only_captured_tables:
        return True
    if change.id is None:
        return not change.database and change.ddl.upper().startswith("SET ")
    there = change.table is not None or change.type is ChangeType.DROP
    return there and scope.table(change.id)


def _in_scope(event: SchemaEvent, scope: Scope) -> bool:
    return not (scope.only_captured_databases and event.database and not scope.database(event.database))


def _change(change: TableChange, *, comments: bool) -> dict[str, Any]:
    dropped = change.type is ChangeType.DROP or change.table is None
    return {
        "type": change.type.value,
        "id": quoted_id(change.id) if change.id else "",
        "table": None if dropped or change.table is None else _table(change.table, comments=comments),
    }


def _table(table: Table, *, comments: bool) -> dict[str, Any]:
    return {
        "defaultCharsetName": table.default_charset,
        "primaryKeyColumnNames": list(table.primary_key),
        "columns": [_column(c, at, comments=comments) for at, c in enumerate(table.columns, 1)],
        "comment": table.comment if comments else None,
    }


def _column(column: Column, position: int, *, comments: bool) -> dict[str, Any]:
    return {
        "name": column.name,
        "jdbcType": column.jdbc_type,
        "nativeType": None,
        "typeName": column.type_name,
        "typeExpression": column.type_expression,
        "charsetName": column.charset,
        "length": column.length,
        "scale": column.scale,
        "position": position,
        "optional": column.optional,
        "autoIncremented": column.auto_incremented,
        "generated": column.generated,
        "comment": column.comment if comments else None,
        "defaultValueExpression": column.default,
        "enumValues": quoted_labels(column) or None,
    }


def _struct(name: str, *fields: Field) -> Schema:
    return Schema(Type.STRUCT, name=f"{_NAMES}.{name}", version=1, fields=fields)


def _hash_set_order(keys: Iterable[str]) -> list[str]:
    """A copy of a HashSet: capacity follows from size, buckets keep the order of the set copied from."""
    first = _bucketed(list(keys), _capacity_of_growing)
    return _bucketed(first, _capacity_of_copy)


def _bucketed(keys: list[str], capacity_of: Callable[[int], int]) -> list[str]:
    capacity = capacity_of(len(keys))
    return sorted(keys, key=lambda key: _spread(key) & (capacity - 1))


def _capacity_of_growing(size: int) -> int:
    capacity = 16
    while size > capacity * 3 // 4:
        capacity *= 2
    return capacity


def _capacity_of_copy(size: int) -> int:
    wanted = max(int(size / 0.75) + 1, 16)
    return 1 << (wanted - 1).bit_length()


def _spread(text: str) -> int:
    """Java's hash of a string, as its hash maps spread it."""
    found = 0
    units = text.encode("utf-16-be")
    for at in range(0, len(units), 2):
        found = (31 * found + (units[at] << 8 | units[at + 1])) & 0xFFFFFFFF
    return found ^ (found >> 16)
