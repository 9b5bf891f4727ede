"""The number of rows of a table's next chunk: as many as fill some megabytes, both as they are read and as records."""

from __future__ import annotations

from typing import Final

from tailrace.schema.tables import TableId

ROWS_AT_MOST: Final = 1 << 14
FIRST_ROWS: Final = 1 << 10
FIRST_WIDE_ROWS: Final = 1 << 5  # where values may be of any length
ROWS_AT_LEAST: Final = 1 << 4
CHUNK_BYTES: Final = 4 << 20
RECORD_BYTES: Final = 8 << 20  # of a chunk's records: three chunks are in memory at once, with the one in the sink


class ChunkSizes:
    """The chunk sizes of one lane's tables, adapted to the rows that were read so far."""

    def __init__(self) -> None:
        self._chunk_rows: dict[TableId, int] = {}
        self._record_rows: dict[TableId, int] = {}

    def limit(self, table: TableId, *, is_wide: bool = False) -> int:
        """The greatest number of rows; more for short rows that become short records.

        `is_wide`: the first chunk of a table whose values may be of any length.
        """
        first = FIRST_WIDE_ROWS if is_wide else FIRST_ROWS
        rows = min(self._chunk_rows.get(table, first), self._record_rows.get(table, ROWS_AT_MOST), ROWS_AT_MOST)
        # A few very large rows fit into memory; a query for each row would be slow.
        return max(rows, ROWS_AT_LEAST)

    def note_rows(self, table: TableId, count: int, size: int) -> None:
        """Note that `count` rows had `size` bytes when they were read."""
        if count:
            self._chunk_rows[table] = CHUNK_BYTES * count // max(size, 1)

    def note_records(self, table: TableId, count: int, size: int) -> None:
        """Note that `count` rows became records of `size` bytes."""
        self._record_rows[table] = RECORD_BYTES * count // max(size, 1)
