"""Following the log: from a restart position to batches of records with the progress that belongs to them.

A batch is what one block of the log gives. Its progress says up to where everything was delivered (the end of the last
event used) and from where the log must be read again to understand what follows (the start of the transaction that is
open there). A reader that begins again at the restart position decodes what was delivered already once more, for the
transaction's counts and the structures' sake, and leaves it out of its records.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tailrace.changes.records import Records
from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord, LogBatch, LogRange, Progress
from tailrace.connectors.mysql import catalog, connection
from tailrace.connectors.mysql.blocks import Blocks
from tailrace.connectors.mysql.bounds import Bounds
from tailrace.connectors.mysql.captured import CapturedTables
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.gtid import GtidSet, Source, resumed, source_filter
from tailrace.connectors.mysql.log import EndOfLog, Interval, Item, LogDecoder, Query, RowEvents, ServerError
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition, file_number
from tailrace.connectors.mysql.run_records import RunRecords
from tailrace.connectors.mysql.stream import BinlogStream, From, Options
from tailrace.connectors.mysql.stream_errors import of_text

DUMP_BY_OFFSET_LIMIT = 1 << 32  # COM_BINLOG_DUMP's offset has 32 bits
BYTES_A_TABLE = 1 << 15  # of a block, for each table with rows in it: fewer would make a table's batches too short


class LogReader:
    """Reads one range of the log, once."""

    def __init__(
        self, settings: Settings, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord]
    ) -> None:
        self._settings = settings
        self._fresh = not progress.delivered
        self._restart = RestartPosition.from_dict(progress.restart or range_.start)
        self._executed = GtidSet.parse(self._restart.gtids or "")
        self._bounds = Bounds(None if self._fresh else BinlogPosition.parse(progress.delivered), _end_of(range_))
        self._history = history
        self._now_us = range_.now_us
        self._done = False

    def batches(self) -> Iterator[LogBatch]:
        """The range's batches; without an end, an idle one whenever nothing came within the poll interval."""
        start, server = self._open_position()
        lower_names = server["lower_case_table_names"] not in {"", "0"}
        self._definitions = Definitions(self._settings, self._history, lower_names=lower_names)
        self._tables = CapturedTables(self._settings, self._definitions.structures)
        self._runs = self._new_runs()
        if self._fresh:
            yield self._first_batch()
        with BinlogStream(self._settings, start, Options(blocking=self._bounds.until is None)) as stream:
            yield from self._follow(stream)

    def _new_runs(self) -> RunRecords:
        """What turns runs of row events into what is delivered."""
        return RunRecords(self._settings, self._tables, self._bounds, self._restart.era)

    def _open_position(self) -> tuple[From, Server]:
        """Where to ask the server to begin; raises when it can't give everything from there on."""
        wanted = source_filter(self._settings.gtid_source_includes, self._settings.gtid_source_excludes)
        with connection.connect(self._settings) as session:
            server = catalog.server(session)
            catalog.require_available(session, server, self._restart, wanted)
            files = catalog.files(session)
            here = self._restart.server_uuid in {None, server.uuid} and self._restart.file in files
            self._restart = self._restart.on_server(server.uuid, files)
            if self._restart.gtids is None or (here and self._restart.pos < DUMP_BY_OFFSET_LIMIT):
                return From(self._restart.file or next(iter(files)), self._restart.pos), server
            executed, _ = catalog.gtids(session)
            return From(gtids=resumed(self._executed, executed, wanted)), server

    def _first_batch(self) -> LogBatch:
        """What a connector says before its first change: the structures that it begins with."""
        records = self._definitions.initial_records(self._restart)
        return LogBatch(records, Progress(str(self._restart.position), self._restart.to_dict()))

    def _follow(self, stream: BinlogStream) -> Iterator[LogBatch]:
        decoder = LogDecoder(
            resolve=self._tables.resolve, file=stream.start.file or self._restart.file, pos=stream.start.pos
        )
        blocks = Blocks(stream)
        while not self._done:
            self._runs.begin_batch(self._now_us or time.time_ns() // 1000)
            records = self._decode(decoder, blocks) if blocks.fill(self._settings.poll_interval_ms) else []
            yield self._batch(records, decoder, idle=not blocks.full)
            blocks.aim(self._runs.taken.tables * BYTES_A_TABLE)

    def _decode(self, decoder: LogDecoder, blocks: Blocks) -> list[Records]:
        """What a block holds, up to the end of the range."""
        records: list[Records] = []
        for item in decoder.feed(blocks.data, blocks.start, blocks.end):
            if isinstance(item, ServerError):
                raise of_text(item.code, item.message, f"{item.file}:{item.position}")
            records += self._records(item)
            self._note_executed(item.executed)
            if isinstance(item, EndOfLog) or self._bounds.reached(file_number(item.file), item.position):
                self._done = True
                return records
        blocks.used(decoder.consumed, decoder.needed)
        return records

    def _records(self, item: Item) -> list[Records]:
        if isinstance(item, RowEvents):
            return self._runs.records(item)
        if isinstance(item, Query) and self._bounds.includes(self._restart.era, file_number(item.file), item.start):
            return self._define(item)
        return []

    def _define(self, query: Query) -> list[Records]:
        """A statement: schema-change events, or the truncation of captured tables."""
        gtids = None if self._restart.gtids is None else str(self._executed)
        records = self._definitions.apply(query, self._restart.era, gtids, self._runs.now_us)
        for table in self._definitions.truncated:
            if self._settings.tables.matches(table.catalog, table.name):
                records += self._runs.truncation(table, query)
        return records

    def _note_executed(self, intervals: Sequence[Interval]) -> None:
        if intervals and self._restart.gtids is not None:
            ranges: dict[Source, tuple[tuple[int, int], ...]] = {}
            for each in intervals:
                source = Source(str(each.origin.uuid), each.origin.tag)
                ranges[source] = (*ranges.get(source, ()), (each.first, each.last + 1))
            self._executed = self._executed.union(GtidSet(ranges))

    def _batch(self, records: list[Records], decoder: LogDecoder, *, idle: bool) -> LogBatch:
        gtids = None if self._restart.gtids is None else str(self._executed)
        restart = replace(self._restart, file=decoder.file, pos=decoder.restart, gtids=gtids)
        delivered = BinlogPosition(
            restart.era, file_number(decoder.file), decoder.position, self._runs.events_at(decoder.position)
        )
        taken = self._runs.taken
        return LogBatch(
            records,
            Progress(str(delivered), restart.to_dict()),
            self._definitions.take_history(),
            changes=taken.changes,
            source_ts_ms=taken.source_ts_ms,
            idle=idle and not taken.changes and not records,
        )


def _end_of(range_: LogRange) -> tuple[int, int] | None:
    if range_.until is None:
        return None
    until = RestartPosition.from_dict(range_.until)
    return file_number(until.file), until.pos
