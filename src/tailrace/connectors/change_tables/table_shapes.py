"""The shapes of a table's events: of changes, and of the rows that a snapshot reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic

from tailrace.changes.model import Level
from tailrace.connectors.change_tables.dialect import Events
from tailrace.connectors.change_tables.positions import position_program
from tailrace.connectors.shared.column_policies import column_conversions, column_policies
from tailrace.connectors.shared.field_types import TypeT, with_fields
from tailrace.connectors.shared.shapes import shape_settings
from tailrace.events.shape import Shape
from tailrace.schema.envelope import TableSchemas, table_schemas
from tailrace.schema.names import Names
from tailrace.schema.tables import Table


class TableShapes(Generic[TypeT]):
    """Makes the shapes of one connector's tables."""

    def __init__(self, events: Events, types: Callable[[Table], Sequence[TypeT | None]]) -> None:
        """`types`: the types of a table's columns; None for a column without a field."""
        self._events = events
        self._settings = events.settings
        self._types = types
        self._names = Names(events.settings)
        self._source = events.source_schema()
        self._shape_settings = shape_settings(events.settings, events.context(), skips_records=events.skips_records)
        self._positions = position_program()
        self._batch_positions = position_program(Level.BATCH, Level.BATCH)

    def with_fields(self, table: Table) -> tuple[Table, tuple[TypeT, ...]]:
        """A table without columns that have no field, and the types of the others."""
        return with_fields(table, self._types(table))

    def of_changes(self, table: Table, types: Sequence[TypeT]) -> Shape:
        """The shape of changes of a table, all columns of which have fields, of these types."""
        return self._shape(table, types, is_read=False)

    def read_shape(self, table: Table) -> tuple[Table, tuple[TypeT, ...], Shape]:
        """The read events of a table: its columns with a field, their types, and the shape.

        Their position is the same for all rows of a batch.
        """
        readable, types = self.with_fields(table)
        return readable, types, self._shape(readable, types, is_read=True)

    def _shape(self, table: Table, types: Sequence[TypeT], *, is_read: bool) -> Shape:
        positions = self._batch_positions if is_read else self._positions
        schemas = self._schemas(table, types)
        policies = column_policies(table, types, schemas.value_columns)
        return Shape(schemas, self._shape_settings, positions, policies, column_conversions(types))

    def _schemas(self, table: Table, types: Sequence[TypeT]) -> TableSchemas:
        keys, fields = [each.key for each in types], [each.value for each in types]
        return table_schemas(table, keys, fields, self._source, self._settings, self._names)
