"""Chunks of MySQL's tables."""

from __future__ import annotations

from collections.abc import Sequence

from tailrace.connectors.mysql.selecting import SelectedRows
from tailrace.connectors.mysql.snapshots.read_tables import ReadTable
from tailrace.connectors.mysql.snapshots.stored_keys import bound_at
from tailrace.connectors.shared.snapshots.chunks import ReadChunk, key_digests
from tailrace.snapshot.segments import Bound


def chunk_by_key(table: ReadTable, blocks: Sequence[SelectedRows], is_last: bool, read_us: int) -> ReadChunk:
    """A chunk of a table with a key; `read_us` is the read time, microseconds since the epoch."""
    key, plans = table.key, table.key_plans
    if key is None:
        raise KeyError(table.table.id)

    def bound(block: SelectedRows, row: int) -> Bound:
        return bound_at(key, plans, block.keys, row)

    return ReadChunk(table, blocks, is_last, read_us, key_digests, bound)
