"""Makes random changes in two tables until the test ends it: `python shop_writer.py PORT DATABASE SEED [GTID]`.

Inserts, updates, deletes, updates of the key, transactions of many rows, rollbacks, and sometimes DDL.
"""

import random
import sys
import threading

import pymysql

COLUMNS = ("id INT PRIMARY KEY, name VARCHAR(40), amount DECIMAL(12,2), at DATETIME(6), note TEXT")


class ShopWriter(threading.Thread):
    """Writes until it is told to stop; an error ends it and is kept."""

    def __init__(self, server, database, seed):
        super().__init__(daemon=True)
        self.random = random.Random(seed)
        self.stop = threading.Event()
        self.transactions = 0
        self.error = None
        self._connection = server.connect(database)
        self._connection.autocommit(False)
        self._extra = 0
        self._ids = {"a": [], "b": []}
        for table in self._ids:
            self._execute(f"CREATE TABLE {table} ({COLUMNS})")

    def run(self):
        try:
            while not self.stop.is_set():
                self._one_transaction()
        except pymysql.Error as error:
            self.error = error

    def _one_transaction(self):
        kept = {table: list(ids) for table, ids in self._ids.items()}
        many = self.random.choice([1, 1, 1, 3, 20, 200])
        for _ in range(many):
            self._one_change(self.random.choice("ab"))
        if self.random.random() < 0.1:
            self._connection.rollback()
            self._ids = kept
        else:
            self._connection.commit()
        self.transactions += 1
        if self.random.random() < 0.01:
            self._change_structure(self.random.choice("ab"))

    def _one_change(self, table):
        ids = self._ids[table]
        kind = self.random.choice(["insert", "insert", "update", "delete", "move"])
        if kind == "insert" or not ids:
            key = self.random.randrange(10_000_000)
            if key in ids:
                return
            self._execute(
                f"INSERT INTO {table} (id, name, amount, at, note) VALUES (%s, %s, %s, NOW(6), %s)",
                (key, f"näme {key}", key % 1000 / 7, "x" * self.random.randrange(300)),
            )
            ids.append(key)
            return
        at = self.random.randrange(len(ids))
        if kind == "update":
            self._execute(f"UPDATE {table} SET amount = amount + 1, note = %s WHERE id = %s", (str(at), ids[at]))
        elif kind == "delete":
            self._execute(f"DELETE FROM {table} WHERE id = %s", (ids.pop(at),))
        else:
            key = self.random.randrange(10_000_000)
            if key not in ids:
                self._execute(f"UPDATE {table} SET id = %s WHERE id = %s", (key, ids[at]))
                ids[at] = key

    def _change_structure(self, table):
        self._extra += 1
        if self._extra % 3:
            self._execute(f"ALTER TABLE {table} ADD COLUMN extra{self._extra} INT DEFAULT {self._extra}")
        else:
            self._execute(f"ALTER TABLE {table} MODIFY name VARCHAR({40 + self._extra})")

    def _execute(self, statement, values=None):
        with self._connection.cursor() as cursor:
            cursor.execute(statement, values)


if __name__ == "__main__":
    from tailrace_standins.servers.mysql_server import GivenServer

    writer = ShopWriter(GivenServer(f"mysql://root@127.0.0.1:{sys.argv[1]}"), sys.argv[2], int(sys.argv[3]))
    writer.run()
