"""Turns log records into rows of a change table.

Sources: "cdc.<capture_instance>_CT", https://learn.microsoft.com/sql/relational-databases/system-tables/cdc-capture-instance-ct-transact-sql
(operations, masks, large objects, computed columns); "KB3030352", https://support.microsoft.com/help/3030352 (`__$command_id`)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tailrace_standins.sqlserver.cdc.instances import Instance
from tailrace_standins.sqlserver.engine.catalog import Column, Table
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.values import MAX
from tailrace_standins.storage.log import Image

DELETE: Final = 1
INSERT: Final = 2
UPDATE_BEFORE: Final = 3
UPDATE_AFTER: Final = 4
_OLD_LOBS: Final = frozenset(("text", "ntext", "image"))


@dataclass(frozen=True, slots=True)
class Reader:
    """Turns row images of one definition of a table into rows of an instance's change table.

    Attributes:
        places: index of each captured column in an image; -1 if it is computed or was dropped.
        old_lobs: indices among the captured columns of text, ntext and image; `maxima`: of varchar(max) and the like.
        key: indices in an image of the identifying columns; an update of these is a delete and an insert.
        everything: the update mask of an insert or a delete.

    """

    places: tuple[int, ...]
    old_lobs: tuple[int, ...]
    maxima: tuple[int, ...]
    key: tuple[int, ...]
    everything: bytes

    def values(self, image: Image, operation: int, changed: Sequence[bool] = ()) -> list[Stored]:
        """The captured columns of a row."""
        found = [image[place] if place >= 0 else None for place in self.places]
        if operation in {DELETE, UPDATE_BEFORE}:
            for place in self.old_lobs:
                found[place] = None
        if operation == UPDATE_BEFORE:
            for place in self.maxima:
                if not changed[place]:
                    found[place] = None
        return found

    def changed(self, before: Image, after: Image) -> list[bool]:
        """True for each captured column that an update changed."""
        return [place >= 0 and before[place] != after[place] for place in self.places]

    def changes_key(self, before: Image, after: Image) -> bool:
        """Whether an update changes the row's key."""
        return any(before[place] != after[place] for place in self.key)


def reader(instance: Instance, table: Table) -> Reader:
    """The reader of an instance for one definition of its source table."""
    stored = {column.id: place for place, column in enumerate(table.stored)}
    columns: list[Column | None] = [table.by_id.get(captured.id) for captured in instance.columns]
    places = tuple(
        -1 if c is None or captured.is_computed else stored.get(c.id, -1)
        for c, captured in zip(columns, instance.columns, strict=True)
    )
    old = tuple(i for i, c in enumerate(columns) if c is not None and c.type.name in _OLD_LOBS)
    maxima = tuple(
        i
        for i, c in enumerate(columns)
        if c is not None and c.type.length == MAX and c.type.name not in _OLD_LOBS and c.type.name != "xml"
    )
    ids = set(instance.key)
    for index in table.indexes:
        if index.primary or (index.clustered and index.unique):
            ids |= {column for column, _ in index.columns}
    key = tuple(stored[i] for i in sorted(ids) if i in stored)
    return Reader(places, old, maxima, key, mask([True] * len(columns)))


def mask(changed: Sequence[bool]) -> bytes:
    """An update mask; column ordinal 1 is the lowest bit of the last byte."""
    number = sum(1 << place for place, is_changed in enumerate(changed) if is_changed)
    return number.to_bytes((len(changed) + 7) // 8, "big")


Row = tuple[int, bytes, list[Stored]]
Piece = tuple[bytes, Image | None, Image | None]


def collapsed(reading: Reader, sequence: bytes, moved: Sequence[tuple[Image | None, Image | None]]) -> list[Piece]:
    """The key updates of one statement, as (seqval, before, after), with seqvals from `sequence` on.

    They are split into deletes and inserts and sorted by key; a delete and an insert of the same key are collapsed into an
    update. So a statement such as `id = id + 1` never has a key twice at any time.

    Source: "Split, sort, collapse", https://learn.microsoft.com/sql/relational-databases/showplan-logical-and-physical-operators-reference
    """
    found: dict[tuple[tuple[bool, Stored], ...], list[Image | None]] = {}
    for place in (0, 1):
        for pair in moved:
            image = pair[place]
            if image is not None:
                key = tuple((image[each] is not None, image[each]) for each in reading.key)
                found.setdefault(key, [None, None])[place] = image
    number = int.from_bytes(sequence, "big")
    return [
        ((number + place).to_bytes(len(sequence), "big"), found[key][0], found[key][1])
        for place, key in enumerate(sorted(found))
    ]


def rows(reading: Reader, before: Image | None, after: Image | None) -> Iterator[Row]:
    """(operation, update mask, captured values) of a change; nothing if an update changed no captured column."""
    if before is None:
        assert after is not None  # noqa: S101  # a record has one image at least
        yield INSERT, reading.everything, reading.values(after, INSERT)
    elif after is None:
        yield DELETE, reading.everything, reading.values(before, DELETE)
    elif reading.changes_key(before, after):
        yield DELETE, reading.everything, reading.values(before, DELETE)
        yield INSERT, reading.everything, reading.values(after, INSERT)
    else:
        changed = reading.changed(before, after)
        if any(changed):
            bits = mask(changed)
            yield UPDATE_BEFORE, bits, reading.values(before, UPDATE_BEFORE, changed)
            yield UPDATE_AFTER, bits, reading.values(after, UPDATE_AFTER)
