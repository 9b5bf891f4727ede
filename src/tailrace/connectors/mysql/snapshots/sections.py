"""Sections of the log that are read beside a snapshot: which rows changed, and their before images.

None of it is delivered: after the snapshot, the log from the snapshot's position on is read for that. A section begins
where the last one ended, with the structures there. It ends at the head that the log had when it was requested, or
earlier, between transactions, if that is far away. All sections of a lane come over one connection, which stays open in
between, so each byte of the log is sent once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from attrs import evolve

from tailrace.connectors.base import Progress
from tailrace.connectors.mysql.blocks import Blocks
from tailrace.connectors.mysql.captured import CapturedTables
from tailrace.connectors.mysql.ddl import IndexChanges, SqlMode, index_changes
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.delivered_rows import DeliveredRows
from tailrace.connectors.mysql.dump_start import dump_start
from tailrace.connectors.mysql.log import Query, QueryKind
from tailrace.connectors.mysql.opened_log import OpenedLog, XaEnd
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition, file_number
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots.read_tables import ReadTables
from tailrace.connectors.mysql.snapshots.touched_rows import Broken, CollectedRows, Touched, ViewContents
from tailrace.connectors.mysql.stream import WRITE_TIMEOUT_SECONDS
from tailrace.connectors.shared.batches import Batch
from tailrace.events.pipeline import sizes_of
from tailrace.schema.tables import TableId
from tailrace.snapshot.first_changes import Break

SECTION_BYTES: Final = 64 << 20  # a section ends at the first transaction's end after so many bytes, or with the file


class Sections:
    """Reads section after section over one connection.

    Attributes:
        definitions: the structures where the next section begins; DDL in the log changes them.
        progress: up to where the log is read.

    """

    def __init__(
        self, settings: MySqlSettings, replica: int, progress: Progress, definitions: Definitions, tables: ReadTables
    ) -> None:
        """`replica` distinguishes this reader from other replicas; `definitions` belong to the end of `progress`."""
        self._settings = _without_side_effects(settings)
        self._read_tables = tables
        self._whole = tables.whole
        self._sizes = sizes_of(self._settings)
        # Half of the server's timeout, so that a connection which is taken for alive has not been dropped.
        self._idle_seconds = (settings.binlog_net_write_timeout or WRITE_TIMEOUT_SECONDS) / 2
        self._read_at = time.monotonic()
        self.definitions = definitions
        self.progress = progress
        self._altered: set[TableId] = set()
        self._log = self._open(RestartPosition.from_dict(progress.restart))
        self._blocks = self._log.connect(replica, kept=True)

    @property
    def gtids(self) -> str | None:
        """The GTIDs executed up to where the log is read; None if the server has none."""
        return self._log.place.gtids

    @property
    def can_go_on(self) -> bool:
        """Whether another section can follow; False: a new reader has to begin at `progress`.

        The server drops a reader that reads nothing for too long (net_write_timeout). And a reader without a position
        limit, whose end was on another server, has read past it.
        """
        return self._log.limit is not None and time.monotonic() - self._read_at < self._idle_seconds

    def close(self) -> None:
        """Close the connection."""
        self._log.close()

    def touched(self, until: RestartPosition, seen: ViewContents | None = None) -> Iterator[list[Touched]]:
        """The changes of one section, block by block; `ended` returns its end.

        Args:
            until: the latest end; the section ends earlier if this is far away.
            seen: what the view has seen for which the log is read, if there is one.

        """
        log, blocks = self._log, self._blocks
        log.end_at(until)
        log.decoder.extend(self._next_end())
        self._collected.seen = seen
        left = blocks.start < blocks.end  # bytes that came with the last section
        while not log.is_done:
            if left or blocks.fill(self._settings.poll_ms):
                self._take(log, blocks)
            left = False
            self.progress = log.progress(log.decoder.file, log.decoder.position, log.decoder.restart)
            self._read_at = time.monotonic()
            yield self._collected.taken()
            log.is_done = log.is_done or log.is_covered

    def take_altered(self) -> set[TableId]:
        """The tables that statements named since the last call, to make, alter or drop them or a unique index of theirs."""
        taken, self._altered = self._altered, set()
        return taken

    def ended(self, until: RestartPosition) -> RestartPosition:
        """The end of the section that was to end at `until`."""
        log, here = self._log, self._log.decoder
        is_whole = log.is_covered if log.limit is None else _order(here.file, here.position) >= _order(*log.limit)
        if is_whole:
            return until
        return RestartPosition(
            era=log.era, file=here.file, pos=here.position, gtids=self.gtids, server_uuid=log.server.uuid
        )

    def _open(self, restart: RestartPosition) -> OpenedLog:
        delivered = BinlogPosition.parse(self.progress.delivered) if self.progress.delivered else None
        return OpenedLog(
            self._settings,
            dump_start(self._settings, restart),
            restart,
            delivered,
            None,
            lambda _opened: self.definitions,
            self._runs_of,
            define=self._define,
            finish_xa=self._finish_xa,
        )

    def _runs_of(self, tables: CapturedTables, delivered_rows: DeliveredRows, era: int) -> CollectedRows:
        self._collected = CollectedRows(self._settings, tables, delivered_rows, era, self._read_tables)
        return self._collected

    def _take(self, log: OpenedLog, blocks: Blocks) -> None:
        """Decode the bytes in the blocks."""
        batch, take = Batch(0, self._sizes), log.take
        for item in log.decoder.feed(blocks.data, blocks.start, blocks.end):
            take(item, batch)
        blocks.used(log.decoder.consumed, log.decoder.needed)
        self.definitions.take_history()  # only the stream stores the schema history

    def _next_end(self) -> tuple[str, int] | None:
        """The end of the section: the requested one, or an earlier one if that is far away."""
        here, limit = self._log.decoder, self._log.limit
        if not here.file:  # the dump was requested by GTIDs, and the server has not sent the file's name yet
            return limit
        long = here.file, here.position + SECTION_BYTES
        return long if limit is None else min(limit, long, key=lambda end: _order(*end))

    def _define(self, query: Query, batch: Batch) -> None:
        structures = self.definitions.structures
        there = [table for table in self._whole if table in structures]
        changes = _index_changes(query, lower_names=structures.lower_names)
        before = None if changes is None else structures.get(changes.table)
        self._log.define(query, batch)
        self._altered |= self.definitions.altered
        if changes is not None:
            self._altered.add(changes.table)  # most changes of indexes change no structure
            self._read_tables.proofs.note(changes, before, structures.get(changes.table))
        # Without a key, rows are compared as a whole. A drop or rename leaves none to compare with, so it must be noted.
        for table in there:
            if table not in structures:
                self._collected.note(Broken(table, Break.EMPTIED))
        for table in self.definitions.renamed:
            if table in self._whole:
                self._collected.note(Broken(table, Break.REPLACED))

    def _finish_xa(self, item: XaEnd, batch: Batch) -> None:
        self._collected.ending = item.transaction.gtid
        self._log.finish_xa(item, batch)


def _index_changes(query: Query, *, lower_names: bool) -> IndexChanges | None:
    if query.kind is QueryKind.DATA:
        return None
    return index_changes(query.sql, query.database, SqlMode.from_bits(query.sql_mode), lower_names=lower_names)


def _order(file: str, position: int) -> tuple[int, int]:
    return file_number(file) if file else 0, position


def _without_side_effects(settings: MySqlSettings) -> MySqlSettings:
    """The settings of a reader that delivers nothing: no transaction metadata, schema changes or heartbeats.

    `gtid.source.*` must not filter here: a row that a filtered server changed since P is changed all the same.
    """
    return evolve(
        settings,
        provide_transaction_metadata=False,
        include_schema_changes=False,
        heartbeat_interval_ms=0,
        gtid_source_filter_dml_events=False,
        event_processing_failure_handling_mode="fail",
    )
