"""Sections of the log that are read beside a snapshot: which rows were changed, and what they were before.

Nothing is delivered of them: when the snapshot is done, the log from its position on is read for that. A section goes
from where the last one ended to the log's head of a moment, and begins with the structures that the last one left. All of a
lane's sections come over one connection, which is kept open in between: so each byte of the log is sent once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from attrs import evolve

from tailrace.connectors.base import LogRange, Progress
from tailrace.connectors.mysql.blocks import Blocks
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.kept_history import NoHistory
from tailrace.connectors.mysql.log import Query, XaCommit, XaPrepare, XaRollback
from tailrace.connectors.mysql.positions import RestartPosition, file_number
from tailrace.connectors.mysql.run_records import RunRecords
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots.read_tables import ReadTables
from tailrace.connectors.mysql.snapshots.touched_rows import Broken, CollectedRows, Seen, Touched
from tailrace.connectors.mysql.stream import WRITE_TIMEOUT_SECONDS, BinlogStream
from tailrace.connectors.mysql.streaming import LogReader, limit_of
from tailrace.connectors.shared.batches import Batch
from tailrace.snapshot.first_changes import Break

SECTION_BYTES: Final = 64 << 20  # a section ends with the first transaction that ends behind so many, or with the file


class Sections(LogReader):
    """Reads one section after the other over one connection.

    Attributes:
        definitions: the structures where the next section begins; DDL in the log changes them.
        progress: up to where the log is read.

    """

    def __init__(
        self, settings: MySqlSettings, replica: int, progress: Progress, definitions: Definitions, tables: ReadTables
    ) -> None:
        """`replica` tells this reader from the others that the server has; `definitions` are of where `progress` ends."""
        super().__init__(_without_side_effects(settings), LogRange({}, None, now_us=0), progress, ())
        self._replica = replica
        self._read_tables = tables
        self._whole = tables.whole
        self._idle_seconds = (settings.binlog_net_write_timeout or WRITE_TIMEOUT_SECONDS) / 2
        self._blocks: Blocks | None = None
        self._stream: BinlogStream | None = None
        self._read_at = time.monotonic()
        self.definitions = definitions
        self.progress = progress

    @property
    def gtids(self) -> str | None:
        """Executed up to where the log is read; None where the server has none."""
        return self._place.gtids

    @property
    def can_go_on(self) -> bool:
        """Whether a further section can follow; False: another reader has to begin at `progress`.

        The server drops a reader that takes nothing for too long, and one that was to read up to a place on another
        server has read further.
        """
        is_new = self._blocks is None
        return is_new or (self._limit is not None and time.monotonic() - self._read_at < self._idle_seconds)

    def close(self) -> None:
        """Let go of the server."""
        if self._stream is not None:
            self._stream.close()

    def touched(self, until: RestartPosition, seen: Seen | None = None) -> Iterator[list[Touched]]:
        """The changes of one section, block by block; `ended` tells where it ends.

        Args:
            until: where it ends at the latest; it ends before that where that is far.
            seen: by the view for which the log is read up to there, if it is.

        """
        blocks = self._go_on(until)
        self._collected.seen = seen
        for batch in self._follow(blocks):
            self.progress, self._read_at = batch.progress, time.monotonic()
            yield self._collected.taken()

    def ended(self, until: RestartPosition) -> RestartPosition:
        """Where the section up to `until` ended."""
        here, limit = self._decoder, self._limit
        is_whole = self._covered() if limit is None else _order(here.file, here.position) >= _order(*limit)
        if is_whole:
            return until
        return RestartPosition(
            era=self._restart.era, file=here.file, pos=here.position, gtids=self.gtids, server_uuid=self._server.uuid
        )

    def _go_on(self, until: RestartPosition) -> Blocks:
        """Have the log come up to another end."""
        self._until, self._done = until, False
        if self._blocks is None:
            opened = self._open()
            self._stream = self._new_stream(opened)
            self._blocks = self._new_blocks(self._stream)
        self._limit = limit_of(until, self._server)
        self._decoder.extend(self._next_end())
        return self._blocks

    def _next_end(self) -> tuple[str, int] | None:
        """Where the section ends: at the end that is wanted, or before it where that is far."""
        here = self._decoder
        if not here.file:  # the server was asked by GTIDs and has not said yet where that is
            return self._limit
        long = here.file, here.position + SECTION_BYTES
        return long if self._limit is None else min(self._limit, long, key=lambda end: _order(*end))

    def _new_history(self) -> NoHistory:
        return NoHistory()

    def _new_definitions(self, server: Server) -> Definitions:  # noqa: ARG002
        return self.definitions

    def _new_asked(self) -> None:
        """Signals are for those who deliver."""

    def _new_runs(self) -> RunRecords:
        self._collected = CollectedRows(
            self._settings, self._tables, self._bounds, self._restart.era, self._read_tables
        )
        return self._collected

    def _define(self, query: Query, batch: Batch) -> None:
        there = [table for table in self._whole if table in self.definitions.structures]
        super()._define(query, batch)
        for table in there:
            if table not in self.definitions.structures:
                self._collected.note(Broken(table, Break.EMPTIED))
        for table in self.definitions.renamed:
            if table in self._whole:
                self._collected.note(Broken(table, Break.REPLACED))

    def _finish_xa(self, item: XaPrepare | XaCommit | XaRollback, batch: Batch) -> None:
        self._collected.ending = item.transaction.gtid
        super()._finish_xa(item, batch)

    def _new_blocks(self, stream: BinlogStream) -> Blocks:
        return Blocks(stream, self._block_bytes, kept=True)


def _order(file: str, position: int) -> tuple[int, int]:
    return file_number(file) if file else 0, position


def _without_side_effects(settings: MySqlSettings) -> MySqlSettings:
    """Nothing is told of a section: no transactions, schema changes or heartbeats; all servers' changes count."""
    return evolve(
        settings,
        provide_transaction_metadata=False,
        include_schema_changes=False,
        heartbeat_interval_ms=0,
        gtid_source_filter_dml_events=False,
        event_processing_failure_handling_mode="fail",
    )
