"""Row changes, and the shape that turns them into source records.

A `Shape` belongs to one version of one table's structure. It knows the topic, the schemas and the column policies, and decides
which records a batch of changes becomes, with which key and envelope: custom converters first, then policies, then layouts over
the columns. It knows neither the database of the changes nor the encoding of the records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from tailrace.changes import expand as roles
from tailrace.changes.expand import Expansion, expand
from tailrace.changes.layouts import Column, ColumnFields, Constant, Layout, Node, Struct
from tailrace.changes.model import Changes, Level
from tailrace.changes.outline import NUMBER, Outline, content_of
from tailrace.changes.records import Binary
from tailrace.changes.source_records import EventKind, Mask, SourceHeader, SourceRecords
from tailrace.changes.vectors import Kind, Vector, integers
from tailrace.encoding.render import Program, Template
from tailrace.schema.connect import Schema, Type
from tailrace.schema.envelope import TableSchemas

NEW_KEY_HEADER = "__debezium.newkey"
OLD_KEY_HEADER = "__debezium.oldkey"

ColumnPolicy = Callable[[Vector], Vector]

_TIMES_BYTES = 48  # of the operation and the times of processing
_TEXT = Kind.TEXT
_OPERATIONS = np.zeros((256, 4), np.uint32)
for _code in b"cudtr":
    _OPERATIONS[_code] = (1, _code, 0, 0)


@dataclass(frozen=True, slots=True)
class ShapeSettings:
    """The settings that shaping depends on.

    Attributes:
        tombstones: whether a delete is followed by a tombstone.
        skipped: operations to leave out, as in `skipped.operations`.
        skips_records: whether they are those of records, of which an update of the key becomes two, and not of changes.
        context_headers: headers of every record, by name (`__debezium.context.*`).

    """

    tombstones: bool = True
    skipped: frozenset[str] = frozenset()
    skips_records: bool = False
    context_headers: Mapping[str, str] = field(default_factory=dict)

    def skipped_codes(self) -> npt.NDArray[np.bool_]:
        """True for each operation code that is left out; shape (256,)."""
        codes = np.zeros(256, np.bool_)
        codes[[ord(op) for op in self.skipped]] = True
        return codes


def position_program(widths: Sequence[int], levels: Sequence[Level], separator: bytes) -> Program:
    """The template of a position's text: integers of fixed widths with a separator between, so that texts sort in log order."""
    template = Template()
    for slot, (width, level) in enumerate(zip(widths, levels, strict=True)):
        template.const(separator if slot else b"")
        template.padded(slot, level, width)
    return template.program(roles.LASTING)


@dataclass(slots=True)
class RowChanges:
    """An `Event`: changes of one table with one structure, and the records that they become.

    Attributes:
        shape: makes the records.
        changes: the changes.
        keys: the key's columns over the images, each struct followed by those of its fields; None without a key.
        expansion: which records they become.
        now_us: the processing time, microseconds since the epoch.
        total_order: rank of each record within its transaction, from 1; None without transaction metadata.
        data_collection_order: the same within its table.
        columns: the value's columns over the images, as `keys`, before the policies.

    """

    shape: Shape
    changes: Changes
    keys: Sequence[Vector] | None
    expansion: Expansion
    now_us: int
    total_order: npt.NDArray[np.int64] | None = None
    data_collection_order: npt.NDArray[np.int64] | None = None
    columns: Sequence[Vector] = ()

    def __len__(self) -> int:
        return int(self.expansion.roles.shape[1])

    def outline(self) -> Outline:
        """What is known of their size."""
        return self.shape.outline(self)

    def source_records(self) -> SourceRecords:
        """The records, tombstones among them."""
        return self.shape.source_records(self)


@dataclass(frozen=True, slots=True)
class _Layouts:
    """The layouts of a table's records."""

    key: Layout | None
    value: Layout


class Shape:
    """Turns changes into source records, for one version of a table's structure."""

    def __init__(
        self,
        schemas: TableSchemas,
        settings: ShapeSettings,
        positions: Program,
        policies: Mapping[int, ColumnPolicy] | None = None,
        conversions: Mapping[int, ColumnPolicy] | None = None,
    ) -> None:
        """`policies` change the value's columns alone; `conversions` change a column before everything else, keys too."""
        self.schemas = schemas
        self._tombstones = settings.tombstones
        self._skipped = settings.skipped_codes()
        self._skips_records = settings.skips_records
        self._positions = positions
        self._policies = dict(policies or {})
        self._conversions = dict(conversions or {})
        self._context = constant_headers(settings.context_headers)
        self._layouts: _Layouts | None = None
        self._other_keys: tuple[Layout, Layout] | None = None  # of the headers once a key has changed: the new, the old

    @property
    def converted(self) -> frozenset[int]:
        """Indices of the columns that custom converters change."""
        return frozenset(self._conversions)

    def prepare(self, changes: Changes, now_us: int) -> RowChanges:
        """The event of the changes; `now_us` is the processing time, microseconds since the epoch."""
        changes = self._converted(changes)
        keys = self._columns(changes, self.schemas.key_columns) if self.schemas.key is not None else None
        expansion = expand(
            changes, keys, tombstones=self._tombstones, skipped=self._skipped, skips_records=self._skips_records
        )
        columns = flat(self._columns(changes, self.schemas.value_columns))
        return RowChanges(self, changes, None if keys is None else flat(keys), expansion, now_us, columns=columns)

    def source_records(self, rows: RowChanges) -> SourceRecords:
        """The records of changes that this shape has prepared."""
        changes, expansion = rows.changes, rows.expansion
        columns = [
            *(flat(self._after_policies(changes)) if self._policies else rows.columns),
            *(rows.keys or ()),
            *[fact.vector for fact in changes.source.values()],
            *_varying(rows).values(),
        ]
        layouts, n = self._layouts_of(rows), len(rows)
        return SourceRecords(
            kind=EventKind.ROWS,
            topic=self.schemas.topic,
            key=layouts.key,
            value=layouts.value,
            columns=columns,
            roles=expansion.roles,
            timestamps=np.full(n, rows.now_us // 1000, np.int64),
            positions=self._position_texts(rows),
            log_order=changes.log_order[expansion.roles[roles.CHANGE]],
            has_key=None if rows.keys is None else _those_with(expansion, roles.KEY),
            has_value=None if expansion.live.all() else expansion.live,
            headers=self._headers(rows),
        )

    def _converted(self, changes: Changes) -> Changes:
        """The changes behind the custom converters of their columns."""
        if not self._conversions:
            return changes
        columns = list(changes.columns)
        for index, convert in self._conversions.items():
            column = columns[index]
            columns[index] = None if column is None else convert(column)
        return replace(changes, columns=columns)

    def _after_policies(self, changes: Changes) -> list[Vector]:
        """The value's columns over the images."""
        columns = self._columns(changes, self.schemas.value_columns)
        for place, index in enumerate(self.schemas.value_columns):
            if index in self._policies:
                columns[place] = self._policies[index](columns[place])
        return columns

    @staticmethod
    def _columns(changes: Changes, indices: Sequence[int]) -> list[Vector]:
        columns = changes.columns
        return [column for i in indices if (column := columns[i]) is not None]

    def outline(self, rows: RowChanges) -> Outline:
        """What is known of the size of changes that this shape has prepared."""
        layouts, n = self._layouts_of(rows), len(rows)
        images = max(rows.columns[0].length if rows.columns else 0, 1)
        content, memory = content_of(rows.columns)
        keys = content_of(rows.keys or ())[0]
        content = content * min(2 * n, images) // images  # some rows of a snapshot's block may be left out of the records
        content += keys * n // images + n * _TIMES_BYTES + _source_content(rows)
        return Outline(n, layouts.key, layouts.value, content, memory)

    def _layouts_of(self, rows: RowChanges) -> _Layouts:
        if self._layouts is None:  # those of the first changes fit all: columns of one structure always have the same kinds
            values = self._columns(rows.changes, self.schemas.value_columns)
            self._layouts = self._made_layouts(values, rows, list(_varying(rows)))
        return self._layouts

    def _made_layouts(self, values: Sequence[Vector], rows: RowChanges, varying: Sequence[str]) -> _Layouts:
        envelope = _EnvelopeLayout(values, rows, len(rows.columns) + len(rows.keys or ()), varying)
        value = Layout(envelope.of(self.schemas.envelope), roles.LASTING)
        key = None if self.schemas.key is None else self._key_layout(self.schemas.key, rows, roles.KEY)
        return _Layouts(key, value)

    def _key_layout(self, schema: Schema, rows: RowChanges, role: int) -> Layout:
        columns = self._columns(rows.changes, self.schemas.key_columns)
        return Layout(Struct(schema, struct_fields(schema, columns, len(rows.columns), role)))

    def _headers(self, rows: RowChanges) -> tuple[SourceHeader, ...]:
        schema, expansion = self.schemas.key, rows.expansion
        if schema is None or not expansion.split:
            return self._context
        if self._other_keys is None:
            new, old = (self._key_layout(schema, rows, role) for role in (roles.NEW_KEY, roles.OLD_KEY))
            self._other_keys = new, old
        new, old = self._other_keys
        return (
            SourceHeader(NEW_KEY_HEADER, new, _those_with(expansion, roles.NEW_KEY)),
            SourceHeader(OLD_KEY_HEADER, old, _those_with(expansion, roles.OLD_KEY)),
            *self._context,
        )

    def _position_texts(self, rows: RowChanges) -> Binary:
        return self._positions.render([fact.vector for fact in rows.changes.position], rows.expansion.roles)


def constant_headers(texts: Mapping[str, str]) -> tuple[SourceHeader, ...]:
    """Headers that all records carry, by name."""
    return tuple(SourceHeader(name, Layout(Constant(Schema(Type.STRING), text))) for name, text in texts.items())


def flat(columns: Sequence[Vector]) -> list[Vector]:
    """The columns, each struct followed by the columns of its fields."""
    found = []
    for column in columns:
        found.append(column)
        if column.children and column.kind is Kind.STRUCT:
            found += flat(column.children)
    return found


def _source_content(rows: RowChanges) -> int:
    """The estimated bytes of the source blocks as text; a fact that several records share counts for each of them."""
    n, content = len(rows), 0
    for fact in rows.changes.source.values():
        vector = fact.vector
        if vector.kind is not _TEXT:
            content += NUMBER * n
        elif vector.length == 1:
            content += n * int(vector.data[0, 0])  # the view's first word
        else:
            content += int(np.add.reduce(vector.data[:, 0].take(rows.expansion.roles[fact.level]), dtype=np.int64))
    return content


def _those_with(expansion: Expansion, role: int) -> Mask | None:
    """Which records have a row in that role, shape (n,); None: all."""
    live = expansion.roles[role] >= 0
    return None if live.all() else live


def _varying(rows: RowChanges) -> dict[str, Vector]:
    """The values of the envelope besides images and source block, by field name."""
    ops = _OPERATIONS[rows.expansion.op]
    values = {"op": Vector(Kind.TEXT, len(ops), ops)}
    now = np.array((rows.now_us // 1000, rows.now_us, rows.now_us * 1000), np.int64)
    for i, name in enumerate(("ts_ms", "ts_us", "ts_ns")):
        values[name] = Vector(Kind.INT, 1, now[i : i + 1])
    if rows.changes.transaction_id is not None:
        values["id"] = rows.changes.transaction_id.vector
        orders = {"total_order": rows.total_order, "data_collection_order": rows.data_collection_order}
        values |= {name: integers(order) for name, order in orders.items() if order is not None}
    return values


def struct_fields(schema: Schema, columns: Sequence[Vector], first: int, role: int) -> Iterable[Node]:
    """The fields of a struct, from as many columns that stand flat from slot `first` on."""
    if len(columns) == len(schema.fields) and all(column.kind is not Kind.STRUCT for column in columns):
        return ColumnFields(schema, first, role)
    nodes, slot = [], first
    for field_, column in zip(schema.fields, columns, strict=True):
        nodes.append(_node(field_.schema, column, slot, role))
        slot += len(flat([column])) if column.children else 1
    return tuple(nodes)


def _node(schema: Schema, column: Vector, slot: int, role: int) -> Node:
    if column.kind is not Kind.STRUCT:
        return Column(schema, slot, role)
    found, behind = {}, slot + 1
    for name, child in zip(column.names, column.children, strict=True):
        found[name] = child, behind
        behind += len(flat([child]))
    nodes = tuple(_node(each.schema, *found[each.name], role) for each in schema.fields)
    return Struct(schema, nodes, role, slot)


class _SourceFields:
    """The nodes of a source block, made when they are asked for, as those of `ColumnFields`."""

    def __init__(self, schema: Schema, changes: Changes, first: int) -> None:
        """`first` is the slot of the first field that varies."""
        self._schema = schema
        self._constants = changes.constants
        self._slots = {name: slot for slot, name in enumerate(changes.source, first)}
        self._levels = {name: int(fact.level) for name, fact in changes.source.items()}

    def __iter__(self) -> Iterator[Node]:
        for field_ in self._schema.fields:
            slot = self._slots.get(field_.name)
            if slot is None:
                yield Constant(field_.schema, self._constants[field_.name])
            else:
                yield Column(field_.schema, slot, self._levels[field_.name])


class _EnvelopeLayout:
    """Makes the layout of an envelope: before, after, source, transaction, operation and times."""

    def __init__(self, values: Sequence[Vector], rows: RowChanges, first: int, varying: Sequence[str]) -> None:
        """`first` is the slot of the source block's first varying field; those of the fields `varying` follow."""
        self._values = values
        self._changes = rows.changes
        self._first = first
        self._slots = {name: slot for slot, name in enumerate(varying, first + len(rows.changes.source))}

    def of(self, schema: Schema) -> Struct:
        return Struct(schema, tuple(self._field(each.name, each.schema) for each in schema.fields))

    def _field(self, name: str, schema: Schema) -> Node:
        if name in ("before", "after"):
            role = roles.BEFORE if name == "before" else roles.AFTER
            return Struct(schema, struct_fields(schema, self._values, 0, role), role)
        if name == "source":
            return Struct(schema, _SourceFields(schema, self._changes, self._first))
        if name == "transaction":
            return self._transaction(schema)
        return Column(schema, self._slots[name], roles.RECORD if name == "op" else roles.BATCH)

    def _transaction(self, schema: Schema) -> Node:
        transaction_id = self._changes.transaction_id
        if transaction_id is None:
            return Constant(schema, None)
        level = int(transaction_id.level)
        nodes = (
            Column(each.schema, self._slots[each.name], level if each.name == "id" else roles.RECORD)
            for each in schema.fields
        )
        return Struct(schema, tuple(nodes), level, self._slots["id"])
