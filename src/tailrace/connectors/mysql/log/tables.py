"""The tables that the log has named: their ids, and whether their rows are wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from tailrace.connectors.mysql.log import walk
from tailrace.connectors.mysql.log.items import Bytes, Int64
from tailrace.connectors.mysql.log.table_map import TableMap, parse_table_map

Resolve = Callable[[TableMap], int | None]

_SLOTS: Final = 1 << 10
_MOST: Final = 1 << 16  # table ids; beyond, all are forgotten: a server names each table again before its rows


class KnownTables:
    """Table ids, in the form that the walk looks them up in, and their names.

    A server gives a table a new id whenever it opens it again: after DDL, FLUSH TABLES, or
    when its cache is too small. An id with the same map as before, and no DDL since, is
    the same table with the same structure: it keeps its slot, without a call of `resolve`.
    """

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._names: dict[bytes, tuple[bytes, int, int]] = {}  # name: map, slot, number of definitions before
        self._definitions = 0
        self.forget()

    def forget(self) -> None:
        """Forget all ids (a server restarts counting when it starts), but not the tables."""
        self.keys: Int64 = np.full(_SLOTS, -1, np.int64)
        self.entries: Int64 = np.zeros((_SLOTS, 3), np.int64)
        self.maps: Bytes = np.empty(1 << 16, np.uint8)
        self._used = self._filled = 0

    @property
    def are_many(self) -> bool:
        """Whether there are so many ids that they should be forgotten, between transactions.

        Within one, the statement that named a new table may have named any others before, whose rows are still to come.
        """
        return self._used > _MOST

    def note_definition(self) -> None:
        """Note that DDL may have changed structures: the next new id of each table is resolved again."""
        self._definitions += 1

    def replaces(self, body: bytes) -> bool:
        """Whether this map replaces that of a table that had rows before."""
        known = self._names.get(_name(body))
        return known is not None and not self._same(known, body)

    def add(self, body: bytes) -> None:
        """Add a table map; resolve the table's slot if the map may have changed."""
        name = _name(body)
        known = self._names.get(name)
        if known is None or not self._same(known, body):
            slot = self._resolve(parse_table_map(body))
            known = body[6:], -1 if slot is None else slot, self._definitions
            self._names[name] = known
        self._insert(body, known[1])

    def _same(self, known: tuple[bytes, int, int], body: bytes) -> bool:
        return known[2] == self._definitions and known[0] == body[6:]

    def _insert(self, body: bytes, slot: int) -> None:
        if self._used * 2 >= len(self.keys):
            self._grow()
        table = int.from_bytes(body[:6], "little")
        while self._filled + len(body) > len(self.maps):
            self.maps = np.concatenate([self.maps, np.empty_like(self.maps)])
        entry = walk.find_table(self.keys, table)
        self._used += self.keys[entry] < 0
        self.keys[entry] = table
        self.entries[entry] = slot, self._filled, len(body)
        self.maps[self._filled : self._filled + len(body)] = np.frombuffer(body, np.uint8)
        self._filled += len(body)

    def _grow(self) -> None:
        keys, entries = self.keys, self.entries
        self.keys = np.full(2 * len(keys), -1, np.int64)
        self.entries = np.zeros((2 * len(keys), 3), np.int64)
        for old in np.flatnonzero(keys >= 0).tolist():
            entry = walk.find_table(self.keys, keys[old])
            self.keys[entry] = keys[old]
            self.entries[entry] = entries[old]


def _name(body: bytes) -> bytes:
    """Database and table, with their lengths."""
    table = 8 + body[8] + 2
    return body[8 : table + 1 + body[table]]
