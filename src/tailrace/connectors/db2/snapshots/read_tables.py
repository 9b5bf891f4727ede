"""The tables of a snapshot in one database of Db2: how each is selected and shaped.

The register does not tell from where on a registration has changes. So a snapshot knows the one that its structures
were told with, and another one has lost changes, as has one that is not active: what it does not capture while a chunk
is read can't be rewound.

Change tables have no values of large objects and XML, and some have updates as one row, without the image before. Such
images are incomplete: the row is delivered as it is read, if it still exists; the stream from P on corrects it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.model import INT32
from tailrace.connectors.change_tables.instances import Instance, identity, is_of
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.change_tables.rows import AFTER_ALONE, ChangeRows
from tailrace.connectors.change_tables.skipped_changes import FAIL, Columns, convertible_values
from tailrace.connectors.change_tables.snapshots.begun import Begun
from tailrace.connectors.change_tables.snapshots.read_tables import ReadTables
from tailrace.connectors.change_tables.table_shapes import TableShapes
from tailrace.connectors.db2 import catalog
from tailrace.connectors.db2.before_images import never_null, old_names
from tailrace.connectors.db2.captured import Db2Decoding
from tailrace.connectors.db2.change_tables import ChangeTableQuery
from tailrace.connectors.db2.connection import Session, quoted
from tailrace.connectors.db2.dialect import Db2Dialect, advice_of
from tailrace.connectors.db2.lsn import SIZE, form_of
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.snapshots.keys import ChunkKey, led_by, usable_keys
from tailrace.connectors.db2.snapshots.statements import ALIAS
from tailrace.connectors.db2.transaction_log import TransactionLog
from tailrace.connectors.db2.types import is_unlimited
from tailrace.connectors.shared.arrow_values.selected import ColumnType
from tailrace.connectors.shared.arrow_values.vectors import vectors
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.errors import PositionLostError
from tailrace.events.shape import Shape
from tailrace.schema.tables import Table, TableId

_AGAIN: Final = "An initial snapshot begins again with an empty target; one that a signal asked for can be asked for again"
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ReadTable:
    """One structure of a table that is read.

    Attributes:
        table: the structure: the captured columns with a field.
        types: of its columns.
        shape: of its read events.
        key: the table's key; None: it has none.
        instance: the registration with its changes.
        selected: indices of the selected columns.
        failures: the handling of rows that can't be converted, as in `event.processing.failure.handling.mode`.
        size: of LSNs, in bytes.

    """

    table: Table
    types: tuple[ColumnType, ...]
    shape: Shape
    key: ChunkKey | None
    instance: Instance
    selected: tuple[int, ...]
    failures: str = FAIL
    size: int = SIZE

    @property
    def selects(self) -> list[str]:
        """The SELECT list: the columns, then what else the key needs."""
        return list(self._expressions)

    @property
    def is_wide(self) -> bool:
        """Whether a value may be of any length."""
        return any(is_unlimited(self.types[i]) for i in self.selected)

    @property
    def has_large(self) -> bool:
        """Whether it has a value that no change table has."""
        return any(self.types[i].is_lob for i in self.selected)

    @property
    def reading(self) -> ChangeTableQuery:
        """How its change table is read."""
        found = self._expressions
        query = ChangeTableQuery(self.instance.change_table, tuple(found), self.size)
        if not old_names(self.table, self.instance):
            return query
        needed = never_null(self.table, [self.types[i] for i in self.selected])
        return replace(query, before=tuple(found.values()), never_null=needed)

    def completed(self, rows: ChangeRows) -> tuple[list[pa.Array], Mask]:
        """The selected arrays of changes, and which images are complete."""
        complete = rows.operation != AFTER_ALONE
        return list(rows.columns), complete & (not self.has_large)

    def split(self, arrays: Sequence[pa.Array]) -> tuple[Sequence[pa.Array], Sequence[pa.Array]]:
        """Split the selected arrays: those of columns, and those that identify the key."""
        selects, told = self.selects, [] if self.key is None else self.key.exact_values(ALIAS)
        width = sum(self.types[i].width for i in self.selected)
        return arrays[:width], [arrays[selects.index(each)] for each in told]

    def convertible_values(
        self, arrays: Sequence[pa.Array], count: int, named: Callable[[int], str]
    ) -> tuple[Columns, INT32]:
        """The values of `count` rows, and the index of each row in them; see `skipped_changes.convertible_values`."""
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
    def _expressions(self) -> dict[str, str | None]:
        """The SELECT list, each with the expression for the image before an update, if its row has that too."""
        found: dict[str, str | None] = {}
        names = old_names(self.table, self.instance)
        for each in (self.types[i] for i in self.selected):
            old = names.get(each.name)
            before = [None] * each.width if old is None else each.select(f"{ALIAS}.{quoted(old)}")
            found |= dict(zip(each.select(f"{ALIAS}.{quoted(each.name)}"), before, strict=True))
        for column in () if self.key is None else self.key.columns:
            old = names.get(column.name)
            found[column.exact_value(ALIAS)] = None if old is None else replace(column, name=old).exact_value(ALIAS)
        return found


class Db2Tables(ReadTables[Session, ReadTable]):
    """The tables of one database that a lane reads; pruning is told by the log and not by registrations."""

    def __init__(
        self,
        settings: Db2Settings,
        session: Session,
        point: DatabasePosition,
        keys: Mapping[TableId, ChunkKey | None],
        begun: Begun,
    ) -> None:
        """`point`: P; `keys`, `begun`: those with which the snapshot began. Raises as `ReadTables` does."""
        self._settings = settings
        self._at = point
        super().__init__(Db2Dialect(settings), session, point.lsn, keys, _Reading(settings, point.lsn, begun))

    def require_log(self) -> None:
        """Raise `PositionLostError` if the change tables are no longer retained from P on."""
        super().require_log()
        log = TransactionLog(self._settings, None)
        if not log.is_kept(self._session, self._at.lsn, self._at.as_of_us):
            raise pruned(self._session.database, self._at.lsn, self._settings)


class _Reading:
    """The `TableReading` of Db2."""

    def __init__(self, settings: Db2Settings, point: Lsn, begun: Begun) -> None:
        self._shapes = TableShapes(Db2Dialect(settings), Db2Decoding(settings).types)
        self._settings = settings
        self._point = point
        self._begun = dict(begun)

    def altered(self, session: Session) -> object:  # noqa: ARG002
        """None: `starts` tells that too."""
        return None

    def starts(self, session: Session) -> object:
        """When tables, change tables and indexes were made and altered last, and which registrations are not active."""
        return catalog.stamp(session, self._settings), catalog.index_stamp(session, self._settings)

    def usable_keys(self, session: Session, instances: Sequence[Instance]) -> Mapping[TableId, list[ChunkKey] | NoKey]:
        """The keys that unique indexes of the instances' tables make."""
        return usable_keys(session, instances, is_zos=self._settings.is_zos)

    def led_by(self, session: Session, instance: Instance, name: str, key: ChunkKey) -> ChunkKey | NoKey:
        """A key whose order begins with a surrogate key."""
        return led_by(session, instance, name, key, is_zos=self._settings.is_zos)

    def made(self, table: Table, instance: Instance, key: ChunkKey | None) -> ReadTable:
        """How a structure is read: the same expressions read the source table and the change table.

        Raises:
            PositionLostError: its registration is another one than at first, not active, or of an earlier table of the name.

        """
        is_of_earlier = instance.source_made is not None and instance.source_made > instance.create_date
        is_same = is_of(self._begun.setdefault(table.id, identity(instance)), instance)
        if not is_same or is_of_earlier or instance.inactive:
            raise self.lost(table.id, self._point)
        readable, types, shape = self._shapes.read_shape(table)
        selected = tuple(sorted(shape.schemas.columns))
        failures, size = self._settings.event_processing_failure_handling_mode, form_of(self._settings).size
        return ReadTable(readable, types, shape, key, instance, selected, failures, size)

    def shape_of(self, table: Table) -> Shape:
        """The shape of a structure's read events."""
        return self._shapes.read_shape(table)[2]

    def lost(self, table: TableId, point: Lsn) -> PositionLostError:
        """The error: it was registered anew, or is not captured now."""
        return lost(table, point, self._settings)


def lost(table: TableId, point: Lsn, settings: Db2Settings) -> PositionLostError:
    """The error for a table whose changes are not retained from P on."""
    schema = settings.control_schema
    return PositionLostError(
        f"the snapshot is not done, and no active registration of {table} in {schema}.IBMSNAP_REGISTER tells its changes from "
        f"{point} on, the position that the snapshot is of: it was registered anew or deactivated (STATE), or the table was "
        f"made anew. {_AGAIN}"
    )


def pruned(database: str, point: Lsn, settings: Db2Settings) -> PositionLostError:
    """The error for change tables that may lack rows behind P."""
    advice = advice_of(settings)
    return PositionLostError(
        f"the snapshot is not done, and changes of {database} behind {point}, the position that the snapshot is of, may have "
        f"been pruned. Let {advice.capture} keep changes for longer than the snapshot takes ({advice.keep_longer}). {_AGAIN}"
    )
