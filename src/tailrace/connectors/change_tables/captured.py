"""The captured tables: which of them belong to a lane, and how the rows of a capture instance become changes.

Of several lanes each delivers some tables, selected by the names of their topics. With transaction metadata a lane also
reads the other tables, but only the columns that determine how many records a row becomes. Only the database knows how
rows are selected and decoded: its `Decoding`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Generic, Protocol

from tailrace.changes.vectors import Vector
from tailrace.connectors.base import Lane
from tailrace.connectors.change_tables.dialect import Dialect, Session, Session_contra
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.positions import RowPosition
from tailrace.connectors.change_tables.rows import AFTER, AFTER_ALONE, BEFORE, DELETE, INSERT, ChangeRows
from tailrace.connectors.change_tables.signal_tables import is_for_signals
from tailrace.connectors.change_tables.table_shapes import TableShapes
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.field_types import TypeT
from tailrace.errors import StructureError
from tailrace.events.shape import Shape
from tailrace.schema.names import Names
from tailrace.schema.tables import Table, TableId

_OPERATIONS: Final[Mapping[str, tuple[int, ...]]] = {
    "c": (INSERT,),
    "u": (BEFORE, AFTER, AFTER_ALONE),
    "d": (DELETE,),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is needed of an instance's rows.

    Attributes:
        columns: indices of the structure's columns that are decoded.
        skipped: operations that are left out.
        only_counts: whether rows are only counted, so that the update mask is not needed.

    """

    columns: tuple[int, ...]
    skipped: tuple[int, ...] = ()
    only_counts: bool = False


class InstanceRows(Protocol[Session_contra]):
    """The rows of one capture instance in one structure."""

    @property
    def is_wide(self) -> bool:
        """Whether a selected value may be of any length."""
        ...

    def columns(self, rows: ChangeRows) -> list[Vector | None]:
        """The values of rows, a vector for each column of the structure; None if it is not needed.

        Raises:
            LogFormatError: a value can't be converted; the message names the column.
            StructureError: likewise: it has another type than is known.

        """
        ...

    def read(
        self, session: Session_contra, window: Window, after: RowPosition | None, batch_rows: Callable[[], int]
    ) -> Generator[ChangeRows]:
        """The rows of a window after the row `after`; `batch_rows` returns how many come next.

        Raises:
            LogFormatError: an update has only one of its two rows.

        """
        ...


class Decoding(Protocol[Session_contra, TypeT]):
    """How the rows of one database are decoded."""

    def types(self, table: Table) -> Sequence[TypeT | None]:
        """The types of a table's columns; None for a column without a field in events."""
        ...

    def rows(
        self, table: Table, types: Sequence[TypeT], instance: Instance, wanted: Wanted
    ) -> InstanceRows[Session_contra]:
        """The rows of an instance whose structure is `table`, all columns of which have fields."""
        ...


@dataclass(frozen=True, slots=True)
class Captured(Generic[Session]):
    """One structure version of a table, as a capture instance has its rows.

    Attributes:
        table: the structure, without columns that have no field.
        shape: of its events.
        constants: the constant fields of the source block.
        rows: of the instance.
        moves_keys: whether an update of two rows may change the key.
        is_owned: whether this lane delivers its events.
        is_signals: whether inserted rows are signals, for every lane.
        name: in transaction metadata: database.schema.table, or schema.table.

    """

    table: Table
    shape: Shape
    constants: Mapping[str, str | None]
    rows: InstanceRows[Session]
    moves_keys: bool
    is_owned: bool
    is_signals: bool
    name: str

    def columns(self, rows: ChangeRows) -> list[Vector | None]:
        """The values of rows; see `InstanceRows.columns`."""
        return self.rows.columns(rows)


class CapturedTables(Generic[Session, TypeT]):
    """Makes `Captured` from capture instances, and knows which tables are this lane's."""

    def __init__(self, dialect: Dialect[Session], decoding: Decoding[Session, TypeT], lane: Lane) -> None:
        self._dialect = dialect
        self._decoding = decoding
        self._lane = lane
        self._names = Names(dialect.settings)
        self._shapes = TableShapes(dialect, decoding.types)
        self._owned: dict[TableId, bool] = {}
        self._read: dict[TableId, bool] = {}

    def owns(self, table: TableId) -> bool:
        """Whether this lane delivers the table's events."""
        if table not in self._owned:
            self._owned[table] = self._lane.count == 1 or self._names.is_of(self._lane, table)
        return self._owned[table]

    def reads(self, table: TableId) -> bool:
        """Whether the table's rows are read: they are delivered, or are signals."""
        if table not in self._read:
            self._read[table] = self.owns(table) or is_for_signals(self._dialect, table)
        return self._read[table]

    def told_name(self, table: TableId) -> str:
        """The table's name in transaction metadata."""
        return str(replace(table, catalog="") if self._dialect.omits_database else table)

    def captured(self, table: Table, instance: Instance, *, only_keys: bool = False) -> Captured[Session]:
        """How the rows of an instance are read whose structure is `table`; with `only_keys`, only to count them.

        Raises:
            StructureError: the instance lacks a column of the structure.

        """
        readable, types = self._shapes.with_fields(table)
        missing = [c.name for c in readable.columns if c.name not in instance.columns]
        if missing:
            raise StructureError(
                f"{table.id}: the capture instance {instance.name} does not have the column {missing[0]}, which the schema "
                "history knows it with"
            )
        shape = self._shapes.of_changes(readable, types)
        keys = shape.schemas.key_columns
        # Capture writes a change of the index's columns as a delete and an insert. But message.key.columns may name
        # others.
        moves_keys = not {readable.columns[i].name for i in keys} <= set(instance.index_columns)
        is_signals = is_for_signals(self._dialect, table.id)
        wanted = Wanted(
            _counted(keys, moves_keys=moves_keys) if only_keys else shape.schemas.columns,
            () if is_signals or (moves_keys and self._dialect.skips_records) else self._skipped(),
            only_keys,
        )
        return Captured(
            table=readable,
            shape=shape,
            constants=self._dialect.constants(table.id),
            rows=self._decoding.rows(readable, types, instance, wanted),
            moves_keys=moves_keys,
            is_owned=self.owns(table.id),
            is_signals=is_signals,
            name=self.told_name(table.id),
        )

    def _skipped(self) -> tuple[int, ...]:
        operations = self._dialect.settings.skipped_operations
        return tuple(sorted(number for op in operations for number in _OPERATIONS.get(op, ())))


def _counted(keys: Sequence[int], *, moves_keys: bool) -> tuple[int, ...]:
    """The columns that determine how many records a row becomes: the key, if an update may change it."""
    return tuple(sorted(set(keys))) if moves_keys else ()
