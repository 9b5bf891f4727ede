"""A writer to a table during its snapshot: inserts, updates, deletes and key changes, several in a transaction."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Final

from tailrace_standins.servers.db2_server import Database

MOST_KEYS: Final = 180
SEED: Final = random.SystemRandom().randrange(2**32)
KEYS: Final[dict[str, Callable[[int], str]]] = {
    "INTEGER": str,
    "VARCHAR(20)": lambda n: f"'{'aB'[n % 2]}''ä{n}{' ' * (n % 3)}'",
    "CHAR(12)": lambda n: f"'k {n:03d}'",
    "VARGRAPHIC(12)": lambda n: f"'ß{n:03d}'",
    "DECIMAL(12, 3)": lambda n: f"{n - 40}.125",
    "DECIMAL(18, 0)": lambda n: str((n - 40) * 10**15),
    "DECIMAL(31, 0)": lambda n: f"{(n - 40) * 10**28}.",
    "TIMESTAMP(12)": lambda n: f"'2026-01-01-00.00.00.{n * 12347 % 10**7:012d}'",
    "TIMESTAMP(0)": lambda n: f"'2026-01-0{1 + n % 9}-00.{n // 60:02d}.{n % 60:02d}'",
    "VARCHAR(8) FOR BIT DATA": lambda n: f"X'{n * 40503 % 65536:04X}{n:04X}'",
    "VARBINARY(8)": lambda n: f"BX'{n * 40503 % 65536:04X}{n:04X}'",
    "DATE": lambda n: f"'2026-{1 + n // 28:02d}-{1 + n % 28:02d}'",
    "TIME": lambda n: f"'{n % 24:02d}.{n // 24:02d}.59'",
    "BIGINT": lambda n: str((n - 30) * 10**15),
    "SMALLINT": lambda n: str(n - 90),
}
"""Types of keys, each with what makes a literal of a number."""


class Writer:
    """Writes to `S.T (K ..., N INTEGER, ...)`: `K` is the key, `N` counts up with each change."""

    def __init__(self, database: Database, key: str, more: str = "", seed: int = SEED) -> None:
        """`more`: further columns of the table."""
        self.database = database
        self.random = random.Random(seed)
        self._literal = KEYS[key]
        self._n = 0
        database.sql(f"CREATE TABLE S.T (K {key} NOT NULL PRIMARY KEY, N INTEGER NOT NULL{more})")
        database.register("S.T")
        self.keys: set[int] = set()

    def fill(self, rows: int) -> None:
        """The first rows."""
        self.database.sql(*(self._insert(k) for k in range(rows)))
        self.database.replication.step()

    def write(self) -> None:
        """A transaction, or several changes each of its own."""
        changes = list(self._changes(self.random.randint(0, 3)))
        if self.random.random() < 0.5:
            self.database.sql(*changes)
            return
        for each in changes:
            self.database.sql(each)

    def rows(self) -> list[int]:
        """What the table has: `N` of its rows, in order."""
        return sorted(n for (n,) in self.database.sql("SELECT N FROM S.T"))

    def set(self, column: str, literal: str) -> None:
        """Write another column of some row."""
        self._n += 1
        k = self._literal(self._some())
        self.database.sql(f"UPDATE S.T SET {column} = {literal}, N = {self._n} WHERE K = {k}")

    def _changes(self, count: int) -> Iterator[str]:
        for _ in range(count):
            yield self._change()

    def _change(self) -> str:
        what = self.random.random()
        if what < 0.25 or not self.keys:
            return self._insert(self._free())
        if what < 0.5 or len(self.keys) > MOST_KEYS // 3:
            k = self._some()
            self.keys.discard(k)
            return f"DELETE FROM S.T WHERE K = {self._literal(k)}"
        if what < 0.75:
            self._n += 1
            return f"UPDATE S.T SET N = {self._n} WHERE K = {self._literal(self._some())}"
        return self._move()

    def _move(self) -> str:
        k, to = self._some(), self._free()
        self.keys.discard(k)
        self.keys.add(to)
        self._n += 1
        return f"UPDATE S.T SET K = {self._literal(to)}, N = {self._n} WHERE K = {self._literal(k)}"

    def _insert(self, k: int) -> str:
        self._n += 1
        self.keys.add(k)
        return f"INSERT INTO S.T (K, N) VALUES ({self._literal(k)}, {self._n})"

    def _free(self) -> int:
        return self.random.choice(sorted(set(range(MOST_KEYS)) - self.keys))

    def _some(self) -> int:
        return self.random.choice(sorted(self.keys))


def filled(db2: Database, rows: int = 20, more: str = "") -> None:
    """A captured table `S.T (ID, V)`, all captured; `more`: further columns."""
    db2.sql(f"CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, V VARCHAR(20){more})")
    db2.register("S.T")
    db2.sql("INSERT INTO S.T (ID, V) VALUES " + ", ".join(f"({n}, 'v{n}')" for n in range(rows)))
    db2.replication.step()
