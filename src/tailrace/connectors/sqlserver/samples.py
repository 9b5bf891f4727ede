"""Sample events of SQL Server's tables, as `Samples` in `connectors/interface.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import attrs

from tailrace.connectors.change_tables import samples
from tailrace.connectors.change_tables.capture_instances import newest_structures
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.sampled import TypeNames
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.types import column_types
from tailrace.events.samples import SampledTable
from tailrace.schema.tables import Table, TableId
from tailrace.transforms.named_columns import NamedColumn

_TYPES: Final = TypeNames(text="nvarchar", text_type=jdbc.NVARCHAR, number="bigint", truth="bit", moment="datetime2")


def structures(settings: SqlServerSettings) -> Mapping[TableId, Table]:
    """The structures of the captured tables, from the server, as their newest instances have them."""
    return newest_structures(SqlServerDialect(attrs.evolve(settings, tables=settings.tables.without_signal_tables())))


def made(settings: SqlServerSettings, names: Sequence[str], columns: Sequence[NamedColumn]) -> Table:
    """A table that stands for one with this name, whose last part is the table's."""
    return samples.made(((settings.database_names or ("db",))[0], "dbo"), names, columns, _TYPES)


def sampled(settings: SqlServerSettings, table: Table) -> SampledTable:
    """What sample events of a table need."""
    return samples.sampled(SqlServerDialect(settings), table, column_types(table, settings))
