"""What a connector gives for sample events of a table (`events/samples.py`): schemas and the source block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tailrace.config.settings import Settings
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.column_policies import column_policies
from tailrace.connectors.shared.field_types import FieldType, with_fields
from tailrace.connectors.shared.shapes import shape_settings
from tailrace.events.samples import SampledTable
from tailrace.schema.connect import Schema, Type
from tailrace.schema.envelope import table_schemas
from tailrace.schema.names import Names
from tailrace.schema.tables import Column, Table, TableId
from tailrace.transforms.named_columns import MOMENT, NUMBER, TEXT, TRUTH, NamedColumn

KEY: Final = "id"
_LENGTH: Final = 255
_DIGITS: Final = 3
_NUMBERS: Final = ("1.5", "2.5")


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """The source block of a table's events.

    Attributes:
        schema: of it.
        constants: fields that are the same for all changes of the table.
        varying: sample values of the other fields, but for the times.
        context: headers of every record.

    """

    schema: Schema
    constants: Mapping[str, Any]
    varying: Mapping[str, Any]
    context: Mapping[str, str]


def sampled_table(
    settings: Settings, table: Table, types: Sequence[FieldType | None], source: SourceBlock
) -> SampledTable:
    """What sample events of a table need; columns whose type is None have no field."""
    readable, having = with_fields(table, types)
    keys, values = [each.key for each in having], [each.value for each in having]
    schemas = table_schemas(readable, keys, values, source.schema, settings, Names(settings))
    return SampledTable(
        schemas=schemas,
        fields=keys,
        names=[column.name for column in readable.columns],
        source={name: value for name, value in source.varying.items() if name not in source.constants},
        constants=source.constants,
        source_schema=source.schema,
        settings=shape_settings(settings, source.context),
        policies=column_policies(readable, having, schemas.value_columns),
        values={column.name: _NUMBERS for column, each in zip(readable.columns, keys, strict=True) if _is_number(column, each)},
        has_transactions=settings.provide_transaction_metadata,
    )


def _is_number(column: Column, schema: Schema) -> bool:
    """Whether it is a decimal that is written as text, which its schema does not tell."""
    return column.jdbc_type in jdbc.DECIMAL_TYPES and schema.type is Type.STRING


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeNames:
    """What the database calls the types of made tables: text with its number in `java.sql.Types`, numbers, and so on."""

    text: str
    text_type: int
    number: str
    truth: str
    moment: str


def made_table(table: TableId, columns: Sequence[NamedColumn], types: TypeNames) -> Table:
    """A table for want of a real one: a key `id`, and the columns that a chain names."""
    made = {KEY: _made_column(NamedColumn(KEY, NUMBER), types, optional=False)}
    for each in columns or (NamedColumn("name"),):
        made.setdefault(each.name, _made_column(each, types))
    return Table(table, tuple(made.values()), primary_key=(KEY,))


def _made_column(named: NamedColumn, types: TypeNames, *, optional: bool = True) -> Column:
    type_, jdbc_type, length = {
        TEXT: (types.text, types.text_type, _LENGTH),
        NUMBER: (types.number, jdbc.BIGINT, None),
        TRUTH: (types.truth, jdbc.BOOLEAN, None),
        MOMENT: (types.moment, jdbc.TIMESTAMP, _DIGITS),
    }[named.kind]
    scale = _DIGITS if named.kind == MOMENT else None
    return Column(named.name, type_, type_, jdbc_type, length, scale, optional=optional)
