"""One table's changes as typed rows, for the DataFrame way: what of `shared/typed_rows.py` only MySQL can tell."""

from __future__ import annotations

import attrs
import pyarrow as pa

from tailrace.connectors.mysql.captured_structures import captured_tables
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.types import field_schema
from tailrace.connectors.shared.typed_rows import only_one, row_columns, rows_alone
from tailrace.encoding.rows import RowSchema, arrow_type
from tailrace.schema.tables import Column


def row_settings(settings: MySqlSettings) -> MySqlSettings:
    """The settings under which columns come in types that Spark has, and nothing but rows of the table comes out."""
    return attrs.evolve(
        rows_alone(settings),
        time_precision_mode="adaptive_time_microseconds",
        binary_handling_mode="bytes",
        bigint_unsigned_handling_mode="long",  # its 64 bits; the encoder reads them as unsigned
        skipped_operations=settings.skipped_operations - {"t"},  # rows can't tell it, which is an error
    )


def row_schema(settings: MySqlSettings, *, with_before: bool) -> RowSchema:
    """The columns of the one captured table as it is now.

    Raises:
        ConfigError: not exactly one table is captured.

    """
    settings = row_settings(settings)
    tables = captured_tables(settings)
    table = tables[only_one(list(tables))]

    def type_of(column: Column) -> pa.DataType:
        return arrow_type(field_schema(column, settings), column.type_name, column.length, column.scale)

    return RowSchema(row_columns(table, settings, type_of), with_before)
