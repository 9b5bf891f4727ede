"""How many rows a chunk has: memory is bounded by bytes, however long the rows are."""

from __future__ import annotations

import pytest

from tailrace.connectors.shared.snapshots.chunk_sizes import CHUNK_BYTES, RECORD_BYTES, ROWS_AT_MOST, ChunkSizes
from tailrace.schema.tables import TableId

TABLE = TableId("d", "dbo", "t")


def after_rows_of(size: int, record_size: int = 0) -> int:
    sizes = ChunkSizes()
    sizes.note_rows(TABLE, 10, 10 * size)
    sizes.note_records(TABLE, 10, 10 * record_size)
    return sizes.limit(TABLE)


def test_short_rows_are_read_many_at_a_time() -> None:
    assert after_rows_of(10) == ROWS_AT_MOST


@pytest.mark.parametrize("size", [1_000, 30_000, 250_000])
def test_long_rows_are_read_as_many_as_some_megabytes_hold(size: int) -> None:
    assert after_rows_of(size) == CHUNK_BYTES // size
    assert after_rows_of(10, record_size=2 * size) == RECORD_BYTES // (2 * size)


def test_little_is_read_before_it_is_known_how_long_rows_are() -> None:
    assert ChunkSizes().limit(TABLE) == 1024
    assert ChunkSizes().limit(TABLE, is_wide=True) == 32
