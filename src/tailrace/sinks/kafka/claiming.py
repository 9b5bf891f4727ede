"""Claiming: a run takes all lanes before its tasks begin, and may change their number.

It has these steps, and is safe to crash after each:

1. Initialise every recorded transactional id, and every new one. That ends the transactions of tasks that died,
   which would keep read-committed consumers waiting, and fences those that are still active.
2. Read what is recorded, and look whether this run still has the lease: it may have stood still. Whoever takes that
   later does step 1 later, and ends this claim.
3. Write this run's name to each recorded lane, through the lane's *own* producer. A task of an earlier run that took
   the lane after step 1 has fenced that producer: the claim begins again. A task that comes after step 3 sees the name
   and ends. So from here on only this run makes progress.
4. If another layout is wanted (another number of lanes, or another routing), all lanes are at one
   position and none is within a blocking snapshot, write it in one transaction of the first lane's producer, which
   another claim would have to fence first. Only because of step 3 may it write to the partitions of other lanes.

`replace_progress` is the same as step 4, at any positions of the lanes: one lane, with a given progress and history,
replaces what is recorded.

The first lane's record holds the number of lanes and their routing. A record without a routing is of an
earlier version: it gets the configured one with the run's name. Without transactions the same records are sent, in an
order in which every prefix makes sense: new lanes, then the first one, then removed lanes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

from tailrace.connectors.base import HistoryRecord, Lane, Progress
from tailrace.errors import FencedError, ProgressError
from tailrace.failpoints import hit
from tailrace.schema.history import parse_id
from tailrace.schema.routing import Routing
from tailrace.schema.tables import TableId
from tailrace.signals.moved_work import has_unmovable, merged, own
from tailrace.sinks.base import Confirm, unasked
from tailrace.sinks.kafka.ledger import Ledger
from tailrace.sinks.kafka.owner import Owner
from tailrace.sinks.kafka.progress import ProgressRecord

if TYPE_CHECKING:
    from tailrace.sinks.kafka.writer import Writer

Delivers = Callable[[Lane, Routing, TableId], bool]

CLAIM_SECONDS: Final = 60.0
PAUSE_SECONDS: Final = 0.2


class Claiming:
    """One claim."""

    def __init__(
        self,
        ledger: Ledger,
        source: str,
        owner: Owner,
        routing: Routing,
        delivers: Delivers,
        take_over: Callable[[int], Writer],
    ) -> None:
        """Prepare a claim.

        Args:
            ledger: what is recorded.
            source: the connector.
            owner: who claims.
            routing: the configured one.
            delivers: whether a lane has a table's topic under a routing.
            take_over: creates a lane's producer, and fences others with its id.

        """
        self._ledger = ledger
        self._source = source
        self._owner = owner
        self._routing = routing
        self._delivers = delivers
        self._take_over = take_over

    def claim(self, lanes: int, confirm: Confirm = unasked) -> list[ProgressRecord]:
        """The records of all lanes, now in this run's name; retries while tasks come in between, if `confirm` lets it."""
        deadline = time.monotonic() + CLAIM_SECONDS
        confirm()  # before anybody is disturbed: this run may have stood still
        while True:
            try:
                return self._claim(lanes, confirm)
            except FencedError as error:
                confirm()  # who came in between may be the run that has replaced this one
                if time.monotonic() > deadline:
                    raise FencedError(
                        f"the lanes can't be claimed: another process takes them again and again ({error}); "
                        "stop the other tailrace that has this topic.prefix, or give this one another"
                    ) from error
            time.sleep(PAUSE_SECONDS)

    def _claim(self, lanes: int, confirm: Confirm) -> list[ProgressRecord]:
        with ExitStack() as stack:
            writers = [self._writer(0, stack)]
            recorded, routing = self._recorded()
            # the ids of new lanes too: a run with as many lanes may have left a transaction open there
            writers += [self._writer(lane, stack) for lane in range(1, max(recorded, lanes))]
            confirm()
            records = [self._marked(lane, writers[lane], routing) for lane in range(recorded)]
            if (recorded, routing) == (lanes, self._routing) or not _can_be_laid_out(records):
                return records
            return self._laid_out(writers[0], records, lanes)

    def replace_progress(
        self, progress: Progress, history: Sequence[HistoryRecord], confirm: Confirm = unasked
    ) -> ProgressRecord:
        """Replace the records of all lanes, which this run has claimed, by one with this progress and history.

        Raises:
            FencedError: another run has claimed them since.

        """
        confirm()
        with ExitStack() as stack:
            writer = self._writer(0, stack)
            first = self._ledger.read(0, settled=True) or ProgressRecord(
                source=self._source, lanes=1, owner=self._owner
            )
            if first.owner.run != self._owner.run:
                raise FencedError(
                    f"the lanes were claimed by {first.owner}, another run: only one may deliver to the same place"
                )
            confirm()
            record = first.replaced(self._owner, progress, len(history)).with_routing(self._routing)
            # without transactions a crash may come after each step: the history must be there before the record that
            # counts it, and the other lanes until the first one's record no longer names them
            self._ledger.add_history(writer, 0, history, record.history_start)
            writer.settle()
            self._ledger.store(writer, 0, record)
            writer.settle()
            for lane in range(1, first.lanes):
                self._ledger.retire(writer, lane)
            writer.flush()
            hit("sink.before-anew")
            writer.commit()
            hit("sink.after-anew")
        return record

    def _writer(self, lane: int, stack: ExitStack) -> Writer:
        writer = self._take_over(lane)
        stack.callback(writer.close)
        return writer

    def _recorded(self) -> tuple[int, Routing]:
        """How many lanes there are, 0 if nothing is recorded, and their routing."""
        first = self._ledger.read(0, settled=True)
        if first is None:
            self._ledger.history(0, None)  # raises if there is one
            return 0, self._routing
        return first.lanes, first.routing or self._routing

    def _marked(self, lane: int, writer: Writer, routing: Routing) -> ProgressRecord:
        """A lane's record, with this run's name and the first lane's routing."""
        record = self._ledger.read(lane, settled=True)
        if record is None:
            raise ProgressError(
                f"lane {lane} has no progress record, though the first lane's says that there is one: "
                "the progress topic was emptied in part; restore it, or delete it together with the history topic"
            )
        record = record.owned_by(self._owner).with_routing(routing)
        self._ledger.store(writer, lane, record)
        _end(writer)  # a transaction for each lane: its producer being fenced is how a task in between is noticed
        return record

    def _laid_out(self, writer: Writer, records: Sequence[ProgressRecord], lanes: int) -> list[ProgressRecord]:
        """Write the new layout; new lanes begin at the first one's position, and with its history.

        Topics are reassigned, so all lanes get the requested work of every lane.
        """
        first = records[0] if records else ProgressRecord(source=self._source, lanes=lanes, owner=self._owner)
        history = self._ledger.history(0, first) if records else []
        signalled = merged([self._own(Lane(lane, len(records)), record) for lane, record in enumerate(records)])
        layout = [
            (records[lane] if lane < len(records) else first)
            .with_lanes(lanes)
            .with_routing(self._routing)
            .with_signalled(signalled)
            for lane in range(lanes)
        ]
        for lane in range(1, lanes):
            self._lay_out(writer, lane, layout[lane], history if lane >= len(records) else ())
        writer.settle()
        self._ledger.store(writer, 0, layout[0])
        writer.settle()
        for lane in range(lanes, len(records)):
            self._ledger.retire(writer, lane)
        _end(writer)
        return layout

    def _own(self, lane: Lane, record: ProgressRecord) -> Mapping[str, Any] | None:
        """The lane's own requested work."""
        routing = record.routing or self._routing
        return own(
            record.signalled, lambda table: self._delivers(lane, routing, parse_id(table)), is_first=lane.is_first
        )

    def _lay_out(self, writer: Writer, lane: int, record: ProgressRecord, history: Sequence[HistoryRecord]) -> None:
        self._ledger.add_history(writer, lane, history, record.history_start)
        writer.settle()
        self._ledger.store(writer, lane, record)


def _can_be_laid_out(records: Sequence[ProgressRecord]) -> bool:
    """Whether all lanes are at one position, and none is within a blocking snapshot, which only it can resume."""
    together = all(record.is_at_same_position(records[0]) for record in records)
    return together and not any(has_unmovable(record.signalled) for record in records)


def _end(writer: Writer) -> None:
    writer.flush()
    writer.commit()
