"""Layouts of golden lines over columns, with the roles that the shape of a table uses (`tailrace.changes.expand`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from tests.formats.golden_columns import is_columnar
from tests.formats.golden_schemas import schema_of, value_of

from tailrace.changes import expand as roles
from tailrace.changes.column_of_values import column_of_values
from tailrace.changes.layouts import Array, Constant, Layout, Node, Struct, Values, layout_of_values, values_by_field
from tailrace.changes.source_records import AnyColumn, Lists, Objects, SourceHeader
from tailrace.changes.vectors import Vector
from tailrace.events.shape import NEW_KEY_HEADER, OLD_KEY_HEADER, flat, struct_fields
from tailrace.schema.connect import Field, Schema, Type

OF_EVENT: Final = roles.EVENT
_ROLE_OF_HEADER: Final = {NEW_KEY_HEADER: roles.NEW_KEY, OLD_KEY_HEADER: roles.OLD_KEY}
Payloads = Sequence[Any]


class Laid:
    """The columns and roles of `n` records, which making layouts fills."""

    def __init__(self, n: int) -> None:
        self.columns: list[AnyColumn] = []
        self._n = n
        self._every = np.arange(n, dtype=np.int32)
        self._roles = [self._every.copy() for _ in range(roles.ROLES)]
        self._roles[roles.BATCH][:] = 0

    def roles(self) -> npt.NDArray[np.int32]:
        """The roles, shape (roles, n)."""
        return np.ascontiguousarray(np.stack(self._roles))

    def key(self, schema: Schema, payloads: Payloads) -> Layout:
        """Keys; where one is missing the role has no row."""
        values = [value_of(schema, payload) for payload in payloads]
        self._roles[roles.KEY] = self._where(values)
        return Layout(self._whole(schema, values, roles.KEY))

    def plain(self, schema: Schema, values: Payloads, role: int) -> Layout:
        """Any values, as columns with a row for each record; nulls that have a schema have no row."""
        if None in values and schema.type is Type.STRUCT:
            role = self._new_role(self._where(values))
            return Layout(replace(self._whole(schema, values, role), role=role))
        return Layout(self._whole(schema, values, role))

    def objects(self, schema: Schema, values: Payloads) -> Layout:
        """Structs whose fields are Python values."""
        layout = layout_of_values(schema, len(self.columns), roles.RECORD)
        self.columns += [Objects(each) for each in values_by_field(schema, [value or {} for value in values])]
        return layout

    def envelope(self, schema: Schema, values: Payloads) -> Layout:
        """Change events; a value that is missing (a tombstone's) belongs to the event before it."""
        images: list[Any] = []
        for role, name in ((roles.BEFORE, "before"), (roles.AFTER, "after")):
            for i, value in enumerate(values):
                image = (value or {}).get(name)
                self._roles[role][i] = -1 if image is None else len(images)
                images += [] if image is None else [image]
        self._set_events(values)
        rows = _Rows(self, schema.field("after").schema.fields, images)
        nodes = [self._part(each, values, rows) for each in schema.fields]
        return Layout(Struct(schema, tuple(nodes)), roles.LASTING)

    def headers(self, headers: Sequence[Any]) -> tuple[SourceHeader, ...]:
        """Headers, in the order in which records have them; a name may occur once in a record."""
        by_name = [dict(each) for each in headers]
        names = in_common_order([list(each) for each in by_name])
        return tuple(self._header(name, [each.get(name) for each in by_name]) for name in names)

    def _header(self, name: str, messages: Sequence[Any]) -> SourceHeader:
        there = np.array([message is not None for message in messages])
        (schema,) = {schema_of(message["schema"]) for message in messages if message is not None}
        values = [None if message is None else value_of(schema, message["payload"]) for message in messages]
        present = None if there.all() else there
        if schema.type is not Type.STRUCT and len(set(map(repr, values))) == 1:
            return SourceHeader(name, Layout(Constant(schema, values[0])), present)
        if any(message is not None and message["payload"] is None for message in messages):
            return SourceHeader(name, self.plain(schema, values, roles.RECORD), present)
        role = _ROLE_OF_HEADER.get(name, roles.RECORD)
        if role != roles.RECORD:
            self._roles[role] = self._where(values)
        return SourceHeader(name, Layout(self._whole(schema, values, role)), present)

    def _part(self, field: Field, values: Payloads, rows: _Rows) -> Node:
        """The node of one field of an envelope."""
        parts = [(value or {}).get(field.name) for value in values]
        live = [part for part, value in zip(parts, values, strict=True) if value is not None]
        if field.name in ("before", "after"):
            role = roles.BEFORE if field.name == "before" else roles.AFTER
            return Struct(field.schema, rows.nodes(role), role)
        if field.name == "source":
            return Struct(field.schema, tuple(self._fact(each, parts, live) for each in field.schema.fields))
        if field.name == "transaction":
            return self._transaction(field.schema, parts)
        if field.name.startswith("ts_") and len(set(live)) == 1:
            return self._column(field.schema, live[:1], roles.BATCH)
        return self._node(field.schema, parts, roles.RECORD)

    def _fact(self, field: Field, sources: Payloads, live: Payloads) -> Node:
        """A field of the source block: constant, or of the event."""
        facts = [each[field.name] for each in live]
        if all(fact == facts[0] for fact in facts):
            return Constant(field.schema, facts[0])
        return self._column(field.schema, [(source or {}).get(field.name) for source in sources], roles.EVENT)

    def _transaction(self, schema: Schema, blocks: Payloads) -> Node:
        if not any(blocks):
            return Constant(schema, None)
        slot, nodes = len(self.columns), []
        for each in schema.fields:
            parts = [(block or {}).get(each.name) for block in blocks]
            nodes.append(self._column(each.schema, parts, roles.TRANSACTION if each.name == "id" else roles.RECORD))
        return Struct(schema, tuple(nodes), roles.TRANSACTION, slot)

    def _set_events(self, values: Payloads) -> None:
        """Records with the same source block and transaction are of one event: it has the row of the first of them."""
        first, of_first = 0, None
        for i, value in enumerate(values):
            about = of_first if value is None else (value.get("source"), (value.get("transaction") or {}).get("id"))
            if about != of_first:
                first, of_first = i, about
            self._roles[roles.EVENT][i] = self._roles[roles.TRANSACTION][i] = first

    def _whole(self, schema: Schema, values: Payloads, role: int) -> Node:
        if schema.type is not Type.STRUCT:
            return self._node(schema, values, role)
        structs = [value or {} for value in values]
        if is_columnar(schema):
            return Struct(schema, _Rows(self, schema.fields, structs).nodes(role))
        nodes = [self._node(each.schema, [struct.get(each.name) for struct in structs], role) for each in schema.fields]
        return Struct(schema, tuple(nodes))

    def _node(self, schema: Schema, values: Payloads, role: int) -> Node:
        """A node over a new column whose rows are the records."""
        if is_columnar(schema):
            return self._column(schema, values, role)
        if schema.type is Type.ARRAY and schema.items is not None and is_columnar(schema.items):
            return self._array(schema, schema.items, values)
        return self.values(schema, values, role)

    def _array(self, schema: Schema, items: Schema, values: Payloads) -> Node:
        """Lists; a null has no row, because there are no null lists."""
        there = [value for value in values if value is not None]
        role = self._new_role(np.cumsum([value is not None for value in values]) - 1)
        self._roles[role][[value is None for value in values]] = -1
        offsets = np.zeros(len(there) + 1, np.int64)
        np.cumsum([len(value) for value in there], out=offsets[1:])
        all_items = [item for value in there for item in value]
        inner = Laid(len(all_items))
        item = inner._column(items, all_items, 0)
        self.columns.append(Lists(offsets, inner.columns, np.arange(len(all_items), dtype=np.int32)[None]))
        return Array(schema, len(self.columns) - 1, role, item)

    def _column(self, schema: Schema, values: Payloads, role: int) -> Node:
        """A column, or a struct with its fields' columns behind it."""
        return node_over(schema, self.column(schema, values), role, self.columns)

    def column(self, schema: Schema, values: Payloads) -> int:
        """Add a vector; returns its slot."""
        slot = len(self.columns)
        self.columns += flat([column_of_values(schema, values)])
        return slot

    def values(self, schema: Schema, values: Payloads, role: int) -> Node:
        """Python values."""
        self.columns.append(Objects(values))
        return Values(schema, len(self.columns) - 1, role)

    def _where(self, values: Payloads) -> npt.NDArray[np.int32]:
        return np.where([value is not None for value in values], self._every, -1).astype(np.int32)

    def _new_role(self, rows: npt.NDArray[Any]) -> int:
        self._roles.append(rows.astype(np.int32))
        return len(self._roles) - 1


def in_common_order(lists: Sequence[Sequence[str]]) -> list[str]:
    """All names, each behind those that stand before it in some list; lists must agree about the order."""
    found: list[str] = []
    for names in lists:
        place = len(found)
        for name in reversed(names):
            if name in found:
                place = found.index(name)
            else:
                found.insert(place, name)
    return found


class _Rows:
    """Structs as columns, over which there may be several nodes."""

    def __init__(self, laid: Laid, fields: Sequence[Field], structs: Sequence[Any]) -> None:
        self._laid = laid
        self._fields = fields
        self._slots = []
        for each in fields:
            values = [struct.get(each.name) for struct in structs]
            if is_columnar(each.schema):
                self._slots.append(laid.column(each.schema, values))
            else:
                self._slots.append(len(laid.columns))
                laid.columns.append(Objects(values))

    def nodes(self, role: int) -> Iterable[Node]:
        """The fields of a struct."""
        columns = [self._laid.columns[slot] for slot in self._slots]
        if columns and all(isinstance(column, Vector) for column in columns):
            schema = Schema(Type.STRUCT, fields=tuple(self._fields))
            return struct_fields(schema, columns, self._slots[0], role)
        pairs = zip(self._fields, self._slots, strict=True)
        return tuple(node_over(each.schema, slot, role, self._laid.columns) for each, slot in pairs)


def node_over(schema: Schema, slot: int, role: int, columns: Sequence[AnyColumn]) -> Node:
    """The node of the column in a slot, as the shape of a table makes it."""
    column = columns[slot]
    if not isinstance(column, Vector):
        return Values(schema, slot, role)
    (node,) = struct_fields(Schema(Type.STRUCT, fields=(Field("it", schema),)), [column], slot, role)
    return node
