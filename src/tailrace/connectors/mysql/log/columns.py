"""The columns that the walk fills, and how they become items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from uuid import UUID

import numpy as np

from tailrace.connectors.mysql.log import walk
from tailrace.connectors.mysql.log.items import (
    Bytes,
    Int64,
    Interval,
    Origin,
    RowEvents,
    Transaction,
    Transactions,
)
from tailrace.connectors.mysql.positions import file_number

_CAPACITY: Final = (1 << 16) + 72  # no power of two: the columns would share one set of the cache


class Columns:
    """Row events and transactions since the last run was taken, and the walk's state."""

    def __init__(self, file: str, position: int, until: tuple[str, int] | None = None) -> None:
        self.state: Int64 = np.zeros(walk.STATE_CELLS, np.int64)
        self.events: Int64 = np.empty((walk.EVENT_COLUMNS, _CAPACITY), np.int64)
        self.transactions: Int64 = np.empty((walk.TRANSACTION_COLUMNS, _CAPACITY), np.int64)
        self.origins: list[Origin] = []
        self.origin_rows: Bytes = np.zeros((16, walk.ORIGIN_BYTES), np.uint8)
        self.carried_query = b""
        self.block: Bytes = np.empty(0, np.uint8)  # the block of the events collected so far
        self._continued = False
        self._begun = False  # a run has had the BEGIN of the open transaction
        self._until = until
        self.enter(file, position)
        self.state[[walk.FIXED_START, walk.OPEN, walk.QUERY, walk.LAST_TABLE, walk.LAST_ENTRY]] = -1

    def extend(self, until: tuple[str, int] | None) -> None:
        """Continue reading to another end."""
        self._until = until
        self.state[walk.LIMIT] = _limit(self.file, until)

    def enter(self, file: str, position: int) -> None:
        """Continue in a file; in one after the last wanted file, reading ends immediately."""
        self.file = file
        self.state[walk.POSITION] = position
        self.state[walk.LIMIT] = _limit(file, self._until)

    @property
    def position(self) -> int:
        """The offset after the last consumed event; a compressed transaction is one event."""
        ended = self.state[walk.FIXED_START] >= 0 and self.state[walk.OPEN] < 0
        return int(self.state[walk.FIXED_END if ended else walk.POSITION])

    @property
    def restart(self) -> int:
        """The start of the open transaction, else `position`."""
        opened = self.state[walk.OPEN]
        return self.position if opened < 0 else int(self.transactions[walk.TX_START, opened])

    def take(self) -> Iterator[RowEvents]:
        """The collected run; nothing if no event came and no transaction ended."""
        if self.state[walk.EVENTS] or self.state[walk.ENDED]:
            yield self._taken()

    def take_events(self) -> Iterator[RowEvents]:
        """The collected run, if it has events: they need the block that is being left."""
        if self.state[walk.EVENTS]:
            yield self._taken()

    def take_begun(self) -> Iterator[RowEvents]:
        """The same as `take`; and also a run of nothing but a BEGIN, so that what follows it is not first."""
        begun = self.state[walk.OPEN] >= 0 and self.state[walk.BEGUN] and not self._begun
        if self.state[walk.EVENTS] or self.state[walk.ENDED] or begun:
            yield self._taken()

    def _taken(self) -> RowEvents:
        count, ended = self.state[walk.EVENTS], self.state[walk.ENDED]
        events = self.events[:, :count].copy()
        cells = self.transactions[:, : self.state[walk.TRANSACTIONS]].copy()
        run = RowEvents(
            file=self.file,
            position=self.position,
            restart=self.restart,
            executed=_executed(cells, self.origins) if ended else (),
            data=self.block,
            body=events[walk.EV_BODY],
            end=events[walk.EV_END],
            kind=events[walk.EV_TYPE],
            start=events[walk.EV_POSITION],
            slot=events[walk.EV_SLOT],
            timestamp=events[walk.EV_TIMESTAMP],
            server_id=events[walk.EV_SERVER],
            transaction=events[walk.EV_TRANSACTION],
            query=events[walk.EV_QUERY],
            query_length=events[walk.EV_QUERY_LENGTH],
            flags=events[walk.EV_FLAGS],
            part=events[walk.EV_PART],
            number=events[walk.EV_NUMBER],
            carried_query=self.carried_query,
            transactions=_transactions(cells, self.origins),
            continued=self._continued,
        )
        self._keep_open()
        return run

    def _keep_open(self) -> None:
        """Empty the columns; the open transaction becomes the first of the next run."""
        opened = int(self.state[walk.OPEN])
        self._continued = opened >= 0
        self._begun = opened >= 0 and bool(self.state[walk.BEGUN])
        if opened >= 0:
            self.transactions[:, 0] = self.transactions[:, opened]
        self.state[walk.OPEN] = 0 if opened >= 0 else -1
        self.state[walk.TRANSACTIONS] = 1 if opened >= 0 else 0
        self.state[walk.EVENTS] = self.state[walk.ENDED] = 0

    def begin(self, data: Bytes) -> None:
        """Open a transaction at the event where the walk stopped, unless one is open; after `take`."""
        if self.state[walk.OPEN] < 0:
            walk.begin(data, self.state, self.transactions)

    def opened(self) -> Transaction:
        """The open transaction so far."""
        index = int(self.state[walk.OPEN])
        return _transactions(self.transactions[:, index : index + 1].copy(), self.origins)[0]

    def end(self, data: Bytes, outcome: int) -> tuple[Transaction, tuple[Interval, ...]]:
        """End the only transaction with the event where the walk stopped, and drop it; after `take`."""
        index = int(self.state[walk.OPEN])
        walk.close(data, self.state, self.transactions, outcome)
        cells = self.transactions[:, index : index + 1].copy()
        self._keep_open()
        return _transactions(cells, self.origins)[0], _executed(cells, self.origins)

    def add_origin(self, uuid: bytes, tag: bytes = b"") -> None:
        """Give a new origin the next number."""
        number = len(self.origins)
        if number + 1 == len(self.origin_rows):
            self.origin_rows = np.concatenate([self.origin_rows, np.zeros_like(self.origin_rows)])
        row = uuid + bytes([len(tag)]) + tag
        self.origin_rows[number, : len(row)] = np.frombuffer(row, np.uint8)
        self.origins.append(Origin(UUID(bytes=uuid), tag.decode()))
        self.state[walk.ORIGINS] = number + 1


def _limit(file: str, until: tuple[str, int] | None) -> int:
    if until is None or not file or file_number(file) < file_number(until[0]):
        return walk.NO_LIMIT
    return until[1] if file_number(file) == file_number(until[0]) else 0


def _transactions(cells: Int64, origins: list[Origin]) -> Transactions:
    return Transactions(
        origins=origins,
        origin=cells[walk.TX_ORIGIN],
        gno=cells[walk.TX_GNO],
        immediate_us=cells[walk.TX_IMMEDIATE],
        original_us=cells[walk.TX_ORIGINAL],
        thread=cells[walk.TX_THREAD],
        server_id=cells[walk.TX_SERVER],
        start=cells[walk.TX_START],
        begin=cells[walk.TX_BEGIN],
        begin_timestamp=cells[walk.TX_BEGIN_TIMESTAMP],
        end=cells[walk.TX_END],
        end_timestamp=cells[walk.TX_END_TIMESTAMP],
        outcome=cells[walk.TX_OUTCOME],
        xid=cells[walk.TX_XID],
        last_committed=cells[walk.TX_LAST_COMMITTED],
        sequence=cells[walk.TX_SEQUENCE],
        xa=cells[walk.TX_XA],
    )


def _executed(cells: Int64, origins: list[Origin]) -> tuple[Interval, ...]:
    """The GTIDs of the transactions that ended, as intervals."""
    outcome, origin = cells[walk.TX_OUTCOME], cells[walk.TX_ORIGIN]
    if len(origin) == 1:  # a transaction at the log's head, where microseconds count
        number = int(origin[0])
        gno = int(cells[walk.TX_GNO, 0])
        counts = number >= 0 and outcome[0] not in (0, walk.ABANDONED)
        return (Interval(origins[number], gno, gno),) if counts else ()
    ended = (outcome != 0) & (outcome != walk.ABANDONED) & (origin >= 0)
    intervals: list[Interval] = []
    for number in np.unique(origin[ended]).tolist():
        numbers = np.sort(cells[walk.TX_GNO][ended & (origin == number)])
        gaps = np.flatnonzero(np.diff(numbers) > 1)
        firsts = numbers[np.concatenate([[0], gaps + 1])].tolist()
        lasts = numbers[np.concatenate([gaps, [len(numbers) - 1]])].tolist()
        intervals += [Interval(origins[number], f, last) for f, last in zip(firsts, lasts, strict=True)]
    return tuple(intervals)
