"""Which converter a column has, and the field that it makes of it.

The converters of a configuration are asked in order; the first one that takes a column counts, as in Debezium. A conversion is
above the database: it gets the column that the connector has read, before keys, column policies and everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tailrace.changes.arrow_columns import one_value
from tailrace.changes.vectors import from_arrow
from tailrace.config.custom_converter_settings import CustomConverterSettings
from tailrace.config.settings import Settings
from tailrace.custom_converters.python_converter import python_converter
from tailrace.custom_converters.spec import AS_VALUES, ColumnConversion, Converting
from tailrace.events.shape import ColumnPolicy
from tailrace.object_paths import load_object
from tailrace.schema.connect import NO_DEFAULT, Schema, Type
from tailrace.schema.tables import Column, TableId


@dataclass(frozen=True, slots=True)
class ConvertedField:
    """A field that a custom converter makes.

    Attributes:
        schema: of the field, with the column's default.
        convert: from the column that was read to the field's.
        read_as: the schema in whose form values are read; None: that of the field without a converter.

    """

    schema: Schema
    convert: ColumnPolicy
    read_as: Schema | None = None


DefaultIn = Callable[[Schema], Any]
"""The column's default in the form of another schema, or `NO_DEFAULT`."""


def converted_field(
    settings: Settings, table: TableId, column: Column, schema: Schema, default_in: DefaultIn | None = None
) -> ConvertedField | None:
    """The field of a column that has a custom converter; None without one.

    Args:
        settings: the configuration.
        table: the column's.
        column: of the structure.
        schema: what the field is without a converter.
        default_in: of connectors whose converters have values read in the form of another schema.

    Raises:
        ConfigError: a user's converter failed, or returned no conversion.
        ConversionError: its function failed on the default.

    """
    for each in settings.custom_converters:
        found = made(each)(table, column, schema)
        if found is not None:
            default = _default(found, schema, default_in)
            return ConvertedField(_field_schema(found, column, schema, default), found.convert, found.read_as)
    return None


@lru_cache(maxsize=64)
def made(settings: CustomConverterSettings) -> Converting:
    """The converter of settings.

    Raises:
        ValueError: it can't be made; the text says why.

    """
    options = dict(settings.options)
    if not settings.spec:
        return python_converter(settings.alias, settings.type, options)
    converting: Converting = load_object(settings.spec).make(options)
    return converting


def _field_schema(found: ColumnConversion, column: Column, schema: Schema, default: Any) -> Schema:
    made_schema = found.schema
    if column.optional and not made_schema.optional:
        made_schema = made_schema.with_(optional=True)
    if schema.doc is not None and column.comment is not None:
        made_schema = made_schema.with_(doc=schema.doc)
    return made_schema if default is None else made_schema.with_(default=default)


def _default(found: ColumnConversion, schema: Schema, default_in: DefaultIn | None) -> Any:
    """The default of the new field; None without one."""
    if schema.default is NO_DEFAULT:
        return None
    if found.default is not AS_VALUES:
        return found.default
    read_as = found.read_as or schema
    default = schema.default if found.read_as is None or default_in is None else default_in(read_as)
    if default is NO_DEFAULT:
        return None
    converted = found.convert(from_arrow(one_value(default, read_as))).to_arrow()[0].as_py()
    is_short = found.schema.type is Type.FLOAT32 and converted is not None
    return float(str(np.float32(converted))) if is_short else converted  # the shortest text that reads as the same float
