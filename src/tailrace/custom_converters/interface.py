"""What a custom converter in Python is given and gives. Names are those of Debezium's SPI."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from tailrace.schema.connect import Schema


@dataclass(frozen=True, slots=True)
class RelationalColumn:
    """A column of a captured table, at one version of the table's structure.

    Attributes:
        data_collection: the table's full name: `database.table` of MySQL, `database.schema.table` of others.
        name: of the column.
        type_name: the database's type, without length: `DECIMAL`, `INT UNSIGNED`.
        type_expression: the same, with a character set if the type has one.
        jdbc_type: the number of `java.sql.Types`.
        length: the length, or the digits of a number; None if the type has none.
        scale: digits behind the point; None if the type has none.
        optional: whether it may be NULL.
        has_default: whether it has a default.
        default: the default in the form that `schema` asks for; None without one.
        charset: the character set of a text; None if it is not known.
        schema: what the field is without a converter, under the configuration's handling modes. Values come in this form.

    """

    data_collection: str
    name: str
    type_name: str
    type_expression: str
    jdbc_type: int
    length: int | None
    scale: int | None
    optional: bool
    has_default: bool
    default: Any
    charset: str | None
    schema: Schema


@dataclass(frozen=True, slots=True)
class Conversion:
    """How a column is converted.

    Attributes:
        schema: of the field. It becomes optional if the column is, and gets the column's default, converted.
        convert: from an Arrow array of the column's values to an array of as many new ones. A pure function: a range of the log
            that is read again has to give the same. It gets the type that `RelationalColumn.schema` has in Arrow (an int16 is
            an int16, a text a string, bytes are binary), with nulls, and returns any type that can be cast to the new schema's.

    """

    schema: Schema
    convert: Callable[[pa.Array], pa.Array]


class CustomConverter(Protocol):
    """A custom converter.

    What `python:package.module.Name` names is called with the converter's options, a dict of texts by name without the alias,
    and returns one. A class does that with `__init__(self, options)`. An exception there refuses them: its text says
    why, and is told without the options' values.
    """

    def converter_for(self, column: RelationalColumn) -> Conversion | None:
        """How a column is converted; None leaves it to the converters that follow, or as it is.

        It is asked for each column of each captured table, on the driver and on the executors.
        """
