"""The tables of a snapshot in one database of SQL Server: how each is selected and shaped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

import pyarrow as pa

from tailrace.changes.model import INT32
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.rows import ChangeRows
from tailrace.connectors.change_tables.skipped_changes import FAIL, Columns, convertible_values
from tailrace.connectors.change_tables.snapshots.begun import Begun
from tailrace.connectors.change_tables.snapshots.read_tables import ReadTables
from tailrace.connectors.change_tables.table_shapes import TableShapes
from tailrace.connectors.shared import jdbc
from tailrace.connectors.shared.arrow_values.selected import ColumnType
from tailrace.connectors.shared.arrow_values.vectors import vectors
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.connectors.sqlserver import structures
from tailrace.connectors.sqlserver.captured import SqlServerDecoding
from tailrace.connectors.sqlserver.change_tables import InstanceQuery
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots.incomplete_images import Large, Mask, completed
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey, led_by, usable_keys
from tailrace.connectors.sqlserver.snapshots.statements import ALIAS
from tailrace.errors import PositionLostError
from tailrace.events.shape import Shape
from tailrace.schema.tables import Table, TableId

_LARGE: Final = frozenset({"geometry", "geography", "json"})
_MAX: Final = frozenset({jdbc.VARCHAR, jdbc.NVARCHAR, jdbc.VARBINARY})
_DDL: Final = "SELECT COUNT(*), MAX(ddl_lsn) FROM cdc.ddl_history"
# An index that is created or altered moves modify_date; one that is dropped, and another name of the table, perhaps not.
_STARTS: Final = """
    SELECT c.object_id, c.start_lsn, s.name, t.name, t.modify_date
    FROM cdc.change_tables c
    LEFT JOIN sys.tables t ON t.object_id = c.source_object_id
    LEFT JOIN sys.schemas s ON s.schema_id = t.schema_id"""
_UNIQUE: Final = """
    SELECT COUNT(*), SUM(CAST(i.object_id AS bigint) * i.index_id)
    FROM cdc.change_tables c JOIN sys.indexes i ON i.object_id = c.source_object_id
    WHERE i.is_unique = 1 AND i.is_disabled = 0"""


@dataclass(frozen=True, slots=True)
class ReadTable:
    """One structure of a table that is read.

    Attributes:
        table: the structure: the captured columns with a field.
        types: of its columns.
        shape: of its read events.
        key: the table's key; None: it has none.
        instance: the capture instance with its changes.
        selected: indices of the selected columns.
        large: those of them that changes do not always have.
        failures: the handling of rows that can't be converted, as in `event.processing.failure.handling.mode`.

    """

    table: Table
    types: tuple[ColumnType, ...]
    shape: Shape
    key: ChunkKey | None
    instance: Instance
    selected: tuple[int, ...]
    large: tuple[Large, ...]
    failures: str = FAIL

    @property
    def selects(self) -> list[str]:
        """The SELECT list: the columns, then what else the key needs."""
        columns = self._columns
        return [*columns, *(each for each in self._told if each not in columns)]

    @property
    def is_wide(self) -> bool:
        """Whether a value may be of any length."""
        return any((self.table.columns[i].length or 0) >= structures.UNLIMITED // 2 for i in self.selected)

    @property
    def reading(self) -> InstanceQuery:
        """How its change table is read."""
        return InstanceQuery(self.instance, tuple(self.selects), mask=True)

    def place(self, column: int) -> slice:
        """The slice of a selected column's arrays among all selected ones."""
        ends = [0, *accumulate(self.types[i].width for i in self.selected)]
        return dict(zip(self.selected, (slice(a, b) for a, b in pairwise(ends)), strict=True))[column]

    def completed(self, rows: ChangeRows) -> tuple[list[pa.Array], Mask]:
        """The selected arrays of changes with values from other images, and which images are complete."""
        return completed(rows.columns, rows, [(self.place(large.column), large) for large in self.large])

    def split(self, arrays: Sequence[pa.Array]) -> tuple[Sequence[pa.Array], Sequence[pa.Array]]:
        """Split the selected arrays: those of columns, and those that identify the key."""
        selects = self.selects
        return arrays[: len(self._columns)], [arrays[selects.index(each)] for each in self._told]

    def convertible_values(
        self, arrays: Sequence[pa.Array], count: int, named: Callable[[int], str]
    ) -> tuple[Columns, INT32]:
        """The values of `count` rows, and the index of each row in them; see `left_out.convertible_values`."""
        return convertible_values(
            self.columns, arrays, count, self.failures, lambda row: f"{self.table.id}: {named(row)}"
        )

    def columns(self, arrays: Sequence[pa.Array]) -> Columns:
        """The rows' values, a vector for each column of the structure; None if it is not selected."""
        found: Columns = [None] * len(self.types)
        for i, vector in zip(
            self.selected, vectors(arrays, [self.types[i] for i in self.selected]), strict=True
        ):
            found[i] = vector
        return found

    @property
    def _columns(self) -> list[str]:
        return [each for i in self.selected for each in self._select(i)]

    @property
    def _told(self) -> list[str]:
        return [] if self.key is None else self.key.exact_values(ALIAS)

    def _select(self, column: int) -> tuple[str, ...]:
        type_ = self.types[column]
        return type_.select(f"{ALIAS}.{quoted(type_.name)}")


class _Reading:
    """The `TableReading` of SQL Server."""

    def __init__(self, settings: SqlServerSettings) -> None:
        self._shapes = TableShapes(SqlServerDialect(settings), SqlServerDecoding(settings).types)
        self._failures = settings.event_processing_failure_handling_mode

    def altered(self, session: Session) -> object:
        """The number of entries in `cdc.ddl_history`, and their newest LSN."""
        return session.rows(_DDL)

    def starts(self, session: Session) -> object:
        """The start LSNs in `cdc.change_tables`; names, `modify_date` and unique indexes of the source tables."""
        return {object_id: of for object_id, *of in session.rows(_STARTS)}, session.rows(_UNIQUE)

    def usable_keys(self, session: Session, instances: Sequence[Instance]) -> Mapping[TableId, list[ChunkKey] | NoKey]:
        """The keys that unique indexes of the instances' tables make."""
        return usable_keys(session, instances)

    def led_by(self, session: Session, instance: Instance, name: str, key: ChunkKey) -> ChunkKey | NoKey:
        """A key whose order begins with a surrogate key."""
        return led_by(session, instance, name, key)

    def made(self, table: Table, instance: Instance, key: ChunkKey | None) -> ReadTable:
        """How a structure is read: the same expressions read the source table and the change table."""
        readable, types, shape = self._shapes.read_shape(table)
        selected = tuple(sorted(shape.schemas.columns))
        ordinals = {name: i for i, name in enumerate(instance.columns)}
        large = tuple(
            Large(i, ordinals[types[i].name], not _is_always_missing(readable, types, i))
            for i in selected
            if _is_large(readable, types, i)
        )
        return ReadTable(readable, types, shape, key, instance, selected, large, self._failures)

    def shape_of(self, table: Table) -> Shape:
        """The shape of a structure's read events."""
        return self._shapes.read_shape(table)[2]

    def lost(self, table: TableId, point: Lsn) -> PositionLostError:
        """The error: they were cleaned up, or capture was enabled again."""
        return lost(table, point)


def read_tables(
    settings: SqlServerSettings,
    session: Session,
    point: Lsn,
    keys: Mapping[TableId, ChunkKey | None],
    begun: Begun | None = None,
) -> ReadTables[Session, ReadTable]:
    """The tables of the session's database that a lane reads by these keys, as of P. Raises as `ReadTables` does."""
    return ReadTables(SqlServerDialect(settings), session, point, keys, _Reading(settings), begun)


def lost(table: TableId, point: Lsn) -> PositionLostError:
    """The error for a table whose changes are not retained from P on."""
    return PositionLostError(
        f"the snapshot is not done, and no capture instance of {table} tells its changes from {point} on, the position that "
        "the snapshot is of: they were cleaned up, capture was enabled anew, or another table has got this name. Let the "
        "server keep changes for longer than the snapshot takes (EXEC sys.sp_cdc_change_job 'cleanup', @retention = minutes). "
        "An initial snapshot begins again with an empty target; one that a signal asked for can be asked for again"
    )


def _is_large(table: Table, types: Sequence[ColumnType], column: int) -> bool:
    of = table.columns[column]
    is_max = of.jdbc_type in _MAX and of.length == structures.UNLIMITED
    return is_max or _is_always_missing(table, types, column)


def _is_always_missing(table: Table, types: Sequence[ColumnType], column: int) -> bool:
    return types[column].is_lob or table.columns[column].type_name.lower() in _LARGE
