"""A captured table as its rows are read: what the loops of this package want of a connector's decoding of rows.

A connector has one such table for each capture instance and structure that it reads. It knows how the rows are selected, what
their values are, and which shape their events have.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Protocol

from tailrace.changes.vectors import Vector
from tailrace.connectors.change_tables.dialect import Session_contra
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.positions import RowPosition
from tailrace.connectors.change_tables.rows import ChangeRows
from tailrace.connectors.change_tables.windows import Window
from tailrace.events.shape import Shape
from tailrace.schema.tables import Table, TableId


class DecodedTable(Protocol):
    """One structure of a table: what its rows hold."""

    @property
    def name(self) -> str:
        """As messages and transaction metadata name it."""
        ...

    def columns(self, rows: ChangeRows) -> list[Vector | None]:
        """What rows hold, a vector for each column of the structure; None where it is not read.

        Raises:
            LogFormatError: a value can't be converted; the message names the column.
            StructureError: likewise; it came as another type than is known.

        """
        ...


class CapturedTable(DecodedTable, Protocol[Session_contra]):
    """The same as a capture instance has its rows."""

    @property
    def shape(self) -> Shape:
        """Of its events."""
        ...

    @property
    def constants(self) -> Mapping[str, str | None]:
        """The fields of the source block that never change."""
        ...

    @property
    def is_owned(self) -> bool:
        """Whether its events are delivered by this lane."""
        ...

    @property
    def is_signals(self) -> bool:
        """Whether rows that are inserted into it are signals, for every lane."""
        ...

    @property
    def is_wide(self) -> bool:
        """Whether a row may be of any length."""
        ...

    @property
    def moves_keys(self) -> bool:
        """Whether an update of two rows may change the key."""
        ...

    def rows(
        self, session: Session_contra, window: Window, after: RowPosition | None, batch_rows: Callable[[], int]
    ) -> Generator[ChangeRows]:
        """Its rows in a window, behind the row `after`, so many at a time as `batch_rows` says.

        Raises:
            LogFormatError: an update has only one of its two rows.

        """
        ...


class CapturedTables(Protocol[Session_contra]):
    """Makes them, and says which tables are one lane's."""

    @property
    def tells_reading_time(self) -> bool:
        """Whether the times of changes say when they were read."""
        ...

    def owns(self, table: TableId) -> bool:
        """Whether a table's events are delivered by this lane."""
        ...

    def reads(self, table: TableId) -> bool:
        """Whether a table's rows are read: they are delivered, or they are signals."""
        ...

    def captured(self, table: Table, instance: Instance, *, only_keys: bool = False) -> CapturedTable[Session_contra]:
        """How the rows of an instance are read, whose structure is `table`.

        With `only_keys` they are read to be counted: no column is selected, but those of a key that may change.

        Raises:
            StructureError: the instance does not have the columns of the structure.

        """
        ...
