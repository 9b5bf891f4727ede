"""HeaderToValue: headers become fields of the value, and go or stay.

The real one keeps the schema that it has made for a value's schema, with the fields of the headers that the first record had;
here it follows from the headers of each record. A field with dots is put into the struct that they name; a struct that is not
there is made, on the first level only.

Source: Debezium's reference, "HeaderToValue"; comparison with the real one (tests/formats/test_header_to_value.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tailrace.changes.field_paths import Path, nulls_of, path_to, values_are_null
from tailrace.changes.grouping import groups
from tailrace.changes.layout_edits import (
    Edits,
    copied_basics,
    filled,
    named_nodes,
    struct_of,
    with_fields,
    with_schema,
)
from tailrace.changes.layouts import Layout, Node, Struct
from tailrace.changes.source_records import Mask, SourceHeader, SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.schema.connect import Schema, Type
from tailrace.transforms.spec import Making, TransformSpec


@dataclass(frozen=True, slots=True)
class _Entry:
    """A field that is added: the names on the way to it, and its value."""

    names: tuple[str, ...]
    layout: Layout


class HeaderToValue:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(self, making: Making, *, headers: tuple[str, ...], fields: tuple[str, ...], operation: str) -> None:
        if len(headers) != len(fields):
            raise ValueError("headers and fields must have the same number of names")
        for name, texts in (("headers", headers), ("fields", fields)):
            if any(" " in text for text in texts):
                raise ValueError(f"{name}: a name has a space in it")
        self._failures = making.failures
        self._fields = {header: tuple(field.split(".")) for header, field in reversed([*zip(headers, fields, strict=True)])}
        self._moves = operation == "move"
        self._values = Edits(_value)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records, those with the same headers together."""
        wanted = [header for header in records.headers if header.name in self._fields]
        if not len(records) or not isinstance(records.value.root, Struct):
            return (self._failures.without(records, ~values_are_null(records), "its value is no struct"),)
        live = ~values_are_null(records)
        if not wanted:
            return (records,)
        present = [live & _present(header, len(records)) for header in wanted]
        found = []
        for chosen in groups([mask.astype(np.int64) for mask in present]):
            here = [header for header, mask in zip(wanted, present, strict=True) if mask[chosen[0]]]
            found.append(self._with_fields(records.take(chosen), here))
        return [each for each in found if len(each)]

    def _with_fields(self, records: SourceRecords, headers: Sequence[SourceHeader]) -> SourceRecords:
        """Records that all have these headers."""
        if not headers:
            return records
        entries = tuple(_Entry(self._fields[header.name], header.layout) for header in headers)
        root = records.value.root
        for entry in entries:
            if problem := _problem(root, entry):
                return self._failures.all_of(records, f"fields: {problem}")
            for length in range(1, len(entry.names)):
                records = self._without_nulls(records, path_to(root, entry.names[:length]))
        left = records.headers
        if self._moves:
            left = tuple(header for header in left if header.name not in self._fields)
        return replace(records, value=self._values.of(records.value, entries), headers=left)

    def _without_nulls(self, records: SourceRecords, path: Path | None) -> SourceRecords:
        if path is None:
            return records
        return self._failures.without(records, nulls_of(records, path), "fields: the struct that a field belongs to is null")


def _present(header: SourceHeader, n: int) -> Mask:
    return np.ones(n, np.bool_) if header.present is None else header.present


def _problem(root: Node, entry: _Entry) -> str:
    """What is wrong with an entry, in words; "" if nothing is."""
    node: Node | None = root
    for place, name in enumerate(entry.names[:-1]):
        node = node.field(name) if isinstance(node, Struct) else None
        if node is None:
            return "" if (place, len(entry.names)) == (0, 2) else f"{'.'.join(entry.names)} has no struct around it"
        if not isinstance(node, Struct):
            return f"{name} is no struct, so {'.'.join(entry.names)} can't be in it"
    there = node.field(entry.names[-1]) if isinstance(node, Struct) else None
    if there is not None and there.schema.type is not entry.layout.schema.type:
        return f"{'.'.join(entry.names)} is there already, with another type"
    return ""


def _value(layout: Layout, entries: tuple[_Entry, ...]) -> Layout:
    root = layout.root
    if not isinstance(root, Struct):
        raise TypeError("a value that is no struct has no fields")
    return Layout(_with(root, [(entry.names, entry.layout.root) for entry in entries]), layout.lasting)


_Entries = Sequence[tuple[tuple[str, ...], Node]]


def _with(struct: Struct, entries: _Entries) -> Struct:
    """The struct with fields behind its own; a field that is there gets another value."""
    fields: dict[str, Node] = {}
    for name, node in named_nodes(struct):
        below = [(names[1:], each) for names, each in entries if len(names) > 1 and names[0] == name]
        fields[name] = _with(node, below) if below and isinstance(node, Struct) else filled(node)
    for names, node in entries:
        if len(names) == 1:
            there = fields.get(names[0])
            fields[names[0]] = node if there is None else with_schema(node, there.schema)
    return with_fields(struct, [*fields.items(), *_new_structs(fields, entries)], copied_basics(struct.schema))


def _new_structs(fields: dict[str, Node], entries: _Entries) -> Iterator[tuple[str, Node]]:
    for parent in dict.fromkeys(names[0] for names, _ in entries if len(names) > 1 and names[0] not in fields):
        inner = {names[1]: node for names, node in entries if len(names) > 1 and names[0] == parent}
        yield parent, struct_of(Schema(Type.STRUCT, optional=True), inner.items())


SPEC = TransformSpec(
    name="io.debezium.transforms.HeaderToValue",
    doc="Headers become fields of the value.",
    properties=(
        Property(name="headers", kind=Kind.LIST, required=True, doc="The names of the headers."),
        Property(name="fields", kind=Kind.LIST, required=True, doc="The fields' names, in the same order; `a.b`: b of a."),
        Property(
            name="operation",
            kind=Kind.ENUM,
            required=True,
            allowed=("move", "copy"),
            doc="Whether the headers go or stay.",
        ),
    ),
    make=HeaderToValue,
)
