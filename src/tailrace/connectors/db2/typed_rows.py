"""One table's changes as typed rows, for the DataFrame way: Db2's side of `shared/typed_rows.py`."""

from __future__ import annotations

from typing import Final

import attrs
import pyarrow as pa

from tailrace.connectors.change_tables.capture_instances import newest_structures
from tailrace.connectors.change_tables.table_shapes import with_fields
from tailrace.connectors.db2.dialect import Db2Dialect
from tailrace.connectors.db2.properties.reading import COMMIT
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.types import column_types, field_schema
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.typed_rows import only_one, row_columns, rows_alone
from tailrace.encoding.rows import RowSchema, arrow_type
from tailrace.errors import StructureError
from tailrace.schema.tables import Column

NOT_BEGUN: Final = " that the Capture program has begun with (does asncap run?)"


def row_settings(settings: Db2Settings) -> Db2Settings:
    """The settings that make a connector yield only row changes, with column types that Spark has."""
    return attrs.evolve(
        rows_alone(settings),
        time_precision_mode="microseconds",
        source_timestamp_mode=COMMIT,  # rows have no source block, but the commit time
    )


def row_schema(settings: Db2Settings, *, with_before: bool) -> RowSchema:
    """The columns of the one captured table, as its newest instance has them.

    Raises:
        ConfigError: not exactly one table is captured.

    """
    settings = row_settings(settings)
    found = newest_structures(Db2Dialect(settings))
    captured = found[only_one(list(found), NOT_BEGUN)]
    table, _ = with_fields(captured, column_types(captured, settings))

    def type_of(column: Column) -> pa.DataType:
        schema = field_schema(column, settings)
        if schema is None:
            raise StructureError(f"{table.id}.{column.name} has no field")
        kind = "DECIMAL" if column.jdbc_type in jdbc.DECIMAL_TYPES else ""
        return arrow_type(schema, kind, column.length, column.scale)

    return RowSchema(row_columns(table, settings, type_of), with_before)
