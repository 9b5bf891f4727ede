"""Kafka: records, progress and schema history in one transaction, so that read-committed readers see each record once.

    __tailrace-progress.PREFIX    compacted; each lane's progress, and the run that owns it
    __tailrace-history.PREFIX     the schema history of each lane

A lane always has the same transactional id. Initialising it fences all other producers with this id, and ends their
open transactions; then the lane's record is the truth about what was delivered, and can't change under the reader. A
commit whose answer was lost is settled in the same way: the sink is lost, and the next one reads whether it counted.

`docs/concepts/exactly-once.md` says why this is sound; `claiming` how a run takes over from another.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from attrs import evolve

from tailrace import epoch
from tailrace.changes.records import Records
from tailrace.config.properties.own import AT_LEAST_ONCE
from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord, Lane, Progress
from tailrace.errors import (
    FencedError,
    ProgressError,
    RetriableError,
    SinkLostError,
    TailraceError,
    TransactionTooLongError,
)
from tailrace.failpoints import hit
from tailrace.kafka.options import Clients, sink_clients
from tailrace.kafka.tail import Tail
from tailrace.kafka.topics import Topics
from tailrace.schema.names import Names as TopicNames
from tailrace.schema.routing import Routing
from tailrace.schema.tables import TableId
from tailrace.sinks.base import Claim, Confirm, RecordedState, unasked
from tailrace.sinks.kafka.claiming import Claiming
from tailrace.sinks.kafka.ledger import Ledger
from tailrace.sinks.kafka.names import Names, names_of
from tailrace.sinks.kafka.owner import Owner
from tailrace.sinks.kafka.progress import ProgressRecord

if TYPE_CHECKING:
    from tailrace.sinks.kafka.writer import Writer

WHO_SECONDS = 10.0
SIGN_SECONDS = 2.0  # between a take-over and its signature there are some milliseconds
LOOK_SECONDS = 0.1


class KafkaSink:
    """The sink for one task, one planner or one claim."""

    def __init__(self, servers: str, settings: Settings, source: str, run: str) -> None:
        self._clients: Clients = sink_clients(servers, settings)
        self._settings = settings
        self._names: Names = names_of(settings)
        self._source = source
        self._owner = Owner(run)
        self._transactional = settings.tailrace_delivery_guarantee != AT_LEAST_ONCE
        self._lane = 0
        self._writer: Writer | None = None
        self._last: ProgressRecord | None = None
        self._to_be_signed: ProgressRecord | None = None

    def claim(self, lanes: int, confirm: Confirm = unasked) -> Claim:
        """Take all lanes over for this run, in the recorded layout, or in a new one of `lanes`."""
        self._ledger.prepare(self._topics, lanes)
        self._ledger.check_kept(self._topics)
        return self._claim_of(self._claiming.claim(lanes, confirm))

    def recorded(self) -> Claim:
        """The recorded progress of all lanes."""
        if self._topics.missing(self._names.progress):
            return Claim((None,))
        first = self._ledger.read(0)
        others = [self._ledger.read(lane) for lane in range(1, first.lanes if first else 1)]
        return self._claim_of([first, *others])

    def replace_progress(
        self, progress: Progress, history: Sequence[HistoryRecord], confirm: Confirm = unasked
    ) -> Claim:
        """Replace all recorded lanes by one with this progress and history."""
        self._ledger.prepare(self._topics, 1)
        self._refuse_if_another_run_has_it(self._ledger.read(0))  # before the other is disturbed
        with self._until_lost():
            record = self._claiming.replace_progress(progress, history, confirm)
        return self._claim_of([record])

    def peek(self, lane: int) -> Progress | None:
        """A lane's progress."""
        if self._topics.missing(self._names.progress):
            return None
        first = self._ledger.read(0)
        if lane and first is not None and lane >= first.lanes:
            return None
        record = self._ledger.read(lane) if lane else first
        return record.progress if record else None

    def peek_history(self, lane: int) -> Sequence[HistoryRecord]:
        """The schema history of a lane."""
        record = self._ledger.read(lane)
        try:
            return self._ledger.history(lane, record, settled=False)
        except ProgressError:  # the end of a transaction shows in one partition before the other
            return self._ledger.history(lane, record)

    def open(self, lane: int) -> RecordedState:
        """Take the lane over."""
        self._lane = lane
        self._writer = self._new_writer(lane, many=True)  # created early, so that it connects meanwhile
        self._ledger.prepare(self._topics, lane + 1)
        self._refuse_if_another_run_has_it(self._ledger.read(lane))  # before the other is disturbed
        self._writer.take_over()
        self._last = self._ledger.read(lane, settled=True)
        self._refuse_if_another_run_has_it(self._last)
        self._check_layout()
        history = self._ledger.history(lane, self._last)
        self._to_be_signed = self._last
        with self._until_lost():
            self._sign(self._last)
        self._to_be_signed = None
        hit("sink.opened")
        last = self._last
        return RecordedState(last.progress if last else None, history, last.number if last else 0)

    def write(self, records: Sequence[Records]) -> int:
        """Add records to the lane's transaction."""
        topics = [item.topic for item in records if len(item)]
        for topic in topics:
            self._names.check_topic(topic)
        with self._until_lost():
            self._topics.ensure(topics)
            writer = self._opened_writer()
            size = sum(writer.send(item) for item in records)
            hit("sink.written")
        return size

    def commit(self, progress: Progress, history: Sequence[HistoryRecord]) -> None:
        """Store progress and history, and make everything since the last commit visible."""
        with self._until_lost():
            writer = self._opened_writer()
            writer.settle()  # without transactions: records must have arrived before the progress that counts them
            record = self._send_progress(writer, progress, history)
            hit("sink.before-flush")
            writer.flush()
            hit("sink.before-commit")
            writer.commit()
            self._last = record
            hit("sink.after-commit")

    def close(self) -> None:
        """Close the connections; what was not committed is dropped."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        tail = self.__dict__.pop("_tail", None)
        for name in ("_ledger", "_topics"):
            self.__dict__.pop(name, None)
        if tail is not None:
            tail.close()

    def superseded_by_same_run(self) -> bool:
        """Whether a `FencedError` only means that another attempt of this run is active."""
        record = self._ledger.read(self._lane)
        return record is not None and record.owner.run == self._owner.run and record.owner != self._owner

    @cached_property
    def _tail(self) -> Tail:
        return Tail(self._clients.consumer)

    @cached_property
    def _ledger(self) -> Ledger:
        return Ledger(self._names, self._source, self._tail)

    @property
    def _claiming(self) -> Claiming:
        routing = self._settings.routing
        return Claiming(self._ledger, self._source, self._owner, routing, self._delivers, self._take_over)

    def _delivers(self, lane: Lane, routing: Routing, table: TableId) -> bool:
        return TopicNames(evolve(self._settings, routing=routing)).is_of(lane, table)

    def _claim_of(self, records: Sequence[ProgressRecord | None]) -> Claim:
        """A claim from records; the first lane's routing counts for all."""
        progress = tuple(record.progress if record else None for record in records)
        stored = records[0].routing if records[0] else None
        return Claim(progress, None if stored in {None, self._settings.routing} else stored.to_dict())

    @cached_property
    def _topics(self) -> Topics:
        return Topics(self._clients.admin, self._tail, self._settings.topic_creation)

    def _new_writer(self, lane: int, *, many: bool) -> Writer:
        from tailrace.sinks.kafka.writer import Writer  # only where something is written

        transactional_id = self._names.transactional_id(lane) if self._transactional else None
        return Writer(self._clients.producer, transactional_id, many=many)

    def _take_over(self, lane: int) -> Writer:
        writer = self._new_writer(lane, many=False)
        try:
            writer.take_over()
        except TailraceError:
            writer.close()
            raise
        return writer

    def _opened_writer(self) -> Writer:
        if self._writer is None:
            raise SinkLostError("the Kafka sink is not open")
        return self._writer

    def _sign(self, last: ProgressRecord | None) -> None:
        """Put this task's name on the lane's record, so that a fenced task can tell by whom, and whether at all."""
        writer = self._opened_writer()
        record = last or ProgressRecord(source=self._source, lanes=self._lane + 1, owner=self._owner)
        self._last = record.owned_by(self._owner)
        self._ledger.store(writer, self._lane, self._last)
        writer.flush()
        writer.commit()

    def _send_progress(self, writer: Writer, progress: Progress, history: Sequence[HistoryRecord]) -> ProgressRecord:
        last = self._last
        if last is None:
            raise SinkLostError("the Kafka sink is not open")
        record = evolve(
            last,
            number=last.number + 1,
            progress=progress,
            history=last.history + len(history),
            committed_at_ms=epoch.now_ms(),
        )
        if history:
            self._ledger.add_history(writer, self._lane, history, last.history)
            writer.settle()
        self._ledger.store(writer, self._lane, record)
        return record

    def _check_layout(self) -> None:
        """Refuse a lane without a record, unless no layout was ever written."""
        if self._last is not None or self._lane == 0:
            return
        first = self._ledger.read(0, settled=True)
        self._refuse_if_another_run_has_it(first)
        if first is not None:
            raise ProgressError(
                f"there is no lane {self._lane}: the topic {self._names.progress} says that there are {first.lanes}"
            )

    def _refuse_if_another_run_has_it(self, record: ProgressRecord | None) -> None:
        if record is not None and record.owner.run != self._owner.run:
            raise FencedError(self._taken_message(record))

    @contextmanager
    def _until_lost(self) -> Iterator[None]:
        """Raise who has taken the lane; a transient error leaves the transaction in doubt, and the sink lost."""
        try:
            yield
        except SinkLostError:
            raise
        except RetriableError as error:
            raise SinkLostError(str(error)) from error
        except FencedError as error:
            raise self._who_has_it() from error

    def _who_has_it(self) -> TailraceError:
        """The error after fencing; brokers also fence after a transaction timeout: then the lane is still ours."""
        with closing(Tail(self._clients.consumer, timeout=WHO_SECONDS)) as tail:
            try:
                record = self._signed_record(Ledger(self._names, self._source, tail))
            except TailraceError as error:
                return SinkLostError(f"the lane's transaction was ended, and who has the lane can't be read: {error}")
        if record is not None and record.owner == self._owner:
            return self._took_too_long()
        if record is not None and record == self._to_be_signed:
            return SinkLostError(f"lane {self._lane} was taken before it was opened, by one who has not signed it")
        return FencedError(self._taken_message(record))

    def _signed_record(self, ledger: Ledger) -> ProgressRecord | None:
        """The lane's record; if it is as this task was about to sign it, whoever fenced the task may be about to sign it, too.

        A run that was replaced, and fences as it wakes, signs nothing: then the lane is still this run's.
        """
        until = time.monotonic() + SIGN_SECONDS
        while (record := ledger.read(self._lane)) == self._to_be_signed and record and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)
        return record

    def _took_too_long(self) -> TransactionTooLongError:
        limit = self._clients.producer.get("transaction.timeout.ms", "")
        error = TransactionTooLongError(
            f"the brokers have ended a transaction of lane {self._lane} that took longer than transaction.timeout.ms={limit}, "
            "or that a run which was replaced has ended as it woke"
        )
        error.remedy = (
            f"set producer.override.transaction.timeout.ms, which is {limit}, to more milliseconds than that takes, and the "
            "brokers' transaction.max.timeout.ms (900000 unless it was changed) to at least as many"
        )
        return error

    def _taken_message(self, record: ProgressRecord | None) -> str:
        where = f"lane {self._lane} ({self._names.transactional_id(self._lane)})"
        if record is None:
            return f"{where} was taken over by another process"
        return f"{where} was taken over by {record.owner}" + (
            "" if record.owner.run == self._owner.run else ", another run: only one may deliver to the same place"
        )
