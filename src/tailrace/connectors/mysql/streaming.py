"""Following the log: from a restart position to batches of records with the progress that belongs to them.

A batch is what one block of the log gives, or less where that would be too much at once. Its progress says up to where
everything was delivered (the end of the last event used) and from where the log must be read again to understand what
follows (the start of the transaction that is open there). A reader that begins again at the restart position decodes
what was delivered already once more, for the structures' and the transaction's counts' sake, and leaves it out.

Of several lanes each reads the whole log like this, with structures and progress of its own. Where all of them have
read to the same transaction boundary their progress is the same, whatever each delivered: there their number may change.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from typing import Final

from tailrace import epoch
from tailrace.connectors.base import HistoryRecord, LogBatch, LogRange, Progress
from tailrace.connectors.mysql.action_connection import MySqlActionConnection
from tailrace.connectors.mysql.asked import MySqlSignalledLog
from tailrace.connectors.mysql.blocks import SMALLEST, Blocks
from tailrace.connectors.mysql.bounds import Bounds
from tailrace.connectors.mysql.captured import CapturedTables
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.kept_history import KeptHistory, NoHistory
from tailrace.connectors.mysql.log import (
    EndOfLog,
    FormatDescription,
    Item,
    LogDecoder,
    PreviousGtids,
    Query,
    RowEvents,
    ServerError,
    TableMap,
    XaCommit,
    XaPrepare,
    XaRollback,
)
from tailrace.connectors.mysql.missing_structures import structure_at
from tailrace.connectors.mysql.opening import Opening, opening
from tailrace.connectors.mysql.place import Place
from tailrace.connectors.mysql.positions import ROWS_AN_EVENT, BinlogPosition, RestartPosition, file_number
from tailrace.connectors.mysql.run_records import RunRecords
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots.visibility import Boundary
from tailrace.connectors.mysql.stream import BinlogStream, Options
from tailrace.connectors.mysql.stream_errors import of_text
from tailrace.connectors.mysql.succession import Succession
from tailrace.connectors.mysql.xa import XaTransactions
from tailrace.connectors.shared.asked import Asked
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.heartbeats import Heartbeats
from tailrace.connectors.shared.snapshots.telling import Telling
from tailrace.errors import PositionLostError, RetriableError, StructureError
from tailrace.events.pipeline import sizes_of
from tailrace.schema.tables import Table, TableId

TABLES_A_BLOCK: Final = 64  # with more tables in it a block gets longer, or a table's batches were too short
LARGE_BATCH: Final = 64 << 20  # bytes of records: then a batch ends before its block does

log = logging.getLogger(__name__)


class LogReader:
    """Reads one range of the log, once.

    Attributes:
        is_left: reading ended within the range, for what a signal asked for.

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
        self._replica = range_.lane.number
        self._block_bytes = block_bytes
        self._batch_bytes = batch_bytes
        self._heartbeats = self._new_heartbeats()
        self._xa = XaTransactions()
        self._done = self.is_left = False

    def batches(self) -> Iterator[LogBatch]:
        """The range's batches; without an end, an idle one whenever nothing came within the poll interval."""
        opened = self._open()
        with ExitStack() as opens:
            for each in (self._heartbeats, self._asked):
                if each is not None:
                    opens.enter_context(closing(each))
            if self._history.is_rebuilt or (self._restart.initial and self._delivered is None):
                yield self._first_batch()
            stream = opens.enter_context(self._new_stream(opened))
            yield from self._follow(self._new_blocks(stream))

    def _open(self) -> Opening:
        opened = opening(self._settings, self._restart)
        by_gtids = opened.start.gtids is not None
        self._place = Place(self._restart, opened.restart, self._delivered, by_gtids=by_gtids)
        self._succession = Succession(self._settings)
        self._restart = opened.restart
        self._first_file = opened.start.file
        self._limit = limit_of(self._until, opened.server)
        self._history = self._new_history()
        self._definitions = self._new_definitions(opened.server)
        self._server = opened.server
        self._tables = CapturedTables(self._settings, self._definitions.structures, self._learn, self._lane, self._ask)
        self._bounds = Bounds(self._delivered, self._restart, lanes=self._lane.count)
        self._asked = self._new_asked()
        self._runs = self._new_runs()
        self._runs.reopen(self._restart.open_gtid, self._restart.open_rows)
        self._decoder = LogDecoder(
            resolve=self._resolve,
            file=opened.start.file,
            pos=opened.start.pos,
            until=self._limit,
        )
        return opened

    def _new_history(self) -> KeptHistory | NoHistory:
        """The schema history up to where reading begins."""
        return KeptHistory(
            self._settings, self._restart, self._delivered, self._given_history, writes=self._lane.is_first
        )

    def _new_definitions(self, server: Server) -> Definitions:
        """The structures where reading begins, to be changed by the DDL that follows."""
        return Definitions(
            self._settings, self._history.at_restart, lower_names=server.lower_names, tells=self._lane.is_first
        )

    def _new_runs(self) -> RunRecords:
        """What turns runs of row events into what is delivered."""
        return RunRecords(self._settings, self._tables, self._bounds, self._restart.era, self._lane)

    def _new_asked(self) -> Asked[Boundary] | None:
        """Nobody can ask for anything in a range that is to give the same again when it is read again."""
        if self._now_us is not None:
            return None
        of_log = MySqlSignalledLog(self._settings, self._lane, self._tables, self._definitions)
        return Asked(self._settings, self._lane, self._progress, of_log)

    def _new_heartbeats(self) -> Heartbeats | None:
        """Nothing beats in a range that is to give the same again when it is read again."""
        wanted = self._settings.heartbeat_interval_ms > 0 and self._lane.is_first and self._now_us is None
        return Heartbeats(self._settings, lambda: MySqlActionConnection(self._settings)) if wanted else None

    def _first_batch(self) -> LogBatch:
        """What a connector says before its first change: the structures that it begins with."""
        batch, restart = self._new_batch(), self._restart
        told = self._tell_structures(restart, batch)
        if self._history.is_rebuilt:  # as of now, and reading goes on from where it was
            return LogBatch(batch.events, self._progress, self._history.save(self._definitions.take_history()))
        self._place.note_told(told)
        return self._finished(batch, restart.file, restart.pos, restart.pos)

    def _tell_structures(self, restart: RestartPosition, batch: Batch) -> int:
        """The events of the structures, between the notifications of a snapshot that has no rows; how many events."""
        tells = self._lane.is_first and self._now_us is None
        started, completed = Telling(self._settings, str(restart.position)).without_rows() if tells else ([], [])
        for event in started:
            batch.add(event)
        told = self._definitions.tell_initial(restart, batch)
        if self._heartbeats is not None:  # one comes when all is told, as after a snapshot of rows
            self._heartbeats.hurry()
        for event in completed:
            batch.add(event)
        return told

    def _follow(self, blocks: Blocks) -> Iterator[LogBatch]:
        """Read to the range's end; first what is left in the blocks."""
        decoder = self._decoder
        left = blocks.start < blocks.end
        while not self._done:
            came = left or blocks.fill(self._wait_ms())
            left = False
            batch = self._new_batch()
            if came:
                for item in decoder.feed(blocks.data, blocks.start, blocks.end):
                    self._take(item, batch)
                    if batch.bytes >= self._batch_bytes:
                        yield self._finished(batch, item.file, item.position, item.restart)
                        batch = self._new_batch()
                blocks.used(decoder.consumed, decoder.needed)
            finished = self._finished(batch, decoder.file, decoder.position, decoder.restart, idle=not came)
            finished.at_head = not came or (blocks.at_head and decoder.restart == decoder.position)
            yield finished
            self._done = self._done or self._covered()
            yield from self._between_batches(finished)
            wanted = batch.tables * self._block_bytes // TABLES_A_BLOCK
            blocks.aim(min(wanted, len(blocks.data) * 2 * LARGE_BATCH // max(batch.bytes, 1)))

    def _between_batches(self, before: LogBatch) -> Iterator[LogBatch]:
        """What signals asked for, where no transaction is open; nothing at the end of a range."""
        decoder, asked = self._decoder, self._asked
        if asked is None or self._done or decoder.restart != decoder.position or self._xa.oldest is not None:
            return
        at = Boundary(before.progress, self._place.gtids, self._definitions.structures)
        yield from asked.step(at, at_head=before.at_head)
        self._done = self.is_left = asked.ends_reading

    def _new_stream(self, opened: Opening) -> BinlogStream:
        return BinlogStream(self._settings, opened.start, Options(lane=self._replica))

    def _new_blocks(self, stream: BinlogStream) -> Blocks:
        """What holds the log's bytes while they are decoded."""
        return Blocks(stream, self._block_bytes)

    def _wait_ms(self) -> int:
        longest = self._settings.poll_ms
        for each in (self._heartbeats, self._asked):
            longest = longest if each is None else each.wait_ms(longest)
        return longest

    def _take(self, item: Item, batch: Batch) -> None:
        """Use an item of the log."""
        self._succession.take(item)
        if isinstance(item, RowEvents):
            self._xa.hold(item)
            self._runs.records(item, batch)
            self._place.note_used(item.file, item.position, self._runs.events_at(item.position) * ROWS_AN_EVENT)
        elif isinstance(item, XaPrepare | XaCommit | XaRollback):
            self._finish_xa(item, batch)
            self._place.note_used(item.file, item.position, 0)
        elif isinstance(item, Query):
            if self._bounds.includes(self._restart.era, file_number(item.file), item.start):
                self._define(item, batch)
            elif self._restart.is_prepared:
                self._definitions.repeat(item)
            self._place.note_used(item.file, item.position, 0)
        elif isinstance(item, FormatDescription):
            self._place.note_file(item.file, item.created)
        elif isinstance(item, PreviousGtids) and item.file != self._first_file:
            self._place.note_previous(item.intervals)
        elif isinstance(item, ServerError):
            raise of_text(item.code, item.message, f"{item.file}:{item.position}")
        elif isinstance(item, EndOfLog):
            self._end(item)
        if isinstance(item, Query | XaPrepare | XaCommit | XaRollback):
            self._runs.note_ended(item.transaction)
        self._place.note_executed(item.executed)

    def _finish_xa(self, item: XaPrepare | XaCommit | XaRollback, batch: Batch) -> None:
        """The rows of an XA transaction count from its commit on."""
        runs: list[RowEvents] = []
        if isinstance(item, XaPrepare):
            runs = self._xa.prepare(item, self._place.gtids)
        elif isinstance(item, XaCommit):
            at = item.transaction.start
            is_new = self._bounds.includes(self._restart.era, file_number(item.file), at)
            runs = self._xa.commit(item, is_new=is_new)
        else:
            self._xa.roll_back(item.xid)
        for run in runs:
            self._runs.records(run, batch)

    def _define(self, query: Query, batch: Batch) -> None:
        """A statement: schema-change events, or the truncation of captured tables."""
        self._definitions.apply(query, self._restart.era, self._place.gtids, batch)
        for table in self._definitions.truncated:
            if self._settings.tables.matches(table):
                self._truncate(table, query, batch)
        batch.rank += 1

    def _truncate(self, table: TableId, query: Query, batch: Batch) -> None:
        try:
            self._runs.truncation(table, query, batch)
        except StructureError as error:
            self._leave_out(error)

    def _end(self, item: EndOfLog) -> None:
        if not item.reached:
            raise RetriableError(f"the log from {item.file}:{item.position}: the server ended it")
        if self._until is not None:
            self._place.note_reached(self._until)
        self._done = True

    def _covered(self) -> bool:
        """Whether a range whose end was stated on another server is read."""
        return self._until is not None and self._limit is None and self._place.has_executed(self._until.gtids)

    def _resolve(self, logged: TableMap) -> int | None:
        """The slot of a table that the log names; None for one whose rows are not wanted."""
        try:
            return self._tables.resolve(logged)
        except StructureError as error:
            self._leave_out(error)
            return None

    def _leave_out(self, error: StructureError) -> None:
        """Go on without rows whose structure is not known, if that is wanted."""
        mode = self._settings.inconsistent_schema_handling_mode
        complaint = f"{self._decoder.file}:{self._decoder.position}: {error}"
        if mode == "fail":
            raise StructureError(complaint) from error
        level = logging.WARNING if mode == "warn" else logging.DEBUG
        log.log(level, "rows left out, as the configuration wants: %s", complaint)

    def _learn(self, table: Table) -> None:
        """Only the log itself knew a structure: the history is to know it as well."""
        position = {"file": self._decoder.file, "pos": self._decoder.position}
        if self._place.gtids is not None:
            position["gtids"] = self._place.gtids
        self._definitions.put(table, position, epoch.now_us())

    def _ask(self, table: TableId) -> Table:
        """The structure where the transaction that is open began, as the server has it."""
        here = self._decoder
        place = RestartPosition(file=here.file, pos=here.restart, server_uuid=self._server.uuid)
        return structure_at(self._settings, table, place)

    def _new_batch(self) -> Batch:
        """One that is handled now, or at the time that the range says."""
        return Batch(epoch.now_us() if self._now_us is None else self._now_us, self._sizes)

    def _finished(self, batch: Batch, file: str, position: int, restart: int, *, idle: bool = False) -> LogBatch:
        opened = self._runs.open_gtid, self._runs.open_rows
        progress = self._place.progress(file, position, restart, opened, self._bounds.skip, self._xa.oldest)
        if self._asked is not None:
            progress = self._asked.handle(self._runs.take_signals(), progress, batch)
        if self._heartbeats is not None:
            self._heartbeats.beat(batch, progress, epoch.now_us())
        return LogBatch(
            batch.events,
            progress,
            self._history.save(self._definitions.take_history()),
            changes=batch.changes,
            source_ts_ms=batch.source_ts_ms,
            idle=idle,
            figures=None if self._asked is None else self._asked.figures,
            is_interleaved=True,
        )



def limit_of(until: RestartPosition | None, server: Server) -> tuple[str, int] | None:
    """The end of a range as a place in this server's files; None where only its GTIDs mean something here."""
    if until is None or until.server_uuid not in {None, server.uuid}:
        if until is not None and until.gtids is None:
            raise PositionLostError(
                f"the end of the range is {until.file}:{until.pos} in the log of server {until.server_uuid}, and this "
                f"is server {server.uuid}: without GTIDs one server's files say nothing about another's"
            )
        return None
    return until.file, until.pos
