"""ExtractNewRecordState: the row itself in place of the envelope ("unwrap").

`delete.tombstone.handling.mode` decides what becomes of a delete and its tombstone; `old_delete_modes` has the properties that
did so before Debezium 3.

Source: Debezium's reference, "New Record State Extraction"; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, cast

import numpy as np

from tailrace.changes.envelopes import AFTER, BEFORE, OPERATION, images_of, is_envelope
from tailrace.changes.field_paths import path_to, values_are_null
from tailrace.changes.layout_edits import Edits, copied_basics, filled, named_nodes, struct_of
from tailrace.changes.layouts import Constant, Layout, Struct
from tailrace.changes.source_records import SourceHeader, SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.schema.connect import Schema, Type
from tailrace.transforms.dropped_fields import DROP_PROPERTIES, DroppedFields
from tailrace.transforms.metadata_fields import metadata_fields, node_of
from tailrace.transforms.name_lists import Names
from tailrace.transforms.old_delete_modes import MODES, OLD_PROPERTIES, settled
from tailrace.transforms.routed_by_field import routed
from tailrace.transforms.spec import ByContent, Making, Options, Topics, TransformSpec

DELETED: Final = "__deleted"
_DELETED_SCHEMA: Final = Schema(Type.STRING, optional=True)
_OF_TOMBSTONES: Final = "op"  # the only field that a tombstone has a header for
_D: Final = Layout(Constant(Schema(Type.STRING), "d"))


class ExtractNewRecordState:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(
        self,
        making: Making,
        *,
        delete_tombstone_handling_mode: str,
        add_fields: tuple[str, ...],
        add_headers: tuple[str, ...],
        add_fields_prefix: str,
        add_headers_prefix: str,
        route_by_field: str,
        replace_null_with_default: bool,
        drop_fields_header_name: str,
        drop_fields_from_key: bool,
        drop_fields_keep_schema_compatible: bool,
    ) -> None:
        self._failures = making.failures
        self._mode = delete_tombstone_handling_mode
        self._rewrites = self._mode in {"rewrite", "rewrite-with-tombstone"}
        self._fills = self._rewrites and replace_null_with_default
        self._fields = metadata_fields(add_fields, add_fields_prefix)
        self._header_fields = metadata_fields(add_headers, add_headers_prefix)
        self._route_by = route_by_field
        self._drops = DroppedFields(
            drop_fields_header_name.strip(),
            making.failures,
            from_key=drop_fields_from_key,
            all_=not drop_fields_keep_schema_compatible,
        )
        self._rows = Edits(self._row)
        self._states = Edits(_state)
        self._headers = Edits(self._added_headers)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The tombstones, the rows and the deletes, as far as there are any; what has no envelope stays as it is."""
        parts: list[SourceRecords] = []
        null = values_are_null(records)  # also one that has a schema, as this transform makes them
        if null.any():
            if self._mode == "rewrite-with-tombstone":
                parts.append(self._tombstones(records.where(null)))
            records = records.where(~null)
        if not len(records):
            return parts
        if not is_envelope(records.value.schema):
            return [*parts, records]
        root = cast("Struct", records.value.root)
        if root.field(AFTER) is None:
            return [*parts, self._failures.all_of(records, f"its value has no field {AFTER!r}")]
        images = images_of(records)
        if root.field(BEFORE) is None:
            records = self._failures.without(records, ~images.after, f"its value has no field {BEFORE!r}")
            images = images_of(records)
        gone = images.before & ~images.after
        if images.after.any():
            parts += self._unwrapped(records.where(images.after), AFTER)
        if gone.any():
            parts += self._deletes(records.where(gone))
        return parts

    def _tombstones(self, records: SourceRecords) -> SourceRecords:
        added = tuple(SourceHeader(each.name, _D) for each in self._header_fields if each.field == _OF_TOMBSTONES)
        return replace(records, headers=(*records.headers, *added))

    def _unwrapped(self, records: SourceRecords, image: str) -> Sequence[SourceRecords]:
        """The rows of one image."""
        if len(records) and cast("Struct", records.value.root).field(OPERATION) is None:
            return (self._failures.all_of(records, f"its value has no field {OPERATION!r}"),)
        found = []
        for routed_ in self._routed(records, image):
            headed = replace(routed_, headers=(*routed_.headers, *self._headers.of(routed_.value)))
            for each, names in self._drops.named(headed):
                value = self._rows.of(each.value, image, names)
                found.append(replace(each, value=value, key=self._drops.key(each.key, names)))
        return found

    def _deletes(self, records: SourceRecords) -> Sequence[SourceRecords]:
        if self._mode == "drop":
            return ()
        if self._rewrites:
            return self._unwrapped(records, BEFORE)
        gone = []
        for routed_ in self._routed(records, BEFORE):
            headed = replace(routed_, headers=(*routed_.headers, *self._headers.of(routed_.value)))
            for each, names in self._drops.named(headed):
                gone.append(self._without_row(replace(each, key=self._drops.key(each.key, names)), names))
        return gone

    def _without_row(self, records: SourceRecords, names: Names) -> SourceRecords:
        """Deletes whose value is null."""
        if self._mode != "delete-to-tombstone":  # a null that keeps its schema
            return replace(records, value=self._states.of(records.value))
        if names and not self._drops.all:
            return self._failures.all_of(records, "drop.fields.keep.schema.compatible needs the schema that a tombstone lacks")
        return replace(records, has_value=np.zeros(len(records), np.bool_))

    def _routed(self, records: SourceRecords, image: str) -> Sequence[SourceRecords]:
        if not self._route_by or not len(records):
            return (records,) if len(records) else ()
        path = path_to(records.value.root, (image, self._route_by))
        if path is None or path.schema.type is not Type.STRING:
            wrong = f"route.by.field is {self._route_by!r}, and the table has no such column of text"
            return (self._failures.all_of(records, wrong),)
        return routed(records, path, lambda text: text if text and text.strip() else None)

    def _row(self, envelope: Layout, image: str, names: Names) -> Layout:
        """The layout of rows: columns, `__deleted`, the added fields."""
        root = cast("Struct", envelope.root)
        struct = cast("Struct", root.field(image))
        pairs = [(name, filled(node) if self._fills else node) for name, node in named_nodes(struct)]
        if self._rewrites:
            pairs.append((DELETED, Constant(_DELETED_SCHEMA, "true" if image == BEFORE else "false")))
        nodes = [(wanted.name, node_of(wanted, root)) for wanted in self._fields]
        added = [(name, node) for name, node in nodes if node is not None]
        late = added if image == BEFORE else []  # a delete's fields are dropped before others are added
        pairs = [*self._drops.left(pairs if late else [*pairs, *added], names), *late]
        return Layout(struct_of(copied_basics(struct.schema), pairs), envelope.lasting)

    def _added_headers(self, envelope: Layout) -> tuple[SourceHeader, ...]:
        found = [(each.name, node_of(each, cast("Struct", envelope.root))) for each in self._header_fields]
        return tuple(SourceHeader(name, Layout(node)) for name, node in found if node is not None)


def _state(envelope: Layout) -> Layout:
    """The layout of the new state alone, which a delete does not have."""
    after = cast("Struct", cast("Struct", envelope.root).field(AFTER))
    return Layout(after, envelope.lasting)


def _topics(options: Options) -> Topics:
    return ByContent() if options["route_by_field"] else None


SPEC = TransformSpec(
    name="io.debezium.transforms.ExtractNewRecordState",
    doc="The row itself in place of the envelope.",
    properties=(
        Property(
            name="delete.tombstone.handling.mode",
            kind=Kind.ENUM,
            default="tombstone",
            allowed=MODES,
            doc="What becomes of a delete and the tombstone behind it.",
        ),
        Property(name="add.fields", kind=Kind.LIST, doc="Fields of the envelope to add to the row: `op`, `source.ts_ms:name`."),
        Property(name="add.headers", kind=Kind.LIST, doc="Fields of the envelope to add as headers."),
        Property(name="add.fields.prefix", default="__", doc="What the names of added fields begin with."),
        Property(name="add.headers.prefix", default="__", doc="What the names of added headers begin with."),
        Property(name="route.by.field", default="", doc="A column whose text becomes the topic."),
        Property(
            name="replace.null.with.default",
            kind=Kind.BOOL,
            default=True,
            doc="Whether the modes that rewrite put a column's default in the place of a null.",
        ),
        *DROP_PROPERTIES,
        *OLD_PROPERTIES,
    ),
    make=ExtractNewRecordState,
    topics=_topics,
    settle=settled,
)
