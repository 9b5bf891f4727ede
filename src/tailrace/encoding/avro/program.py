"""Compiles a layout into a program that writes its records in Avro's binary form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, cast

from tailrace.changes.layouts import Array, Column, Constant, Layout, Node, Struct, Values, fills_nulls
from tailrace.changes.records import Binary
from tailrace.changes.source_records import AnyColumn, Lists, Mask, Objects
from tailrace.changes.vectors import Kind, Vector
from tailrace.changes.views import vector_of
from tailrace.encoding.avro import kernel, readers
from tailrace.encoding.avro.defaults import part
from tailrace.encoding.avro.options import AvroOptions
from tailrace.encoding.avro.schema_text import has_null_first, is_enum
from tailrace.encoding.avro.template import AvroProgram, AvroTemplate
from tailrace.encoding.avro.values import branch_of_value, described, fixed_size, null_bytes, value_bytes
from tailrace.encoding.registered.program_columns import ProgramColumns, Reader, as_floats, lists_of
from tailrace.encoding.render import Roles
from tailrace.schema.connect import NO_DEFAULT, Schema, Type

_INTEGERS: Final = {Type.INT8, Type.INT16, Type.INT32, Type.INT64}
_OPS: Final = (
    (_INTEGERS, {Kind.INT, Kind.BOOL}, kernel.INT),
    ({Type.BOOLEAN}, {Kind.INT, Kind.BOOL}, kernel.BOOL),
    ({Type.FLOAT32}, {Kind.FLOAT32}, kernel.FLOAT32),
    ({Type.FLOAT64}, {Kind.FLOAT64}, kernel.FLOAT64),
    ({Type.STRING, Type.BYTES}, {Kind.TEXT, Kind.BYTES}, kernel.SIZED),
)


class LayoutProgram:
    """A compiled layout: a program, and the columns that it needs."""

    def __init__(self, program: AvroProgram, slots: Sequence[int], column_readers: Mapping[int, Reader]) -> None:
        """`slots`: of the columns; `column_readers`: what makes of a column what programs take, where it is not that."""
        self._program = program
        self._slots = slots
        self._readers = column_readers

    def render(self, columns: Sequence[AnyColumn], roles: Roles, live: Mask | None = None) -> Binary:
        """One datum for each record; null where `live` is false.

        Raises:
            NullError: a value is null that must not be.

        """
        vectors = [columns[slot] for slot in self._slots]
        for place, read in self._readers.items():
            vectors[place] = read(vectors[place])
        return self._program.render(cast("list[Vector]", vectors), roles, live)


def layout_program(layout: Layout, columns: Sequence[AnyColumn], options: AvroOptions, prefix: bytes) -> LayoutProgram:
    """The program of a layout; `prefix` stands before each datum.

    Records whose key or value is null as a whole are none of its business (`registered.nulls`).
    """
    writer = _Writer(options, columns)
    writer.const(prefix)
    writer.write_whole(layout.root)
    return writer.program(layout.lasting)


class _Writer:
    """Compiles a layout into a template."""

    def __init__(self, options: AvroOptions, columns: Sequence[AnyColumn]) -> None:
        self._options = options
        self._columns = columns
        self._template = AvroTemplate()
        self._slots = ProgramColumns()
        self._place, self._read = self._slots.place, self._slots.read
        self.const = self._template.const

    def program(self, lasting: Sequence[int] = ()) -> LayoutProgram:
        return LayoutProgram(self._template.avro_program(lasting), self._slots.wanted, self._slots.readers)

    def write_whole(self, root: Node) -> None:
        """A whole key or value, which is not null here."""
        if isinstance(root, Struct):
            self.const(branch_of_value(root.schema))
            self._fields(root, "")
        elif isinstance(root, Column) and _is_bare(root.schema, self._options):
            self._template.datum(
                kernel.RAW, self._place(root.slot), root.role, kernel.NO_UNION, _bare_null(root), described(root.schema)
            )
        elif isinstance(root, Constant) and _is_bare(root.schema, self._options):
            self.const(root.value)
        else:
            self.write(root, described(root.schema))

    def write(self, node: Node, name: str) -> None:
        """A node, with the branch of its union; `name` is its place in the record, for messages."""
        if isinstance(node, Column):
            self._column(node, name)
        elif isinstance(node, Constant):
            self.const(value_bytes(node.schema, node.value, self._options))
        elif isinstance(node, Struct):
            self._struct(node, name)
        elif isinstance(node, Array):
            self._array(node, name)
        else:
            self._values(node, name)

    def first_of_item(self, counts: int, role: int) -> None:
        """Before the first item of a list their number, before others nothing."""
        self._template.datum(kernel.INT, self._place(counts), role, kernel.NO_UNION, b"", "")

    def after_item(self, ends: int, role: int) -> None:
        """Behind the last item of a list the end of the array, behind others nothing."""
        self._template.datum(kernel.RAW, self._place(ends), role, kernel.NO_UNION, b"", "")

    def _struct(self, node: Struct, name: str) -> None:
        if node.role is None:
            self.const(branch_of_value(node.schema))
            self._fields(node, name)
            return
        slot = -1 if node.slot is None else self._place(node.slot)
        with self._template.optional(node.role, slot, _branch(node.schema), name):
            self._fields(node, name)

    def _fields(self, node: Struct, name: str) -> None:
        for field, each in zip(node.schema.fields, node.fields, strict=True):
            self.write(each, f"{name}.{field.name}" if name else field.name)

    def _column(self, node: Column, name: str) -> None:
        op, reader = self._how(node.schema, cast("Vector", self._columns[node.slot]).kind, name)
        place = self._place(node.slot) if reader is None else self._read(node.slot, reader)
        self._template.datum(op, place, node.role, *self._null(node), name)

    def _how(self, schema: Schema, kind: Kind, name: str) -> tuple[int, Reader | None]:
        """The operation that writes a column, and what must be made of the column before."""
        if is_enum(schema, self._options):
            return kernel.INT, partial(readers.symbol_numbers, schema)
        if fixed_size(schema) is not None:
            return kernel.RAW, partial(readers.value_by_value, schema.with_(optional=False), self._options)
        if schema.type is Type.ARRAY and kind is Kind.LIST:
            return kernel.RAW, partial(self._lists_of_vector, part(schema.items, schema))
        if schema.type in {Type.FLOAT32, Type.FLOAT64} and kind in {Kind.INT, Kind.FLOAT32, Kind.FLOAT64}:
            wanted = Kind.FLOAT32 if schema.type is Type.FLOAT32 else Kind.FLOAT64
            reader = None if wanted is kind else partial(as_floats, wanted)
            return (kernel.FLOAT32 if wanted is Kind.FLOAT32 else kernel.FLOAT64), reader
        for types, kinds, op in _OPS:
            if schema.type in types and kind in kinds:
                return op, None
        raise TypeError(f"{name}: a column of the kind {kind.name} can't be written as {schema.type.value} in Avro")

    def _lists_of_vector(self, items: Schema, column: AnyColumn) -> Vector:
        """A column of lists of numbers: each list as an array of Avro."""
        vector = cast("Vector", column)
        lists = lists_of(vector)
        program = self._items(lists, Column(items, 0, 0), "an item")
        return readers.joined(program, lists, vector.valid)

    def _array(self, node: Array, name: str) -> None:
        program = self._items(cast("Lists", self._columns[node.slot]), node.item, f"{name}[]")
        place = self._read(node.slot, partial(readers.joined, program))
        self._template.datum(kernel.RAW, place, node.role, *self._null(node), name)

    def _items(self, lists: Lists, item: Node, name: str) -> LayoutProgram:
        """The program of all items of all lists: before each the number of items, behind it the end, where that is due."""
        items = _Writer(self._options, (*lists.columns, readers.NO_COUNTS, readers.ENDS))
        columns, roles = len(lists.columns), len(lists.roles)
        items.first_of_item(columns, roles)
        items.write(item, name)
        items.after_item(columns + 1, roles + 1)
        return items.program()

    def _values(self, node: Values, name: str) -> None:
        required = node.schema.with_(optional=False, default=NO_DEFAULT)
        place = self._read(node.slot, partial(_python_values, required, self._options))
        self._template.datum(kernel.RAW, place, node.role, *self._null(node), name)

    def _null(self, node: Column | Values | Array) -> tuple[int, bytes | None]:
        """The branch of a value, and what is written for a null."""
        options = replace(self._options, keep_nulls=False) if fills_nulls(node) else self._options
        return _branch(node.schema), null_bytes(node.schema, options)


def _branch(schema: Schema) -> int:
    if not schema.optional:
        return kernel.NO_UNION
    return kernel.VALUE_SECOND if has_null_first(schema) else kernel.VALUE_FIRST


def _is_bare(schema: Schema, options: AvroOptions) -> bool:
    """Whether a whole key or value is written without the length that bytes have."""
    return options.bare_bytes and schema.type is Type.BYTES and not schema.optional and fixed_size(schema) is None


def _bare_null(node: Column) -> bytes | None:
    """What is written for a null in a whole of bytes."""
    return cast("bytes", node.schema.default) if fills_nulls(node) else None


def _python_values(schema: Schema, options: AvroOptions, column: AnyColumn) -> Vector:
    """Python values, one after the other: they are of records that are too rare to be columnar."""
    values = cast("Objects", column).values
    return vector_of([None if value is None else value_bytes(schema, value, options) for value in values], Kind.BYTES)
