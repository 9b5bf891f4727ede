"""Proof that a table's key told its rows apart all the time from P on.

A snapshot as of P tells the changes after P apart by a table's key. The key is looked up after P, and MySQL's catalogue gives
an index no identity: one that was made after P, or dropped and made again, looks like one that was there all the time.
Without it two rows may have had one key, and of their changes only the first one counts. So the log has to tell:

- Each reader of a snapshot reads the log from P on, also after a restart. `KeyProofs` looks at the statements in it: after
  one that drops or makes the index, or gives its columns other values, nothing more is read of the table.
- A planner looks at the log between P and its own look at the keys (`altered_since`), to take another P rather than have the
  readers stop.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import Head, Server
from tailrace.connectors.mysql.connection import Connection
from tailrace.connectors.mysql.ddl import IndexChanges, datatypes, index_changes
from tailrace.connectors.mysql.missing_structures import may_change
from tailrace.connectors.mysql.server_structures import events_between, is_ddl
from tailrace.connectors.mysql.snapshots.keys import WITH_FRACTIONS, ChunkKey, KeyColumn, Kind
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.schema.tables import Column, Table, TableId

_KINDS: Final = {
    **dict.fromkeys((datatypes.SMALLINT, datatypes.INTEGER, datatypes.BIGINT, datatypes.BOOLEAN), Kind.INT),
    **dict.fromkeys((datatypes.DECIMAL, datatypes.NUMERIC), Kind.DECIMAL),
    **dict.fromkeys((datatypes.CHAR, datatypes.VARCHAR, datatypes.NCHAR, datatypes.NVARCHAR), Kind.TEXT),
    **dict.fromkeys((datatypes.BINARY, datatypes.VARBINARY, datatypes.BLOB), Kind.BYTES),
    datatypes.BIT: Kind.BITS,
    datatypes.DATE: Kind.DATE,
    datatypes.TIMESTAMP: Kind.DATETIME,
    datatypes.TIMESTAMP_WITH_TIMEZONE: Kind.TIMESTAMP,
    datatypes.TIME: Kind.TIME,
}
_DATABASE: Final = re.compile(r"use `((?:[^`]|``)*)`; ", re.IGNORECASE)  # the server writes this before a statement
_PADDED: Final = (datatypes.CHAR, datatypes.NCHAR)


class KeyProofs:
    """What the log from P on says of the keys of a reader's tables."""

    def __init__(self, keys: Mapping[TableId, ChunkKey | None]) -> None:
        """`keys`: those with which the tables were begun; None for a table that is read whole."""
        self._keys = keys
        self._refuted: set[TableId] = set()

    def note(self, changes: IndexChanges, before: Table | None, after: Table | None) -> None:
        """Note a statement in the log; `before`, `after`: the structures around it, None if unknown or gone."""
        key = self._keys.get(changes.table)
        if key is None:
            return
        if not (_has_key(changes, key) and _keeps_values(key, before, after)):
            self._refuted.add(changes.table)

    def is_refuted(self, table: TableId) -> bool:
        """Whether a table's key may not have told its rows apart all the time from P to where the log is read."""
        return table in self._refuted

    def begin_at_another_point(self) -> None:
        """Forget everything: the snapshot is as of another P from now on."""
        self._refuted.clear()


def altered_since(
    connection: Connection, server: Server, since: Head, keys: Mapping[TableId, ChunkKey | NoKey]
) -> frozenset[TableId]:
    """The tables whose key, as it is now, a statement may have made since a position of this server's log.

    None, if the log since then is no longer there, or too long to look at: the snapshot's readers look at all of it.

    Args:
        connection: to the server.
        server: its variables.
        since: where an event begins.
        keys: of the tables; just looked up.

    """
    head = catalog.head(connection, server)
    if (since.file, since.pos) == (head.file, head.pos):
        return frozenset()
    events = events_between(connection, since, head) or ()
    statements = [_Statement.of(str(event["Info"]), server) for event in events if is_ddl(event)]
    return frozenset(
        table
        for table, key in keys.items()
        if isinstance(key, ChunkKey) and any(each.may_make(table, key) for each in statements)
    )


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement, as SHOW BINLOG EVENTS has it, and what it does to indexes, if it is of that kind."""

    text: str
    changes: IndexChanges | None

    @classmethod
    def of(cls, text: str, server: Server) -> _Statement:
        found = _DATABASE.match(text)
        database, sql = (found[1].replace("``", "`"), text[found.end() :]) if found else ("", text)
        return cls(text, index_changes(sql, database, lower_names=server.lower_names))

    def may_make(self, table: TableId, key: ChunkKey) -> bool:
        """Whether the table may have had another key before; what only names it may have given it its name."""
        if not may_change(self.text, table):
            return False
        changes = self.changes
        if changes is None or changes.table != table:
            return True
        is_redefined = not changes.redefined.isdisjoint(name.lower() for name in key.names)
        return is_redefined or not _has_key(changes, key)


def _has_key(changes: IndexChanges, key: ChunkKey) -> bool:
    """Whether a key's index and columns are there before and after a statement."""
    has_columns = changes.dropped.isdisjoint(name.lower() for name in key.names)
    return has_columns and changes.leaves(key.index, key.identifying(key.names))


def _keeps_values(key: ChunkKey, before: Table | None, after: Table | None) -> bool:
    """Whether the key's columns keep their values, none of which is null, as far as structures tell."""
    if before is None or after is None:  # the catalogue is asked before more is read
        return True
    pairs = ((before.column(name), after.column(name)) for name in key.names)
    return all(then == now or _is_like(then, now) for then, now in pairs)


def _is_like(then: Column | None, now: Column | None) -> bool:
    if then is None or now is None or then.optional or now.optional:
        return False
    was, becomes = _described(then), _described(now)
    if was is None or becomes is None or not becomes.is_like(was):
        return False
    return was.kind is not Kind.TEXT or not _has_other_charset(then, now)


def _has_other_charset(then: Column, now: Column) -> bool:
    charsets = {"utf8mb3" if column.charset == "utf8" else column.charset for column in (then, now)}
    return None not in charsets and len(charsets) > 1  # a structure may lack it


def _described(column: Column) -> KeyColumn | None:
    """A column of a structure as one of a key, without what structures lack; None: it can be in no key."""
    kind = Kind.ENUM if column.enum_values else _KINDS.get(column.jdbc_type)
    if kind is None:
        return None
    return KeyColumn(
        column.name.lower(),
        kind,
        unsigned=kind is Kind.INT and "UNSIGNED" in column.type_name,
        size=_size(kind, column),
        labels=column.enum_values,
        digits=column.length or 0 if kind in WITH_FRACTIONS else None,
        padded=column.jdbc_type in _PADDED if kind is Kind.TEXT else None,
    )


def _size(kind: Kind, column: Column) -> int:
    if kind is Kind.DECIMAL:
        return column.scale or 0
    is_binary = column.jdbc_type == datatypes.BINARY
    return (1 if column.length is None else column.length) if is_binary else 0
