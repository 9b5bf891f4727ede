"""Layouts of the events that an outbox table's rows tell of, made of the envelope's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from tailrace.changes.envelopes import AFTER
from tailrace.changes.field_paths import Path, path_to
from tailrace.changes.layout_edits import filled, struct_of
from tailrace.changes.layouts import Layout, Node, Struct
from tailrace.changes.source_records import SourceHeader
from tailrace.schema.connect import Schema, Type
from tailrace.transforms.json_columns import struct_over
from tailrace.transforms.outbox_placement import ENVELOPE, HEADER, PARTITION, Placement

PAYLOAD = "payload"


@dataclass(frozen=True, slots=True)
class OutboxColumns:
    """The names of an outbox table's columns, as the properties give them; "" where there is none.

    Attributes:
        id: becomes the header `id`.
        key: becomes the key.
        payload: becomes the value.
        timestamp: becomes the record's time.
        version: becomes the version of the value's schema, if that is a struct.
        route: decides the topic.
        placements: where further columns go.
        ignores_missing: further columns that the table does not have are left out.

    """

    id: str
    key: str
    payload: str
    timestamp: str
    version: str
    route: str
    placements: tuple[Placement, ...]
    ignores_missing: bool


@dataclass(frozen=True, slots=True)
class ValueForm:
    """What the layout of a value depends on besides the envelope's.

    Attributes:
        route: the text of the column that decides the topic; it is in the name of the value's schema, if that is a struct.
        version: of that schema.
        payload: the schema of an expanded payload; None: it is as it was.
        lists: whether the arrays of that are `Lists`.
        first: the slot of an expanded payload's first column.
        role: the role of its columns.

    """

    route: str = ""
    version: int | None = None
    payload: Schema | None = None
    lists: bool = False
    first: int = -1
    role: int = -1


@dataclass(slots=True)
class OutboxLayouts:
    """What becomes of one layout of envelopes.

    Attributes:
        envelope: that layout.
        columns: which columns the table should have.
        problem: what is wrong with the table; "" if nothing is.

    """

    envelope: Layout
    columns: OutboxColumns
    problem: str = field(init=False)
    _key: Layout | None = field(init=False, default=None)
    _headers: tuple[SourceHeader, ...] | None = field(init=False, default=None)
    _values: dict[ValueForm, Layout] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.problem = next(self._problems(), "")

    def path(self, column: str) -> Path:
        """The path to a column of the new row. Raises `KeyError` if there is none of that name."""
        found = path_to(self.envelope.root, (AFTER, column))
        if found is None:
            raise KeyError(column)
        return found

    @property
    def after(self) -> Path:
        """The path to the new row."""
        return cast("Path", path_to(self.envelope.root, (AFTER,)))

    @property
    def payload(self) -> Path:
        """The path to the payload, whose nulls are its default."""
        found = self.path(self.columns.payload)
        return Path((*found.nodes[:-1], filled(found.node)))

    @property
    def partition(self) -> Path | None:
        """The path to the number of the partition."""
        last = next((each for each in reversed(self._placed(PARTITION)) if self._has(each.column)), None)
        return None if last is None else self.path(last.column)

    @property
    def version(self) -> Path | None:
        """The path to the version of a schema, if it counts."""
        return self.path(self.columns.version) if self.columns.version and self.is_struct else None

    @property
    def is_struct(self) -> bool:
        """Whether values are structs, of the payload and other columns."""
        return bool(self._placed(ENVELOPE))

    def key(self) -> Layout:
        """The layout of keys."""
        if self._key is None:
            self._key = Layout(filled(self.path(self.columns.key).node))
        return self._key

    def headers(self) -> tuple[SourceHeader, ...]:
        """The headers that are added."""
        if self._headers is None:
            named = [("id", self.columns.id), *((each.alias, each.column) for each in self._placed(HEADER))]
            self._headers = tuple(
                SourceHeader(name, Layout(filled(self.path(column).node))) for name, column in named if self._has(column)
            )
        return self._headers

    def value(self, form: ValueForm) -> Layout:
        """The layout of values."""
        if form not in self._values:
            self._values[form] = Layout(self._value(form), self.envelope.lasting)
        return self._values[form]

    def _value(self, form: ValueForm) -> Node:
        payload = self.payload.node if form.payload is None else self._expanded(form.payload, form)
        if not self.is_struct:
            return payload
        placed = [each for each in self._placed(ENVELOPE) if self._has(each.column)]
        further = [(each.alias, filled(self.path(each.column).node)) for each in placed]
        name = _inserted(self.after.schema.name, form.route)
        return struct_of(Schema(Type.STRUCT, name=name, version=form.version), [(PAYLOAD, payload), *further])

    @staticmethod
    def _expanded(schema: Schema, form: ValueForm) -> Node:
        return struct_over(schema, form.first, form.role, lists=form.lists)

    def _placed(self, place: str) -> list[Placement]:
        return [each for each in self.columns.placements if each.place == place]

    def _has(self, column: str) -> bool:
        return path_to(self.envelope.root, (AFTER, column)) is not None

    def _problems(self) -> Iterator[str]:
        """What is wrong, in words for `Failures`."""
        if not isinstance(cast("Struct", self.envelope.root).field(AFTER), Struct):
            yield "its envelope has no after"
            return
        columns = self.columns
        for name, column, type_ in (
            ("table.field.event.payload", columns.payload, None),
            ("table.field.event.id", columns.id, None),
            ("table.field.event.key", columns.key, None),
            ("route.by.field", columns.route, Type.STRING),
            ("table.field.event.timestamp", columns.timestamp, Type.INT64),
            ("table.field.event.schema.version", columns.version if self.is_struct else "", Type.INT32),
        ):
            if column or name not in {"table.field.event.timestamp", "table.field.event.schema.version"}:
                yield from self._problem(name, column, type_)
        for each in columns.placements:
            if not columns.ignores_missing or self._has(each.column):
                wanted = Type.INT32 if each.place == PARTITION else None
                yield from self._problem("table.fields.additional.placement", each.column, wanted)
        aliases = [PAYLOAD, *(each.alias for each in self._placed(ENVELOPE) if self._has(each.column))]
        if len(aliases) > len(set(aliases)):
            yield "table.fields.additional.placement gives two fields of the value one name"

    def _problem(self, name: str, column: str, type_: Type | None) -> Iterator[str]:
        if not self._has(column):
            yield f"{name} names the column {column!r}, which the table does not have"
        elif type_ is not None and self.path(column).schema.type is not type_:
            yield f"{name} names the column {column!r}, whose type is not {type_}"


def _inserted(name: str | None, route: str) -> str:
    """The name of a row's schema with the route before its last part."""
    head, dot, last = (name or "").rpartition(".")
    return route if name is None else f"{head}{dot}{route}.{last}"
