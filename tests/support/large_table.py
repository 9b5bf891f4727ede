"""A table of many rows, a thread that changes rows all over it, and the configuration of a run that reads it."""

import random
import time
from contextlib import contextmanager

from support.meanwhile import meanwhile

SECONDS = 120
ROWS = 100_000


def document(server, prefix, database, **more):
    config = {
        "connector.class": "io.debezium.connector.mysql.MySqlConnector",
        "topic.prefix": prefix,
        "database.hostname": server.host,
        "database.port": str(server.port),
        "database.user": server.user,
        "database.password": server.password,
        "database.server.id": "7512",
        "database.include.list": database,
        "key.converter.schemas.enable": "false",
        "value.converter.schemas.enable": "false",
    }
    return {"name": prefix, "config": {**config, **more}}


def filled(server, database):
    server.sql(f"CREATE DATABASE {database}")
    fill(server, database, "t")


def fill(server, database, table, rows=ROWS):
    server.sql(f"CREATE TABLE {table} (id INT PRIMARY KEY, v VARCHAR(100))", database)
    numbers = "WITH RECURSIVE s AS (SELECT 1 n UNION ALL SELECT n + 1 FROM s WHERE n < 1000) SELECT n FROM s"
    server.sql(
        f"INSERT INTO {table} SELECT 2 * (a.n * 1000 + b.n), CONCAT('row ', b.n) FROM ({numbers}) a, ({numbers}) b"
        f" WHERE a.n <= {rows // 1000}",
        database,
    )
    server.sql(f"ANALYZE TABLE {table}", database)


def rows(server, database, table="t"):
    with server.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT id, v FROM {table}")
        return dict(cursor.fetchall())


def until(condition, run, seconds=SECONDS):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, run.log.read_text()
        time.sleep(0.1)


@contextmanager
def written(server, database, seed, table="t"):
    """A thread writes all over the table until the block ends."""
    with server.connect(database) as connection, connection.cursor() as cursor:
        writer = Writer(cursor, seed, table)
        with meanwhile(writer.write, pause=0.002):
            yield writer


class Writer:
    """Inserts, updates, deletes and moves keys all over the table; `changes` counts the statements."""

    def __init__(self, cursor, seed, table):
        self.changes = 0
        self._table = table
        self._cursor = cursor
        self._random = random.Random(seed)

    def write(self):
        self._cursor.execute(*self._change())
        self.changes += 1

    def _change(self):
        t, some = self._table, self._random.randrange(2 * ROWS)
        odd = self._random.randrange(1, 4 * ROWS, 2)
        return self._random.choice(
            [
                (f"INSERT IGNORE INTO {t} VALUES (%s, 'new')", (odd,)),
                (f"UPDATE {t} SET v = CONCAT('changed ', %s) WHERE id >= %s ORDER BY id LIMIT 3", (odd, some)),
                (f"DELETE FROM {t} WHERE id >= %s ORDER BY id LIMIT 2", (some,)),
                (f"UPDATE IGNORE {t} SET id = %s WHERE id >= %s ORDER BY id LIMIT 1", (odd, some)),
            ]
        )
