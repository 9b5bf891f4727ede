"""Compiles a layout into a program that writes its records in Protobuf's binary form."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, cast

from tailrace.changes.layouts import Array, Column, Constant, Layout, Node, Struct, Values, fills_nulls
from tailrace.changes.source_records import AnyColumn, Lists, Objects
from tailrace.changes.vectors import Kind, Vector
from tailrace.changes.views import vector_of
from tailrace.encoding.avro.defaults import part
from tailrace.encoding.avro.program import LayoutProgram
from tailrace.encoding.avro.values import described
from tailrace.encoding.protobuf import kernel, values, wire
from tailrace.encoding.protobuf.lists import joined_items
from tailrace.encoding.protobuf.logical import messages_of
from tailrace.encoding.protobuf.options import ProtobufOptions
from tailrace.encoding.protobuf.schema_text import is_message, is_wrapped
from tailrace.encoding.protobuf.template import ProtobufTemplate
from tailrace.encoding.registered.program_columns import ProgramColumns, Reader, as_floats, lists_of
from tailrace.schema.connect import NO_DEFAULT, Schema, Type

_INTEGERS: Final = {Type.INT8, Type.INT16, Type.INT32, Type.INT64}
_OPS: Final = (
    (_INTEGERS, {Kind.INT, Kind.BOOL}, kernel.INT),
    ({Type.BOOLEAN}, {Kind.INT, Kind.BOOL}, kernel.BOOL),
    ({Type.FLOAT32}, {Kind.FLOAT32}, kernel.FLOAT32),
    ({Type.FLOAT64}, {Kind.FLOAT64}, kernel.FLOAT64),
    ({Type.STRING, Type.BYTES}, {Kind.TEXT, Kind.BYTES}, kernel.SIZED),
)
_NO_OPTIONS: Final = ProtobufOptions()


def layout_program(
    layout: Layout, columns: Sequence[AnyColumn], options: ProtobufOptions, prefix: bytes
) -> LayoutProgram:
    """The program of a layout; `prefix` stands before each message.

    Records whose key or value is null as a whole are none of its business (`registered.nulls`).
    """
    writer = _Writer(options, columns)
    writer.const(prefix)
    writer.write_whole(layout.root)
    return writer.program(layout.lasting)


class _Writer:
    """Compiles a layout into a template."""

    def __init__(self, options: ProtobufOptions, columns: Sequence[AnyColumn]) -> None:
        self._options = options
        self._columns = columns
        self._template = ProtobufTemplate()
        self._slots = ProgramColumns()
        self._place, self._read = self._slots.place, self._slots.read
        self.const = self._template.const

    def program(self, lasting: Sequence[int] = ()) -> LayoutProgram:
        return LayoutProgram(self._template.protobuf_program(lasting), self._slots.wanted, self._slots.readers)

    def write_whole(self, root: Node) -> None:
        """A whole key or value, which is not null here."""
        if isinstance(root, Struct):
            self._fields(root, "")
        elif isinstance(root, Constant):
            self.const(values.whole_bytes(root.schema, root.value, self._options))
        elif isinstance(root, Values):
            place = self._read(root.slot, partial(_whole_values, root.schema, self._options))
            self._raw(place, root.role, _whole_null(root, self._options))
        elif is_message(root.schema):
            place = self._read(root.slot, partial(messages_of, root.schema, described(root.schema)))
            self._raw(place, root.role, _whole_null(root, self._options))
        else:
            schema = root.schema.with_(optional=False, default=NO_DEFAULT)
            self._plain(cast("Column", root), schema, 1, kernel.NONZERO, _whole_null(root, self._options), "")

    def write_item(self, node: Node, name: str, *, packed: bool, number: int) -> None:
        """An item of an array: its content alone, or a field of its own."""
        if isinstance(node, Struct):
            with self._template.message(number, node.role, -1 if node.slot is None else self._place(node.slot), name):
                self._fields(node, name)
        elif isinstance(node, Column):
            mode = kernel.BARE if packed else kernel.WRAPPED if is_wrapped(node.schema, self._options) else kernel.ALWAYS
            self._column(node, number, mode, None, name)
        else:
            raise TypeError(f"{name}: an array of {node.schema.type.value} can't be written column by column")

    def _fields(self, node: Struct, name: str) -> None:
        for number, (field, each) in enumerate(zip(node.schema.fields, node.fields, strict=True), 1):
            self._field(each, number, f"{name}.{field.name}" if name else field.name)

    def _field(self, node: Node, number: int, name: str) -> None:
        if isinstance(node, Column):
            self._column(node, number, self._mode(node.schema), self._null(node, number), name)
        elif isinstance(node, Constant):
            self.const(values.field_bytes(number, node.schema, node.value, self._options))
        elif isinstance(node, Struct):
            with self._template.message(number, node.role, -1 if node.slot is None else self._place(node.slot)):
                self._fields(node, name)
        elif isinstance(node, Array):
            self._array(node, number, name)
        else:
            place = self._read(node.slot, partial(_field_values, number, node.schema, self._options))
            self._raw(place, node.role, self._null(node, number))

    def _column(self, node: Column, number: int, mode: int, null: bytes | None, name: str) -> None:
        schema = node.schema
        if schema.type is Type.ARRAY:
            items = part(schema.items, schema)
            place = self._read(node.slot, partial(self._lists_of_vector, number, items))
            self._repeated(place, node.role, number, items, null)
        elif is_message(schema):
            place = self._read(node.slot, partial(messages_of, schema, name))
            before = wire.tag(number, wire.SIZED)
            self._template.field(kernel.SIZED, place, node.role, before, kernel.ALWAYS, null, name)
        else:
            self._plain(node, schema, number, mode, null, name)

    def _plain(self, node: Column, schema: Schema, number: int, mode: int, null: bytes | None, name: str) -> None:
        op, reader = self._how(schema, cast("Vector", self._columns[node.slot]).kind, name)
        place = self._place(node.slot) if reader is None else self._read(node.slot, reader)
        before = b"" if mode == kernel.BARE else wire.tag(number, values.wire_type(schema, self._options_of(mode)))
        self._template.field(op, place, node.role, before, mode, null, name)

    def _options_of(self, mode: int) -> ProtobufOptions:
        """The options by which a tag is made: only a wrapped value has that of a message."""
        return self._options if mode == kernel.WRAPPED else _NO_OPTIONS

    def _how(self, schema: Schema, kind: Kind, name: str) -> tuple[int, Reader | None]:
        """The operation that writes a column, and what must be made of the column before."""
        if schema.type in {Type.FLOAT32, Type.FLOAT64} and kind in {Kind.INT, Kind.FLOAT32, Kind.FLOAT64}:
            wanted = Kind.FLOAT32 if schema.type is Type.FLOAT32 else Kind.FLOAT64
            reader = None if wanted is kind else partial(as_floats, wanted)
            return (kernel.FLOAT32 if wanted is Kind.FLOAT32 else kernel.FLOAT64), reader
        for types, kinds, op in _OPS:
            if schema.type in types and kind in kinds:
                return op, None
        raise TypeError(f"{name}: a column of the kind {kind.name} can't be written as {schema.type.value} in Protobuf")

    def _array(self, node: Array, number: int, name: str) -> None:
        program = self._items(cast("Lists", self._columns[node.slot]), node.item, number, f"{name}[]")
        place = self._read(node.slot, partial(joined_items, program, None))
        self._repeated(place, node.role, number, node.item.schema, self._null(node, number))

    def _repeated(self, place: int, role: int, number: int, items: Schema, null: bytes | None) -> None:
        """A column of joined items: one field if they are packed, else each is a field already."""
        if values.is_packed(items, self._options):
            self._template.field(kernel.SIZED, place, role, wire.tag(number, wire.SIZED), kernel.NONZERO, null, "")
        else:
            self._raw(place, role, null)

    def _lists_of_vector(self, number: int, items: Schema, column: AnyColumn) -> Vector:
        """A column of lists of numbers: each list as the field that it is."""
        vector = cast("Vector", column)
        lists = lists_of(vector)
        return joined_items(self._items(lists, Column(items, 0, 0), number, "an item"), vector.valid, lists)

    def _items(self, lists: Lists, item: Node, number: int, name: str) -> LayoutProgram:
        """The program of all items of all lists."""
        items = _Writer(self._options, lists.columns)
        items.write_item(item, name, packed=values.is_packed(item.schema, self._options), number=number)
        return items.program()

    def _mode(self, schema: Schema) -> int:
        if is_wrapped(schema, self._options):
            return kernel.WRAPPED
        return kernel.ALWAYS if values.is_always_written(schema, self._options) else kernel.NONZERO

    def _null(self, node: Column | Values | Array, number: int) -> bytes:
        """What is written for a null."""
        return values.null_bytes(number, node.schema, _filling(self._options) if fills_nulls(node) else self._options)

    def _raw(self, place: int, role: int, null: bytes | None) -> None:
        """A column of fields that have their tags already."""
        self._template.field(kernel.RAW, place, role, b"", kernel.BARE, null, "")


def _filling(options: ProtobufOptions) -> ProtobufOptions:
    """The options with defaults for nulls: a transform has filled them in."""
    return ProtobufOptions(optional_fields=options.optional_fields, wrappers=options.wrappers, scrub=options.scrub)


def _whole_null(node: Node, options: ProtobufOptions) -> bytes:
    """What is written for a null in a whole that is no struct."""
    return values.whole_bytes(node.schema, node.schema.default, options) if fills_nulls(node) else b""


def _field_values(number: int, schema: Schema, options: ProtobufOptions, column: AnyColumn) -> Vector:
    """Python values as fields, one after the other: they are of records that are too rare to be columnar."""
    found = cast("Objects", column).values
    return vector_of([None if v is None else values.field_bytes(number, schema, v, options) for v in found], Kind.BYTES)


def _whole_values(schema: Schema, options: ProtobufOptions, column: AnyColumn) -> Vector:
    """The same as whole keys or values."""
    found = cast("Objects", column).values
    return vector_of([None if v is None else values.whole_bytes(schema, v, options) for v in found], Kind.BYTES)
