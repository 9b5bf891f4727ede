"""Following the log: from a restart position to batches of records with the progress that belongs to them.

A batch is what one block of the log gives, or less where that would be too much at once. Its progress says up to where
everything was delivered (the end of the last event used) and from where the log must be read again to understand what
follows (the start of the transaction that is open there). A reader that begins again at the restart position decodes
what was delivered already once more, for the structures' and the transaction's counts' sake, and leaves it out.

Of several lanes each reads the whole log like this, with structures and progress of its own. Where all of them have
read to the same transaction boundary their progress is the same, whatever each delivered: there their number may change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing

from tailrace import epoch
from tailrace.connectors.base import HistoryRecord, LogBatch, LogRange, Progress
from tailrace.connectors.mysql.action_connection import MySqlActionConnection
from tailrace.connectors.mysql.blocks import LARGE_BATCH, SMALLEST, Blocks
from tailrace.connectors.mysql.captured import CapturedTables
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.delivered_rows import DeliveredRows
from tailrace.connectors.mysql.dump_start import DumpStart, dump_start
from tailrace.connectors.mysql.end_elsewhere import reachable
from tailrace.connectors.mysql.kept_history import KeptHistory
from tailrace.connectors.mysql.log import Item, RowEvents
from tailrace.connectors.mysql.opened_log import OpenedLog
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition
from tailrace.connectors.mysql.requested_work import MySqlRequestedWorkLog
from tailrace.connectors.mysql.reselected_rows import MySqlReselectedRows
from tailrace.connectors.mysql.run_records import RunRecords
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots.visibility import Boundary
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.heartbeats import Heartbeats
from tailrace.connectors.shared.requested_work import RequestedWork
from tailrace.connectors.shared.reselected_rows import reselecting_of
from tailrace.connectors.shared.snapshots.notifications import SnapshotNotifications
from tailrace.errors import NotInLogError
from tailrace.events.event import NewEvents
from tailrace.events.pipeline import sizes_of


class LogReader:
    """Reads one range of the log, once.

    Attributes:
        is_interrupted: reading ended within the range, for what a signal asked for.

    """

    def __init__(
        self,
        settings: MySqlSettings,
        range_: LogRange,
        progress: Progress,
        history: Sequence[HistoryRecord],
        block_bytes: int = SMALLEST,
        batch_bytes: int = LARGE_BATCH,
    ) -> None:
        self._settings = settings
        self._progress = progress
        self._restart = RestartPosition.from_dict(progress.restart or range_.start)
        self._delivered = BinlogPosition.parse(progress.delivered) if progress.delivered else None
        self._until = None if range_.until is None else RestartPosition.from_dict(range_.until)
        self._given_history = history
        self._now_us = range_.now_us
        self._sizes = sizes_of(settings)
        self._lane = range_.lane
        self._block_bytes = block_bytes
        self._batch_bytes = batch_bytes
        self._heartbeats = self._new_heartbeats()
        self._reselecting = reselecting_of(settings, lambda: MySqlReselectedRows(settings))
        self.is_interrupted = False

    def batches(self, new_events: NewEvents = list) -> Iterator[LogBatch]:
        """The range's batches; without an end, an idle one whenever nothing came within the poll interval."""
        self._new_events = new_events
        log = self._log = self._open()
        self._requested_work = self._new_requested_work(log)
        with ExitStack() as opens:
            for each in (self._heartbeats, self._requested_work, *self._reselecting):
                if each is not None:
                    opens.enter_context(closing(each))
            if self._history.is_rebuilt or (self._restart.initial and self._delivered is None):
                yield self._first_batch()
            opens.enter_context(closing(log))
            yield from self._follow(log, log.connect(self._lane.number, self._block_bytes))

    def _open(self) -> OpenedLog:
        given, opened = self._restart, dump_start(self._settings, self._restart)
        self._restart = opened.restart
        return OpenedLog(
            self._settings,
            opened,
            given,
            self._delivered,
            reachable(self._settings, opened.server, self._until, is_fixed=self._now_us is not None),
            self._definitions_of,
            self._runs_of,
            self._lane,
        )

    def _definitions_of(self, opened: DumpStart) -> Definitions:
        """The structures where reading begins, as the history has them."""
        settings, is_first = self._settings, self._lane.is_first
        self._history = KeptHistory(settings, opened.restart, self._delivered, self._given_history, writes=is_first)
        return Definitions(
            settings, self._history.at_restart, lower_names=opened.server.lower_names, emits_events=is_first
        )

    def _runs_of(self, tables: CapturedTables, delivered_rows: DeliveredRows, era: int) -> RunRecords:
        """What turns runs of row events into what is delivered."""
        return RunRecords(self._settings, tables, delivered_rows, era, self._lane, self._reselecting)

    def _new_requested_work(self, opened: OpenedLog) -> RequestedWork[Boundary] | None:
        """Nobody can ask for anything in a range that is to give the same again when it is read again."""
        if self._now_us is not None:
            return None
        of_log = MySqlRequestedWorkLog(self._settings, self._lane, opened.tables, opened.definitions)
        return RequestedWork(self._settings, self._lane, self._progress, of_log)

    def _new_heartbeats(self) -> Heartbeats | None:
        """Nothing beats in a range that is to give the same again when it is read again."""
        wanted = self._settings.heartbeat_interval_ms > 0 and self._lane.is_first and self._now_us is None
        return Heartbeats(self._settings, lambda: MySqlActionConnection(self._settings)) if wanted else None

    def _first_batch(self) -> LogBatch:
        """What a connector says before its first change: the structures that it begins with."""
        batch, restart = self._new_batch(), self._restart
        told = self._add_structures(restart, batch)
        if self._history.is_rebuilt:  # as of now, and reading goes on from where it was
            return LogBatch(batch.events, self._progress, self._history.save(self._log.definitions.take_history()))
        self._log.place.set_initial_records(told)
        return self._finished(batch, restart.file, restart.pos, restart.pos)

    def _add_structures(self, restart: RestartPosition, batch: Batch) -> int:
        """The events of the structures, between the notifications of a snapshot that has no rows; how many events."""
        tells = self._lane.is_first and self._now_us is None
        started, completed = (
            SnapshotNotifications(self._settings, str(restart.position)).without_rows() if tells else ([], [])
        )
        for event in started:
            batch.add(event)
        told = self._log.definitions.add_initial_events(restart, batch)
        if self._heartbeats is not None:  # one comes when all is told, as after a snapshot of rows
            self._heartbeats.hurry()
        for event in completed:
            batch.add(event)
        return told

    def _follow(self, log: OpenedLog, blocks: Blocks) -> Iterator[LogBatch]:
        """Read to the range's end."""
        decoder, take = log.decoder, log.take
        blocks.limit(0)  # until the first block has shown what its bytes become
        while not log.is_done:
            came = blocks.fill(self._wait_ms())
            batch, size, tables, begin = self._new_batch(), 0, 0, blocks.start
            if came:
                reached: Item | None = None
                for item in decoder.feed(blocks.data, blocks.start, blocks.end):
                    try:
                        take(item, batch)
                    except NotInLogError:  # its text says where to go on: by then all before it is to be delivered
                        if reached is not None and _may_end(reached):
                            yield self._finished(batch, reached.file, reached.position, reached.restart)
                        raise
                    reached = item
                    if self._is_to_end(batch, item):
                        size, tables = size + batch.bytes, max(tables, batch.tables)
                        yield self._finished(batch, item.file, item.position, item.restart)
                        batch = self._new_batch()
                blocks.used(decoder.consumed, decoder.needed)
            finished = self._finished(batch, decoder.file, decoder.position, decoder.restart, idle=not came)
            finished.at_head = not came or (blocks.at_head and decoder.restart == decoder.position)
            yield finished
            log.is_done = log.is_done or log.is_covered
            yield from self._between_batches(finished)
            blocks.fit(decoder.consumed - begin, size + batch.bytes, max(tables, batch.tables))

    def _is_to_end(self, batch: Batch, item: Item) -> bool:
        """Whether a batch ends behind the item: it is large, or a signal is to be handled before what follows.

        A signal that states a structure must not come after DDL that follows it.
        """
        if not _may_end(item):
            return False
        return batch.bytes >= self._batch_bytes or (self._requested_work is not None and self._log.runs.has_signals)

    def _between_batches(self, before: LogBatch) -> Iterator[LogBatch]:
        """What signals asked for, where no transaction is open; nothing at the end of a range."""
        log, requested_work = self._log, self._requested_work
        if requested_work is None or log.is_done or not log.is_between_transactions:
            return
        at = Boundary(before.progress, log.place.gtids, log.definitions.structures)
        yield from requested_work.step(at, at_head=before.at_head)
        log.is_done = self.is_interrupted = requested_work.interrupts_reading

    def _wait_ms(self) -> int:
        longest = self._settings.poll_ms
        for each in (self._heartbeats, self._requested_work):
            longest = longest if each is None else each.wait_ms(longest)
        return longest

    def _new_batch(self) -> Batch:
        """One that is handled now, or at the time that the range says."""
        return Batch(epoch.now_us() if self._now_us is None else self._now_us, self._sizes, self._new_events())

    def _finished(self, batch: Batch, file: str, position: int, restart: int, *, idle: bool = False) -> LogBatch:
        progress = self._log.progress(file, position, restart)
        if self._requested_work is not None:
            progress = self._requested_work.handle(self._log.runs.take_signals(), progress, batch)
        if self._heartbeats is not None:
            self._heartbeats.beat(batch, progress, epoch.now_us())
        return LogBatch(
            batch.events,
            progress,
            self._history.save(self._log.definitions.take_history()),
            changes=batch.changes,
            source_ts_ms=batch.source_ts_ms,
            idle=idle,
            figures=None if self._requested_work is None else self._requested_work.figures,
            is_interleaved=True,
        )


def _may_end(item: Item) -> bool:
    """Whether a batch may end behind an item.

    Not behind statements within a transaction (CREATE TABLE … AS SELECT): within a compressed one they have the place of its
    end, and its rows are still to come.
    """
    return isinstance(item, RowEvents) or item.restart == item.position
