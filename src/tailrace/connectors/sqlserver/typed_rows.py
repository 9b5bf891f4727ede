"""One table's changes as typed rows, for the DataFrame way: SQL Server's side of `shared/typed_rows.py`."""

from __future__ import annotations

from typing import Final

import attrs
import pyarrow as pa

from tailrace.connectors.change_tables.capture_instances import newest_structures
from tailrace.connectors.change_tables.table_shapes import with_fields
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.typed_rows import only_one, row_columns, rows_alone
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.properties.reading import COMMIT
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.types import column_types, field_schema
from tailrace.encoding.rows import RowSchema, arrow_type
from tailrace.errors import StructureError
from tailrace.schema.tables import Column

NOT_BEGUN: Final = " that the capture job has begun with (is the SQL Server Agent running?)"


def row_settings(settings: SqlServerSettings) -> SqlServerSettings:
    """The settings that make a connector yield only row changes, with column types that Spark has."""
    return attrs.evolve(
        rows_alone(settings),
        time_precision_mode="microseconds",
        binary_handling_mode="bytes",
        source_timestamp_mode=COMMIT,  # rows have no source block, but the commit time
    )


def row_schema(settings: SqlServerSettings, *, with_before: bool) -> RowSchema:
    """The columns of the one captured table, as its newest instance has them.

    Raises:
        ConfigError: not exactly one table is captured.

    """
    settings = row_settings(settings)
    found = newest_structures(SqlServerDialect(settings))
    captured = found[only_one(list(found), NOT_BEGUN)]
    table, _ = with_fields(captured, column_types(captured, settings))

    def type_of(column: Column) -> pa.DataType:
        schema = field_schema(column, settings)
        if schema is None:
            raise StructureError(f"{table.id}.{column.name} has no field")
        # by JDBC type, as an alias type may have any name
        kind = "DECIMAL" if column.jdbc_type in jdbc.DECIMAL_TYPES else ""
        return arrow_type(schema, kind, column.length, column.scale)

    return RowSchema(row_columns(table, settings, type_of), with_before)
