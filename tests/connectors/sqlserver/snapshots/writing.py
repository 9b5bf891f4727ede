"""A writer to a table during its snapshot: inserts, updates, deletes and key changes, several in a transaction."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tailrace_standins.servers.sqlserver_server import Database

MOST_KEYS = 180
SEED = random.SystemRandom().randrange(2**32)
KEYS: dict[str, Callable[[int], str]] = {
    "int": str,
    "nvarchar(20) COLLATE Latin1_General_CI_AS": lambda n: f"N'{'aB'[n % 2]}''ä{n}'",
    "varchar(12)": lambda n: f"'k {n:03d}'",
    "varchar(13)": lambda n: f"'k' + CHAR(92) + CHAR(10) + '{n:03d}'",
    "nvarchar(20)": lambda n: f"N'k' + NCHAR(92) + NCHAR(13) + NCHAR(10) + N'{n:03d}'",
    "decimal(12, 3)": lambda n: f"{n - 40}.125",
    "uniqueidentifier": lambda n: f"'{(n * 2654435761) % 2**32:08x}-0000-0000-0000-{n:012d}'",
    "datetime2(7)": lambda n: f"'2026-01-01T00:00:00.{n * 12347 % 10**7:07d}'",
    "datetime": lambda n: f"'2026-01-0{1 + n % 9}T00:00:{n % 60:02d}.003'",
    "datetimeoffset(3)": lambda n: f"'2026-01-01T00:00:{n % 60:02d}.{n:03d}+0{n % 9}:00'",
    "varbinary(8)": lambda n: f"0x{n * 40503 % 65536:04x}{n:04x}",
    "date": lambda n: f"DATEADD(day, {n}, '2026-01-01')",
    "bigint": lambda n: str((n - 30) * 10**15),
}
"""Types of keys, each with what makes a literal of a number; two have a backslash before a line break."""


class Writer:
    """Writes to `dbo.t (k ..., n int, v ...)`: `k` is the key, `n` counts up with each change."""

    def __init__(self, database: Database, key: str, more: str = "", seed: int = SEED) -> None:
        """`more`: further columns of the table."""
        self.database = database
        self.random = random.Random(seed)
        self._literal = KEYS[key]
        self._n = 0
        database.sql(f"CREATE TABLE dbo.t (k {key} NOT NULL PRIMARY KEY, n int NOT NULL{more})")
        database.capture("t")
        self.keys: set[int] = set()

    def fill(self, rows: int) -> None:
        """The first rows."""
        for k in range(rows):
            self._insert(k)
        self.database.capture_all()

    def write(self) -> None:
        """A transaction, or several changes each of its own."""
        count = self.random.randint(0, 3)
        in_one = self.random.random() < 0.5 and count > 0
        if in_one:
            self.database.sql("BEGIN TRANSACTION")
        for _ in range(count):
            self._change()
        if in_one:
            self.database.sql("COMMIT TRANSACTION")

    def rows(self) -> list[Any]:
        """What the table has: `n` of its rows, in order."""
        return sorted(n for (n,) in self.database.sql("SELECT n FROM dbo.t"))

    def set(self, column: str, literal: str) -> None:
        """Write another column of some row."""
        self._n += 1
        k = self._some()
        self.database.sql(f"UPDATE dbo.t SET {column} = {literal}, n = {self._n} WHERE k = {self._literal(k)}")

    def _change(self) -> None:
        what = self.random.random()
        if what < 0.25 or not self.keys:
            self._insert(self._free())
        elif what < 0.5 or len(self.keys) > MOST_KEYS // 3:
            k = self._some()
            self.keys.discard(k)
            self.database.sql(f"DELETE dbo.t WHERE k = {self._literal(k)}")
        elif what < 0.75:
            self._n += 1
            self.database.sql(f"UPDATE dbo.t SET n = {self._n} WHERE k = {self._literal(self._some())}")
        else:
            self._move()

    def _move(self) -> None:
        k, to = self._some(), self._free()
        self.keys.discard(k)
        self.keys.add(to)
        self._n += 1
        self.database.sql(f"UPDATE dbo.t SET k = {self._literal(to)}, n = {self._n} WHERE k = {self._literal(k)}")

    def _insert(self, k: int) -> None:
        self._n += 1
        self.keys.add(k)
        self.database.sql(f"INSERT dbo.t (k, n) VALUES ({self._literal(k)}, {self._n})")

    def _free(self) -> int:
        return self.random.choice(sorted(set(range(MOST_KEYS)) - self.keys))

    def _some(self) -> int:
        return self.random.choice(sorted(self.keys))
