"""Random changes of a table t (k, v) within given keys, so that most of them hit rows that other changes hit; no DDL."""

import random
import threading


class KeyWriter(threading.Thread):
    """Writes until it is told to stop; an error ends it and is kept."""

    def __init__(self, server, database, keys, seed):
        super().__init__(daemon=True)
        self._random = random.Random(seed)
        self._keys = keys
        self._connection = server.connect(database)
        self._connection.autocommit(True)
        self.stop = threading.Event()
        self.error = None

    def run(self):
        try:
            while not self.stop.is_set():
                self._one()
        except Exception as error:
            self.error = error

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.join()
        self._connection.close()

    def _one(self):
        key, other = self._random.sample(self._keys, 2)
        statement = self._random.choice(
            [
                "REPLACE INTO t (k, v) VALUES (%(key)s, %(other)s)",
                "UPDATE t SET v = CONCAT(v, 'x') WHERE k = %(key)s",
                "DELETE FROM t WHERE k = %(key)s",
                "UPDATE IGNORE t SET k = %(other)s WHERE k = %(key)s",
            ]
        )
        with self._connection.cursor() as cursor:
            cursor.execute(statement, {"key": key, "other": other})
