"""EnforceRecordSize: shortens large texts and bytes of records that are too large, each by its part of what is too much.

As in Debezium the size is an estimate of what a record takes in memory (`record_sizes`), and only fields of `before` and
`after` are shortened. A Decimal is left alone, where Debezium 3.6.1 fails.

Source: Debezium's documentation of the class and its properties; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

import numpy as np
import polars as pl

from tailrace.changes.field_paths import Path, nulls_of, path_to, series
from tailrace.changes.layout_edits import Edits, named_nodes, with_columns, with_fields
from tailrace.changes.layouts import Column, Layout, Node, Struct
from tailrace.changes.policies import BEYOND_BASIC_PLANE, first_units
from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.changes.vectors import Vector, from_arrow
from tailrace.config.property import Kind, Property
from tailrace.schema.connect import NO_DEFAULT, Type
from tailrace.transforms.logical_types import DECIMAL_NAME
from tailrace.transforms.record_sizes import Sizes, record_sizes
from tailrace.transforms.spec import Making, TransformSpec

_IMAGES: Final = ("before", "after")


@dataclass(frozen=True, slots=True)
class _Field:
    """A field that may be shortened.

    Attributes:
        values: of it, one for each record.
        filled: the same with its default for nulls, which is what is measured and shortened.
        sizes: how long each is, 0 if it is not to be shortened; shape (n,).

    """

    values: pl.Series
    filled: pl.Series
    sizes: Sizes


class EnforceRecordSize:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(self, _making: Making, *, max_bytes: int, compression_ratio: str, min_field_size: int) -> None:
        self._most = max_bytes
        self._ratio = _positive("compression.ratio", compression_ratio)
        self._least_field = min_field_size
        self._values: Edits[Layout] = Edits(_with_columns)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records that are small enough, and the others, shortened."""
        if not len(records) or not isinstance(records.value.root, Struct):
            return (records,)
        excess = np.ceil(record_sizes(records) * self._ratio).astype(np.int64) - self._most
        is_large = (excess > 0) & (True if records.has_value is None else records.has_value)
        if not is_large.any():
            return (records,)
        large = self._shortened(records.where(is_large), excess[is_large])
        return (large,) if is_large.all() else (records.where(~is_large), large)

    def _shortened(self, records: SourceRecords, excess: Sizes) -> SourceRecords:
        images = {name: self._fields(records, name) for name in _IMAGES}
        sums = {name: sum((each.sizes for each in fields), np.zeros(len(records), np.int64)) for name, fields in images.items()}
        total = np.maximum(sums["before"] + sums["after"], 1)
        columns = []
        for name, fields in images.items():
            part = np.ceil(sums[name] / total * excess)
            of_all = np.maximum(sums[name], 1)
            for each in fields:
                removed = np.ceil(each.sizes / of_all * part).astype(np.int64)
                columns.append(_cut(each, np.where(each.sizes > 0, np.maximum(each.sizes - removed, 0), -1)))
        if not columns:
            return records
        value = self._values.of(records.value, len(records.columns), len(records.roles))
        made = with_columns(records, columns, [np.arange(len(records), dtype=np.int32)])
        return replace(made, value=value)

    def _fields(self, records: SourceRecords, image: str) -> list[_Field]:
        found = []
        for path in _paths(records.value, image):
            values = series(records, path)
            filled = _filled(values, path, nulls_of(records, Path(path.nodes[:-1])))
            sizes = _lengths(filled).fill_null(0).to_numpy().astype(np.int64)
            found.append(_Field(values, filled, np.where(sizes > self._least_field, sizes, 0)))
        return found


def _paths(value: Layout, image: str) -> list[Path]:
    """The paths to the fields of an image that may be shortened."""
    around = path_to(value.root, (image,))
    if around is None or not isinstance(around.node, Struct):
        return []
    return [Path((*around.nodes, node)) for _, node in named_nodes(around.node) if _may_be_cut(node)]


def _may_be_cut(node: Node) -> bool:
    return isinstance(node, Column) and node.schema.type in (Type.STRING, Type.BYTES) and node.schema.name != DECIMAL_NAME


def _filled(values: pl.Series, path: Path, is_outside: Mask) -> pl.Series:
    default = path.schema.default
    if default is NO_DEFAULT:
        return values
    return pl.select(pl.when(pl.Series(is_outside)).then(values).otherwise(values.fill_null(default))).to_series()


def _lengths(values: pl.Series) -> pl.Series:
    """Bytes, or UTF-16 units of texts, as Java counts."""
    if values.dtype == pl.Binary:
        return values.bin.size()
    return values.str.len_chars() + values.str.count_matches(BEYOND_BASIC_PLANE)


def _cut(field: _Field, lengths: Sizes) -> Vector:
    """The values, cut to lengths; -1: not at all."""
    values = field.filled
    whole = pl.Series(lengths < 0)
    most = pl.Series(np.maximum(lengths, 0))
    if values.dtype == pl.Binary:
        cut = pl.select(pl.lit(values).bin.slice(0, most)).to_series()
    elif values.str.contains(BEYOND_BASIC_PLANE).any():
        cut = _cut_one_by_one(values, most)
    else:
        cut = pl.select(pl.lit(values).str.slice(0, most)).to_series()
    chosen = pl.select(pl.when(whole).then(field.values).otherwise(cut)).to_series()
    return from_arrow(chosen.to_arrow(compat_level=pl.CompatLevel.newest()))


def _cut_one_by_one(values: pl.Series, most: pl.Series) -> pl.Series:
    """Texts with characters of two UTF-16 units, each by itself; half of one is left out."""
    pairs = zip(values.to_list(), most.to_list(), strict=True)
    return pl.Series([None if text is None else first_units(text, length) for text, length in pairs], dtype=pl.String)


def _with_columns(value: Layout, slot: int, role: int) -> Layout:
    """The layout with new columns, from `slot` on, in the places of the fields that may be shortened."""
    root = value.root
    if not isinstance(root, Struct):
        raise TypeError("the value is no struct")
    slots = count(slot)  # in the order of the images, as the columns are made
    nodes = dict(named_nodes(root))
    for name in _IMAGES:
        node = nodes.get(name)
        if isinstance(node, Struct):
            fields = named_nodes(node)
            made = [(inner, Column(each.schema, next(slots), role) if _may_be_cut(each) else each) for inner, each in fields]
            nodes[name] = with_fields(node, made)
    return Layout(with_fields(root, nodes.items()), value.lasting)


def _positive(name: str, text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise ValueError(f"{name} is {text!r}: it must be a number of more than 0")
    return found


SPEC = TransformSpec(
    name="io.debezium.transforms.EnforceRecordSize",
    doc="Shortens large texts and bytes of records that are larger than a limit, in proportion. The size is an estimate of "
    "what the record takes in memory, as Debezium makes it.",
    properties=(
        Property(
            name="max.bytes",
            kind=Kind.INT,
            required=True,
            minimum=1,
            maximum=2**31 - 1,
            doc="The most that a record may take.",
        ),
        Property(name="compression.ratio", default="1.0", doc="A factor of the estimate: records get smaller encoded."),
        Property(
            name="min.field.size",
            kind=Kind.INT,
            default=25000,
            minimum=0,
            doc="Fields up to this size are not shortened.",
        ),
    ),
    make=EnforceRecordSize,
)
