"""What a snapshot needs from one database: its tables, their rows, and their changes.

The chunks of a table, and the images in its change table, are selected by the same expressions: the columns, then what
else identifies the key. So a row is identified equally, wherever it is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.model import INT32
from tailrace.changes.vectors import Vector
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.landmarks import Landmark
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.rows import ChangeRows
from tailrace.connectors.change_tables.snapshots.capture import Capture
from tailrace.connectors.change_tables.snapshots.read_times import ReadTimes
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.snapshots.keys import IndexKey
from tailrace.events.shape import Shape
from tailrace.schema.tables import Table, TableId
from tailrace.snapshot.segments import Bound, Interval
from tailrace.snapshot.source import View

Mask = npt.NDArray[np.bool_]


class ReadTable(Protocol):
    """One structure of a table that is read."""

    @property
    def table(self) -> Table:
        """The structure: the captured columns that have a field."""
        ...

    @property
    def shape(self) -> Shape:
        """The shape of its read events."""
        ...

    @property
    def key(self) -> IndexKey[Any] | None:
        """The key by which it is read; None: it has none."""
        ...

    @property
    def instance(self) -> Instance:
        """The capture instance that has its changes."""
        ...

    @property
    def selected(self) -> Sequence[int]:
        """Indices of the selected columns."""
        ...

    @property
    def is_wide(self) -> bool:
        """Whether a value may be of any length."""
        ...

    def split(self, arrays: Sequence[pa.Array]) -> tuple[Sequence[pa.Array], Sequence[pa.Array]]:
        """Split the selected arrays: those of columns, and those that identify the key."""
        ...

    def convertible_values(
        self, arrays: Sequence[pa.Array], count: int, named: Callable[[int], str]
    ) -> tuple[list[Vector | None], INT32]:
        """The values of `count` rows, and the index of each row in them; -1: it can't be converted."""
        ...

    def completed(self, rows: ChangeRows) -> tuple[list[pa.Array], Mask]:
        """The selected arrays of changes, with values from other images, and which images are complete."""
        ...


ReadT = TypeVar("ReadT", bound=ReadTable)
ReadT_co = TypeVar("ReadT_co", bound=ReadTable, covariant=True)


class Tables(Protocol[ReadT_co]):
    """The tables of one database that a lane reads."""

    def __iter__(self) -> Iterator[TableId]: ...

    def of(self, table: TableId) -> ReadT_co | None:
        """How a table is read; None if it is gone."""
        ...

    def shape_of(self, table: Table) -> Shape:
        """The shape of a structure's read events; it may be an earlier structure, as rows are held for a while."""
        ...

    def altered(self) -> frozenset[TableId]:
        """The tables whose structure changed since the last call, or that are gone.

        All changes that capture has passed are known.
        """
        ...

    def is_altered(self, table: TableId) -> bool:
        """Whether `altered` will report a table, even if capture has not reached the change yet."""
        ...

    def have_changed(self) -> bool:
        """Whether the tables, or their instances, differ from those that were looked up last.

        Raises:
            PositionLostError: the changes of one are no longer retained from P on.

        """
        ...

    def require_log(self) -> None:
        """Raise `PositionLostError` if the change tables are no longer retained from P on."""
        ...


class SourceDatabase(Protocol[ReadT]):
    """One database with tables that a lane reads, opened at P.

    Attributes:
        reached: up to where the log is read.
        chosen: the tables whose rows the user selects: a change takes precedence over a row that was read.

    """

    reached: Lsn
    chosen: Collection[TableId]

    @property
    def tables(self) -> Tables[ReadT]:
        """The tables that are read."""
        ...

    @property
    def job(self) -> Capture[Any]:
        """The capture process."""
        ...

    @property
    def read_times(self) -> ReadTimes[Any]:
        """The times noted after chunks."""
        ...

    def captured_up_to(self) -> Lsn:
        """How far the log is captured now."""
        ...

    def has(self, lsn: Lsn) -> bool:
        """Whether this session sees what is captured up to an LSN; a replica may lag."""
        ...

    def landmark(self, lsn: Lsn) -> Landmark | None:
        """The newest transaction that the server lists up to an LSN, as `Dialect.landmark`."""
        ...

    def require_landmark(self, lsn: Lsn, landmark: Landmark) -> None:
        """Raise `PositionLostError` if the log is another one than that in which this was the landmark of an LSN."""
        ...

    def wait_for(self, lsn: Lsn) -> None:
        """Wait until the session sees what is captured up to an LSN.

        Raises:
            RetriableError: it does not see that in time.

        """
        ...

    def move(self, point: Lsn) -> None:
        """Move to another position, which all sessions see."""
        ...

    def rows(
        self,
        read: ReadT,
        interval: Interval,
        limit: int,
        statement: str | None,
        condition: str | None,
        *,
        recompiles: bool,
    ) -> Iterable[pa.RecordBatch]:
        """The committed rows of a key interval, in key order, at most `limit`; the read waits for locks.

        Args:
            read: the table.
            interval: of its key.
            limit: the greatest number of rows.
            statement: the user's SELECT, which replaces the table.
            condition: a signal's, for WHERE.
            recompiles: whether the statement's plan is compiled each time.

        """
        ...

    def reset_reading(self) -> None:
        """Use a new connection for the next read."""
        ...

    def opened_view(self, read: ReadT, statement: str | None, position: Mapping[str, Any]) -> View:
        """A view of a table without a key; its LSN is known later, and is called `position` until then."""
        ...

    def view_position(self) -> Lsn:
        """The LSN of the view that was opened last; everything that it saw is captured."""
        ...

    def has_rows(self, instances: Sequence[Instance], window: Window) -> Sequence[bool]:
        """Which of the instances have rows in a window."""
        ...

    def changes(self, read: ReadT, window: Window) -> Iterable[ChangeRows]:
        """A table's changes in a window; for `chosen` tables without operations that are skipped."""
        ...

    def nth_entry(self, window: Window, number: int) -> Lsn | None:
        """The LSN of the commit with this number in a window; None if it has fewer."""
        ...

    def are_within(self, read: ReadT, bounds: Sequence[Bound], intervals: Sequence[Interval]) -> Mask:
        """Whether each bound lies in any of the intervals, in the server's order; shape (n,)."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...


DatabaseT = TypeVar("DatabaseT", bound=SourceDatabase[Any])
Databases = Mapping[str, DatabaseT]
