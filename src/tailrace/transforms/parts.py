"""Keys and values of records: what transforms that come as `$Key` and as `$Value` work on.

A key or value is null without a schema (a tombstone's value), null with one, or there. Kafka's transforms tell the three apart:
most leave nulls alone, some fail on them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from tailrace.changes.field_paths import is_null
from tailrace.changes.layouts import Layout, Node, Struct
from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.schema.connect import Type
from tailrace.transforms.spec import KEY, VALUE


@dataclass(frozen=True, slots=True)
class Part:
    """The keys or the values of records; `name` is `Key` or `Value`."""

    name: str

    @property
    def word(self) -> str:
        """The name in a message."""
        return self.name.lower()

    def layout(self, records: SourceRecords) -> Layout | None:
        """The layout; None: all are null without a schema."""
        return records.key if self.name == KEY else records.value

    def there(self, records: SourceRecords) -> Mask:
        """Which records have a schema, shape (n,)."""
        has = records.has_key if self.name == KEY else records.has_value
        if self.layout(records) is None:
            return np.zeros(len(records), np.bool_)
        return np.ones(len(records), np.bool_) if has is None else has

    def with_layout(self, records: SourceRecords, layout: Layout) -> SourceRecords:
        """The records with another layout of this part."""
        return replace(records, key=layout) if self.name == KEY else replace(records, value=layout)

    def put(self, records: SourceRecords, layout: Layout) -> SourceRecords:
        """The records with this part, which all of them have then."""
        if self.name == KEY:
            return replace(records, key=layout, has_key=None)
        return replace(records, value=layout, has_value=None)

    def without_schema(self, records: SourceRecords) -> SourceRecords:
        """The records with nulls that have no schema."""
        none = np.zeros(len(records), np.bool_)
        return replace(records, has_key=none) if self.name == KEY else replace(records, has_value=none)


KEYS: Final = Part(KEY)
VALUES: Final = Part(VALUE)


@dataclass(frozen=True, slots=True)
class Split:
    """Records by what their key or value is; None: there are none of the kind.

    Attributes:
        missing: null without a schema.
        null: null with one.
        present: not null.

    """

    missing: SourceRecords | None
    null: SourceRecords | None
    present: SourceRecords | None


def split(records: SourceRecords, part: Part) -> Split:
    """The records by what their key or value is."""
    layout = part.layout(records)
    if layout is None:
        return Split(records, None, None)
    there = part.there(records)
    if there.all() and not _can_be_null(layout.root):
        return Split(None, None, records)
    null = is_null(records, layout.root)
    return Split(_those(records, ~there), _those(records, there & null), _those(records, there & ~null))


def is_struct(layout: Layout) -> bool:
    """Whether the whole is a struct of which the fields are known."""
    return isinstance(layout.root, Struct) and layout.schema.type is Type.STRUCT


def _can_be_null(root: Node) -> bool:
    return not isinstance(root, Struct) or root.role is not None


def _those(records: SourceRecords, wanted: Mask) -> SourceRecords | None:
    return records.where(wanted) if wanted.any() else None
