"""How many rows the next chunk of a table has: as many as some megabytes hold, read and as records."""

from __future__ import annotations

from typing import Final

from tailrace.schema.tables import TableId

ROWS_AT_MOST: Final = 1 << 14
FIRST_ROWS: Final = 1 << 10
FIRST_WIDE_ROWS: Final = 1 << 5  # where values may be of any length
ROWS_AT_LEAST: Final = 1 << 4
CHUNK_BYTES: Final = 4 << 20
RECORD_BYTES: Final = 8 << 20  # of what a chunk becomes: three are in memory at once, the one under way to the sink too


class ChunkSizes:
    """Of one lane's tables."""

    def __init__(self) -> None:
        self._chunk_rows: dict[TableId, int] = {}
        self._record_rows: dict[TableId, int] = {}

    def limit(self, table: TableId, *, is_wide: bool = False) -> int:
        """How many rows at most: of short ones, and of such that become short records, more; `is_wide`: none was read yet."""
        first = FIRST_WIDE_ROWS if is_wide else FIRST_ROWS
        rows = min(self._chunk_rows.get(table, first), self._record_rows.get(table, ROWS_AT_MOST), ROWS_AT_MOST)
        return max(rows, ROWS_AT_LEAST)

    def note_rows(self, table: TableId, count: int, size: int) -> None:
        """So many rows that were read had so many bytes."""
        if count:
            self._chunk_rows[table] = CHUNK_BYTES * count // max(size, 1)

    def note_records(self, table: TableId, count: int, size: int) -> None:
        """So many rows became records of so many bytes."""
        self._record_rows[table] = RECORD_BYTES * count // max(size, 1)
