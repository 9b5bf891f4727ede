"""ExtractChangedRecordState: headers with the names of columns that an update has changed, and of those that it has not.

Debezium compares byte arrays by identity, so that a column of bits counts as changed whenever it is not null; so it does
here.

Source: Debezium's reference, "Extract Changed Record State"; comparison with the real one
(tests/formats/test_changed_record_state.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from tailrace.changes.envelopes import AFTER, BEFORE, images_of, is_envelope
from tailrace.changes.field_paths import path_to, values_are_null
from tailrace.changes.layout_edits import Edits, named_nodes, with_columns
from tailrace.changes.layouts import Layout, Struct
from tailrace.changes.source_records import Mask, SourceHeader, SourceRecords
from tailrace.config.property import Property
from tailrace.schema.connect import Schema, Type
from tailrace.transforms.equal_values import are_equal
from tailrace.transforms.name_lists import ITEM, list_node, lists_of
from tailrace.transforms.spec import Making, TransformSpec


class ExtractChangedRecordState:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(self, making: Making, *, header_changed_name: str, header_unchanged_name: str) -> None:
        self._failures = making.failures
        self._names = tuple(name if name.strip() else "" for name in (header_changed_name, header_unchanged_name))
        self._headers = Edits(_header)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records with one header or two; what has no envelope stays as it is."""
        if not is_envelope(records.value.schema) or not any(self._names) or not len(records):
            return (records,)
        live = ~values_are_null(records)
        root = cast("Struct", records.value.root)
        if lacking := next((name for name in (BEFORE, AFTER) if root.field(name) is None), None):
            records = self._failures.without(records, live, f"its value has no field {lacking!r}")
            return (records,)
        fields, changed, both = _compared(records)
        chosen = zip(self._names, (changed, [both & ~each for each in changed]), strict=True)
        wanted = [(name, lists_of(fields, masks, len(records))) for name, masks in chosen if name]
        slot, role = len(records.columns), len(records.roles)
        made = with_columns(records, [lists for _, lists in wanted], [np.arange(len(records), dtype=np.int32)])
        added = [
            SourceHeader(name, self._headers.of(records.value, name, slot + i, role), None if live.all() else live)
            for i, (name, _) in enumerate(wanted)
        ]
        return (replace(made, headers=(*records.headers, *added)),)


def _header(_envelope: Layout, name: str, slot: int, role: int) -> Layout:
    return Layout(list_node(Schema(Type.ARRAY, optional=True, name=name, items=ITEM), slot, role))


def _compared(records: SourceRecords) -> tuple[list[str], list[Mask], Mask]:
    """The names of the columns, which records have changed each one, and which have both images; each shape (n,)."""
    images = images_of(records)
    both = images.before & images.after & ~values_are_null(records)
    rows = [path_to(records.value.root, (name,)) for name in (BEFORE, AFTER)]
    before, after = (row.node if row is not None and isinstance(row.node, Struct) else None for row in rows)
    if before is None or after is None:
        return [], [], both
    there, fields, changed = records.where(both), [], []
    for name, node in named_nodes(after):
        old = before.field(name)
        mask = np.zeros(len(records), np.bool_)
        if old is not None and len(there):
            mask[both] = ~are_equal(there, old, node)
        fields.append(name)
        changed.append(mask)
    return fields, changed, both


SPEC = TransformSpec(
    name="io.debezium.transforms.ExtractChangedRecordState",
    doc="Headers with the names of the columns that an update has changed, or has not.",
    properties=(
        Property(name="header.changed.name", default="", doc="The header with the columns that have changed."),
        Property(name="header.unchanged.name", default="", doc="The header with those that have not."),
    ),
    make=ExtractChangedRecordState,
)
