"""What there is to know of a converter that is built in, and what it does to a column."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from attrs import frozen

from tailrace.changes.vectors import Vector
from tailrace.config.property import Property
from tailrace.schema.connect import Schema
from tailrace.schema.tables import Column, TableId


class _AsValues(enum.Enum):
    AS_VALUES = enum.auto()


AS_VALUES: Final = _AsValues.AS_VALUES
"""A default is converted as values are."""


@dataclass(frozen=True, slots=True)
class ColumnConversion:
    """What a converter does to a column.

    Attributes:
        schema: of the field; `optional`, the doc and the default are the column's and are added.
        convert: from the column to the converted one.
        read_as: the schema in whose form values are read; None: the one that the field has without a converter.
        default: what becomes of a default; `AS_VALUES`, or the default's value in the form of `connect_json.value_json`,
            None for none.

    """

    schema: Schema
    convert: Callable[[Vector], Vector]
    read_as: Schema | None = None
    default: Any = AS_VALUES


Converting = Callable[[TableId, Column, Schema], ColumnConversion | None]
"""A converter: what it does to a column that has this schema without it; None: nothing."""

Texts = Mapping[str, str]


@frozen(kw_only=True)
class ConverterSpec:
    """A converter that is built in.

    Attributes:
        names: its Java classes, the newest first.
        doc: what it does, in one sentence.
        properties: its own.
        of_columns: matches the names of further properties, each of which is for one column; None: there are none.
        of_columns_name: such a name for people.
        of_columns_doc: what it does.
        make: makes it of its options; a `ValueError` says what is wrong with them.

    """

    names: tuple[str, ...]
    doc: str
    properties: tuple[Property, ...]
    of_columns: re.Pattern[str] | None = None
    of_columns_name: str = ""
    of_columns_doc: str = ""
    make: Callable[[Texts], Converting]

    def knows(self, option: str) -> bool:
        """Whether it has an option of that name."""
        is_own = any(prop.name == option for prop in self.properties)
        return is_own or (self.of_columns is not None and self.of_columns.fullmatch(option) is not None)
