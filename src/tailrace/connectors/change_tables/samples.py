"""Sample events of tables whose changes a program writes into tables: what of them is true of every such database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tailrace.connectors.change_tables.dialect import Events
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.shared.field_types import FieldType
from tailrace.connectors.shared.sampled import SourceBlock, TypeNames, made_table, sampled_table
from tailrace.events.samples import SampledTable
from tailrace.schema.tables import Table, TableId
from tailrace.transforms.named_columns import NamedColumn

_FIRST: Final = 1


def made(
    beginning: tuple[str, str], names: Sequence[str], columns: Sequence[NamedColumn], types: TypeNames
) -> Table:
    """A table that stands for one with this name; what the name lacks of database and schema is `beginning`."""
    lacking = max(len(beginning) + 1 - len(names), 0)
    catalog, schema, name = (*beginning[:lacking], *names)[-3:] if lacking < len(beginning) + 1 else (*beginning, "t")
    return made_table(TableId(catalog, schema, name), columns, types)


def sampled(events: Events, table: Table, types: Sequence[FieldType | None]) -> SampledTable:
    """What sample events of a table need; `types` are those of its columns, None for a column without a field."""
    lsn = Lsn(_FIRST.to_bytes(events.lsns.size, "big")).text
    schema = events.source_schema()
    names = {each.name for each in schema.fields}
    varying = {"change_lsn": lsn, "commit_lsn": lsn, "event_serial_no": _FIRST}
    block = SourceBlock(
        schema,
        events.constants(table.id),
        {name: value for name, value in varying.items() if name in names},
        events.context(),
    )
    return sampled_table(events.settings, table, types, block)
