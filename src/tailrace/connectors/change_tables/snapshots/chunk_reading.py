"""Reads chunks of tables: as many rows as fill some megabytes, read again if another session was in the way."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from tailrace import epoch
from tailrace.connectors.change_tables.snapshots.blocks import ReadRows
from tailrace.connectors.change_tables.snapshots.databases import DatabaseT, ReadT
from tailrace.connectors.shared.snapshots.chunk_sizes import ChunkSizes
from tailrace.connectors.shared.snapshots.chunks import ReadChunk, Unread, key_digests
from tailrace.errors import RetriableError, SourceSetupError
from tailrace.schema.history import parse_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Segment

PAUSE_SECONDS: Final = 0.2

_T = TypeVar("_T")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long reads wait for what blocks them.

    Attributes:
        attempts: how often a read is tried that was a deadlock victim, or waited too long for a lock.
        in_time: a context that limits the time to read or lock a table; it may turn a timeout into a final error.
        is_final: whether an error ends the read, whatever the number of attempts.

    """

    attempts: int = 1
    in_time: Callable[[TableId], AbstractContextManager[None]] = lambda _table: nullcontext()
    is_final: Callable[[RetriableError], bool] = lambda _error: False


ONCE: Final = Patience()


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rows of the tables are read, and how many at once.

    Attributes:
        conditions: of tables whose rows a signal selects, for WHERE.
        overrides: the user's statements that replace tables.
        rows_at_most: the greatest number of rows in a chunk; None: as many as fill some megabytes.
        recompiles: whether the plan of a chunk's statement is compiled each time.

    """

    conditions: Mapping[TableId, str]
    overrides: Mapping[TableId, str]
    rows_at_most: int | None
    recompiles: bool


class ChunkReader(Generic[DatabaseT, ReadT]):
    """Reads the chunks."""

    def __init__(self, databases: Mapping[str, DatabaseT], choice: Choice, patience: Patience) -> None:
        self._databases = databases
        self._choice = choice
        self._patience = patience
        self.sizes = ChunkSizes()

    def table(self, table: TableId) -> ReadT | None:
        """How a table is read; None if it is gone."""
        found: ReadT | None = self._databases[table.catalog].tables.of(table)
        return found

    def read(self, segment: Segment, attempts: int | None, *, packs: bool) -> ReadChunk | Unread | None:
        """The next rows of a segment; None if the table is gone.

        Args:
            segment: of a table.
            attempts: how often the read is tried; None: as `Patience` says.
            packs: whether the chunk waits for long, and is compressed.

        """
        table = parse_id(segment.table)
        read = self.table(table)
        if read is None:
            log.warning("%s was dropped or renamed: what was not read of it is not in the snapshot", table)
            return None
        return self._unless_altered(table, lambda: self._selected(read, segment, packs=packs), attempts)

    def _unless_altered(self, table: TableId, read: Callable[[], _T], attempts: int | None) -> _T | Unread | None:
        """The result of reading; `Unread` if the table changed since its structure was queried, None if it is gone."""
        try:
            return self.tried(table, read, attempts)
        except SourceSetupError:
            if not self._databases[table.catalog].tables.is_altered(table):
                raise
            return None if self.table(table) is None else Unread()

    def tried(self, table: TableId, read: Callable[[], _T], attempts: int | None = None) -> _T:
        """The result of reading, which is tried again if it was a deadlock victim, or waited too long for a lock."""
        attempts = attempts or self._patience.attempts
        for attempt in range(attempts):
            try:
                return read()
            except RetriableError as error:
                self._databases[table.catalog].reset_reading()
                if self._patience.is_final(error) or attempt == attempts - 1:
                    raise
                log.info("%s is read again: %s", table, error)
                time.sleep(PAUSE_SECONDS * attempt)
        raise AssertionError

    def _selected(self, read: ReadT, segment: Segment, *, packs: bool) -> ReadChunk:
        table = read.table.id
        if read.key is None:
            raise KeyError(table)
        limit = self._choice.rows_at_most or self.sizes.limit(table, is_wide=read.is_wide)
        read_us = epoch.now_us()
        found = self._databases[table.catalog].rows(
            read,
            (segment.after, segment.upto),
            limit,
            self._choice.overrides.get(table),
            self._choice.conditions.get(table),
            recompiles=self._choice.recompiles,
        )
        blocks = [ReadRows(read, batch, packs=packs) for batch in found]
        count, size = sum(map(len, blocks)), sum(block.bytes for block in blocks)
        self.sizes.note_rows(table, count, size)
        return ReadChunk(read, blocks, count < limit, read_us, key_digests, ReadRows.bound)
