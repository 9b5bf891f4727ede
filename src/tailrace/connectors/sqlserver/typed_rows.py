"""One table's changes as typed rows, for the DataFrame way: SQL Server's side of `shared/typed_rows.py`."""

from __future__ import annotations

from functools import partial
from typing import Final

import attrs

from tailrace.connectors.change_tables import typed_rows as change_tables_rows
from tailrace.connectors.shared.typed_rows import rows_alone
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.properties.reading import COMMIT
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.types import column_types, field_schema
from tailrace.encoding.rows import RowSchema

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
    return change_tables_rows.row_schema(
        SqlServerDialect(settings),
        partial(column_types, settings=settings),
        partial(field_schema, settings=settings),
        NOT_BEGUN,
        with_before=with_before,
    )
