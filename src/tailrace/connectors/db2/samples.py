"""Sample events of Db2's tables, as `Samples` in `connectors/interface.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import attrs

from tailrace.connectors.change_tables import samples
from tailrace.connectors.change_tables.capture_instances import newest_structures
from tailrace.connectors.db2.dialect import Db2Dialect
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.types import column_types
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.sampled import TypeNames
from tailrace.events.samples import SampledTable
from tailrace.schema.tables import Table, TableId
from tailrace.transforms.named_columns import NamedColumn

_TYPES: Final = TypeNames(text="VARCHAR", text_type=jdbc.VARCHAR, number="BIGINT", truth="BOOLEAN", moment="TIMESTAMP")


def structures(settings: Db2Settings) -> Mapping[TableId, Table]:
    """The structures of the captured tables, from the server, as their newest instances have them."""
    return newest_structures(Db2Dialect(attrs.evolve(settings, tables=settings.tables.without_signal_tables())))


def made(settings: Db2Settings, names: Sequence[str], columns: Sequence[NamedColumn]) -> Table:
    """A table that stands for one with this name, whose last part is the table's."""
    return samples.made((settings.database_dbname or "DB", "DB2INST1"), names, columns, _TYPES)


def sampled(settings: Db2Settings, table: Table) -> SampledTable:
    """What sample events of a table need."""
    return samples.sampled(Db2Dialect(settings), table, column_types(table, settings))
