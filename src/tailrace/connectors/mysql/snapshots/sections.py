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

from tailrace.connectors.base import Progress
from tailrace.connectors.mysql.blocks import Blocks
from tailrace.connectors.mysql.bounds import Bounds
from tailrace.connectors.mysql.captured import CapturedTables
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.log import Query
from tailrace.connectors.mysql.opened_log import OpenedLog, XaEnd
from tailrace.connectors.mysql.opening import opening
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition, file_number
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots.read_tables import ReadTables
from tailrace.connectors.mysql.snapshots.touched_rows import Broken, CollectedRows, Seen, Touched
from tailrace.connectors.mysql.stream import WRITE_TIMEOUT_SECONDS
from tailrace.connectors.shared.batches import Batch
from tailrace.events.pipeline import sizes_of
from tailrace.snapshot.first_changes import Break

SECTION_BYTES: Final = 64 << 20  # a section ends with the first transaction that ends behind so many, or with the file


class Sections:
    """Reads one section after the other over one connection.

    Attributes:
        definitions: the structures where the next section begins; DDL in the log changes them.
        progress: up to where the log is read.

    """

    def __init__(
        self, settings: MySqlSettings, replica: int, progress: Progress, definitions: Definitions, tables: ReadTables
    ) -> None:
        """`replica` tells this reader from the others that the server has; `definitions` are of where `progress` ends."""
        self._settings = _without_side_effects(settings)
        self._read_tables = tables
        self._whole = tables.whole
        self._sizes = sizes_of(self._settings)
        self._idle_seconds = (settings.binlog_net_write_timeout or WRITE_TIMEOUT_SECONDS) / 2
        self._read_at = time.monotonic()
        self.definitions = definitions
        self.progress = progress
        self._log = self._open(RestartPosition.from_dict(progress.restart))
        self._blocks = self._log.connect(replica, kept=True)

    @property
    def gtids(self) -> str | None:
        """Executed up to where the log is read; None where the server has none."""
        return self._log.place.gtids

    @property
    def can_go_on(self) -> bool:
        """Whether a further section can follow; False: another reader has to begin at `progress`.

        The server drops a reader that takes nothing for too long, and one that was to read up to a place on another
        server has read further.
        """
        return self._log.limit is not None and time.monotonic() - self._read_at < self._idle_seconds

    def close(self) -> None:
        """Let go of the server."""
        self._log.close()

    def touched(self, until: RestartPosition, seen: Seen | None = None) -> Iterator[list[Touched]]:
        """The changes of one section, block by block; `ended` tells where it ends.

        Args:
            until: where it ends at the latest; it ends before that where that is far.
            seen: by the view for which the log is read up to there, if it is.

        """
        log, blocks = self._log, self._blocks
        log.end_at(until)
        log.decoder.extend(self._next_end())
        self._collected.seen = seen
        left = blocks.start < blocks.end  # of what came for the last section
        while not log.is_done:
            if left or blocks.fill(self._settings.poll_ms):
                self._take(log, blocks)
            left = False
            self.progress = log.progress(log.decoder.file, log.decoder.position, log.decoder.restart)
            self._read_at = time.monotonic()
            yield self._collected.taken()
            log.is_done = log.is_done or log.is_covered

    def ended(self, until: RestartPosition) -> RestartPosition:
        """Where the section up to `until` ended."""
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
            opening(self._settings, restart),
            restart,
            delivered,
            None,
            lambda _opened: self.definitions,
            self._runs_of,
            define=self._define,
            finish_xa=self._finish_xa,
        )

    def _runs_of(self, tables: CapturedTables, bounds: Bounds, era: int) -> CollectedRows:
        self._collected = CollectedRows(self._settings, tables, bounds, era, self._read_tables)
        return self._collected

    def _take(self, log: OpenedLog, blocks: Blocks) -> None:
        """Use what is in the blocks."""
        batch, take = Batch(0, self._sizes), log.take
        for item in log.decoder.feed(blocks.data, blocks.start, blocks.end):
            take(item, batch)
        blocks.used(log.decoder.consumed, log.decoder.needed)
        self.definitions.take_history()  # it is the stream's to keep

    def _next_end(self) -> tuple[str, int] | None:
        """Where the section ends: at the end that is wanted, or before it where that is far."""
        here, limit = self._log.decoder, self._log.limit
        if not here.file:  # the server was asked by GTIDs and has not said yet where that is
            return limit
        long = here.file, here.position + SECTION_BYTES
        return long if limit is None else min(limit, long, key=lambda end: _order(*end))

    def _define(self, query: Query, batch: Batch) -> None:
        there = [table for table in self._whole if table in self.definitions.structures]
        self._log.define(query, batch)
        for table in there:
            if table not in self.definitions.structures:
                self._collected.note(Broken(table, Break.EMPTIED))
        for table in self.definitions.renamed:
            if table in self._whole:
                self._collected.note(Broken(table, Break.REPLACED))

    def _finish_xa(self, item: XaEnd, batch: Batch) -> None:
        self._collected.ending = item.transaction.gtid
        self._log.finish_xa(item, batch)


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
