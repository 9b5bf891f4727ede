"""Sample events of a table: what a chain of transforms gets, made from its structure without a database.

The rows are made up, by the schemas of the columns; everything else is done by the shape, as with rows of the log. So a sample
has key, envelope, policies and headers as real events have them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from tailrace.changes.column_of_values import column_of_values
from tailrace.changes.model import CREATE, DELETE, READ, UPDATE, Changes, Fact, Level
from tailrace.changes.vectors import integers
from tailrace.changes.views import vector_of
from tailrace.events.sample_values import sample_value
from tailrace.events.shape import ColumnPolicy, RowChanges, Shape, ShapeSettings, position_program
from tailrace.schema.connect import Schema, Type
from tailrace.schema.envelope import TableSchemas

OPERATIONS: Final = {"c": CREATE, "u": UPDATE, "d": DELETE, "r": READ}
NOW_US: Final = 1_767_323_045_000_000  # 2026-01-02T03:04:05Z, so that each time shows the same
TRANSACTION: Final = b"sample-transaction"
_POSITIONS: Final = position_program((1,), (Level.BATCH,), b"")


@dataclass(frozen=True, slots=True)
class SampledTable:
    """A table whose events are to be shown.

    Attributes:
        schemas: of its events.
        fields: the schema of each of its columns, before policies.
        names: of its columns.
        source: fields of the source block that differ from change to change; the others are `constants`.
        constants: fields of the source block that are the same for all changes of the table.
        source_schema: of the source block.
        settings: of the shape.
        policies: what the configuration does to values, by the column's index.
        values: two values, before and after an update, of columns for which others than the usual ones are wanted.
        has_transactions: whether events have a transaction block.

    """

    schemas: TableSchemas
    fields: Sequence[Schema]
    names: Sequence[str]
    source: Mapping[str, Any]
    constants: Mapping[str, Any]
    source_schema: Schema
    settings: ShapeSettings
    policies: Mapping[int, ColumnPolicy]
    values: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    has_transactions: bool = False


def sample_event(table: SampledTable, operation: str) -> RowChanges:
    """The event of one change: `c`, `u`, `d` or `r`, as the envelope's `op`; a delete has a tombstone if one is configured."""
    shape = Shape(table.schemas, table.settings, _POSITIONS, table.policies)
    before, after = {"c": (-1, 0), "r": (-1, 0), "u": (0, 1), "d": (1, -1)}[operation]
    rows = shape.prepare(_changes(table, operation, before, after), NOW_US)
    if table.has_transactions:
        rows.total_order = rows.data_collection_order = np.arange(1, len(rows) + 1)
    return rows


def _changes(table: SampledTable, operation: str, before: int, after: int) -> Changes:
    return Changes(
        columns=[column_of_values(schema, _images(table, index)) for index, schema in enumerate(table.fields)],
        before=np.array([before], np.int32),
        after=np.array([after], np.int32),
        op=np.array([OPERATIONS[operation]], np.uint8),
        event=np.zeros(1, np.int32),
        transaction=np.zeros(1, np.int32),
        source=_source(table),
        constants=_constants(table, operation),
        position=(Fact(integers(np.zeros(1, np.int64)), Level.BATCH),),
        log_order=np.zeros(1, np.int64),
        transaction_id=Fact(vector_of([TRANSACTION]), Level.BATCH) if table.has_transactions else None,
    )


def _images(table: SampledTable, index: int) -> tuple[Any, Any]:
    """A column's values in the row before an update and in the one after it; a key stays."""
    name, schema = table.names[index], table.fields[index]
    first, second = table.values.get(name) or (sample_value(schema, name, 1), sample_value(schema, name, 2))
    return (first, first) if index in table.schemas.key_columns else (first, second)


def _source(table: SampledTable) -> dict[str, Fact]:
    times = {"ts_ms": NOW_US // 1000, "ts_us": NOW_US, "ts_ns": NOW_US * 1000}
    given = {name: value for name, value in {**table.source, **times}.items() if _has(table.source_schema, name)}
    return {
        name: Fact(column_of_values(table.source_schema.field(name).schema, [value]), Level.BATCH)
        for name, value in given.items()
    }


def _constants(table: SampledTable, operation: str) -> dict[str, Any]:
    """The constants of the source block; that of a snapshot's row says so."""
    if operation != "r" or not _has(table.source_schema, "snapshot"):
        return dict(table.constants)
    is_flag = table.source_schema.field("snapshot").schema.type is Type.BOOLEAN
    return {**table.constants, "snapshot": True if is_flag else "true"}


def _has(schema: Schema, name: str) -> bool:
    return any(each.name == name for each in schema.fields)
