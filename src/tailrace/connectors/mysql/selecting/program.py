"""Plans in the transcoder's form, and the blocks of images that it fills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Bytes
from tailrace.connectors.mysql.plan import ColumnPlan, Storage
from tailrace.connectors.mysql.rows.layout import width_of
from tailrace.connectors.mysql.rows.memory import POOL
from tailrace.connectors.mysql.selecting import transcoding as t
from tailrace.connectors.mysql.selecting import values as v

Int64 = npt.NDArray[np.int64]

BLOCK_BYTES: Final = 4 << 20
_INTEGER_BYTES: Final = {1: 1, 2: 2, 3: 4, 4: 4, 8: 8}  # in a packet, by those in an image
_NUMBERS: Final = {Storage.FLOAT: 4, Storage.DOUBLE: 8, Storage.ENUM: 8, Storage.SET: 8}
_MOMENTS: Final = {Storage.TIME2: v.TIME, Storage.DATETIME2: v.DATETIME, Storage.TIMESTAMP2: v.TIMESTAMP}
_LONG: Final = frozenset({Storage.STRING, Storage.GEOMETRY, Storage.VECTOR})
_OTHERS: Final = {Storage.YEAR: v.YEAR, Storage.DATE: v.DATE, Storage.BIT: v.BITS}


@dataclass(frozen=True, slots=True)
class Program:
    """What the transcoder does with a row.

    Attributes:
        ops: a row of numbers for each column of the result.
        keys: the columns that are written twice.
        head: the beginning of an insert event with such rows.
        slack: bytes an image may have more than `copies` packets.
        copies: of the values of a row.

    """

    ops: Int64
    keys: Int64
    head: bytes
    slack: int
    copies: int


def program(plans: Sequence[ColumnPlan], repeated: Sequence[int]) -> Program:
    """The program for columns with these plans, some of which are repeated after the others."""
    count = len(plans) + len(repeated)
    rows = [_operation(plan) for plan in plans]
    slack = sum(row[v.WIDTH] for row in rows + [rows[i] for i in repeated]) + (count + 7) // 8 + t.SPARE
    copies = 2 if any(plans[i].storage in _LONG for i in repeated) else 1
    return Program(
        np.array(rows, np.int64).reshape(-1, v.FIELDS), np.array(repeated, np.int64), _head(count), slack, copies
    )


def _operation(plan: ColumnPlan) -> list[int]:
    width = abs(width_of(plan))
    if plan.storage is Storage.INT:
        return [v.NUMBER, _INTEGER_BYTES[plan.meta], 0, width]
    if plan.storage in _NUMBERS:
        return [v.NUMBER, _NUMBERS[plan.storage], 0, width]
    if plan.storage is Storage.DECIMAL:
        return [v.DECIMAL, plan.meta >> 8, plan.meta & 0xFF, width]
    if plan.storage in _MOMENTS:
        return [_MOMENTS[plan.storage], (plan.meta + 1) // 2, 0, width]
    return [_OTHERS.get(plan.storage, v.TEXT), 0, 0, width]


def _head(columns: int) -> bytes:
    """The body of a WRITE_ROWS_EVENT up to its first image, with all columns present."""
    count = bytes([columns]) if columns < 251 else b"\xfc" + columns.to_bytes(2, "little")
    fixed = bytes(8) + (2).to_bytes(2, "little")  # table id, flags, no extra data
    return fixed + count + b"\xff" * ((columns + 7) // 8)


class Block:
    """Images of up to `limit` rows, after the head of their event."""

    def __init__(self, of: Program, limit: int, first_row: int = 0) -> None:
        """`first_row`: bytes of the packet of a row that must fit."""
        self._program = of
        self._limit = limit
        head = of.head
        self.data: Bytes = POOL.take(max(BLOCK_BYTES, len(head) + of.copies * first_row + of.slack))
        self.data[: len(head)] = np.frombuffer(head, np.uint8)
        self._spans = np.zeros(len(of.ops) + 1, np.int64)
        self._state = np.zeros(t.STATE_SIZE, np.int64)
        self._state[t.OUT] = len(head)

    def fill(self, data: Bytes, start: int, end: int) -> tuple[int, int]:
        """Add the packets of `data[start:end]`; returns how that ended (see `transcoding`), and where."""
        self._state[t.IN] = start
        of = self._program
        status = t.transcode(
            data, end, of.ops, of.keys, self._spans, of.slack, of.copies, self._limit, self.data, self._state
        )
        return int(status), int(self._state[t.IN])

    def add(self, data: Bytes, begin: int, stop: int) -> int:
        """Add the one row `data[begin:stop]`, which must fit."""
        of = self._program
        return int(t.transcode_row(data, begin, stop, of.ops, of.keys, self._spans, self.data, self._state))

    def has_room(self, size: int) -> bool:
        """Whether a row of `size` bytes may still be added."""
        room = len(self.data) - self.end - self._program.slack
        return self.rows < self._limit and self._program.copies * size <= room

    @property
    def rows(self) -> int:
        """How many there are."""
        return int(self._state[t.ROWS])

    @property
    def end(self) -> int:
        """Where the event ends."""
        return int(self._state[t.OUT])

    @property
    def needed(self) -> int:
        """Bytes that the next packet takes with its header, as far as known."""
        return int(self._state[t.NEED])

    @property
    def column(self) -> int:
        """The column at fault."""
        return int(self._state[t.COLUMN])
