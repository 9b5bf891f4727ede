"""Chunks of an incremental snapshot that were read, and wait until the log has been delivered up to what they saw.

A read waits for a lock for a moment only, so that the log does not wait for it; then it is tried again later.
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

GATHERED_BYTES: Final = 8 << 20  # as they are read: all of them become records at once
GATHERED_SECONDS: Final = 1.0  # for so long the log waits at most


@dataclass(slots=True)
class Gathered:
    """Chunks, where the log stood at V.

    Attributes:
        segment: of which they are the next ones.
        chunks: one behind the other; none: nothing could be read.
        read_at: when they had been read.
        is_gone: the table is not there.
        held: why no more could be read; None: nothing was in the way.
        head: up to where the log must have been delivered; None while that is not known.
        since: when the wait began, seconds of a clock of this process.

    """

    segment: Segment
    chunks: Sequence[ReadChunk]
    read_at: Any
    is_gone: bool = False
    held: RetriableError | None = None
    head: Lsn | None = None
    since: float = field(default_factory=time.monotonic)

    def is_behind(self, database: SourceDatabase[Any], place: Lsn) -> bool:
        """Whether what they saw is delivered where the log is delivered up to a place."""
        if self.head is None and database.job.has_passed(self.read_at):
            self.head = database.captured_up_to()
        if self.head is None or place < self.head:
            return False
        return database.has(place)  # which reads the log up to there


def gather(source: ChangeTableSource[Any, Any], segment: Segment) -> Gathered:
    """The next chunks of a segment.

    Raises:
        PositionLostError: the table's changes are not told any more.

    """
    chunks: list[ReadChunk] = []
    left, size, began = segment, 0, time.monotonic()
    chunk, held = None, None
    while size < GATHERED_BYTES and time.monotonic() - began < GATHERED_SECONDS:
        try:
            chunk = source.read(left)
        except RetriableError as error:
            held = error
            break
        if not isinstance(chunk, ReadChunk):
            break  # its structure is changing, or it is gone
        chunks.append(chunk)
        size += sum(block.bytes for block in chunk.blocks if isinstance(block, ReadRows))
        if chunk.is_last:
            break
        left = replace(left, after=chunk.bound(len(chunk) - 1))
    read_at = source.database(parse_id(segment.table)).job.now()
    return Gathered(segment, chunks, read_at, is_gone=chunk is None and held is None, held=held)
