"""The tables of a snapshot in one database: how each is read, and its capture instance.

The instance is the newest one that began before the snapshot's position P. The structure is the captured part of the
current source table. The key is the one with which the snapshot began, as long as it is among those that the table has:
one that was made anew tells nothing of rows that were there in between. A key also tells that it is the same table; one without
a key is that of the instance with which it was told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol

from tailrace.connectors.change_tables.dialect import Dialect, Session, Session_contra
from tailrace.connectors.change_tables.instances import Instance, instances_at, is_of, of_instance
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.snapshots.begun import Begun
from tailrace.connectors.change_tables.snapshots.databases import ReadT, ReadT_co
from tailrace.connectors.shared.snapshots.keys import IndexKey, NoKey, as_begun, key_changed
from tailrace.errors import PositionLostError
from tailrace.events.shape import Shape
from tailrace.schema.tables import Table, TableId


class TableReading(Protocol[Session_contra, ReadT_co]):
    """How the tables of one database are read."""

    def altered(self, session: Session_contra) -> object:
        """A value that changes when capture reaches the statement that altered a table; cheap to query."""
        ...

    def starts(self, session: Session_contra) -> object:
        """A value that changes when an instance is created, dropped or gets another start; cheap to query.

        Also when a table is altered or gets another name, and when an index is made.
        """
        ...

    def usable_keys(
        self, session: Session_contra, instances: Sequence[Instance]
    ) -> Mapping[TableId, Sequence[IndexKey[Any]] | NoKey]:
        """The keys by which the instances' tables can be read now, the best one first."""
        ...

    def led_by(self, session: Session_contra, instance: Instance, name: str, key: Any) -> IndexKey[Any] | NoKey:
        """A key whose order begins with a surrogate key, a column of that name."""
        ...

    def made(self, table: Table, instance: Instance, key: Any) -> ReadT_co:
        """How a structure is read by a key; `table` has only the columns of the instance."""
        ...

    def shape_of(self, table: Table) -> Shape:
        """The shape of a structure's read events."""
        ...

    def lost(self, table: TableId, point: Lsn) -> PositionLostError:
        """The error for a table whose changes are not retained from a position on."""
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
        begun: Begun | None = None,
    ) -> None:
        """`keys`, `begun`: those with which the snapshot began.

        Raises:
            PositionLostError: the changes of a table are not retained from P on.

        """
        self._dialect = dialect
        self._session = session
        self._point = point
        self._keys = dict(keys)  # as they were found last
        self._sources: dict[TableId, tuple[Any, ...]] = {}  # which tables have these names
        self._reading = reading
        self._begun = {} if begun is None else begun
        self._read: dict[TableId, ReadT] = {}
        self._changed: set[TableId] = set()  # those that `altered` has not reported yet
        self._load()

    def __iter__(self) -> Iterator[TableId]:
        return iter(self._keys)

    def of(self, table: TableId) -> ReadT | None:
        """How a table is read; None if it is gone."""
        return self._read.get(table)

    def shape_of(self, table: Table) -> Shape:
        """The shape of a structure's read events; it may be an earlier structure, as rows are held for a while."""
        read = self._read.get(table.id)
        return read.shape if read is not None and read.table == table else self._reading.shape_of(table)

    def altered(self) -> frozenset[TableId]:
        """The tables whose structure changed since the last call, or that are gone.

        All changes that capture has passed are known.
        """
        if self._reading.altered(self._session) != self._alterations or self._has_other_starts():
            self._load()
        changed, self._changed = frozenset(self._changed), set()
        return changed

    def is_altered(self, table: TableId) -> bool:
        """Whether `altered` will report a table, even if capture has not reached the change yet."""
        self._load()
        return table in self._changed

    def have_changed(self) -> bool:
        """Whether the tables, or their instances, differ from those that were looked up last.

        Raises:
            PositionLostError: the changes of one are no longer retained from P on.

        """
        before = {table: read.instance for table, read in self._read.items()}
        self._load()
        return before != {table: read.instance for table, read in self._read.items()}

    def require_log(self) -> None:
        """Raise `PositionLostError` if the change tables are no longer retained from P on."""
        if self._has_other_starts():
            self._load()

    def _has_other_starts(self) -> bool:
        return self._reading.starts(self._session) != self._starts

    def _load(self) -> None:
        session, reading = self._session, self._reading
        alterations, starts = reading.altered(session), reading.starts(session)
        tables = self._dialect.structures(session, self._keys.__contains__)
        instances = self._dialect.instances(session)
        found = instances_at(instances, self._point)
        wanted = {table: found.get(table) for table in self._keys if table in tables}
        keys = reading.usable_keys(session, [instance for instance in wanted.values() if instance is not None])
        now = {}
        for table, instance in wanted.items():
            if instance is None or self._sources.setdefault(table, instance.source) != instance.source:
                raise reading.lost(table, self._point)
            if self._keys[table] is None:
                self._require_same(instance, instances)
            self._keys[table] = self._same_key(instance, keys[table])
            now[table] = reading.made(of_instance(tables[table], instance), instance, self._keys[table])
        self._changed |= {
            table for table, read in self._read.items() if table not in now or now[table].table != read.table
        }
        # At last: after an error it is looked up again.
        self._read, self._alterations, self._starts = now, alterations, starts

    def _require_same(self, instance: Instance, instances: Sequence[Instance]) -> None:
        """Raise `PositionLostError` if the instance that a table was told with is gone, or is that of another table now."""
        begun = self._begun.get(instance.table)
        if begun and not any(is_of(begun, each) and each.source == instance.source for each in instances):
            raise self._reading.lost(instance.table, self._point)

    def _same_key(self, instance: Instance, usable: Sequence[IndexKey[Any]] | NoKey) -> IndexKey[Any] | None:
        """The key of a table as it is now; None: it has none.

        Raises:
            StructureError: it is no longer the one with which the snapshot began.

        """
        begun = self._keys[instance.table]
        if begun is None:
            return None
        found: Sequence[IndexKey[Any] | NoKey] = [] if isinstance(usable, NoKey) else usable
        if not begun.index:  # the user's order leads that of one of them
            found = [
                self._reading.led_by(self._session, instance, begun.names[0], key)
                for key in found
                if not isinstance(key, NoKey)
            ]
        now = as_begun(found, begun)
        if now is None:
            raise key_changed(instance.table, begun, restorable=_is_there(found, begun))
        return now


def _is_there(found: Sequence[IndexKey[Any] | NoKey], begun: IndexKey[Any]) -> bool:
    """Whether the index of a key is there as before, with columns of these names."""
    keys = (key for key in found if not isinstance(key, NoKey))
    same = (key for key in keys if (key.index, key.names) == (begun.index, begun.names))
    return any(begun.identity in ("", key.identity) for key in same)
