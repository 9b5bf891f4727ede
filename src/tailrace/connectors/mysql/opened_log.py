"""A server's log that is being read: opened at a restart position, decoded, and used item by item.

Statements change the structures, XA transactions wait for their commit, row events become what its reader makes of them,
and the progress goes along. The stream makes records of the rows and delivers them; a snapshot looks at what they
touched. Both have a log of this kind, and say what differs: the structures to begin with, what is made of rows, and
what more is done with a statement or the end of an XA transaction.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeAlias

from tailrace import epoch
from tailrace.connectors.base import ONLY_LANE, Lane, Progress
from tailrace.connectors.mysql.blocks import SMALLEST, Blocks
from tailrace.connectors.mysql.captured import CapturedTables
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.delivered_rows import DeliveredRows
from tailrace.connectors.mysql.dump_start import DumpStart
from tailrace.connectors.mysql.file_sequence import FileSequence
from tailrace.connectors.mysql.gtid import GtidSet, wanted_sources
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
from tailrace.connectors.mysql.log_progress import LogProgress
from tailrace.connectors.mysql.missing_structures import structure_at
from tailrace.connectors.mysql.positions import ROWS_AN_EVENT, BinlogPosition, RestartPosition, file_number
from tailrace.connectors.mysql.run_records import RunRecords
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.stream import BinlogStream, Options
from tailrace.connectors.mysql.stream_errors import of_text
from tailrace.connectors.mysql.xa import XaTransactions
from tailrace.connectors.shared.batches import Batch
from tailrace.errors import PositionLostError, RetriableError, StructureError
from tailrace.schema.tables import Table, TableId

XaEnd: TypeAlias = XaPrepare | XaCommit | XaRollback
DefinitionsOf = Callable[[DumpStart], Definitions]
RunsOf = Callable[[CapturedTables, DeliveredRows, int], RunRecords]

log = logging.getLogger(__name__)


class OpenedLog:
    """The log from a restart position on.

    Attributes:
        server: whose log it is.
        era: of its files.
        definitions: the structures at the reading position.
        tables: those whose rows are wanted.
        runs: what becomes of the row events.
        decoder: of the log's bytes.
        place: the progress.
        limit: the end as a place in this server's files; None without an end, and where only its GTIDs mean something here.
        is_done: the end is reached.

    """

    def __init__(
        self,
        settings: MySqlSettings,
        opened: DumpStart,
        given: RestartPosition,
        delivered: BinlogPosition | None,
        until: RestartPosition | None,
        definitions_of: DefinitionsOf,
        runs_of: RunsOf,
        lane: Lane = ONLY_LANE,
        *,
        define: Callable[[Query, Batch], None] | None = None,
        finish_xa: Callable[[XaEnd, Batch], None] | None = None,
    ) -> None:
        """A log of which nothing is read yet.

        Args:
            settings: of the connector.
            opened: where reading begins on this server.
            given: the restart position that is stored.
            delivered: up to where everything is delivered; None: nothing is.
            until: where reading ends; None: it does not.
            definitions_of: gives the structures where reading begins, to be changed by the DDL that follows.
            runs_of: makes `runs` of the tables, what is delivered, and the era.
            lane: which of several this is.
            define: called for a statement instead of the method of that name, which it calls in its turn.
            finish_xa: the same for the end of an XA transaction.

        """
        self._settings = settings
        self.era = opened.restart.era
        self._is_prepared = opened.restart.is_prepared
        self._start = opened.start
        self._until = until
        self._define = define or self.define
        self._finish_xa = finish_xa or self.finish_xa
        self.server = opened.server
        self.limit = _limit_of(until, self.server)
        self.place = LogProgress(
            given,
            opened.restart,
            delivered,
            by_gtids=opened.start.gtids is not None,
            purged=opened.purged,
            wanted=wanted_sources(settings),
        )
        self._succession = FileSequence(settings)
        self._xa = XaTransactions()
        self.definitions = definitions_of(opened)
        self.tables = CapturedTables(settings, self.definitions.structures, self._learn, lane, self._ask)
        self._bounds = DeliveredRows(delivered, opened.restart, lanes=lane.count)
        self.runs = runs_of(self.tables, self._bounds, self.era)
        self.runs.reopen(opened.restart.open_gtid, opened.restart.open_rows)
        self.decoder = LogDecoder(resolve=self._resolve, file=opened.start.file, pos=opened.start.pos, until=self.limit)
        self._stream: BinlogStream | None = None
        self.is_done = False

    def connect(self, replica: int, block_bytes: int = SMALLEST, *, kept: bool = False) -> Blocks:
        """Have the server send its log; `replica` tells this reader from the others that it has.

        Returns:
            What holds the log's bytes while they are decoded; `kept`: decoded views are used later.

        """
        self._stream = BinlogStream(self._settings, self._start, Options(lane=replica))
        return Blocks(self._stream, block_bytes, kept=kept)

    def close(self) -> None:
        """Let go of the server."""
        if self._stream is not None:
            self._stream.close()

    @property
    def is_between_transactions(self) -> bool:
        """Whether everything that was begun has ended, XA transactions too, and nothing behind is delivered."""
        here = self.decoder
        return here.restart == here.position and self._xa.oldest is None and not self.place.is_passed(here.file, here.position)

    @property
    def is_covered(self) -> bool:
        """Whether a range whose end was stated on another server is read."""
        if self._until is None or self.limit is not None or self._until.gtids is None:
            return False
        wanted = wanted_sources(self._settings)  # others are not asked for, so they do not come
        return self.place.has_executed(GtidSet.parse(self._until.gtids).filtered(wanted))

    def end_at(self, until: RestartPosition) -> None:
        """Set another end; the decoder is still to be told how far it may go."""
        self._until, self.is_done = until, False
        self.limit = _limit_of(until, self.server)

    def progress(self, file: str, position: int, restart: int) -> Progress:
        """The progress at a position of the log; `restart`: the start of the transaction that is open there."""
        opened = self.runs.open_gtid, self.runs.open_rows
        return self.place.progress(file, position, restart, opened, self._bounds.skip, self._xa.oldest)

    def take(self, item: Item, batch: Batch) -> None:
        """Use an item of the log."""
        self._succession.take(item)
        if isinstance(item, RowEvents):
            self._xa.hold(item)
            self.runs.records(item, batch)
            self.place.advance(item.file, item.position, self.runs.events_at(item.position) * ROWS_AN_EVENT)
        elif isinstance(item, XaPrepare | XaCommit | XaRollback):
            self._finish_xa(item, batch)
            self.place.advance(item.file, item.position, 0)
        elif isinstance(item, Query):
            if self._bounds.includes(self.era, file_number(item.file), item.start):
                self._define(item, batch)
            elif self._is_prepared:
                self.definitions.repeat(item)
            self.place.advance(item.file, item.position, 0)
        elif isinstance(item, FormatDescription):
            self.place.note_file(item.file, item.created)
        elif isinstance(item, PreviousGtids):
            self.place.note_previous(item.intervals, is_first=item.file == self._start.file)
        elif isinstance(item, ServerError):
            raise of_text(item.code, item.message, f"{item.file}:{item.position}")
        elif isinstance(item, EndOfLog):
            self._end(item)
        if isinstance(item, Query | XaPrepare | XaCommit | XaRollback):
            self.runs.note_ended(item.transaction)
        self.place.note_executed(item.executed)

    def finish_xa(self, item: XaEnd, batch: Batch) -> None:
        """The rows of an XA transaction count from its commit on."""
        runs: list[RowEvents] = []
        if isinstance(item, XaPrepare):
            runs = self._xa.prepare(item, self.place.gtids)
        elif isinstance(item, XaCommit):
            at = item.transaction.start
            is_new = self._bounds.includes(self.era, file_number(item.file), at)
            runs = self._xa.commit(item, is_new=is_new)
        else:
            self._xa.roll_back(item.xid)
        for run in runs:
            self.runs.records(run, batch)

    def define(self, query: Query, batch: Batch) -> None:
        """A statement: schema-change events, or the truncation of captured tables."""
        self.definitions.apply(query, self.era, self.place.gtids, batch)
        for table in self.definitions.truncated:
            if self._settings.tables.matches(table):
                self._truncate(table, query, batch)
        batch.rank += 1

    def _truncate(self, table: TableId, query: Query, batch: Batch) -> None:
        try:
            event = self.runs.truncation(table, query, batch)
        except StructureError as error:
            self._leave_out(error)
            return
        if event is not None:
            batch.add(event)  # not within `try`: encoding it may raise errors that say nothing about the log

    def _end(self, item: EndOfLog) -> None:
        if not item.reached:
            raise RetriableError(f"the log from {item.file}:{item.position}: the server ended it")
        if self._until is not None:
            self.place.set_range_end(self._until)
        self.is_done = True

    def _resolve(self, logged: TableMap) -> int | None:
        """The slot of a table that the log names; None for one whose rows are not wanted."""
        try:
            return self.tables.resolve(logged)
        except StructureError as error:
            self._leave_out(error)
            return None

    def _leave_out(self, error: StructureError) -> None:
        """Go on without rows whose structure is not known, if that is wanted."""
        mode = self._settings.inconsistent_schema_handling_mode
        complaint = f"{self.decoder.file}:{self.decoder.position}: {error}"
        if mode == "fail":
            raise StructureError(complaint) from error
        level = logging.WARNING if mode == "warn" else logging.DEBUG
        log.log(level, "rows left out, as the configuration wants: %s", complaint)

    def _learn(self, table: Table) -> None:
        """Only the log itself knew a structure: the history is to know it as well."""
        position = {"file": self.decoder.file, "pos": self.decoder.position}
        if self.place.gtids is not None:
            position["gtids"] = self.place.gtids
        self.definitions.put(table, position, epoch.now_us())

    def _ask(self, table: TableId) -> Table:
        """The structure where the transaction that is open began, as the server has it."""
        here = self.decoder
        place = RestartPosition(file=here.file, pos=here.restart, server_uuid=self.server.uuid)
        return structure_at(self._settings, table, place)


def _limit_of(until: RestartPosition | None, server: Server) -> tuple[str, int] | None:
    """The end of a range as a place in this server's files; None where only its GTIDs mean something here."""
    if until is None or until.server_uuid not in {None, server.uuid}:
        if until is not None and until.gtids is None:
            raise PositionLostError(
                f"the end of the range is {until.file}:{until.pos} in the log of server {until.server_uuid}, and this "
                f"is server {server.uuid}: without GTIDs one server's files say nothing about another's"
            )
        return None
    return until.file, until.pos
