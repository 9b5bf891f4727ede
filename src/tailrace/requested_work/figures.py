"""Progress figures of an incremental snapshot, in the form of `snapshot/figures.py`.

They are made from the remaining work, chunk after chunk. A table that is no longer read, for whatever reason, counts as
done with the rows that it has. `beside` says that the log is read at the same time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tailrace.requested_work.work import Work
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.figures import Figures, LaneFigures
from tailrace.snapshot.state import SnapshotState, TableState


@dataclass(frozen=True, slots=True)
class TableSize:
    """A table's estimated size.

    Attributes:
        rows: the estimate; 0: unknown.
        span: the least and the greatest value of its key's first column, if that is a number and the table is being
        read.

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
        """Set the tables to read; rows that are already delivered do not count as speed."""
        for table in work.tables:
            self._tables.setdefault(quoted_id(table.table), TableState(rows=table.rows))
        if self._figures is None and work.tables:
            self._figures = LaneFigures(self._state(work), 1, self._clock)

    def note_chunk(self, table: TableId, rows: int) -> None:
        """Count a chunk of one of the tables."""
        name = quoted_id(table)
        known = self._tables[name]
        self._tables[name] = replace(known, rows=known.rows + rows, chunks=known.chunks + 1)

    def note_sizes(self, sizes: Mapping[TableId, TableSize]) -> None:
        """Set the sizes of some tables."""
        for table, size in sizes.items():
            name = quoted_id(table)
            self._tables[name] = replace(self._tables[name], estimate=size.rows, span=size.span)

    def figures(self, work: Work) -> Figures | None:
        """The figures to show; None if nothing is being read, or the last figures are very recent."""
        if self._figures is None:
            return None
        self.note_work(work)
        told = self._figures.throttled(self._state(work))
        if not work.tables:
            self._tables, self._figures = {}, None
        return None if told is None else {**told, "beside": True}

    def _state(self, work: Work) -> SnapshotState:
        return SnapshotState(tuple(table.segment for table in work.tables), {}, dict(self._tables))
