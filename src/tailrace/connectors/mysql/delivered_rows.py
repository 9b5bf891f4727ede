"""What part of the log is already delivered, and must be skipped when it is read again.

On the same server the delivered position decides. If a transaction is at another offset (after a
fail-over), or if Debezium stopped within one, a `Skip` says how much of that one transaction is done. A lane
counts only the rows that it delivers itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from tailrace.connectors.mysql.gtid import parse_gtid
from tailrace.connectors.mysql.log import RowEvents, Transactions
from tailrace.connectors.mysql.positions import ROWS_AN_EVENT, BinlogPosition, RestartPosition, file_number

Int64 = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
ALL: Final = 1 << 62  # rows of an event


@dataclass(slots=True)
class Skip:
    """How much of one transaction is done.

    Attributes:
        gtid: which one; None for the first that comes.
        events: delivered events, counted from its BEGIN; only without `gtid`.
        rows: delivered rows of the next event; with `gtid`, of all events.
        left: those of `rows` that have not come yet.
        is_exact: only the event with exactly this number counts, since the next one may be another lane's.

    """

    gtid: str | None
    events: int
    rows: int
    left: int
    is_exact: bool = False


class DeliveredRows:
    """Which rows are already delivered. An event's start offset decides.

    Attributes:
        delivered: everything before it is delivered; of the events that start at it (a compressed transaction has
            several) as many as its `row` says. None: nothing is.
        skip: what else is delivered, until that transaction has passed.

    """

    def __init__(self, delivered: BinlogPosition | None, restart: RestartPosition, *, lanes: int = 1) -> None:
        self.delivered = delivered
        self.skip: Skip | None = None
        gtid, events, rows = restart.skip_gtid, restart.skip_events, restart.skip_rows
        if gtid or events or rows:
            self.skip = Skip(gtid, events, rows, left=rows, is_exact=lanes > 1)

    def wanted(self, era: int, file: int, starts: Int64, rank: Int64) -> npt.NDArray[np.bool_]:
        """Which of these events are not delivered, judged by position.

        Args:
            era: of all of them.
            file: the number of their file.
            starts: their offsets.
            rank: the rank of each among the events with the same offset, from 0.

        """
        done = self.delivered
        if done is None or (era, file) > (done.era, done.file):
            return np.ones(len(starts), np.bool_)
        if (era, file) < (done.era, done.file):
            return np.zeros(len(starts), np.bool_)
        wanted: npt.NDArray[np.bool_] = (starts > done.pos) | (
            (starts == done.pos) & (rank >= done.row // ROWS_AN_EVENT)
        )
        return wanted

    def includes(self, era: int, file: int, start: int) -> bool:
        """Whether one event is not delivered."""
        return bool(self.wanted(era, file, np.array([start]), np.zeros(1, np.int64))[0])

    def done_rows(self, era: int, run: RowEvents, own: Mask, rows_of: Callable[[Int64], Int64]) -> Int64:
        """How many rows at the beginning of each event are delivered: none, some or `ALL`.

        Args:
            era: of the run.
            run: call this for runs in log order, each once.
            own: which of its events this lane delivers; only their rows were counted as delivered.
            rows_of: the row counts of given events.

        """
        done = np.where(self.wanted(era, file_number(run.place_file), run.places, run.part), 0, ALL)
        skipped = self.skipped_transaction(run.transactions)
        if self.skip is not None and skipped >= 0:
            events = np.flatnonzero((run.transaction == skipped) & own)
            if len(events):
                done[events] = np.maximum(done[events], self._skipped_rows(self.skip, run, events, rows_of))
            if run.transactions.end[skipped]:
                self.skip = None
        return done

    def skipped_transaction(self, transactions: Transactions) -> int:
        """The index of the partly delivered transaction; -1 if it is none of these."""
        if self.skip is None or not len(transactions):
            return -1
        if self.skip.gtid is None:
            return 0
        source, number = parse_gtid(self.skip.gtid)
        origins = [i for i, origin in enumerate(transactions.origins) if str(origin) == str(source)]
        found = np.flatnonzero(np.isin(transactions.origin, origins) & (transactions.gno == number))
        return int(found[0]) if len(found) else -1

    @staticmethod
    def _skipped_rows(skip: Skip, run: RowEvents, events: Int64, rows_of: Callable[[Int64], Int64]) -> Int64:
        """The same for the events of the skipped transaction; reduces `left`."""
        if skip.gtid is None:
            done = np.where(run.number[events] < skip.events, ALL, 0)
            rest = np.flatnonzero(done == 0)
            if len(rest) and (not skip.is_exact or run.number[events[rest[0]]] == skip.events):
                done[rest[0]], skip.left = skip.left, 0
            return done
        if skip.left == 0:
            return np.zeros(len(events), np.int64)
        rows = rows_of(events)
        done = np.clip(skip.left - (np.cumsum(rows) - rows), 0, rows)
        skip.left -= int(done.sum())
        return np.where(done == rows, ALL, done)
