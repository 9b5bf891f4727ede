"""A table of many rows, a thread that writes all over it, and the configuration of a run that reads it."""

import random
import threading
import time

SECONDS = 120
ROWS = 200_000


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
    server.sql("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(100))", database)
    numbers = "WITH RECURSIVE s AS (SELECT 1 n UNION ALL SELECT n + 1 FROM s WHERE n < 1000) SELECT n FROM s"
    server.sql(
        f"INSERT INTO t SELECT 2 * (a.n * 1000 + b.n), CONCAT('row ', b.n) FROM ({numbers}) a, ({numbers}) b"
        f" WHERE a.n <= {ROWS // 1000}",
        database,
    )
    server.sql("ANALYZE TABLE t", database)


def rows(server, database):
    with server.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT id, v FROM t")
        return dict(cursor.fetchall())


def until(condition, run):
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, run.log.read_text()
        time.sleep(0.1)


class Writer:
    """A thread that inserts, updates, deletes and moves keys all over the table."""

    def __init__(self, server, database, seed):
        self.changes = 0
        self._server, self._database = server, database
        self._random = random.Random(seed)
        self._done = threading.Event()
        self._failure = None

    def __enter__(self):
        self._thread = threading.Thread(target=self._write)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()
        assert self._failure is None, self._failure

    def _write(self):
        try:
            with self._server.connect(self._database) as connection, connection.cursor() as cursor:
                while not self._done.wait(0.002):
                    cursor.execute(*self._change())
                    self.changes += 1
        except Exception as error:
            self._failure = error

    def _change(self):
        some = self._random.randrange(2 * ROWS)
        odd = self._random.randrange(1, 4 * ROWS, 2)
        return self._random.choice(
            [
                ("INSERT IGNORE INTO t VALUES (%s, 'new')", (odd,)),
                ("UPDATE t SET v = CONCAT('changed ', %s) WHERE id >= %s ORDER BY id LIMIT 3", (odd, some)),
                ("DELETE FROM t WHERE id >= %s ORDER BY id LIMIT 2", (some,)),
                ("UPDATE IGNORE t SET id = %s WHERE id >= %s ORDER BY id LIMIT 1", (odd, some)),
            ]
        )
