"""`large_table.py` for SQL Server: the same table with change data capture, whose job reads the log at the same time."""

from __future__ import annotations

import random
from contextlib import contextmanager

from support.meanwhile import meanwhile

ROWS = 60_000  # so many that two lanes share them


def document(database, prefix, **more):
    config = database.properties() | {
        "topic.prefix": prefix,
        "key.converter.schemas.enable": "false",
        "value.converter.schemas.enable": "false",
    }
    return {"name": prefix, "config": config | more}


def filled(database):
    database.sql("CREATE TABLE t (id int PRIMARY KEY, v varchar(100)); INSERT t VALUES (2, 'row 1')")
    count = 1
    while count < ROWS:
        fresh = min(count, ROWS - count)
        database.sql(f"INSERT t SELECT id + {2 * count}, CONCAT('row ', id) FROM t WHERE id <= {2 * fresh}")
        count += fresh
    database.capture("t")
    database.resume()


def rows(database):
    return dict(database.sql("SELECT id, v FROM t"))


@contextmanager
def written(database, seed):
    """A thread writes all over the table until the block ends."""
    writer = Writer(database, seed)
    with meanwhile(writer.write, pause=0.03):
        yield writer


class Writer:
    """Inserts, updates, deletes and moves keys all over the table; `changes` counts the statements."""

    def __init__(self, database, seed):
        self.changes = 0
        self._database = database
        self._random = random.Random(seed)

    def write(self):
        self._database.sql(self._change())
        self.changes += 1

    def _change(self):
        some = self._random.randrange(2 * ROWS)
        odd = self._random.randrange(1, 4 * ROWS, 2)
        is_free = f"NOT EXISTS (SELECT 1 FROM t WHERE id = {odd})"
        return self._random.choice(
            [
                f"IF {is_free} INSERT t VALUES ({odd}, 'new')",
                f"UPDATE t SET v = 'changed {odd}' WHERE id BETWEEN {some} AND {some + 6}",
                f"DELETE t WHERE id BETWEEN {some} AND {some + 3}",
                f"IF {is_free} UPDATE t SET id = {odd} WHERE id = (SELECT MIN(id) FROM t WHERE id >= {some})",
            ]
        )
