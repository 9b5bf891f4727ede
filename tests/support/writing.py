"""A thread that writes to a table while a test reads it: inserts, updates, deletes, and updates of the key."""

import random
import threading
from contextlib import contextmanager

from support.meanwhile import meanwhile

KEYS = {
    "INT": lambda n: n,
    "BIGINT UNSIGNED": lambda n: 2**63 - 60 + n,
    "VARCHAR(20)": lambda n: ("k", "K", "ä", "z")[n % 4] + str(n),
    "VARCHAR(20) CHARACTER SET cp932": lambda n: ("k", "表", "ソ")[n % 3] + str(n),
    "BINARY(6)": lambda n: bytes([n % 5, 0, n, 0, 0, 0]),
    "DECIMAL(10,3)": lambda n: f"{(n - 60) * 1.5:.3f}",
    "DATE": lambda n: f"20{n // 28:02d}-11-{n % 28 + 1:02d}",
    "DATETIME(3)": lambda n: f"2024-01-{n % 28 + 1:02d} 10:00:{n // 28 % 60:02d}.{n % 1000:03d}",
    "TIMESTAMP(6)": lambda n: f"2024-01-{n % 28 + 1:02d} 10:00:{n // 28 % 60:02d}.{n:06d}",
    "TIME(2)": lambda n: f"{'-' if n % 2 else ''}{n // 2:02d}:00:{n % 60:02d}.{n % 100:02d}",
    "BIT(40)": lambda n: (n << 32) + 5,
}
SEED = random.SystemRandom().randrange(1 << 30)


class Table:
    """A table with some rows, in which a thread writes."""

    def __init__(self, server, database, key):
        self.key = KEYS[key]
        self.server, self.database = server, database
        self.random = random.Random(SEED)
        server.sql(f"CREATE TABLE t (k {key} PRIMARY KEY, n INT, v VARCHAR(40))", database)
        self.there = {}
        with server.connect(database) as connection, connection.cursor() as cursor:
            for n in range(0, 120, 2):
                self.insert(cursor, n)

    def insert(self, cursor, n):
        cursor.execute("INSERT INTO t VALUES (%s, %s, 'new')", (self.key(n), n))
        self.there[n] = self.key(n)

    def numbers(self):
        with self.server.connect(self.database) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT n FROM t")
            return sorted(row[0] for row in cursor.fetchall())

    def written(self):
        return written(self)

    def change(self, cursor):
        n = self.random.randrange(120)
        if n not in self.there:
            self.insert(cursor, n)
        elif self.random.random() < 0.4:
            cursor.execute("DELETE FROM t WHERE k = %s", (self.there.pop(n),))
        elif self.random.random() < 0.5:
            free = self.random.choice([m for m in range(120) if m not in self.there])
            cursor.execute("UPDATE t SET k = %s, n = %s WHERE k = %s", (self.key(free), free, self.there.pop(n)))
            self.there[free] = self.key(free)
        else:
            cursor.execute("UPDATE t SET v = CONCAT('changed ', %s) WHERE k = %s", (self.random.random(), self.there[n]))


@contextmanager
def written(table):
    """A thread makes changes of a table until the block ends."""
    with table.server.connect(table.database) as connection, connection.cursor() as cursor:
        writer = Writer(table, cursor)
        with meanwhile(writer.write, pause=0):
            yield writer


class Writer:
    """Changes a table; `wait_for_more` returns when some more changes are committed."""

    def __init__(self, table, cursor):
        self._table, self._cursor = table, cursor
        self._count = 0
        self._turn = threading.Condition()

    def write(self):
        for _ in range(self._table.random.randrange(1, 4)):
            self._table.change(self._cursor)
        with self._turn:
            self._count += 1
            self._turn.notify_all()

    def wait_for_more(self):
        with self._turn:
            seen = self._count
            assert self._turn.wait_for(lambda: self._count > seen, 20)
