"""`drop.fields.*` of ExtractNewRecordState: fields that a header names are left out.

The header is one that ExtractChangedRecordState has made, so each record has its own names; those with the same ones get one
layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from tailrace.changes.grouping import groups
from tailrace.changes.layout_edits import Edits, copied_basics, filled, named_nodes, struct_of
from tailrace.changes.layouts import Layout, Node, Struct
from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.transforms.failures import Failures
from tailrace.transforms.name_lists import Names, names_in

DROP_PROPERTIES: Final = (
    Property(name="drop.fields.header.name", default="", doc="A header with the names of fields to leave out."),
    Property(
        name="drop.fields.from.key", kind=Kind.BOOL, default=False, doc="Whether they are left out of the key as well."
    ),
    Property(
        name="drop.fields.keep.schema.compatible",
        kind=Kind.BOOL,
        default=True,
        doc="Whether fields that are not optional stay.",
    ),
)


class DroppedFields:
    """Which fields of rows and keys are left out.

    Attributes:
        all: those that are not optional as well.

    """

    def __init__(self, header: str, failures: Failures, *, from_key: bool, all_: bool) -> None:
        """`header` is the name of the header; "": nothing is left out."""
        self.all = all_
        self._header = header
        self._failures = failures
        self._from_key = from_key
        self._keys = Edits(self._key)

    def named(self, records: SourceRecords) -> Iterator[tuple[SourceRecords, Names]]:
        """The records, those with the same names together."""
        if not len(records):
            return
        if not self._header:
            yield records, ()
            return
        try:
            lists, codes = names_in(records, self._header)
        except TypeError:
            self._failures.all_of(records, f"the header {self._header} is no list of names")
            return
        for chosen in groups([codes]):
            yield records.take(chosen), lists[codes[chosen[0]]]

    def left(self, fields: Iterable[tuple[str, Node]], names: Names) -> list[tuple[str, Node]]:
        """The fields that stay; if any goes, nulls of the others become their defaults."""
        pairs = list(fields)
        gone = {name for name, node in pairs if name in names and (self.all or node.schema.optional)}
        if not gone and not (self.all and names):
            return pairs
        return [(name, filled(node)) for name, node in pairs if name not in gone]

    def key(self, key: Layout | None, names: Names) -> Layout | None:
        """The key without these fields, where they are to go."""
        if key is None or not names or not self._from_key or not isinstance(key.root, Struct):
            return key
        return self._keys.of(key, names)

    def _key(self, key: Layout, names: Names) -> Layout:
        root = key.root
        if not isinstance(root, Struct):
            return key
        pairs = named_nodes(root)
        left = self.left(pairs, names)
        return key if left == pairs else Layout(struct_of(copied_basics(root.schema), left), key.lasting)
