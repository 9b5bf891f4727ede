"""The records of a lane's snapshot, marked and counted.

Each of Debezium's marks goes to one record. If several fit, `last` wins over `first`, then `last_in_data_collection`,
then `first_in_data_collection`. `first` is for a record of the first table: if that has none, no record has it.
With several lanes the lane with the snapshot's, or the table's, first or last segment sets the mark: the records of
other lanes may come before and after.

Source: Debezium's documentation of the connectors, the source block's field `snapshot`.
"""

from __future__ import annotations

from dataclasses import replace

from tailrace.snapshot.first_changes import Rows, TableTouches
from tailrace.snapshot.source import Mark, Piece, ReadRows
from tailrace.snapshot.state import SnapshotState, TableState


class Pieces:
    """Makes pieces, and knows which marks were given.

    Attributes:
        tables: counts and marks by table, to go into the state.
        begun: whether the snapshot's first record was marked.

    """

    def __init__(self, state: SnapshotState) -> None:
        self.tables: dict[str, TableState] = dict(state.tables)
        self.begun = state.begun
        self._opening = next(iter(state.tables), None) if state.opens else None
        self._closes = state.closes

    def alike(self, table: str, of: ReadRows | TableTouches, rows: Rows, mark: Mark = Mark.TRUE) -> list[Piece]:
        """Rows that all have the same mark; no piece without rows."""
        if not len(rows):
            return []
        state = self.tables[table]
        self.tables[table] = replace(state, rows=state.rows + len(rows))
        return [Piece(table, of, rows, mark)]

    def going_on(self, table: str, of: ReadRows | TableTouches, rows: Rows) -> list[Piece]:
        """Rows of a table that more rows will follow; they may begin with its first."""
        mark = self._first(table) if len(rows) else Mark.TRUE
        if mark is Mark.TRUE:
            return self.alike(table, of, rows)
        return self.alike(table, of, rows[:1], mark) + self.alike(table, of, rows[1:])

    def ending(self, table: str, of: ReadRows | TableTouches, rows: Rows, *, is_end: bool) -> list[Piece]:
        """The last rows of a table, at least one; `is_end` says that no other table's will follow."""
        before = self.going_on(table, of, rows[:-1])
        return before + self.alike(table, of, rows[-1:], self._last(table, is_end=is_end))

    def count(self, table: str, *, chunks: int = 0, incomplete: int = 0) -> None:
        """Count chunks and incomplete images."""
        if chunks or incomplete:
            state = self.tables[table]
            chunks, incomplete = state.chunks + chunks, state.incomplete + incomplete
            self.tables[table] = replace(state, chunks=chunks, incomplete=incomplete)

    def _first(self, table: str) -> Mark:
        state = self.tables[table]
        opens = self._is_to_open(table)
        begins = state.has_first and not state.begun
        self.begun = self.begun or opens
        self.tables[table] = replace(state, begun=state.begun or opens or begins)
        if opens:
            return Mark.FIRST
        return Mark.FIRST_IN_DATA_COLLECTION if begins else Mark.TRUE

    def _last(self, table: str, *, is_end: bool) -> Mark:
        if is_end and self._closes:
            return Mark.LAST
        if self.tables[table].has_last and not self._is_to_open(table):
            return Mark.LAST_IN_DATA_COLLECTION
        return self._first(table)

    def _is_to_open(self, table: str) -> bool:
        """Whether the next record of a table is the snapshot's first."""
        return table == self._opening and not self.begun
