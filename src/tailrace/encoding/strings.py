"""Text as Kafka Connect's StringConverter writes it: what Java's `toString` makes of a key or a value.

A text stays as it is, a struct becomes `Struct{id=1,name=Ada}`. Null fields are left out, and a whole null is a null, with a
schema or without. Of bytes Java shows only how many there are.

Source: documentation of `org.apache.kafka.connect.storage.StringConverter`; comparison with it (tests/formats).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from tailrace.changes.field_paths import Path, gathered, nulls_of, root_path
from tailrace.changes.layouts import Array, Column, Layout, Struct, Values
from tailrace.changes.records import Binary, Header
from tailrace.changes.source_records import Lists, Mask, Objects, SourceRecords
from tailrace.changes.vectors import Kind, Vector
from tailrace.converter_classes import UTF_8
from tailrace.encoding.decimal_texts import decimal_texts
from tailrace.encoding.java_texts import MILLISECONDS, java_buffer, java_date, java_text
from tailrace.encoding.plain.columns import binary_over
from tailrace.encoding.plain.settings import WITH_MARK
from tailrace.java_numbers import FRACTIONS, float_text
from tailrace.schema.connect import Schema, Type
from tailrace.schema.decimals import DECIMAL, scale_of


class StringMessages:
    """Renders keys, values or headers; `encoding` is that of the bytes, by Python's name."""

    def __init__(self, encoding: str = UTF_8) -> None:
        self._encoding = encoding

    def render(self, layout: Layout, records: SourceRecords, present: Mask | None = None) -> Binary:
        """One text for each record; null where `present` is false, or where the whole key or value is null."""
        root = root_path(layout)
        null = nulls_of(records, root) if present is None else nulls_of(records, root) | ~present
        texts, valid = texts_of(records, root), None if not null.any() else ~null
        if self._encoding != UTF_8:
            return binary_over(_encoded(texts, self._encoding), valid)
        return binary_over(texts.to_arrow().cast(pa.large_string()), valid)

    def render_with_headers(
        self, layout: Layout, records: SourceRecords, present: Mask | None = None
    ) -> tuple[Binary, tuple[Header, ...]]:
        """The same, and the headers that belong to it: none."""
        return self.render(layout, records, present), ()


def texts_of(records: SourceRecords, path: Path) -> pl.Series:
    """The text of a node for each record; null where it is null."""
    node = path.node
    if isinstance(node, Struct):
        return _of_struct(records, path, node)
    if isinstance(node, Values):
        return _of_objects(records, node)
    if isinstance(node, Array):
        return _of_lists(records, node)
    if isinstance(node, Column):
        column = records.columns[node.slot]
        if isinstance(column, Vector) and column.kind is Kind.LIST:
            return _of_list_column(records, node, column)
    values = gathered(records, path)
    if node.schema.name == DECIMAL:
        values = decimal_texts(values, scale_of(node.schema))
    return _of_values(pl.Series(values.to_arrow()), node.schema)


def _of_struct(records: SourceRecords, path: Path, node: Struct) -> pl.Series:
    n = len(records)
    parts: list[pl.Expr] = []
    for field, each in zip(node.schema.fields, node.fields, strict=True):
        text = texts_of(records, Path((*path.nodes, each)))
        parts.append((pl.lit(f"{field.name}=") + pl.lit(text)).alias(str(len(parts))))
    frame = pl.DataFrame({"record": np.arange(n)})
    joined = pl.concat_str(parts, separator=",", ignore_nulls=True) if parts else pl.lit("")
    found = frame.select(("Struct{" + joined + "}").alias("text"))["text"] if n else pl.Series([], dtype=pl.String)
    null = nulls_of(records, path)
    return found if not null.any() else pl.select(pl.when(pl.lit(pl.Series(~null))).then(pl.lit(found))).to_series()


def _of_values(values: pl.Series, schema: Schema) -> pl.Series:
    if schema.type is Type.STRING or schema.name == DECIMAL:
        return values
    if schema.type is Type.BYTES:
        return _of_distinct(values, java_buffer)
    if schema.type in FRACTIONS:
        return float_texts(values, schema.type)
    if schema.name in MILLISECONDS:
        unit = MILLISECONDS[schema.name]
        return _of_distinct(values, lambda value: java_date(value * unit))
    return values.cast(pl.String)


def _of_objects(records: SourceRecords, node: Values) -> pl.Series:
    """Python's values, of records that are too rare to be columnar."""
    column = records.columns[node.slot]
    values = column.values if isinstance(column, Objects) else ()
    rows = records.roles[node.role]
    return pl.Series([None if row < 0 else java_text(node.schema, values[row]) for row in rows], dtype=pl.String)


def _of_lists(records: SourceRecords, node: Array) -> pl.Series:
    """Lists of columns: the texts of all items of all lists, cut by the lists' offsets."""
    lists = cast("Lists", records.columns[node.slot])
    items = replace(records, columns=lists.columns, roles=lists.roles)
    return _joined(texts_of(items, Path((node.item,))), lists.offsets, records.roles[node.role])


def _of_list_column(records: SourceRecords, node: Column, vector: Vector) -> pl.Series:
    """A column of lists of numbers."""
    offsets = vector.data[: vector.length + 1]
    items = pl.Series(vector.children[0].to_arrow())[int(offsets[0]) : int(offsets[-1])]
    rows = records.roles[node.role]
    known = np.concatenate([vector.is_valid(), [False]])
    schema = Schema(Type.FLOAT64) if node.schema.items is None else node.schema.items
    return _joined(_of_values(items, schema), offsets - offsets[0], np.where(known[rows], rows, -1))


def _joined(items: pl.Series, offsets: npt.NDArray[np.int64], rows: npt.NDArray[Any]) -> pl.Series:
    """The list of each row as Java shows it; null where there is no row."""
    texts = items.fill_null("null").to_arrow().cast(pa.large_string())
    lists = pl.Series(pa.LargeListArray.from_arrays(pa.array(offsets), texts))
    shown = ("[" + lists.list.join(", ") + "]").to_arrow()
    return pl.Series(shown.take(pa.array(rows, pa.int64(), mask=rows < 0)))


def float_texts(values: pl.Series, type_: Type) -> pl.Series:
    """Floating-point numbers as Java shows them, with the digits of their type."""
    return _of_distinct(values, partial(float_text, type_))


def _encoded(texts: pl.Series, encoding: str) -> pa.Array:
    """Texts in another character set, one after the other: hardly anybody has another one than UTF-8."""
    mark = b"\xfe\xff" if encoding == WITH_MARK else b""
    name = "utf-16-be" if mark else encoding
    made = [None if text is None else (mark if text else b"") + text.encode(name, "replace") for text in texts.to_list()]
    return pa.array(made, pa.large_binary())


def _of_distinct(values: pl.Series, text: Callable[[Any], str]) -> pl.Series:
    """A text for each distinct value, found once."""
    distinct = values.unique().drop_nulls()
    texts = pl.Series([text(value) for value in distinct.to_list()], dtype=pl.String)
    return values.replace_strict(distinct, texts, default=None, return_dtype=pl.String)
