"""The schemas of a table's events: of the key, of a row, and of the envelope around two rows.

The key is made of the primary key's columns, or of those that `message.key.columns` names; they are in the
key even where the value leaves them out, and as they are even where the value masks them. Names, order,
versions and what is optional are Debezium's, of version 3.6, or with `tailrace.event.shape` of version 2.1 or
1.4, which have no microseconds and tell of a transaction only where transaction metadata is asked for.
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
    """What a table's events look like.

    Attributes:
        topic: where they go.
        key: None for a table without a key.
        key_columns: indices of the key's columns in the table, in the key's order.
        value_columns: indices of the value's columns in the table.
        value: of a row.
        envelope: of the whole value.

    """

    topic: str
    key: Schema | None
    key_columns: tuple[int, ...]
    value_columns: tuple[int, ...]
    value: Schema
    envelope: Schema

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that are in the key or in the value: the others need not be decoded."""
        return tuple(sorted({*self.key_columns, *self.value_columns}))


class KeyColumns(Protocol):
    """Which columns make the key instead of the primary key's."""

    def columns_for(self, table: TableId, columns: Sequence[str]) -> tuple[str, ...]:
        """A table's, in their order; empty: the primary key's."""


class ValueColumns(Protocol):
    """Which columns the value of an event holds."""

    def matches(self, table: TableId, column: str) -> bool:
        """Whether it holds this one."""


class ShapeSettings(Protocol):
    """What the schemas go by: the settings have it."""

    @property
    def tailrace_event_shape(self) -> str:
        """Which field set the events have."""

    @property
    def provide_transaction_metadata(self) -> bool:
        """Whether events tell of their transaction."""

    @property
    def message_keys(self) -> KeyColumns:
        """Which columns make the key."""

    @property
    def columns(self) -> ValueColumns:
        """Which columns the value holds."""


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
        key_fields: the field schema of each column as the key has it: without the policies of columns.
        value_fields: the same as the value has it.
        source: of the source block.
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
    """Indices of the columns that `column.include.list` and `column.exclude.list` leave."""
    return tuple(i for i, c in enumerate(table.columns) if settings.columns.matches(table.id, c.name))


def envelope_schema(name: str, value: Schema, source: Schema, settings: ShapeSettings) -> Schema:
    """The envelope around rows of a schema."""
    rows: tuple[Field, ...] = (Field("before", value), Field("after", value), Field("source", source))
    if settings.tailrace_event_shape != CURRENT:
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
