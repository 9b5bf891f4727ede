"""Lists of names as a column: of each record a selection of the same names; and read back from a header."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import polars as pl
import pyarrow as pa

from tailrace.changes.grouping import Codes
from tailrace.changes.layouts import Array, Column, Constant, Struct
from tailrace.changes.source_records import Lists, Mask, SourceHeader, SourceRecords
from tailrace.changes.vectors import Vector
from tailrace.changes.views import vector_of
from tailrace.schema.connect import Schema, Type

ITEM = Schema(Type.STRING, optional=True)
_SEPARATOR = "\n"

Names = tuple[str, ...]


def lists_of(names: Sequence[str], chosen: Sequence[Mask], n: int) -> Lists:
    """A column of n lists; `chosen` says for each name which lists have it, shape (n,)."""
    matrix = np.stack(chosen, axis=1) if chosen else np.zeros((n, 0), np.bool_)
    offsets = np.zeros(n + 1, np.int64)
    np.cumsum(matrix.sum(axis=1), out=offsets[1:])
    items = np.nonzero(matrix)[1].astype(np.int32)[np.newaxis]
    return Lists(offsets, [vector_of([name.encode() for name in names])], np.ascontiguousarray(items))


def list_node(schema: Schema, slot: int, role: int) -> Array:
    """The node over such a column."""
    return Array(schema, slot, role, Column(ITEM, 0, 0))


def names_in(records: SourceRecords, header: str) -> tuple[list[Names], Codes]:
    """The distinct lists of names in the first header of that name, and which one each record has; () where there is none.

    Raises:
        TypeError: the header is no list of texts.

    """
    found: list[Names] = [()]
    codes = np.zeros(len(records), np.int64)
    open_ = np.ones(len(records), np.bool_)
    for each in records.headers:
        if each.name != header:
            continue
        here = open_ if each.present is None else open_ & each.present
        lists, places = _lists(records, each)
        codes[here] = places[here] + len(found)
        found += lists
        open_ &= ~here
    return found, codes


def _lists(records: SourceRecords, header: SourceHeader) -> tuple[list[Names], Codes]:
    root, n = header.layout.root, len(records)
    if isinstance(root, Constant) and (root.value is None or isinstance(root.value, list | tuple)):
        return [tuple(root.value or ())], np.zeros(n, np.int64)
    if root.schema.type is not Type.ARRAY or isinstance(root, Constant):
        raise TypeError(f"the header {header.name} is no list")
    if isinstance(root, Struct):
        raise TypeError(f"the header {header.name} is a struct")
    rows = records.roles[root.role]
    texts = _joined(records, root.slot)
    if not len(texts):
        return [()], np.zeros(n, np.int64)
    own = texts.gather(np.maximum(rows, 0).astype(np.uint32)).scatter(np.flatnonzero(rows < 0), None)
    distinct = own.unique(maintain_order=True)
    places = own.to_frame("v").join(
        distinct.to_frame("v").with_row_index("i"), on="v", how="left", nulls_equal=True, maintain_order="left"
    )
    return [tuple(text.split(_SEPARATOR)) if text else () for text in distinct], places["i"].cast(pl.Int64).to_numpy()


def _joined(records: SourceRecords, slot: int) -> pl.Series:
    """Each list of a column as one text."""
    column = records.columns[slot]
    if isinstance(column, Lists):
        items = column.columns[0].to_arrow().cast(pa.large_string()).take(pa.array(column.roles[0]))
        lists = pa.LargeListArray.from_arrays(pa.array(column.offsets), items)
    elif isinstance(column, Vector):
        lists = column.to_arrow()
    else:
        values = column.values
        return pl.Series([None if value is None else _SEPARATOR.join(value) for value in values], dtype=pl.String)
    return cast("pl.Series", pl.from_arrow(lists)).list.join(_SEPARATOR)
