"""One table's changes as typed rows, for the DataFrame way with `output="rows"`.

The columns of the DataFrame are those of the table when the query starts. The log may go back to an earlier structure:
a column that it does not have, or that was dropped since, is null. A column that is added while the query runs stops
the query with a message, because a DataFrame can't grow one. A new query continues there, with the column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import pyarrow as pa
from attrs import evolve

from tailrace.config.settings import Settings
from tailrace.errors import ConfigError
from tailrace.schema.envelope import value_columns
from tailrace.schema.event_shapes import CURRENT
from tailrace.schema.names import Names
from tailrace.schema.tables import Column, Table, TableId

_Settings = TypeVar("_Settings", bound=Settings)


def rows_alone(settings: _Settings) -> _Settings:
    """The settings that make a connector yield only row changes; a connector adds those of its types."""
    return evolve(
        settings,
        tables=settings.tables.without_signal_tables(),
        decimal_handling_mode="string",
        include_schema_changes=False,
        provide_transaction_metadata=False,
        key_converter_schemas_enable=False,  # what a batch holds is reckoned with them
        value_converter_schemas_enable=False,
        tailrace_event_shape=CURRENT,  # the one with microseconds
        tombstones_on_delete=False,
    )


def only_one(tables: Sequence[TableId], hint: str = "") -> TableId:
    """The captured table.

    Raises:
        ConfigError: there is not exactly one; `hint` is appended if there is none.

    """
    if len(tables) != 1:
        raise ConfigError(
            f'output="rows" is for one table, and table.include.list captures {len(tables)}: '
            f"{', '.join(map(str, tables)) or f'none{hint}'}"
        )
    return tables[0]


def row_columns(table: Table, settings: Settings, type_of: Callable[[Column], pa.DataType]) -> pa.Schema:
    """The columns of a table's rows, with the types that `type_of` returns."""
    names = Names(settings)
    columns = [table.columns[index] for index in value_columns(table, settings)]
    return pa.schema([pa.field(names.field_name(column.name), type_of(column)) for column in columns])
