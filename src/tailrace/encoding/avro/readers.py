"""What is made of columns that programs can't take as they are: enums, fixed types, lists, other floating-point numbers."""

from __future__ import annotations

from typing import Final, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tailrace.changes.records import Binary
from tailrace.changes.source_records import AnyColumn, Lists
from tailrace.changes.vectors import Bytes, Kind, Vector, from_arrow, integers
from tailrace.changes.views import vector_of, vector_over
from tailrace.encoding.avro.options import AvroOptions
from tailrace.encoding.avro.schema_text import symbols
from tailrace.encoding.avro.values import END, described, value_bytes
from tailrace.encoding.registered.program_columns import Items
from tailrace.errors import DeliveryError
from tailrace.schema.connect import Schema

ENDS: Final = vector_of([END], Kind.BYTES)
NO_COUNTS: Final = integers(np.zeros(0, np.int64))


def joined(program: Items, column: AnyColumn, valid: Bytes | None = None) -> Vector:
    """Each list as an array of Avro: the number of items, the items, and the end; `valid` says which lists are null.

    All items of all lists are written in one pass. The items of one list are then adjacent, so that the offsets of the lists
    cut the bytes.
    """
    lists = cast("Lists", column)
    n, offsets = lists.roles.shape[1], lists.offsets
    counts = np.diff(offsets)
    filled = np.flatnonzero(counts)
    heads, ends = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    heads[offsets[filled]] = filled
    ends[offsets[filled + 1] - 1] = 0
    roles = np.vstack([lists.roles, heads, ends])
    pieces = program.render((*lists.columns, integers(counts), ENDS), roles)
    data = pieces.data if len(pieces.data) else np.zeros(1, np.uint8)
    made = vector_over(Binary(data, pieces.offsets[offsets]), Kind.BYTES)
    made.data[counts == 0] = (1, 0, 0, 0)  # a view of one byte, 0: the end alone
    made.valid = valid
    return made


def symbol_numbers(schema: Schema, column: AnyColumn) -> Vector:
    """The numbers of an enum's symbols.

    Raises:
        DeliveryError: a text is none of the symbols.

    """
    known = symbols(schema)
    texts = cast("Vector", column).to_arrow().cast(pa.large_string())
    numbers = pc.index_in(texts, pa.array(known, pa.large_string()))
    unknown = pc.and_(pc.is_null(numbers), pc.is_valid(texts))
    if pc.any(unknown).as_py():
        first = texts.filter(unknown)[0].as_py()
        raise DeliveryError(f"{first!r} is not among the symbols of {described(schema)}: {', '.join(known)}")
    return from_arrow(numbers.cast(pa.int64()))


def value_by_value(schema: Schema, options: AvroOptions, column: AnyColumn) -> Vector:
    """Bytes of a fixed size, one after the other: no type of a database becomes such."""
    values = cast("Vector", column).to_arrow().to_pylist()
    return vector_of([None if value is None else value_bytes(schema, value, options) for value in values], Kind.BYTES)
