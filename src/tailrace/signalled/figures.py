"""What is shown of an incremental snapshot while it is read, in the form of `snapshot/figures.py`.

It is made from the work that is left, chunk after chunk. A table that is read no further, for whatever reason, counts as
done with the rows that it has. `beside` tells whoever shows it that the log is read all the while.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import TableId
from tailrace.signalled.work import Work
from tailrace.snapshot.figures import LaneFigures, Told
from tailrace.snapshot.state import SnapshotState, TableState


@dataclass(frozen=True, slots=True)
class TableSize:
    """How large a table is thought to be.

    Attributes:
        rows: about so many; 0: nobody knows.
        span: the least and the greatest value of its key's first column, where that is a number and the table is being read.

    """

    rows: int
    span: tuple[int, int] | None


class WorkFigures:
    """The figures of one lane's incremental snapshot, from one with tables to read to the end of the last of them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds."""
        self._clock = clock
        self._tables: dict[str, TableState] = {}
        self._figures: LaneFigures | None = None

    def note_work(self, work: Work) -> None:
        """Take in what is to be read; the rows that it has of a table by now are not counted as speed."""
        for table in work.tables:
            self._tables.setdefault(quoted_id(table.table), TableState(rows=table.rows))
        if self._figures is None and work.tables:
            self._figures = LaneFigures(self._state(work), 1, self._clock)

    def note_chunk(self, table: TableId, rows: int) -> None:
        """A chunk was read of one of the tables."""
        name = quoted_id(table)
        known = self._tables[name]
        self._tables[name] = replace(known, rows=known.rows + rows, chunks=known.chunks + 1)

    def note_sizes(self, sizes: Mapping[TableId, TableSize]) -> None:
        """So large are some of the tables."""
        for table, size in sizes.items():
            name = quoted_id(table)
            self._tables[name] = replace(self._tables[name], estimate=size.rows, span=size.span)

    def told(self, work: Work) -> Told | None:
        """What is to be shown of what is left; None where nothing is going on, or the last was told a moment ago."""
        if self._figures is None:
            return None
        self.note_work(work)
        told = self._figures.now_and_then(self._state(work))
        if not work.tables:
            self._tables, self._figures = {}, None
        return None if told is None else {**told, "beside": True}

    def _state(self, work: Work) -> SnapshotState:
        return SnapshotState(tuple(table.segment for table in work.tables), {}, dict(self._tables))
