"""Columns of text that cloud events have: ids, times, numbers as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, cast

import polars as pl
import pyarrow as pa

from tailrace.changes.additions import Additions, CannotApplyError
from tailrace.changes.field_paths import with_default
from tailrace.changes.layouts import Column, Constant, Node
from tailrace.changes.source_records import SourceRecords, every_record
from tailrace.changes.vectors import Vector, from_arrow
from tailrace.changes.views import vector_over
from tailrace.encoding.render import Op, Template
from tailrace.schema.connect import NO_DEFAULT, Schema, Type

TEXT: Final = Schema(Type.STRING)
_NULL: Final = "null"  # Java's text of a null
_NUMBERS: Final = {Type.INT8, Type.INT16, Type.INT32, Type.INT64}
Labelled = tuple[str, Node]


def joined(parts: Sequence[Labelled], added: Additions) -> Node:
    """One text of several fields, each behind its label; a null is the text `null`."""
    if all(isinstance(node, Constant) for _, node in parts):
        return Constant(TEXT, "".join(label + _constant_text(node) for label, node in parts))
    template, slots = Template(), list[int]()
    for label, node in parts:
        template.const(label.encode())
        if isinstance(node, Constant):
            template.const(_constant_text(node).encode())
            continue
        column = _column(node)
        op = Op.INT if column.schema.type in _NUMBERS else Op.RAW
        template.value(op, len(slots), column.role, _NULL.encode())
        slots.append(column.slot)
    program = template.program()

    def made(records: SourceRecords) -> Vector:
        vectors = [cast("Vector", records.columns[slot]) for slot in slots]
        return vector_over(program.render(vectors, records.roles))

    return Column(TEXT, added.column(made), added.each_record())


def number_text(node: Node, schema: Schema, added: Additions) -> Node:
    """Whole numbers as text."""
    if isinstance(node, Constant):
        return Constant(schema, None if node.value is None else str(node.value))
    column, template = _column(node), Template()
    template.value(Op.INT, 0, 0, b"")
    program = template.program()

    def made(records: SourceRecords) -> Vector:
        numbers = _vector(records, column)
        texts = vector_over(program.render([numbers], every_record(numbers.length)))
        texts.valid = numbers.valid
        return texts

    return Column(schema, added.column(made), column.role)


def time_text(node: Node, added: Additions) -> Node:
    """Milliseconds since 1970 as RFC 3339 has them, in UTC."""
    if isinstance(node, Constant):
        return Constant(TEXT, None if node.value is None else _times(pl.Series([node.value], dtype=pl.Int64)).item())
    column = _column(node)

    def made(records: SourceRecords) -> Vector:
        texts = _times(cast("pl.Series", pl.from_arrow(_vector(records, column).to_arrow())))
        return from_arrow(texts.to_arrow(compat_level=pl.CompatLevel.newest()).cast(pa.string_view()))

    return Column(TEXT, added.column(made), column.role)


def with_plain_schema(node: Node, schema: Schema, added: Additions) -> Node:
    """The same values under a schema without a default, which takes the place of nulls if the node is `filled`."""
    if isinstance(node, Constant):
        return Constant(schema, node.value)
    column = _column(node)
    if not column.filled or column.schema.default is NO_DEFAULT:
        return Column(schema, column.slot, column.role)
    return Column(schema, added.column(lambda records: _vector(records, column)), column.role)


def once(text: Callable[[SourceRecords], bytes], added: Additions) -> Node:
    """A text that is computed from the records, the same for all of them; `text` gives it as bytes."""
    return Column(TEXT, added.column(lambda records: _one(text(records))), added.once())


def _one(text: bytes) -> Vector:
    return from_arrow(pa.array([text.decode()], pa.string_view()))


def _times(values: pl.Series) -> pl.Series:
    return pl.select(pl.from_epoch(pl.lit(values), time_unit="ms").dt.strftime("%Y-%m-%dT%H:%M:%S%.3fZ")).to_series()


def _vector(records: SourceRecords, column: Column) -> Vector:
    vector = cast("Vector", records.columns[column.slot])
    return with_default(vector, column.schema) if column.filled else vector


def _constant_text(node: Node) -> str:
    value = node.value if isinstance(node, Constant) else None
    return _NULL if value is None else str(value)


def _column(node: Node) -> Column:
    if not isinstance(node, Column):
        raise CannotApplyError(f"a {node.schema.type} can't be an attribute of a cloud event")
    return node
