"""`large_table.py` for a database with change tables: the same table, whose log is captured at the same time."""

from __future__ import annotations

import random
from contextlib import closing, contextmanager

from support.captured_shops import plain_properties
from support.meanwhile import meanwhile

ROWS = 60_000  # so many that two lanes share them


def document(shop, prefix, **more):
    config = plain_properties(shop, topic_prefix=prefix)
    return {"name": prefix, "config": config | more}


def filled(shop):
    shop.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, V VARCHAR(100))", "INSERT INTO S.T VALUES (2, 'row')")
    shop.sql("CREATE TABLE S.ONE (N INTEGER)", "INSERT INTO S.ONE VALUES (1)")  # a row to insert another one by
    count = 1
    while count < ROWS:
        fresh = min(count, ROWS - count)
        shop.sql(f"INSERT INTO S.T SELECT ID + {2 * count}, CONCAT('row ', CAST(ID AS VARCHAR(10))) FROM S.T WHERE ID <= {2 * fresh}")
        count += fresh
    shop.capture("T")
    shop.resume()


def rows(shop):
    return dict(shop.sql("SELECT ID, V FROM S.T"))


@contextmanager
def written(shop, seed):
    """A thread writes all over the table until the block ends."""
    with closing(shop.session()) as session:
        writer = Writer(shop, session, seed)
        with meanwhile(writer.write, pause=0.03):
            yield writer


class Writer:
    """Inserts, updates, deletes and moves keys all over the table; `changes` counts the statements."""

    def __init__(self, shop, session, seed):
        self.changes = 0
        self._shop, self._session = shop, session
        self._random = random.Random(seed)

    def write(self):
        self._shop.run(self._session, self._change())
        self.changes += 1

    def _change(self):
        some = self._random.randrange(2 * ROWS)
        odd = self._random.randrange(1, 4 * ROWS, 2)
        is_free = f"NOT EXISTS (SELECT 1 FROM S.T WHERE ID = {odd})"
        return self._random.choice(
            [
                f"INSERT INTO S.T SELECT {odd}, 'new' FROM S.ONE WHERE {is_free}",
                f"UPDATE S.T SET V = 'changed {odd}' WHERE ID BETWEEN {some} AND {some + 6}",
                f"DELETE FROM S.T WHERE ID BETWEEN {some} AND {some + 3}",
                f"UPDATE S.T SET ID = {odd} WHERE ID = (SELECT MIN(ID) FROM S.T WHERE ID >= {some}) AND {is_free}",
            ]
        )
