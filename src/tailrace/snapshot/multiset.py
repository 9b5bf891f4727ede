"""Tables without a key: what the log says of the rows that such a table had at P.

Its rows are a multiset: equal rows can't be told apart, and they need not be. So a change that takes a row away takes
one that came after P as long as there is one of these; if there is none, the row was there at P, and the image before
tells it. In this way each change that takes a row of P away tells that row, once. What came after P and is still there
is known at any place S of the log, as a number for each row that it concerns. A read that shows the table exactly as it
is at S shows these too: so many of them are left out, and what is left are the other rows of P.

A row is its bytes as the row image has them, by their digest. Changes with an image that is not complete say nothing;
they are counted, because what was read is then not what the table held at P. Nor can it be where a row that came after P
is not in the read, which shows changes that are not in the log.

Only rows that came after P take memory: 36 to 72 bytes for each different one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.kernels.compiling import Int, entry, inlined
from tailrace.snapshot.digests import Digests
from tailrace.snapshot.first_changes import Break, FirstTouches, Rows, TableTouches
from tailrace.snapshot.key_set import find, take

_SMALLEST: Final = 64  # slots; always a power of two
_NONE: Final = np.uint64(0)
_ONE: Final = np.uint64(1)
_NEW: Final = 2  # the column that counts


class RowCounts:
    """One table's changes since P, taken note of in log order: how many rows came that were not there at P.

    What it knows follows from the sequence of changes alone, however they are cut into batches. So reading the log from
    P to the same place again rebuilds it.

    Attributes:
        incomplete: changes with an image that was not complete.
        is_replaced: another table got its name.

    """

    def __init__(self) -> None:
        self.incomplete = 0
        self.is_replaced = False
        self._slots = _empty(_SMALLEST)
        self._count = np.zeros(1, np.int64)

    @property
    def left(self) -> int:
        """How many rows that came after P there are, but for those that `untouched` has left out."""
        return int(self._slots[:, _NEW].sum())

    def doubts(self, *, is_whole: bool) -> Iterator[str]:
        """Why what `untouched` gave may not be the rows of P, once all rows were read; `is_whole`: all of the table's."""
        if self.incomplete:
            yield f"{self.incomplete} changes lack columns (binlog_row_image; or text, ntext, image)"
        if self.is_replaced:
            yield "another table got its name"
        if is_whole and self.left:
            yield (
                f"{self.left} rows that came meanwhile, as the log says, are not there: its structure was changed, or the log "
                "lacks changes"
            )

    def note(self, touches: TableTouches) -> FirstTouches:
        """Take note of further changes; which of them have an image before that was a row at P."""
        if touches.broken is not None:
            self._break(touches.broken)
        rows = np.empty(len(touches), np.int64)
        found = np.zeros(2, np.int64)
        images = (touches.before, touches.has_before, touches.after, touches.has_after, touches.complete)
        at = 0
        while at < len(touches):
            at = int(_note(self._slots, self._count, self._limit, *images, at, rows, found))
            if at < len(touches):
                self._grow()
        self.incomplete += int(found[1])
        return FirstTouches(rows[: found[0]], int(found[1]))

    def untouched(self, digests: Digests) -> Rows:
        """Which of the rows that were read were there at P and are not told by images; to be asked once for each row.

        The rows are of a read that shows the table as it is where the log was noted up to.
        """
        kept = np.empty(len(digests), np.bool_)
        _leave_out(self._slots, digests, kept)
        return np.flatnonzero(kept)

    @property
    def _limit(self) -> int:
        return 2 * len(self._slots) // 3

    def _break(self, what: Break) -> None:
        """What came before is gone: of a table that was emptied, all rows that it has now came after that."""
        self._slots, self._count[0] = _empty(_SMALLEST), 0
        self.is_replaced = self.is_replaced or what is Break.REPLACED

    def _grow(self) -> None:
        """Make room: rows that came and went need none any more."""
        live = self._slots[self._slots[:, _NEW] > 0]
        slots = _SMALLEST
        while slots < 3 * len(live):
            slots *= 2
        larger, self._count[0] = _empty(slots), 0
        _move(live, larger, self._count)
        self._slots = larger


def _empty(slots: int) -> npt.NDArray[np.uint64]:
    return np.zeros((slots, _NEW + 1), np.uint64)


@inlined
def _slot(slots: Any, count: Any, first: Int, second: Int) -> Int:
    """The slot of a digest, which is taken if it was free."""
    at = take(slots, count, first, second)
    return at if at >= 0 else -1 - at


@entry
def _note(
    slots: Any, count: Any, limit: Int, before: Any, has_before: Any, after: Any, has_after: Any, complete: Any,
    start: Int, rows: Any, found: Any,
) -> int:  # fmt: skip
    """Returns where it stopped for want of room; a change needs one slot."""
    for i in range(start, len(complete)):
        if count[0] + 1 > limit:
            return i
        if not complete[i]:
            found[1] += 1
            continue
        if has_before[i]:
            at = find(slots, before[i, 0], before[i, 1])
            if at >= 0 and slots[at, _NEW] > _NONE:
                slots[at, _NEW] -= _ONE
            else:
                rows[found[0]] = i
                found[0] += 1
        if has_after[i]:
            at = _slot(slots, count, after[i, 0], after[i, 1])
            slots[at, _NEW] += _ONE
    return len(complete)


@entry
def _leave_out(slots: Any, digests: Any, kept: Any) -> None:
    for i in range(len(digests)):
        at = find(slots, digests[i, 0], digests[i, 1])
        kept[i] = at < 0 or slots[at, _NEW] == _NONE
        if not kept[i]:
            slots[at, _NEW] -= _ONE


@entry
def _move(live: Any, larger: Any, count: Any) -> None:
    for i in range(len(live)):
        at = _slot(larger, count, live[i, 0], live[i, 1])
        larger[at, _NEW] = live[i, _NEW]
