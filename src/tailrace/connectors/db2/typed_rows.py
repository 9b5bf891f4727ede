"""One table's changes as typed rows, for the DataFrame way: Db2's side of `shared/typed_rows.py`."""

from __future__ import annotations

from functools import partial
from typing import Final

import attrs

from tailrace.connectors.change_tables import typed_rows as change_tables_rows
from tailrace.connectors.db2.dialect import Db2Dialect
from tailrace.connectors.db2.properties.reading import COMMIT
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.types import column_types, field_schema
from tailrace.connectors.shared.typed_rows import rows_alone
from tailrace.encoding.rows import RowSchema

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
    return change_tables_rows.row_schema(
        Db2Dialect(settings),
        partial(column_types, settings=settings),
        partial(field_schema, settings=settings),
        NOT_BEGUN,
        with_before=with_before,
    )
