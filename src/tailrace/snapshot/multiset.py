"""Tables without a key: what the log says about the rows that such a table had at P.

Its rows are a multiset: equal rows can't be distinguished, and need not be. So a change that removes a row removes
one that came after P, as long as there is one; if there is none, the row existed at P, and the before image
has it. So each change that removes a row of P delivers that row, once. The rows that came after P and still exist
are known at any position S of the log, as a count for each distinct row. A read that shows the table exactly as it
is at S includes them: that many of them are skipped, which leaves the other rows of P.

A row is identified by the digest of its row image's bytes. Changes with an incomplete image say nothing;
they are counted, because the rows read are then not those of P. The same holds if the read lacks a row that came
after P: it then shows changes that are not in the log.

Where a statement of the user's own chooses the rows, no image is delivered, as nobody knows whether it would be chosen.
But if the read has a row that equals one of P which is gone, that was chosen, too: the row is delivered once more for each.

Only rows that came after P take memory, and chosen ones that are gone: 48 to 96 bytes for each distinct one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.kernels import argument_types as arg
from tailrace.kernels.compiling import Int, entry, inlined
from tailrace.snapshot.digests import Digests
from tailrace.snapshot.first_changes import Break, FirstTouches, Rows, TableTouches
from tailrace.snapshot.key_set import find, take

_SMALLEST: Final = 64  # slots; always a power of two
_NONE: Final = np.uint64(0)
_ONE: Final = np.uint64(1)
_NEW, _GONE = 2, 3  # the columns that count: what came after P, and what was there at P and is gone


class RowCounts:
    """One table's changes since P, in log order: how many rows came that did not exist at P.

    The state depends only on the sequence of changes, not on their batches. So reading the log from
    P to the same position again rebuilds it.

    Attributes:
        incomplete: changes with an incomplete image.
        is_replaced: another table got its name.

    """

    def __init__(self, *, is_chosen: bool = False) -> None:
        """`is_chosen`: whether the rows of images are not delivered, because a statement chooses the rows."""
        self.incomplete = 0
        self._is_chosen = is_chosen
        self.is_replaced = False
        self._slots = _empty(_SMALLEST)
        self._count = np.zeros(1, np.int64)

    @property
    def left(self) -> int:
        """How many rows came after P, without those that `untouched` has skipped."""
        return int(self._slots[:, _NEW].sum())

    def doubts(self, *, is_whole: bool) -> Iterator[str]:
        """Why the rows of `untouched` may not be those of P; `is_whole`: all rows of the table were read."""
        if self.incomplete:
            yield (
                f"{self.incomplete} changes lack columns (binlog_row_image; text, ntext, image; large objects, XML, images "
                "before updates), so rows may be missing or come twice"
            )
        if self.is_replaced:
            yield "another table got its name"
        if is_whole and self.left:
            yield (
                f"{self.left} rows that came meanwhile, as the log says, are not there: its structure was changed, or the log "
                "lacks changes"
            )

    def note(self, touches: TableTouches) -> FirstTouches:
        """Apply further changes; return those whose before image was a row at P."""
        if touches.broken is not None:
            self._break(touches.broken)
        rows = np.empty(len(touches), np.int64)
        found = np.zeros(2, np.int64)
        images = (touches.before, touches.has_before, touches.after, touches.has_after, touches.complete)
        at = 0
        while at < len(touches):
            at = int(_note(self._slots, self._count, self._limit, *images, at, rows, found, self._is_chosen))
            if at < len(touches):
                self._grow()
        self.incomplete += int(found[1])
        return FirstTouches(rows[: found[0]], int(found[1]))

    def untouched(self, digests: Digests) -> Rows:
        """Which of the rows read existed at P and are not delivered from images; call it once for each row.

        The read must show the table at the position up to which the log was applied. Where rows are chosen, one comes once
        more for each that it equals and that is gone.
        """
        times = np.empty(len(digests), np.int64)
        _leave_out(self._slots, digests, times)
        return np.repeat(np.arange(len(digests)), times)

    @property
    def _limit(self) -> int:
        return 2 * len(self._slots) // 3

    def _break(self, what: Break) -> None:
        """Forget earlier rows: after a table was emptied, all its rows are newer."""
        self._slots, self._count[0] = _empty(_SMALLEST), 0
        self.is_replaced = self.is_replaced or what is Break.REPLACED

    def _grow(self) -> None:
        """Make room; rows that came and went no longer need any."""
        live = self._slots[(self._slots[:, _NEW] > 0) | (self._slots[:, _GONE] > 0)]
        slots = _SMALLEST
        while slots < 3 * len(live):
            slots *= 2
        larger, self._count[0] = _empty(slots), 0
        _move(live, larger, self._count)
        self._slots = larger


def _empty(slots: int) -> npt.NDArray[np.uint64]:
    return np.zeros((slots, _GONE + 1), np.uint64)


@inlined
def _slot(slots: Any, count: Any, first: Int, second: Int) -> Int:
    """The slot of a digest; takes a free one if there is none yet."""
    at = take(slots, count, first, second)
    return at if at >= 0 else -1 - at


@entry(
    arg.UINT_TABLE, arg.INTS, arg.INT, arg.READ_UINT_TABLE, arg.READ_FLAGS, arg.READ_UINT_TABLE, arg.READ_FLAGS,
    arg.READ_FLAGS, arg.INT, arg.INTS, arg.INTS, arg.FLAG
)
def _note(
    slots: Any, count: Any, limit: Int, before: Any, has_before: Any, after: Any, has_after: Any, complete: Any,
    start: Int, rows: Any, found: Any, keeps_gone: bool,
) -> int:  # fmt: skip
    """Return the index where it ran out of room; a change needs two slots."""
    for i in range(start, len(complete)):
        if count[0] + 2 > limit:
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
                if keeps_gone:
                    at = _slot(slots, count, before[i, 0], before[i, 1])
                    slots[at, _GONE] += _ONE
        if has_after[i]:
            at = _slot(slots, count, after[i, 0], after[i, 1])
            slots[at, _NEW] += _ONE
    return len(complete)


@entry(arg.UINT_TABLE, arg.READ_UINT_TABLE, arg.INTS)
def _leave_out(slots: Any, digests: Any, times: Any) -> None:
    for i in range(len(digests)):
        at = find(slots, digests[i, 0], digests[i, 1])
        times[i] = 1
        if at < 0:
            continue
        if slots[at, _NEW] > _NONE:
            slots[at, _NEW] -= _ONE
            times[i] = 0
        times[i] += np.int64(slots[at, _GONE])
        slots[at, _GONE] = _NONE


@entry(arg.UINT_TABLE, arg.UINT_TABLE, arg.INTS)
def _move(live: Any, larger: Any, count: Any) -> None:
    for i in range(len(live)):
        at = _slot(larger, count, live[i, 0], live[i, 1])
        larger[at, _NEW] = live[i, _NEW]
        larger[at, _GONE] = live[i, _GONE]
