"""The JSON encoder: keys, values and headers in the format of Kafka Connect's JsonConverter.

A layout is compiled into a template when it first occurs; the template lives as long as the layout. With schemas a message is
`{"schema":…,"payload":…}`. The schema part is the same for every message of a layout, so it is a constant of the template and
rendered once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast
from weakref import WeakKeyDictionary

import numpy as np

from tailrace.changes.layouts import Array, Column, Constant, Layout, Node, Struct, Values
from tailrace.changes.records import Binary, Header
from tailrace.changes.source_records import AnyColumn, Lists, Mask, Objects, SourceRecords
from tailrace.changes.vectors import Kind, Vector
from tailrace.changes.views import vector_of, vector_over
from tailrace.encoding.connect_json import NULL, SCHEMA_SUFFIX, null_text, schema_prefix, text_json, value_json
from tailrace.encoding.message_encoder import MessageEncoder
from tailrace.encoding.render import Op, Program, Roles, Template, leaves, op_for
from tailrace.errors import UnsupportedError
from tailrace.schema.connect import Schema, Type


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """The settings of a JsonConverter.

    Attributes:
        schemas: whether each message contains its schema (`schemas.enable`).
        defaults: whether a null in a field with a default is written as the default (`replace.null.with.default`).
        bare_texts: whether a text as a whole is written as it is, without quotes, as SimpleHeaderConverter does.

    """

    schemas: bool = True
    defaults: bool = True
    bare_texts: bool = False

    def prefix(self, schema: Schema) -> bytes:
        """The text before a message's payload."""
        return schema_prefix(schema) if self.schemas else b""

    @property
    def suffix(self) -> bytes:
        """The text after it."""
        return SCHEMA_SUFFIX if self.schemas else b""

    def null(self, schema: Schema) -> bytes:
        """The text of a null in a field."""
        return null_text(schema, replace_with_default=self.defaults)

    def value(self, schema: Schema, value: Any) -> bytes:
        """The text of a single value."""
        return value_json(schema, value, replace_with_default=self.defaults)


class JsonEncoder(MessageEncoder):
    """The `Encoder` of JSON; keys, values and headers have separate formats."""

    def __init__(self, key: JsonFormat, value: JsonFormat, header: JsonFormat) -> None:
        super().__init__(JsonMessages(key), JsonMessages(value), JsonMessages(header))


class JsonMessages:
    """Renders keys, values or headers, and keeps the templates of their layouts."""

    def __init__(self, format_: JsonFormat) -> None:
        self._format = format_
        self._programs: WeakKeyDictionary[Layout, _LayoutProgram] = WeakKeyDictionary()

    def render(self, layout: Layout, records: SourceRecords, present: Mask | None = None) -> Binary:
        """One message for each record; null where `present` is false."""
        program = self._programs.get(layout)
        if program is None:
            program = self._programs[layout] = self._compiled(layout, records.columns)
        return program.render(records.columns, records.roles, present)

    def render_with_headers(
        self, layout: Layout, records: SourceRecords, present: Mask | None = None
    ) -> tuple[Binary, tuple[Header, ...]]:
        """The same, and the headers that belong to it: none."""
        return self.render(layout, records, present), ()

    def _compiled(self, layout: Layout, columns: Sequence[AnyColumn]) -> _LayoutProgram:
        if self._format.bare_texts and layout.schema.type is Type.STRING:
            return _bare_text(layout)
        return json_program(layout, columns, self._format, self._format.prefix(layout.schema))


def json_program(layout: Layout, columns: Sequence[AnyColumn], format_: JsonFormat, prefix: bytes) -> _LayoutProgram:
    """The program of a layout; `prefix` stands before each payload."""
    writer = _Writer(format_, columns)
    writer.const(prefix)
    writer.write(layout.root)
    writer.const(format_.suffix)
    return writer.program(layout.lasting)


def _bare_text(layout: Layout) -> _LayoutProgram:
    """The program of a whole text without quotes."""
    node = layout.root
    template = Template()
    if isinstance(node, Constant):
        template.const(NULL if node.value is None else str(node.value).encode())
        return _LayoutProgram(template.program(), [], {})
    if not isinstance(node, Column):
        raise UnsupportedError("a text that is no column can't be a header")
    template.value(Op.RAW, 0, node.role, NULL)
    return _LayoutProgram(template.program(), [node.slot], {})


_Reader = Callable[[AnyColumn], Vector]


class _LayoutProgram:
    """A compiled layout: a template, and the columns that it needs."""

    def __init__(self, program: Program, slots: Sequence[int], readers: Mapping[int, _Reader]) -> None:
        """`slots`: of the columns; `readers`: what makes of a column what templates take, where it is not that."""
        self._program = program
        self._slots = slots
        self._readers = readers

    def render(self, columns: Sequence[AnyColumn], roles: Roles, live: Mask | None = None) -> Binary:
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
        self.const = self._template.const

    def program(self, lasting: Sequence[int] = ()) -> _LayoutProgram:
        return _LayoutProgram(self._template.program(lasting), self._wanted, self._readers)

    def write(self, node: Node) -> None:
        if isinstance(node, Column):
            place, kind = self._place(node.slot)
            null = null_text(node.schema) if node.filled else self._format.null(node.schema)
            self._template.value(op_for(kind), place, node.role, null)
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

    def _write_struct(self, node: Struct) -> None:
        if node.role is None:
            self._write_fields(node)
            return
        slot = -1 if node.slot is None else self._place(node.slot)[0]
        with self._template.block(node.role, slot):
            self._write_fields(node)

    def _write_fields(self, node: Struct) -> None:
        before = b"{"
        for field, each in zip(node.schema.fields, node.fields, strict=True):
            self.const(before + text_json(field.name) + b":")
            self.write(each)
            before = b","
        self.const(b"}" if node.schema.fields else b"{}")

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


def _texts(node: Values, format_: JsonFormat, column: AnyColumn) -> Vector:
    """Python values as JSON."""
    default = null_text(node.schema) if node.filled else format_.null(node.schema)
    values = cast("Objects", column).values
    return vector_of([default if value is None else format_.value(node.schema, value) for value in values])


def _joined(items: _LayoutProgram, column: AnyColumn) -> Vector:
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
