"""First changes: what the log says about the rows that a table had at a position P.

A change touches the key of its before image (update, delete) and that of its after image (insert, update). The first
touch of a key after P decides: a row that is touched first by a before image was that image at P; one that is touched
first by an after image was absent. An untouched key is as it was at P, whenever it is read. So an update that
moves a row to another key touches both, and the row is found whether a read saw it at one, the other, both or none.

A key here is its bytes in the row image: two keys that are equal in the database's collation but different
in bytes are two keys, of which the database holds one at a time.

An incomplete before image (`binlog_row_image` other than FULL in that session) can't be used:
its key does not count as touched, and its row is delivered as it is read. The changes from P on correct it; it is
counted, because that row of the snapshot is not the table's row at P. The after image of the same change still says
that its own key was absent before, if that is another key; not if the before key is unknown.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tailrace.kernels import argument_types as arg
from tailrace.kernels.compiling import Int, entry
from tailrace.snapshot.digests import Digests
from tailrace.snapshot.key_set import KeySet, Mask, find, insert

Rows = npt.NDArray[np.int64]  # indices of rows, or of changes
Indices = npt.NDArray[np.int32]  # of images, -1 for none


class Break(enum.Enum):
    """An event that ends a table's row history."""

    EMPTIED = "emptied"  # truncated or dropped: later rows are all in the log
    REPLACED = "replaced"  # another table got its name


@dataclass(slots=True)
class TableTouches:
    """The keys of `n` changes of one table in log order; for a table without a key, whole rows.

    Attributes:
        table: its name, as in segments.
        before: digest of the key before each change, shape (n, 2); undefined where `has_before` is False.
        has_before: whether there is a before image with a known key, shape (n,).
        after: digest of the key after each change, shape (n, 2).
        has_after: whether there is an after image with a known key, shape (n,).
        complete: whether the before image has every column, shape (n,); True for an insert. False without
            `has_before` is an update or a delete with an unknown key. For a table without a key, whether
            both images have every column.
        broken: what happened to a table without a key before these changes.
        images: the changes themselves; the connector's own.

    """

    table: str
    before: Digests
    has_before: Mask
    after: Digests
    has_after: Mask
    complete: Mask
    images: Any = None
    broken: Break | None = None

    def __len__(self) -> int:
        return len(self.complete)

    @classmethod
    def of_images(
        cls,
        table: str,
        before: Indices,
        after: Indices,
        digests: Digests,
        complete: Mask,
        images: Any,
        *,
        is_whole: bool,
    ) -> TableTouches:
        """Changes whose images are rows of one table of images.

        Args:
            table: its name.
            before: index of each change's before image, -1 for none; shape (n,).
            after: the same for the after image.
            digests: of the images' keys, or of whole rows; shape (m, 2), m at least 1 where there are changes.
            complete: whether each image has every column; shape (m,).
            images: the changes themselves.
            is_whole: the table has no key, so both images must be complete.

        """
        has_before, has_after = before >= 0, after >= 0
        is_complete = complete[before] | ~has_before
        if is_whole:
            is_complete &= complete[after] | ~has_after
        return cls(table, digests[before], has_before, digests[after], has_after, is_complete, images)


@dataclass(frozen=True, slots=True)
class FirstTouches:
    """What some changes say about P.

    Attributes:
        rows: the changes whose before image is a row at P, in log order; shape (m,).
        incomplete: how many changes had a before image that was needed and incomplete.

    """

    rows: Rows
    incomplete: int


class Rewinder:
    """One table's changes since P, in log order: the touched keys, and their rows at P.

    The state depends only on the sequence of changes, not on their batches. So reading the log from
    P to the same position again rebuilds it.
    """

    def __init__(self) -> None:
        self.touched = KeySet()

    def note(self, touches: TableTouches) -> FirstTouches:
        """Apply further changes; return those whose before image is a row at P."""
        rows = np.empty(len(touches), np.int64)
        found = np.zeros(2, np.int64)
        at = self._note(touches, 0, rows, found)
        while at < len(touches):
            self.touched.grow()
            at = self._note(touches, at, rows, found)
        return FirstTouches(rows[: found[0]], int(found[1]))

    def note_keys(self, touches: TableTouches) -> None:
        """Add all known keys, including those of incomplete images."""
        add_known_keys(self.touched, touches)

    def untouched(self, digests: Digests) -> Rows:
        """Which of the rows read are as they were at P."""
        return np.flatnonzero(~self.touched.contains(digests))

    def _note(self, touches: TableTouches, start: int, rows: Rows, found: Rows) -> int:
        touched = self.touched
        before, after = touches.before, touches.after
        has_before, has_after = touches.has_before, touches.has_after
        images = (before, has_before, after, has_after, touches.complete)
        return int(_note(touched.slots, touched.count, touched.limit, *images, start, rows, found))


@dataclass(frozen=True, slots=True)
class Rewound:
    """A chunk as of P.

    Attributes:
        rows: the rows of the chunk that are as they were at P, shape (m,).
        images: changes whose before images are the chunk's other rows at P, in log order; none without rows.
        incomplete: how many changes had a before image that was needed and incomplete.

    """

    rows: Rows
    images: list[tuple[TableTouches, Rows]] = field(default_factory=list)
    incomplete: int = 0


def rewound(digests: Digests, touches: Iterable[TableTouches], inside: Callable[[TableTouches, Rows], Mask]) -> Rewound:
    """Rewind one chunk to its own position P, for an incremental snapshot.

    Args:
        digests: of the keys of the rows that were read, shape (n, 2).
        touches: the table's changes after P, up to a log head that was taken after the read.
        inside: True for each of these changes whose before key lies in the chunk's range.

    """
    rewinder = Rewinder()
    images = []
    incomplete = 0
    for some in touches:
        first = rewinder.note(some)
        incomplete += first.incomplete
        rows = first.rows[inside(some, first.rows)] if len(first.rows) else first.rows
        if len(rows):  # changes without a row of the chunk are not kept in memory
            images.append((some, rows))
    return Rewound(rewinder.untouched(digests), images, incomplete)


def outside_window(digests: Digests, touches: Iterable[TableTouches], skipped: Collection[str] = ()) -> Mask:
    """Debezium's window rule for a chunk: a change within the window wins over the row with its key that was read.

    True for each row that stays, shape (n,). These rows come after the changes of the window; they are the
    table's rows at its end, whatever the images say. Use it where the snapshot can't claim a position.
    """
    changed = KeySet()
    for some in touches:
        add_known_keys(changed, some, skipped)
    return ~changed.contains(digests)


def add_known_keys(keys: KeySet, touches: TableTouches, skipped: Collection[str] = ()) -> None:
    """Add all known keys of changes, including those of incomplete images.

    `skipped`: operations that are not delivered ("c", "u"), so that consumers don't get their rows from them. A deleted
    row is gone regardless, and so is one that was moved to another key.
    """
    counts = np.ones(len(touches), np.bool_)
    if "c" in skipped:
        counts &= touches.has_before | ~touches.complete
    if "u" in skipped:
        stays = (touches.before == touches.after).all(axis=1)
        counts &= ~(touches.has_before & touches.has_after & stays)
    keys.add(touches.before[touches.has_before & counts])
    keys.add(touches.after[touches.has_after & counts])


@entry(
    arg.UINT_TABLE, arg.INTS, arg.INT, arg.READ_UINT_TABLE, arg.READ_FLAGS, arg.READ_UINT_TABLE, arg.READ_FLAGS,
    arg.READ_FLAGS, arg.INT, arg.INTS, arg.INTS
)
def _note(
    slots: Any, count: Any, limit: Int, before: Any, has_before: Any, after: Any, has_after: Any, complete: Any,
    start: Int, rows: Any, found: Any,
) -> int:  # fmt: skip
    """Return the index where it ran out of room; a change needs two slots."""
    for i in range(start, len(complete)):
        if count[0] + 2 > limit:
            return i
        if complete[i]:
            if has_before[i] and insert(slots, count, before[i, 0], before[i, 1]):
                rows[found[0]] = i
                found[0] += 1
            if has_after[i]:
                insert(slots, count, after[i, 0], after[i, 1])
            continue
        if not has_before[i] or find(slots, before[i, 0], before[i, 1]) < 0:
            found[1] += 1
        moved = before[i, 0] != after[i, 0] or before[i, 1] != after[i, 1]
        if has_before[i] and has_after[i] and moved:
            insert(slots, count, after[i, 0], after[i, 1])
    return len(complete)
