"""Schema change events: the records of the schema change topic, which is named after `topic.prefix`.

Source: Debezium documentation, MySQL connector, "Schema change topic".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.event_shapes import CURRENT, SHAPE_1_4
from tailrace.schema.table_changes import ChangeType, TableChange
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


@dataclass(frozen=True, slots=True)
class SchemaEvent:
    """One schema change event.

    Attributes:
        database: the event's key, and `db` of the source block.
        ddl: the statement, reduced to this table; empty if no statement is known, as with SQL Server.
        changes: at most one; none if the table no longer exists at the end of the statement.
        source_table: `table` of the source block.
        recorded: whether the event also goes into the schema history.
        schema: the table's schema, in databases that have schemas.

    """

    database: str
    ddl: str
    changes: tuple[TableChange, ...]
    source_table: str | None
    recorded: bool = True
    schema: str | None = None


def schema_change_schemas(source: Schema, connector: str, shape: str = CURRENT) -> tuple[Schema, Schema]:
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
        # the source block has its own form for each shape: it is put back unchanged after versions were removed
        named = value.without("source", *_SINCE_1_4)
        return key.without(), named.with_(fields=(Field("source", source), *named.fields))
    return key, value


def schema_change_key(event: SchemaEvent) -> dict[str, Any]:
    """The key of an event."""
    return {"databaseName": event.database}


def schema_change_value(
    source: Mapping[str, Any], ts_ms: int, event: SchemaEvent, *, comments: bool = False
) -> dict[str, Any]:
    """The value of an event; `ts_ms` is the processing time, `comments` is `include.schema.comments`."""
    return {
        "source": source,
        "ts_ms": ts_ms,
        "databaseName": event.database,
        "schemaName": event.schema,
        "ddl": event.ddl or None,
        "tableChanges": [_change(change, comments=comments) for change in announced_changes(event)],
    }


def announced_changes(event: SchemaEvent) -> list[TableChange]:
    """The changes that Debezium's format can express: those with a structure, and drops."""
    return [c for c in event.changes if c.type is ChangeType.DROP or c.table is not None]


def quoted_id(table_id: TableId) -> str:
    """A table's id as in Debezium's records: each part in double quotes."""
    parts = (table_id.catalog, table_id.schema, table_id.name)
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts if part)


def quoted_labels(column: Column) -> list[str]:
    """The labels of an ENUM or SET as in Debezium's records: as SQL literals."""
    escaped = (label.replace("\\", "\\\\").replace("'", "''") for label in column.enum_values)
    return [f"'{label}'" for label in escaped]


def _change(change: TableChange, *, comments: bool) -> dict[str, Any]:
    dropped = change.type is ChangeType.DROP or change.table is None
    return {
        "type": change.type.value,
        "id": quoted_id(change.told_id) if change.told_id else "",
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
