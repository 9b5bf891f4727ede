"""What a snapshot asks of one database: its tables, their rows, and what its change tables say of them.

The chunks of a table, and the images in its change table, are selected by the same expressions: the columns, and behind them
what else tells the key. So a row is told apart from others alike, wherever it is seen.
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
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.rows import ChangeRows
from tailrace.connectors.change_tables.snapshots.capture import Capture
from tailrace.connectors.change_tables.snapshots.moments import Moments
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
        """Of its read events."""
        ...

    @property
    def key(self) -> IndexKey[Any] | None:
        """By which it is read; None: it has none."""
        ...

    @property
    def instance(self) -> Instance:
        """The one that tells its changes."""
        ...

    @property
    def selected(self) -> Sequence[int]:
        """Indices of the columns that are read."""
        ...

    @property
    def is_wide(self) -> bool:
        """Whether values may be of any length."""
        ...

    @property
    def tells_commands(self) -> bool:
        """Whether its change rows say which command of the transaction each is of (`ChangeRows.command`)."""
        ...

    def split(self, arrays: Sequence[pa.Array]) -> tuple[Sequence[pa.Array], Sequence[pa.Array]]:
        """The arrays of what was selected: those of columns, and those of the key as it tells rows apart."""
        ...

    def shown(
        self, arrays: Sequence[pa.Array], count: int, named: Callable[[int], str]
    ) -> tuple[list[Vector | None], INT32]:
        """The values of so many rows, and where each row has its own; -1: it can't be shown."""
        ...

    def completed(self, rows: ChangeRows) -> tuple[list[pa.Array], Mask]:
        """What was selected of changes, with the values that other images know, and which images have every value."""
        ...


ReadT = TypeVar("ReadT", bound=ReadTable)
ReadT_co = TypeVar("ReadT_co", bound=ReadTable, covariant=True)


class Tables(Protocol[ReadT_co]):
    """The tables of one database that a lane reads."""

    def __iter__(self) -> Iterator[TableId]: ...

    def of(self, table: TableId) -> ReadT_co | None:
        """How a table is read; None where it is gone."""
        ...

    def shape_of(self, table: Table) -> Shape:
        """Of read events of a structure, which may be one of before: rows that the log told are held for a while."""
        ...

    def altered(self) -> frozenset[TableId]:
        """The tables of which the structure is another one than when this was asked last, or that are gone.

        Whatever capture has passed is known.
        """
        ...

    def is_altered(self, table: TableId) -> bool:
        """Whether `altered` will tell of a table; also where capture does not know of the change yet."""
        ...

    def have_changed(self) -> bool:
        """Whether other tables can be read, or by other instances, than when that was looked up last.

        Raises:
            PositionLostError: the changes of one are not told from P on any more.

        """
        ...

    def require_log(self) -> None:
        """Raise `PositionLostError` where the change tables do not reach back to P any more."""
        ...


class SourceDatabase(Protocol[ReadT]):
    """One database that a lane reads tables of, opened at P.

    Attributes:
        reached: up to where the log is read.
        chosen: the tables of which rows of the user's own choice are read, where a change wins over the row.

    """

    reached: Lsn
    chosen: Collection[TableId]

    @property
    def tables(self) -> Tables[ReadT]:
        """What is read."""
        ...

    @property
    def job(self) -> Capture[Any]:
        """Who captures changes."""
        ...

    @property
    def moments(self) -> Moments[Any]:
        """Behind chunks that were read."""
        ...

    def captured_up_to(self) -> Lsn:
        """How far the log is captured now."""
        ...

    def has(self, lsn: Lsn) -> bool:
        """Whether what was captured up to an LSN is seen here, which on a replica may come later."""
        ...

    def wait_for(self, lsn: Lsn) -> None:
        """Wait until it is. Raises `RetriableError` where it does not come."""
        ...

    def move(self, point: Lsn) -> None:
        """Stand at another position, which all sessions see."""
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
        """The committed rows of an interval of a table's key, in its order, at most so many; locks are waited for.

        Args:
            read: the table.
            interval: of its key.
            limit: of rows.
            statement: the user's own SELECT, which is read as if it were the table.
            condition: a signal's, for WHERE.
            recompiles: the plan of the statement is made anew each time.

        """
        ...

    def forget_reading(self) -> None:
        """Read on another connection next time."""
        ...

    def opened_view(self, read: ReadT, statement: str | None, position: Mapping[str, Any]) -> View:
        """A view of a table without a key; its place is known later, and called `position` until then."""
        ...

    def place_of_view(self) -> Lsn:
        """Where the log stood in the view that was opened last; what the view saw is captured."""
        ...

    def has_rows(self, instances: Sequence[Instance], window: Window) -> Sequence[bool]:
        """Which of the instances have rows in a window."""
        ...

    def changes(self, read: ReadT, window: Window) -> Iterable[ChangeRows]:
        """What a window says of a table, but for operations that nobody is told of where rows are `chosen`."""
        ...

    def nth_entry(self, window: Window, number: int) -> Lsn | None:
        """The last of the first so many commits of a window; None where there is none."""
        ...

    def are_within(self, read: ReadT, bounds: Sequence[Bound], intervals: Sequence[Interval]) -> Mask:
        """Whether each bound of a table's key lies in any interval, as the server compares; shape (n,)."""
        ...

    def close(self) -> None:
        """Let go of the server."""
        ...


DatabaseT = TypeVar("DatabaseT", bound=SourceDatabase[Any])
Databases = Mapping[str, DatabaseT]
