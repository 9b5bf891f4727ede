"""Which rows a change is of, as conditions in SQL, from the values of a key's columns as events have them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Kind, Vector
from tailrace.changes.views import take
from tailrace.epoch import EPOCH
from tailrace.errors import UnsupportedError
from tailrace.schema.connect import Schema, Type
from tailrace.schema.decimals import DECIMAL, scale_of
from tailrace.schema.tables import Column

_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?")
_DECIMALS: Final = (2, 3)  # java.sql.Types: NUMERIC, DECIMAL
_DATES: Final = ("io.debezium.time.Date", "org.apache.kafka.connect.data.Date")
_INTEGERS: Final = (Type.INT8, Type.INT16, Type.INT32, Type.INT64)
_TEXTS: Final = (None, "io.debezium.data.Enum", "io.debezium.data.Uuid")


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a database writes names and values.

    Attributes:
        quoted: a column's name.
        text: a text that is compared with a column.
        binary: bytes.

    """

    quoted: Callable[[str], str]
    text: Callable[[str, Column], str]
    binary: Callable[[bytes], str]


def conditions(
    spelling: Spelling, key: Sequence[tuple[Column, Schema, Vector]], images: npt.NDArray[np.int32]
) -> list[str | None]:
    """The condition of each image's row; None if a column of its key is null, so that it is no row's.

    Args:
        spelling: of the database.
        key: its columns, with the schemas of their fields and the values of all images.
        images: of which to tell, shape (n,).

    Raises:
        UnsupportedError: values of a column's type can't be told apart by what events have of them.

    """
    parts = [_equal(spelling, column, schema, vector, images) for column, schema, vector in key]
    return [None if None in row else " AND ".join(map(str, row)) for row in zip(*parts, strict=True)]


def _equal(
    spelling: Spelling, column: Column, schema: Schema, vector: Vector, images: npt.NDArray[np.int32]
) -> list[str | None]:
    literal = _literal(spelling, column, schema, vector.kind)
    name = spelling.quoted(column.name)
    values = take(vector, images).to_arrow().to_pylist()
    return [None if value is None else f"{name} = {literal(value)}" for value in values]


def _literal(spelling: Spelling, column: Column, schema: Schema, kind: Kind) -> Callable[[Any], str]:
    if kind is Kind.INT and schema.name in _DATES:
        return lambda days: f"'{(EPOCH + dt.timedelta(days=days)).date().isoformat()}'"
    if kind is Kind.INT and schema.type in _INTEGERS and schema.name in (None, "io.debezium.time.Year"):
        return str
    if kind is Kind.TEXT and schema.type is Type.STRING and schema.name in _TEXTS:
        if column.jdbc_type in _DECIMALS:
            return _checked_number
        return lambda text: spelling.text(text, column)
    if kind is Kind.BYTES and schema.name == DECIMAL:
        return lambda unscaled: _decimal(unscaled, scale_of(schema))
    if kind is Kind.BYTES and schema.type is Type.BYTES and schema.name is None:
        return spelling.binary
    raise UnsupportedError(f"the key's column {column.name} is {column.type_name}, whose values SQL can't compare exactly")


def _checked_number(text: str) -> str:
    if not _NUMBER.fullmatch(text):
        raise UnsupportedError(f"{text!r} is no number that SQL knows")
    return text


def _decimal(unscaled: bytes, scale: int) -> str:
    value = int.from_bytes(unscaled, "big", signed=True)
    return format(Decimal((int(value < 0), tuple(map(int, str(abs(value)))), -scale)), "f")
