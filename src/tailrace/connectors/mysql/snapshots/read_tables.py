"""The tables of a snapshot: how each is selected and shaped, by its current structure."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import dropwhile, islice

from tailrace.connectors.mysql.captured import Captured, CapturedTables
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.connection import Connection
from tailrace.connectors.mysql.plan import ColumnPlan
from tailrace.connectors.mysql.rows import RowDecoder
from tailrace.connectors.mysql.selecting import SelectPlans, plan_selection, raw_key_plans, raw_row_plans
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots.key_proofs import KeyProofs
from tailrace.connectors.mysql.snapshots.keys import TABLES_AT_ONCE, ChunkKey, UsableKeys, leading, usable_keys
from tailrace.connectors.mysql.structures import Structures
from tailrace.connectors.shared.snapshots.keys import NoKey, as_begun, key_changed
from tailrace.errors import StructureError, UnsupportedError
from tailrace.events.shape import Shape
from tailrace.schema.tables import Table, TableId

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReadTable:
    """One structure of a table that is read.

    Attributes:
        table: the structure.
        key: the table's key; None: the table is read whole.
        plans: of the selected columns.
        shape: of its read events.

    """

    table: Table
    key: ChunkKey | None
    plans: SelectPlans
    shape: Shape

    @property
    def key_plans(self) -> list[ColumnPlan]:
        """The plans of the key's columns in the log, in key order; without a key, of all needed columns."""
        return [self.plans.types[i].plan for i in self.plans.key]


@dataclass(frozen=True, slots=True)
class KeyDecoder:
    """Decodes the keys of row events; for a table without a key, whole rows.

    Attributes:
        decoder: decodes only the key's columns, in raw form.
        columns: indices of these columns, in key order; empty if rows can't be compared.
        is_whole: whether the table has no key.

    """

    decoder: RowDecoder
    columns: tuple[int, ...]
    is_whole: bool = False


class ReadTables:
    """The tables by id; a table whose structure changed is planned again.

    Attributes:
        proofs: what the log from P on says of their keys.

    """

    def __init__(self, settings: MySqlSettings, server: Server, keys: Mapping[TableId, ChunkKey | None]) -> None:
        """`keys` are those with which the snapshot began."""
        self._settings = settings
        self._server = server
        self._keys = keys
        self._shapes = CapturedTables(settings, Structures(lower_names=server.lower_names), _nothing)
        self._read: dict[TableId, ReadTable] = {}
        self._same: set[TableId] = set()  # which have the key with which the snapshot began
        self.proofs = KeyProofs(keys)

    def __iter__(self) -> Iterator[TableId]:
        return iter(self._keys)

    @property
    def whole(self) -> frozenset[TableId]:
        """The tables without a key."""
        return frozenset(table for table, key in self._keys.items() if key is None)

    def of(self, connection: Connection, table: Table) -> ReadTable:
        """How a table is read.

        Raises:
            StructureError: it no longer has the key with which the snapshot began.
            UnsupportedError: a column has an unknown type.

        """
        self._require_same_key(connection, table.id)  # at first, too: it waited for its turn, or a snapshot was resumed
        read = self._read[table.id] = self.planned(table)
        return read

    def require_proof(self, table_id: TableId) -> None:
        """Raise `StructureError` if the log shows that the key may not have told rows apart all the time from P on."""
        key = self._keys[table_id]
        if key is not None and self.proofs.is_refuted(table_id):
            raise key_changed(table_id, key)

    def move(self) -> None:
        """Read as of another P from now on."""
        self.proofs.begin_at_another_point()
        self.ask_again()

    def ask_again(self, altered: Collection[TableId] | None = None) -> None:
        """Ask for keys again before more is read: statements have altered these tables, or, with None, perhaps any.

        A structure does not tell: it has neither collations nor all indexes.
        """
        self._same = set() if altered is None else self._same.difference(altered)

    def planned(self, table: Table) -> ReadTable:
        """The same for a structure from the log, without a query."""
        known = self._read.get(table.id)
        # A table that a signal requests again may be read by another key.
        if known is not None and known.table == table and known.key is self._keys[table.id]:
            return known
        return self._planned(table)

    def shape(self, table: Table) -> Shape:
        """The shape of a structure's read events."""
        return self.planned(table).shape

    def key(self, table_id: TableId) -> ChunkKey:
        """The key of a table that has one."""
        key = self._keys[table_id]
        if key is None:
            raise KeyError(table_id)
        return key

    def key_decoder(self, captured: Captured) -> KeyDecoder | None:
        """The decoder of the keys in a table's row events; None for a table that is not read."""
        if captured.table.id not in self._keys:
            return None
        key = self._keys[captured.table.id]
        if key is None:
            return _row_decoder(captured)
        columns = key_indices(captured.table, key)
        return KeyDecoder(RowDecoder(raw_key_plans(captured.plans, columns)), columns)

    def _planned(self, table: Table) -> ReadTable:
        key = self._keys[table.id]
        columns = () if key is None else key_indices(table, key)
        types = plan_selection(table, self._settings, key=columns).types
        shape = self._shapes.read_shape(table, types)
        wanted = shape.schemas.columns
        plans = plan_selection(
            table, self._settings, wanted=wanted, key=wanted if key is None else columns, whole=key is None
        )
        return ReadTable(table, key, plans, shape)

    def _require_same_key(self, connection: Connection, table_id: TableId) -> None:
        begun = self._keys[table_id]
        if begun is None or table_id in self._same:
            return
        now = self._keys_now(connection, table_id)
        self._same |= {each for each, keys in now.items() if as_begun(keys, self._keys[each]) is not None}
        if table_id not in self._same:
            restorable = any(key.has_only_other_collations(begun) for key in now[table_id])
            raise key_changed(table_id, begun, restorable=restorable)

    def _keys_now(self, connection: Connection, first: TableId) -> dict[TableId, list[ChunkKey]]:
        """The keys that this table and the next ones have now.

        They are asked for together, since thousands of tables may be small. A statement that alters one of them later, or its
        indexes, is in the log, and has it asked for again before a chunk of it counts.
        """
        tables = list(islice(dropwhile(first.__ne__, self._keys), TABLES_AT_ONCE))
        now = usable_keys(connection, self._server, tables)
        return {each: self._as_ordered(connection, each, now[each]) for each in tables}

    def _as_ordered(self, connection: Connection, table: TableId, keys: UsableKeys) -> list[ChunkKey]:
        """These keys of a table; after the surrogate key, if that leads the order in which the table is read."""
        begun = self._keys[table]
        if isinstance(keys, NoKey) or begun is None:
            return []
        lead = leading(connection, table, None if begun.index else begun.names[0])
        return [key for key in map(lead, keys) if isinstance(key, ChunkKey)]


def key_indices(table: Table, key: ChunkKey) -> tuple[int, ...]:
    """The indices of a key's columns in a structure, in key order.

    Raises:
        StructureError: the structure lacks one.

    """
    places = {column.name.lower(): i for i, column in enumerate(table.columns)}
    try:
        return tuple(places[name.lower()] for name in key.names)
    except KeyError as error:
        raise StructureError(
            f"{table.id}: the structure has no column {error}, which the snapshot's key has"
        ) from error


def _row_decoder(captured: Captured) -> KeyDecoder:
    """The decoder of whole rows; of no column, if one of them can't be compared."""
    columns = captured.shape.schemas.columns
    try:
        plans = raw_row_plans(captured.plans, columns)
    except UnsupportedError as error:
        log.warning("%s: rows that change during the snapshot can't be told apart: %s", captured.name, error)
        columns, plans = (), raw_row_plans(captured.plans, ())
    return KeyDecoder(RowDecoder(plans), columns, is_whole=True)


def _nothing(table: Table) -> None:
    """Ignore a new structure: the reader of the log keeps them."""
