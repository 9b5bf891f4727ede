"""Compiles a layout into a template that writes its records as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import cast

import numpy as np

from tailrace.changes.layouts import Array, Column, Constant, Layout, Node, Struct, Values, fills_nulls
from tailrace.changes.records import Binary
from tailrace.changes.source_records import AnyColumn, Lists, Mask, Objects
from tailrace.changes.vectors import Kind, Vector
from tailrace.changes.views import vector_of, vector_over
from tailrace.encoding.connect_json import NULL, SCHEMA_SUFFIX, schema_prefix, text_json
from tailrace.encoding.json_format import JsonFormat
from tailrace.encoding.render import Op, Program, Roles, Template, leaves, op_for
from tailrace.schema.connect import Type
from tailrace.schema.decimals import DECIMAL, scale_of


def json_program(
    layout: Layout, columns: Sequence[AnyColumn], format_: JsonFormat, prefix: bytes | None = None
) -> LayoutProgram:
    """The program of a layout, for records with such columns; `prefix` stands before each payload, instead of a schema."""
    if format_.bare_texts and layout.schema.type is Type.STRING:
        return _bare_text(layout)
    writer = _Writer(format_, columns)
    writer.const(format_.prefix(layout.schema) if prefix is None else prefix)
    writer.write_whole(layout.root)
    writer.const(format_.suffix)
    return writer.program(layout.lasting)


def _bare_text(layout: Layout) -> LayoutProgram:
    """The program of a whole text without quotes."""
    node = layout.root
    template = Template()
    if isinstance(node, Constant):
        template.const(NULL if node.value is None else str(node.value).encode())
        return LayoutProgram(template.program(), [], {})
    if not isinstance(node, Column | Values):
        raise TypeError(f"a text of a {type(node).__name__}")
    template.value(Op.RAW, 0, node.role, str(node.schema.default).encode() if fills_nulls(node) else NULL)
    readers: dict[int, _Reader] = {0: _bare_values} if isinstance(node, Values) else {}
    return LayoutProgram(template.program(), [node.slot], readers)


_Reader = Callable[[AnyColumn], Vector]


class LayoutProgram:
    """A compiled layout: a template, and the columns that it needs."""

    def __init__(self, program: Program, slots: Sequence[int], readers: Mapping[int, _Reader]) -> None:
        """`slots`: of the columns; `readers`: what makes of a column what templates take, where it is not that."""
        self._program = program
        self._slots = slots
        self._readers = readers

    def render(self, columns: Sequence[AnyColumn], roles: Roles, live: Mask | None = None) -> Binary:
        """One text for each record; null where `live` is false."""
        vectors = [columns[slot] for slot in self._slots]
        for place, read in self._readers.items():
            vectors[place] = read(vectors[place])
        return self._program.render(cast("list[Vector]", vectors), roles, live)


class _Writer:
    """Compiles a layout into a template."""

    def __init__(self, format_: JsonFormat, columns: Sequence[AnyColumn]) -> None:
        self._format = format_
        self._columns = columns
        self._template = Template()
        self._wanted: list[int] = []
        self._readers: dict[int, _Reader] = {}
        self._places: dict[int, tuple[int, Kind]] = {}  # slots of the template, by those of the records
        self._numbers: dict[tuple[int, int], int] = {}  # the same for decimals as numbers, with their scale
        self.const = self._template.const

    def program(self, lasting: Sequence[int] = ()) -> LayoutProgram:
        return LayoutProgram(self._template.program(lasting), self._wanted, self._readers)

    def write_whole(self, root: Node) -> None:
        """A whole key, value or header."""
        if isinstance(root, Struct) and root.role is None and self._format.message_field is not None:
            self._write_fields(root, self._format.message_field)
        else:
            self.write(root)

    def write(self, node: Node) -> None:
        if isinstance(node, Column):
            self._write_column(node)
        elif isinstance(node, Constant):
            self.const(self._format.value(node.schema, node.value))
        elif isinstance(node, Struct):
            self._write_struct(node)
        elif isinstance(node, Array):
            self._write_array(node)
        else:
            self._raw(node, partial(_texts, node, self._format))

    def begin_item(self, commas: int, role: int) -> None:
        """What stands before an item of a list: a comma, or nothing."""
        self._template.value(Op.RAW, self._place(commas)[0], role)

    def _write_column(self, node: Column) -> None:
        null = self._format.default(node.schema) if node.filled else self._format.null(node.schema)
        if self._format.numeric and node.schema.name == DECIMAL:
            self._template.value(Op.RAW, self._decimals(node.slot, scale_of(node.schema)), node.role, null)
            return
        place, kind = self._place(node.slot)
        self._template.value(op_for(kind), place, node.role, null)

    def _write_struct(self, node: Struct) -> None:
        if node.role is None:
            self._write_fields(node)
            return
        slot = -1 if node.slot is None else self._place(node.slot)[0]
        with self._template.block(node.role, slot):
            self._write_fields(node)

    def _write_fields(self, node: Struct, message: str | None = None) -> None:
        before = b"{"
        for field, each in zip(node.schema.fields, node.fields, strict=True):
            self.const(before + text_json(field.name) + b":")
            if field.name == message:
                self._write_message(each)
            else:
                self.write(each)
            before = b","
        self.const(b"}" if node.schema.fields else b"{}")

    def _write_message(self, node: Node) -> None:
        self.const(schema_prefix(node.schema, numeric=self._format.numeric))
        self.write(node)
        self.const(SCHEMA_SUFFIX)

    def _write_array(self, node: Array) -> None:
        lists = cast("Lists", self._columns[node.slot])
        items = _Writer(self._format, (*lists.columns, _COMMAS))
        items.begin_item(len(lists.columns), len(lists.roles))
        items.write(node.item)
        with self._template.block(node.role):
            self.const(b"[")
            self._raw(node, partial(_joined, items.program()))
            self.const(b"]")

    def _raw(self, node: Values | Array, read: _Reader) -> None:
        """A value of a column that is read as JSON."""
        self._readers[len(self._wanted)] = read
        self._template.value(Op.RAW, len(self._wanted), node.role, self._format.null(node.schema))
        self._wanted.append(node.slot)

    def _decimals(self, slot: int, scale: int) -> int:
        """The slot of the template for decimals as numbers."""
        found = self._numbers.get((slot, scale))
        if found is None:
            found = self._numbers[slot, scale] = len(self._wanted)
            self._readers[found] = partial(_numbers, scale)
            self._wanted.append(slot)
        return found

    def _place(self, slot: int) -> tuple[int, Kind]:
        """The slot of the template for a column of vectors, and their kind."""
        found = self._places.get(slot)
        if found is None:
            found = self._places[slot] = len(self._wanted), cast("Vector", self._columns[slot]).kind
            if found[1] in _FRACTIONS:
                self._readers[found[0]] = _fractions
            self._wanted.append(slot)
        return found


_COMMAS = vector_of([b"", b","])
_FRACTIONS = (Kind.FLOAT32, Kind.FLOAT64, Kind.LIST)


def _fractions(column: AnyColumn) -> Vector:
    """Floating-point numbers as text."""
    return leaves(cast("Vector", column))[0]


def _numbers(scale: int, column: AnyColumn) -> Vector:
    """Decimals as text."""
    from tailrace.encoding.decimal_texts import decimal_texts  # compiled code that few configurations need

    return decimal_texts(cast("Vector", column), scale)


def _texts(node: Values, format_: JsonFormat, column: AnyColumn) -> Vector:
    """Python values as JSON."""
    default = format_.default(node.schema) if node.filled else format_.null(node.schema)
    values = cast("Objects", column).values
    return vector_of([default if value is None else format_.value(node.schema, value) for value in values])


def _bare_values(column: AnyColumn) -> Vector:
    """Texts that are Python's."""
    return vector_of([None if value is None else str(value).encode() for value in cast("Objects", column).values], Kind.TEXT)


def _joined(items: LayoutProgram, column: AnyColumn) -> Vector:
    """The text between the brackets of each list.

    All items of all lists are rendered in one pass, each with the comma before it. The items of one list are then adjacent,
    so that the offsets of the lists cut the text.
    """
    lists = cast("Lists", column)
    n = lists.roles.shape[1]
    if not n:
        return vector_over(Binary(np.zeros(1, np.uint8), np.zeros(len(lists.offsets), np.int64)))
    is_first = np.zeros(n + 1, np.bool_)
    is_first[lists.offsets] = True
    roles = np.vstack([lists.roles, (~is_first[:n]).astype(np.int32)])
    pieces = items.render((*lists.columns, _COMMAS), roles)
    return vector_over(Binary(pieces.data, pieces.offsets[lists.offsets]))
