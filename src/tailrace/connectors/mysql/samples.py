"""Sample events of MySQL's tables, as `Samples` in `connectors/interface.py`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import attrs

from tailrace.changes.policies import Rule
from tailrace.connectors.mysql import source_block
from tailrace.connectors.mysql.captured_structures import captured_tables
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.types import converted_schema
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.column_types import with_rule
from tailrace.connectors.shared.sampled import SourceBlock, TypeNames, made_table, sampled_table
from tailrace.events.samples import SampledTable
from tailrace.events.shape import ColumnPolicy
from tailrace.schema.connect import Schema
from tailrace.schema.tables import Column, Table, TableId
from tailrace.transforms.named_columns import NamedColumn

_TYPES: Final = TypeNames(text="VARCHAR", text_type=jdbc.VARCHAR, number="BIGINT", truth="BOOLEAN", moment="DATETIME")
_NAME: Final = re.compile(r"[\w\-]+")
_VARYING: Final = {
    "server_id": 1, "gtid": None, "file": "binlog.000001", "pos": 4, "row": 0, "thread": None, "query": None
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _FieldType:
    """As `FieldType` of `shared/field_types.py`: without the log nothing tells how values are stored.

    Sample values are made as a custom converter gives them, so that there is nothing to convert.
    """

    key: Schema
    value: Schema
    rule: Rule
    conversion: ColumnPolicy | None = None


def structures(settings: MySqlSettings) -> Mapping[TableId, Table]:
    """The structures of the captured tables, from the server."""
    return captured_tables(attrs.evolve(settings, tables=settings.tables.without_signal_tables()))


def made(settings: MySqlSettings, names: Sequence[str], columns: Sequence[NamedColumn]) -> Table:
    """A table that stands for one with this name, whose last part is the table's."""
    database, name = ([_database(settings), *names])[-2:]
    return made_table(TableId(database, "", name), columns, _TYPES)


def _database(settings: MySqlSettings) -> str:
    """A database that is captured, as far as the first expression for them is a name."""
    first = next(iter(settings.database_include_list), "")
    return first if _NAME.fullmatch(first) else "db"


def sampled(settings: MySqlSettings, table: Table) -> SampledTable:
    """What sample events of a table need."""
    block = SourceBlock(
        source_block.schema(settings),
        source_block.constants(settings, table.id.catalog, table.id.name),
        _VARYING,
        source_block.context(settings),
    )
    return sampled_table(settings, table, [_type(table.id, column, settings) for column in table.columns], block)


def _type(table: TableId, column: Column, settings: MySqlSettings) -> _FieldType:
    key = converted_schema(table, column, settings)
    rule = settings.column_rule(table, column.name, column.type_name)
    return _FieldType(key, with_rule(key, rule, column, settings.tailrace_event_shape), rule)
