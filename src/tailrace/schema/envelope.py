"""The schemas of a table's events: of the key, of a row, and of the envelope with `before` and `after`.

The key has the columns of the primary key, or those of `message.key.columns`. They are in the key even if the value excludes
them, and unchanged even if the value masks them. Names, field order, versions and optional fields are those of Debezium 3.6,
or with `tailrace.event.shape` of Debezium 2.1 or 1.4. The older envelopes have no `ts_us` and `ts_ns`, and have `transaction`
only if `provide.transaction.metadata` is set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.event_shapes import CURRENT, SHAPE_2_1
from tailrace.schema.names import Names
from tailrace.schema.tables import Table, TableId

_LONG = Schema(Type.INT64)
_LONG_OR_NULL = Schema(Type.INT64, optional=True)
_STRING = Schema(Type.STRING)

TRANSACTION_BLOCK: Final = Schema(
    Type.STRUCT,
    optional=True,
    name="event.block",
    version=1,
    fields=(Field("id", _STRING), Field("total_order", _LONG), Field("data_collection_order", _LONG)),
)
TRANSACTION_BLOCK_1_4: Final = TRANSACTION_BLOCK.without().with_(name=None)


@dataclass(frozen=True, slots=True)
class TableSchemas:
    """The schemas of one structure of a table.

    Attributes:
        topic: of the table's events.
        key: schema of the key; None for a table without a key.
        key_columns: indices of the key's columns in the table, in the key's order.
        value_columns: indices of the value's columns in the table.
        value: schema of a row.
        envelope: schema of the record's value.

    """

    topic: str
    key: Schema | None
    key_columns: tuple[int, ...]
    value_columns: tuple[int, ...]
    value: Schema
    envelope: Schema

    @property
    def columns(self) -> tuple[int, ...]:
        """Indices of the columns in the key or the value; the others need not be decoded."""
        return tuple(sorted({*self.key_columns, *self.value_columns}))


class KeyColumns(Protocol):
    """`message.key.columns`: which columns make the key instead of those of the primary key."""

    def columns_for(self, table: TableId, columns: Sequence[str]) -> tuple[str, ...]:
        """The names of a table's key columns, in order; empty means the primary key."""


class ValueColumns(Protocol):
    """`column.include.list` and `column.exclude.list`: which columns are in an event's value."""

    def matches(self, table: TableId, column: str) -> bool:
        """Whether the value has this column."""


class ShapeSettings(Protocol):
    """The settings that the schemas depend on."""

    @property
    def tailrace_event_shape(self) -> str:
        """Whose fields the events have."""

    @property
    def provide_transaction_metadata(self) -> bool:
        """Whether events have a `transaction` block."""

    @property
    def message_keys(self) -> KeyColumns:
        """Which columns make the key."""

    @property
    def columns(self) -> ValueColumns:
        """Which columns are in the value."""


def table_schemas(
    table: Table,
    key_fields: Sequence[Schema],
    value_fields: Sequence[Schema],
    source: Schema,
    settings: ShapeSettings,
    names: Names,
) -> TableSchemas:
    """The schemas of a table's events.

    Args:
        table: the structure.
        key_fields: the schema of each column in the key: masks, hashes and truncation don't apply to keys.
        value_fields: the schema of each column in the value.
        source: schema of the source block.
        settings: which columns, which shape.
        names: of topics, schemas and fields.

    Raises:
        StructureError: two columns would become the same field.

    """
    topic = names.topic(table.id)
    keys, values = key_columns(table, settings), value_columns(table, settings)
    key = None
    if keys:
        key = _struct(f"{topic}.Key", table, keys, key_fields, names)
    value = _struct(f"{topic}.Value", table, values, value_fields, names).with_(optional=True)
    envelope = envelope_schema(names.schema_name(f"{topic}.Envelope"), value, source, settings)
    return TableSchemas(topic, key, keys, values, value, envelope)


def key_columns(table: Table, settings: ShapeSettings) -> tuple[int, ...]:
    """Indices of the key's columns, in the key's order."""
    columns = [column.name for column in table.columns]
    wanted = settings.message_keys.columns_for(table.id, columns) or table.primary_key
    indices = {name.lower(): index for index, name in enumerate(columns)}
    return tuple(dict.fromkeys(indices[name.lower()] for name in wanted if name.lower() in indices))


def value_columns(table: Table, settings: ShapeSettings) -> tuple[int, ...]:
    """Indices of the columns that `column.include.list` and `column.exclude.list` keep."""
    return tuple(i for i, c in enumerate(table.columns) if settings.columns.matches(table.id, c.name))


def envelope_schema(name: str, value: Schema, source: Schema, settings: ShapeSettings) -> Schema:
    """The schema of the envelope, `value` being that of its rows."""
    rows: tuple[Field, ...] = (Field("before", value), Field("after", value), Field("source", source))
    if settings.tailrace_event_shape != CURRENT:  # field order, `transaction` and version differ in the older envelopes
        rows += (Field("op", _STRING), Field("ts_ms", _LONG_OR_NULL))
        if settings.provide_transaction_metadata:
            has_name = settings.tailrace_event_shape == SHAPE_2_1
            rows += (Field("transaction", TRANSACTION_BLOCK if has_name else TRANSACTION_BLOCK_1_4),)
        return Schema(Type.STRUCT, name=name, fields=rows)
    rows += (Field("transaction", TRANSACTION_BLOCK), Field("op", _STRING))
    rows += tuple(Field(unit, _LONG_OR_NULL) for unit in ("ts_ms", "ts_us", "ts_ns"))
    return Schema(Type.STRUCT, name=name, version=2, fields=rows)


def _struct(
    name: str, table: Table, indices: Sequence[int], schemas: Sequence[Schema], names: Names
) -> Schema:
    field_names = names.fields(table.id, [table.columns[i].name for i in indices])
    fields = tuple(Field(field, schemas[i]) for field, i in zip(field_names, indices, strict=True))
    return Schema(Type.STRUCT, name=names.schema_name(name), fields=fields)
