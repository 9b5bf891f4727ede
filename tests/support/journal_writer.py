"""A live writer that records every committed change in a journal: steady transactions, bursts, schema changes.

It has one thread, one connection and its own tables, so its transactions are in commit order. Several writers on separate
tables make a log in which transactions of different connections are interleaved.
"""

import queue
import threading
import time

BLOCK = 2_000  # rows of one statement of a burst


class JournalWriter(threading.Thread):
    """Writes until told to stop; `burst` and `alter` ask for more than the steady stream. An error ends it."""

    def __init__(self, server, database, shop, *, changes_a_second=300):
        super().__init__(daemon=True, name="journal-writer")
        self.error = None
        self._shop = shop
        self._pause = 1 / changes_a_second
        self._asked = queue.SimpleQueue()
        self._ended = threading.Event()
        self._going = threading.Event()
        self._going.set()
        self._idle = threading.Event()
        self._connection = server.connect(database, autocommit=False)
        for table in shop.tables.values():
            self._execute(*shop.create(table))

    def burst(self, changes):
        """Write about so many changes as fast as the server takes them; gives an event that is set at the end."""
        return self._ask(lambda: self._burst(changes))

    def alter(self, times):
        """So many changes of structure in a row, with transactions between them."""
        return self._ask(lambda: self._alter(times))

    def pause(self):
        """Write nothing until `resume`; returns when all that was begun is committed."""
        self._going.clear()
        while self.is_alive() and not self._idle.wait(0.2):
            pass

    def resume(self):
        self._idle.clear()
        self._going.set()

    def finish(self):
        """End after what is at hand; raises the error that ended it before."""
        self._ended.set()
        self._going.set()
        self.join(120)
        self._connection.close()
        if self.error is not None:
            raise self.error

    def run(self):
        try:
            while not self._ended.is_set():
                if not self._going.is_set():
                    self._idle.set()
                    self._going.wait(0.2)
                    continue
                self._step()
        except Exception as error:
            self.error = error

    def _ask(self, task):
        done = threading.Event()
        self._asked.put((task, done))
        return done

    def _step(self):
        try:
            task, done = self._asked.get_nowait()
        except queue.Empty:
            changes = self._shop.random.choice([1, 1, 1, 3, 20, 100])
            self._transaction(changes)
            time.sleep(changes * self._pause)  # the pace of the stream, waited for by nobody
        else:
            task()
            done.set()

    def _transaction(self, changes):
        shop, savepoint = self._shop, None
        for at in range(changes):
            self._execute(*shop.change(shop.any_table()))
            if at == changes // 2 and shop.random.random() < 0.1:
                savepoint = shop.savepoint()
                self._execute("SAVEPOINT half")
        if savepoint is not None:
            self._execute("ROLLBACK TO SAVEPOINT half")
            shop.rollback(savepoint)
        if shop.random.random() < 0.1:
            self._connection.rollback()
            shop.rollback()
        else:
            self._commit()

    def _commit(self):
        self._shop.commit()  # told before: nobody can see an event that the journal does not know
        self._connection.commit()

    def _burst(self, changes):
        shop, left = self._shop, changes
        while left > 0:
            table, block = shop.any_table(), shop.new_block(min(BLOCK, max(left // 5, 1)))
            rounds = shop.random.randint(1, 4)
            self._execute(*shop.insert(table, block))
            if shop.random.random() < 0.5:
                self._commit()
            for _ in range(rounds):
                self._execute(*shop.update_block(table, block))
                if shop.random.random() < 0.3:
                    self._commit()
            self._execute(*shop.delete_block(table, block))
            self._commit()
            self._transaction(20)
            left -= len(block) * (rounds + 2)

    def _alter(self, times):
        for _ in range(times):
            table = self._shop.any_table()
            self._execute(*self._shop.alter(table))
            for _ in range(self._shop.random.randrange(4)):
                self._transaction(self._shop.random.choice([1, 5, 30]))

    def _execute(self, statement, values=None):
        with self._connection.cursor() as cursor:
            cursor.execute(statement, values)
