"""One table's changes as typed rows, for the DataFrame way, of a database with change tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from tailrace.connectors.change_tables.capture_instances import newest_structures
from tailrace.connectors.change_tables.dialect import Dialect
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.arrow_values.selected import ColumnType
from tailrace.connectors.shared.field_types import with_fields
from tailrace.connectors.shared.typed_rows import only_one, row_columns
from tailrace.encoding.rows import RowSchema, arrow_type
from tailrace.errors import StructureError
from tailrace.schema.connect import Schema
from tailrace.schema.tables import Column, Table


def row_schema(
    dialect: Dialect[Any],
    column_types: Callable[[Table], Sequence[ColumnType | None]],
    field_schema: Callable[[Column], Schema | None],
    not_begun: str,
    *,
    with_before: bool,
) -> RowSchema:
    """The columns of the one captured table, as its newest instance has them.

    Args:
        dialect: of the database, with the settings of rows (`typed_rows.row_settings`).
        column_types: of a table.
        field_schema: of a column's field; None: it has none.
        not_begun: what there may be no captured table of, for the error.
        with_before: whether rows have the image before a change.

    Raises:
        ConfigError: not exactly one table is captured.

    """
    found = newest_structures(dialect)
    captured = found[only_one(list(found), not_begun)]
    table, _ = with_fields(captured, column_types(captured))

    def type_of(column: Column) -> pa.DataType:
        schema = field_schema(column)
        if schema is None:
            raise StructureError(f"{table.id}.{column.name} has no field")
        kind = "DECIMAL" if column.jdbc_type in jdbc.DECIMAL_TYPES else ""  # a type's name may be an alias
        return arrow_type(schema, kind, column.length, column.scale)

    return RowSchema(row_columns(table, dialect.settings, type_of), with_before)
