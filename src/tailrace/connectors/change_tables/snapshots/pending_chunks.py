"""Pending chunks of an incremental snapshot: read, and waiting until the log has been delivered up to what they saw.

A read waits only briefly for a lock, because the log waits meanwhile. After that it is tried again later.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.snapshots.blocks import ReadRows
from tailrace.connectors.change_tables.snapshots.databases import SourceDatabase
from tailrace.connectors.change_tables.snapshots.source import ChangeTableSource
from tailrace.connectors.shared.snapshots.chunks import ReadChunk
from tailrace.errors import RetriableError
from tailrace.schema.history import parse_id
from tailrace.snapshot.segments import Segment

PENDING_BYTES: Final = 8 << 20  # as they are read: all of them become records in one batch
PENDING_SECONDS: Final = 1.0  # the longest time that the log waits


@dataclass(slots=True)
class PendingChunks:
    """Chunks that were read when the log was delivered up to V.

    Attributes:
        segment: whose next rows they are.
        chunks: in key order; empty: nothing could be read.
        read_at: the capture process's time after the read.
        is_gone: whether the table is gone.
        held: why no more could be read; None: nothing prevented it.
        head: up to where the log must be delivered; None while it is unknown.
        since: when the wait began, in seconds of `time.monotonic`.

    """

    segment: Segment
    chunks: Sequence[ReadChunk]
    read_at: Any
    is_gone: bool = False
    held: RetriableError | None = None
    head: Lsn | None = None
    since: float = field(default_factory=time.monotonic)

    def is_behind(self, database: SourceDatabase[Any], place: Lsn) -> bool:
        """Whether the log's delivery up to an LSN includes everything that they saw."""
        if self.head is None and database.job.has_passed(self.read_at):
            self.head = database.captured_up_to()
        if self.head is None or place < self.head:
            return False
        return database.has(place)  # this session reads the log from V to there, and its replica may lag


def read_pending(source: ChangeTableSource[Any, Any], segment: Segment) -> PendingChunks:
    """Read the next chunks of a segment.

    Raises:
        PositionLostError: the table's changes are no longer retained.

    """
    chunks: list[ReadChunk] = []
    left, size, began = segment, 0, time.monotonic()
    chunk, held = None, None
    while size < PENDING_BYTES and time.monotonic() - began < PENDING_SECONDS:
        try:
            chunk = source.read(left)
        except RetriableError as error:
            held = error
            break
        if not isinstance(chunk, ReadChunk):
            break  # its structure is changing, or the table is gone
        chunks.append(chunk)
        size += sum(block.bytes for block in chunk.blocks if isinstance(block, ReadRows))
        if chunk.is_last:
            break
        left = replace(left, after=chunk.bound(len(chunk) - 1))
    # After the read: everything that the chunks saw was committed before this time.
    read_at = source.database(parse_id(segment.table)).job.now()
    return PendingChunks(segment, chunks, read_at, is_gone=chunk is None and held is None, held=held)
