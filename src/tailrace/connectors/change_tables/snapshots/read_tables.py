"""The tables of a snapshot in one database: how each is read, and the capture instance that tells its changes.

The instance is the newest one that began before the position P that the snapshot is of. The structure is the source table's
of now, as far as it is captured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol

from tailrace.connectors.change_tables.dialect import Dialect, Session, Session_contra
from tailrace.connectors.change_tables.instances import Instance, instances_at, of_instance
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.snapshots.databases import ReadT, ReadT_co
from tailrace.connectors.shared.snapshots.keys import IndexKey, NoKey
from tailrace.errors import PositionLostError, StructureError
from tailrace.events.shape import Shape
from tailrace.schema.tables import Table, TableId


class TableReading(Protocol[Session_contra, ReadT_co]):
    """How one database's tables are read."""

    def altered(self, session: Session_contra) -> object:
        """What is another once capture has come to where a table was altered; cheap to ask for."""
        ...

    def starts(self, session: Session_contra) -> object:
        """What is another once an instance has come, gone or got another start; likewise."""
        ...

    def keys_of(self, session: Session_contra, instances: Sequence[Instance]) -> Mapping[TableId, IndexKey[Any] | NoKey]:
        """By which the tables of instances would be read now."""
        ...

    def made(self, table: Table, instance: Instance, key: Any) -> ReadT_co:
        """How a structure is read by a key, as far as an instance has its columns; `table` has no others."""
        ...

    def shape_of(self, table: Table) -> Shape:
        """Of read events of a structure."""
        ...

    def lost(self, table: TableId, point: Lsn) -> PositionLostError:
        """What to say where the changes of a table are not told from a position on."""
        ...


class ReadTables(Generic[Session, ReadT]):
    """The tables of one database that a lane reads."""

    def __init__(
        self,
        dialect: Dialect[Session],
        session: Session,
        point: Lsn,
        keys: Mapping[TableId, IndexKey[Any] | None],
        reading: TableReading[Session, ReadT],
    ) -> None:
        """`keys`: by which they are read, as the snapshot was begun.

        Raises:
            PositionLostError: the changes of a table are not told from P on.

        """
        self._dialect = dialect
        self._session = session
        self._point = point
        self._keys = keys
        self._reading = reading
        self._read: dict[TableId, ReadT] = {}
        self._changed: set[TableId] = set()  # and `altered` has not told of it yet
        self._load()

    def __iter__(self) -> Iterator[TableId]:
        return iter(self._keys)

    def of(self, table: TableId) -> ReadT | None:
        """How a table is read; None where it is gone."""
        return self._read.get(table)

    def shape_of(self, table: Table) -> Shape:
        """Of read events of a structure, which may be one of before: rows that the log told are held for a while."""
        read = self._read.get(table.id)
        return read.shape if read is not None and read.table == table else self._reading.shape_of(table)

    def altered(self) -> frozenset[TableId]:
        """The tables of which the structure is another one than when this was asked last, or that are gone.

        Whatever capture has passed is known.
        """
        if self._reading.altered(self._session) != self._alterations or self._has_other_starts():
            self._load()
        changed, self._changed = frozenset(self._changed), set()
        return changed

    def is_altered(self, table: TableId) -> bool:
        """Whether `altered` will tell of a table; also where capture does not know of the change yet."""
        self._load()
        return table in self._changed

    def have_changed(self) -> bool:
        """Whether other tables can be read, or by other instances, than when that was looked up last.

        Raises:
            PositionLostError: the changes of one are not told from P on any more.

        """
        before = {table: read.instance for table, read in self._read.items()}
        self._load()
        return before != {table: read.instance for table, read in self._read.items()}

    def require_log(self) -> None:
        """Raise `PositionLostError` where the change tables do not reach back to P any more."""
        if self._has_other_starts():
            self._load()

    def _has_other_starts(self) -> bool:
        return self._reading.starts(self._session) != self._starts

    def _load(self) -> None:
        session, reading = self._session, self._reading
        self._alterations, self._starts = reading.altered(session), reading.starts(session)
        tables = self._dialect.structures(session, self._keys.__contains__)
        found = instances_at(self._dialect.instances(session), self._point)
        wanted = {table: found.get(table) for table in self._keys if table in tables}
        keys = reading.keys_of(session, [instance for instance in wanted.values() if instance is not None])
        now = {}
        for table, instance in wanted.items():
            if instance is None:
                raise reading.lost(table, self._point)
            self._require_same_key(instance, keys[table])
            now[table] = reading.made(of_instance(tables[table], instance), instance, self._keys[table])
        self._changed |= {
            table for table, read in self._read.items() if table not in now or now[table].table != read.table
        }
        self._read = now

    def _require_same_key(self, instance: Instance, now: IndexKey[Any] | NoKey) -> None:
        begun = self._keys[instance.table]
        if begun is not None and begun.index and now != begun:
            raise StructureError(
                f"{instance.table}: the key {', '.join(begun.names)} (index {begun.index}), by which the snapshot reads it, "
                "was changed. Begin the snapshot again with an empty target, or restore the key until it is done"
            )
