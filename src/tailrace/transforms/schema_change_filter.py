"""SchemaChangeEventFilter: schema changes of some kinds are dropped.

The kind is that of the event's first table; an event without tables is of the kind DATABASE.

Source: Debezium's reference, "SchemaChangeEventFilter"; comparison with the real one (tests/formats/test_schema_transforms.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tailrace.changes.field_paths import path_to, values_are_null
from tailrace.changes.layouts import Values
from tailrace.changes.source_records import Objects, SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.transforms.spec import Making, TransformSpec

_KINDS: Final = ("CREATE", "ALTER", "DROP", "TRUNCATE", "DATABASE")
_ENDINGS: Final = (".SchemaChangeValue", ".SchemaChangeKey")


class SchemaChangeEventFilter:
    """The `Transform`; its argument is the property of the same name."""

    def __init__(self, making: Making, *, schema_change_event_exclude_list: tuple[str, ...]) -> None:
        for kind in schema_change_event_exclude_list:
            if kind not in _KINDS:
                raise ValueError(f"schema.change.event.exclude.list: {kind!r} is none of {', '.join(_KINDS)}")
        self._failures = making.failures
        self._excluded = frozenset(schema_change_event_exclude_list)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records that stay; what is no schema change stays."""
        if not (records.value.schema.name or "").endswith(_ENDINGS) or not len(records):
            return (records,)
        path = path_to(records.value.root, ("tableChanges",))
        if path is None or not isinstance(path.node, Values):
            return (self._failures.without(records, ~values_are_null(records), "it has no tableChanges"),)
        values = _values(records, path.node)
        gone = np.array([value is None or _kind(value) in self._excluded for value in values], np.bool_)
        kept = records.where(~gone | values_are_null(records))
        return (kept,) if len(kept) else ()


def _values(records: SourceRecords, node: Values) -> list[Any]:
    """The table changes of each record; schema changes are rare, and their values Python's."""
    column = records.columns[node.slot]
    held = column.values if isinstance(column, Objects) else ()
    return [held[row] if row >= 0 else None for row in records.roles[node.role]]


def _kind(changes: Sequence[Any]) -> str:
    return str(changes[0]["type"]) if changes else "DATABASE"


SPEC = TransformSpec(
    name="io.debezium.transforms.SchemaChangeEventFilter",
    doc="Schema changes of some kinds are dropped.",
    properties=(
        Property(
            name="schema.change.event.exclude.list",
            kind=Kind.LIST,
            required=True,
            doc="The kinds: CREATE, ALTER, DROP, TRUNCATE, DATABASE (events without tables).",
        ),
    ),
    make=SchemaChangeEventFilter,
)
