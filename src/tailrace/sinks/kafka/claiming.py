"""Claiming: a run takes all lanes before its tasks begin, and may change how many there are.

It goes in this order, and each step leaves something that a crash can stand on:

1. Every recorded transactional id, and every one to be, is initialised. That ends the transactions of tasks that died,
   which would keep read-committed consumers waiting, and fences those that are still at work.
2. What is recorded is read.
3. Each recorded lane gets this run's name, by the lane's *own* producer. A task of an earlier run that took the lane
   after step 1 has fenced that producer: the claim begins again. One that comes after step 3 sees the name and ends.
   So from here on nothing moves but by this run.
4. If another number of lanes is wanted and all stand at one position, the new layout is written in one transaction of
   the first lane's producer, which another claim would have to fence first. Only because of step 3 may it write to
   the partitions of other lanes.

How many lanes there are is what the first lane's record says. Without transactions the same records are sent, in an
order in which every prefix makes sense: new lanes, then the first one, then the lanes that go.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from tailrace.connectors.base import HistoryRecord
from tailrace.errors import FencedError, ProgressError
from tailrace.sinks.kafka.ledger import Ledger
from tailrace.sinks.kafka.owner import Owner
from tailrace.sinks.kafka.progress import ProgressRecord

if TYPE_CHECKING:
    from tailrace.sinks.kafka.writer import Writer

CLAIM_SECONDS: Final = 60.0
PAUSE_SECONDS: Final = 0.2


class Claiming:
    """One claim; `take_over` makes a lane's producer and fences the others that have its id."""

    def __init__(self, ledger: Ledger, source: str, owner: Owner, take_over: Callable[[int], Writer]) -> None:
        self._ledger = ledger
        self._source = source
        self._owner = owner
        self._take_over = take_over

    def claim(self, lanes: int) -> list[ProgressRecord]:
        """What is recorded of each lane, now in this run's name; tried again while tasks come in between."""
        deadline = time.monotonic() + CLAIM_SECONDS
        while True:
            try:
                return self._claim(lanes)
            except FencedError as error:
                if time.monotonic() > deadline:
                    raise FencedError(
                        f"the lanes can't be claimed: another process takes them again and again ({error}); "
                        "stop the other tailrace that has this topic.prefix, or give this one another"
                    ) from error
            time.sleep(PAUSE_SECONDS)

    def _claim(self, lanes: int) -> list[ProgressRecord]:
        with ExitStack() as stack:
            writers = [self._writer(0, stack)]
            recorded = self._recorded()
            writers += [self._writer(lane, stack) for lane in range(1, max(recorded, lanes))]
            records = [self._marked(lane, writers[lane]) for lane in range(recorded)]
            if recorded == lanes or not all(record.stands_with(records[0]) for record in records):
                return records
            return self._laid_out(writers[0], records, lanes)

    def _writer(self, lane: int, stack: ExitStack) -> Writer:
        writer = self._take_over(lane)
        stack.callback(writer.close)
        return writer

    def _recorded(self) -> int:
        """How many lanes there are; 0 where nothing is recorded."""
        first = self._ledger.read(0, settled=True)
        if first is None:
            self._ledger.history(0, None)  # complains where there is one
            return 0
        return first.lanes

    def _marked(self, lane: int, writer: Writer) -> ProgressRecord:
        """A lane's record, with this run's name on it."""
        record = self._ledger.read(lane, settled=True)
        if record is None:
            raise ProgressError(
                f"lane {lane} has no progress record, though the first lane's says that there is one: "
                "the progress topic was emptied in part; restore it, or delete it together with the history topic"
            )
        record = record.owned_by(self._owner)
        self._ledger.store(writer, lane, record)
        _end(writer)
        return record

    def _laid_out(self, writer: Writer, records: Sequence[ProgressRecord], lanes: int) -> list[ProgressRecord]:
        """The new layout, written; new lanes begin where the first one stands, and with its history."""
        first = records[0] if records else ProgressRecord(source=self._source, lanes=lanes, owner=self._owner)
        history = self._ledger.history(0, first) if records else []
        layout = [(records[lane] if lane < len(records) else first).with_lanes(lanes) for lane in range(lanes)]
        for lane in range(1, lanes):
            self._lay_out(writer, lane, layout[lane], history if lane >= len(records) else ())
        writer.settle()
        self._ledger.store(writer, 0, layout[0])
        writer.settle()
        for lane in range(lanes, len(records)):
            self._ledger.retire(writer, lane)
        _end(writer)
        return layout

    def _lay_out(self, writer: Writer, lane: int, record: ProgressRecord, history: Sequence[HistoryRecord]) -> None:
        self._ledger.add_history(writer, lane, history, 0)
        writer.settle()
        self._ledger.store(writer, lane, record)


def _end(writer: Writer) -> None:
    writer.flush()
    writer.commit()
