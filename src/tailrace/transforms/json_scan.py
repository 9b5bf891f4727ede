"""JSON objects as columns, without a Python object for each value.

A compiled loop (`json_scan_kernel`) finds the *shape* of each text, which is the text without its values: names, and a letter
for the type of each value. It keeps the values in *entries* of 16 bytes, in the order of the text: integers, floating-point
numbers, truth, texts as Arrow's views, and the number of items before those of a list; nulls and empty lists have none. Texts
of one shape have their entries in the same places but for the lengths of lists, so whole columns are taken at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from tailrace.changes.address_table import address_table
from tailrace.changes.source_records import AnyColumn, Lists
from tailrace.changes.vectors import Bytes, Kind, Vector
from tailrace.kernels.addresses import address_of
from tailrace.schema.connect import Schema, Type
from tailrace.transforms import json_scan_kernel as kernel

NO_SHAPE: Final = kernel.NO_SHAPE
KINDS: Final = {
    Type.INT32: Kind.INT,
    Type.INT64: Kind.INT,
    Type.FLOAT64: Kind.FLOAT64,
    Type.BOOLEAN: Kind.BOOL,
    Type.STRING: Kind.TEXT,
}
_SHAPE_BYTES: Final = 1 << 20
_LONGEST: Final = 1 << 31  # bytes that views can tell the places of

INT64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ScannedTexts:
    """What was found in some texts.

    Attributes:
        codes: the shape of each, an index into `shapes`; `NO_SHAPE` for texts that were given up; shape (n,).
        starts: where the entries of each begin; shape (n,).
        entries: of all; shape (entries, 2).
        shapes: the distinct ones.
        examples: the index of a text of each.
        buffers: what views in entries refer to.

    """

    codes: INT64
    starts: INT64
    entries: INT64
    shapes: list[bytes]
    examples: list[int]
    buffers: tuple[Bytes, ...]

    def where(self, wanted: npt.NDArray[Any]) -> ScannedTexts:
        """Those of some texts, by a mask or their indices; the examples remain those of all."""
        return ScannedTexts(
            self.codes[wanted], self.starts[wanted], self.entries, self.shapes, self.examples, self.buffers
        )


def scanned(texts: Vector) -> ScannedTexts:
    """Read all texts."""
    n, lengths = texts.length, texts.data[:, 0].astype(np.int64)
    starts, codes = np.zeros(n, np.int64), np.full(n, NO_SHAPE, np.int64)
    size, longest = int(lengths.sum()), int(lengths.max(initial=0))
    if size >= _LONGEST:
        return ScannedTexts(codes, starts, np.empty((0, 2), np.int64), [], [], texts.buffers)
    table, kept = address_table([texts])
    extra, shapes = np.empty(max(size, 1), np.uint8), np.empty(_SHAPE_BYTES, np.uint8)
    ends, examples = (np.zeros(kernel.MOST_SHAPES, np.int64) for _ in range(2))
    opened = np.zeros((kernel.DEEPEST, kernel.OPEN_FIELDS), np.int64)
    state = np.zeros(kernel.STATE_FIELDS, np.int64)
    entries = np.empty((size // 8 + longest + 1, 2), np.int64)
    done = 0
    while True:
        done = kernel.scan(
            table, done, n, address_of(entries), entries.nbytes, address_of(extra), len(texts.buffers), address_of(shapes),
            len(shapes), ends, examples, opened, state, starts, codes,
        )  # fmt: skip
        if done == n:
            break
        entries = np.concatenate([entries, np.empty((len(entries) + longest, 2), np.int64)])
    del kept  # the table has addresses in it
    count = int(state[kernel.SHAPES])
    found = [shapes[begin:end].tobytes() for begin, end in zip([0, *ends[:count]], ends[:count], strict=False)]
    buffers = (*texts.buffers, extra)
    return ScannedTexts(codes, starts, entries[: state[kernel.ENTRIES]], found, examples[:count].tolist(), buffers)


class NotColumnarError(ValueError):
    """The values of a shape do not stand for the fields of its schema, one after the other."""


@dataclass(frozen=True, slots=True)
class Items:
    """What the entries of a list's items are of, and how many there are for each item."""

    of: Part
    width: int


Part: TypeAlias = "Items | tuple[Part, ...] | None"
"""What entries are of: a list, the fields of an object, or (None) a value by itself."""


def part_of(schema: Schema, value: Any) -> Part:
    """What the entries of a value are of, given the value as Python has parsed it.

    Raises:
        NotColumnarError: they are not those of the schema's fields, in order.

    """
    if schema.type is Type.STRUCT and isinstance(value, dict):
        there = {name: each for name, each in value.items() if each is not None and each != []}
        if list(there) != [field.name for field in schema.fields]:
            raise NotColumnarError
        return tuple(part_of(field.schema, there[field.name]) for field in schema.fields)
    if schema.type is Type.ARRAY and schema.items is not None and value[0] is not None:
        item = part_of(schema.items, value[0])
        return Items(item, _width(item))
    if schema.type not in KINDS:
        raise NotColumnarError
    return None


def columns_at(texts: ScannedTexts, schema: Schema, part: Part, at: INT64) -> list[AnyColumn]:
    """The columns of values of one shape.

    Args:
        texts: all of them.
        schema: of the values.
        part: what their entries are of.
        at: where the entries of each begin, shape (values,); moved to their ends.

    """
    if isinstance(part, Items) and schema.items is not None:
        return [_lists(texts, schema.items, part, at)]
    if isinstance(part, tuple):
        fields = zip(schema.fields, part, strict=True)
        return [column for field, each in fields for column in columns_at(texts, field.schema, each, at)]
    found = texts.entries[at]
    at += 1
    return [_vector(KINDS[schema.type], found, texts.buffers)]


def _width(part: Part) -> int:
    return sum(map(_width, part)) if isinstance(part, tuple) else 1


def _lists(texts: ScannedTexts, schema: Schema, items: Items, at: INT64) -> Lists:
    counts = texts.entries[at, 0]
    at += 1
    offsets = np.zeros(len(at) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    total = int(offsets[-1])
    places = np.arange(total) * items.width + np.repeat(at - offsets[:-1] * items.width, counts)
    at += counts * items.width
    columns = cast("list[Vector]", columns_at(texts, schema, items.of, places))  # there are no lists within lists
    return Lists(offsets, columns, np.arange(total, dtype=np.int32)[np.newaxis])


def _vector(kind: Kind, entries: INT64, buffers: tuple[Bytes, ...]) -> Vector:
    n = len(entries)
    if kind is Kind.TEXT:
        return Vector(kind, n, entries.view(np.uint32).reshape(n, 4), None, buffers)
    values = np.ascontiguousarray(entries[:, 0])
    return Vector(kind, n, values.view(np.float64) if kind is Kind.FLOAT64 else values)
