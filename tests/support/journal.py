"""A journal of the changes of a shop's tables, kept outside the database: the events that a consumer must see.

`Shop` makes random changes. It returns the SQL statements and knows what each does to each row, so the journal is independent
of the log. Each transaction is given to the `Journal` just before its COMMIT; one that is rolled back never is. Every row has
a column `n` that grows with each change of its key, so that no two events of a key are equal.
"""

import random
import threading
from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import NamedTuple

TOMBSTONE = "t"
COLUMNS = "id INT PRIMARY KEY, n BIGINT, name VARCHAR(40), amount DECIMAL(12,2), note TEXT"
NAMES = ("id", "n", "name", "amount", "note")
KEYS = 10_000_000  # single changes use keys below; blocks of a burst lie above
MOST_EXTRAS = 4


class Expected(NamedTuple):
    """One record to come: `other` is the key before or after it where the change moved the row."""

    op: str
    before: dict | None
    after: dict | None
    other: int | None = None


class Journal:
    """What is still to come, by table and key; the writer adds, the checker takes, each under `lock`."""

    def __init__(self):
        self.lock = threading.Lock()
        self.pending = defaultdict(lambda: defaultdict(deque))
        self.statements = defaultdict(deque)  # DDL to come in the topic of schema changes, by table
        self.altered = defaultdict(list)  # all DDL, by table
        self.told = 0
        self.transactions = 0

    def tell(self, records):
        with self.lock:
            for table, key, expected in records:
                self.pending[table][key].append(expected)
            self.told += len(records)
            self.transactions += 1

    def tell_ddl(self, table, statement):
        with self.lock:
            self.statements[table].append(statement)
            self.altered[table].append(statement)


@dataclass
class Table:
    name: str
    rows: dict = field(default_factory=dict)
    extras: dict = field(default_factory=dict)  # columns that DDL added, with their defaults
    keys: list = field(default_factory=list)  # of single changes; some may be gone


class Shop:
    """Random changes on some tables: each method gives the statement (text, values) and notes what follows from it."""

    def __init__(self, journal, tables, seed):
        self.random = random.Random(seed)
        self.journal = journal
        self.tables = {name: Table(name) for name in tables}
        self._open = []
        self._undo = []
        self._numbers = self._alterations = 0
        self._blocks = KEYS

    def any_table(self):
        return self.tables[self.random.choice(list(self.tables))]

    # -- transactions

    def commit(self):
        if self._open:
            self.journal.tell(self._open)
        self._open, self._undo = [], []

    def rollback(self, to=(0, 0)):
        records, undo = to
        for table, key, row in reversed(self._undo[undo:]):
            if row is None:
                del table.rows[key]
            else:
                table.rows[key] = row
        del self._undo[undo:], self._open[records:]

    def savepoint(self):
        return len(self._open), len(self._undo)

    # -- changes

    def change(self, table):
        """One change of one row."""
        keys = table.keys
        while keys:
            at = self.random.randrange(len(keys))
            if keys[at] in table.rows:
                break
            keys[at] = keys[-1]
            keys.pop()
        wanted = ["insert", "update", "update", "delete", "move"] if len(keys) < 3000 else ["update", "delete", "move"]
        kind = self.random.choice(wanted)
        if kind == "insert" or not keys:
            return self.insert(table, [self._new_key(table)])
        return getattr(self, kind)(table, keys[at])

    def insert(self, table, keys):
        values = []
        for key in keys:
            row = self._new_row(table, key)
            self._note(table, key, Expected("c", None, row))
            values += [row[name] for name in NAMES]
        table.keys += [key for key in keys if key < KEYS]
        places = ", ".join(["(%s, %s, %s, %s, %s)"] * len(keys))
        return f"INSERT INTO {table.name} (id, n, name, amount, note) VALUES {places}", values

    def update(self, table, key):
        before = table.rows[key]
        n, note = before["n"] + 1, self._text()
        self._note(table, key, Expected("u", before, {**before, "n": n, "note": note}))
        return f"UPDATE {table.name} SET n = %s, note = %s WHERE id = %s", (n, note, key)

    def delete(self, table, key):
        self._note_delete(table, key, None)
        return f"DELETE FROM {table.name} WHERE id = %s", (key,)

    def move(self, table, key):
        new, n = self._new_key(table), table.rows[key]["n"] + 1
        row = {**table.rows[key], "id": new, "n": n}
        self._note_delete(table, key, new)
        self._note(table, new, Expected("c", None, row, key))
        table.keys.append(new)
        return f"UPDATE {table.name} SET id = %s, n = %s WHERE id = %s", (new, n, key)

    def new_block(self, size):
        self._blocks += size
        return range(self._blocks - size, self._blocks)

    def update_block(self, table, block):
        amount, note = f"{self.random.randrange(100_000)}.25", self._text()
        for key in block:
            before = table.rows[key]
            self._note(table, key, Expected("u", before, {**before, "n": before["n"] + 1, "amount": amount, "note": note}))
        text = f"UPDATE {table.name} SET n = n + 1, amount = %s, note = %s WHERE id BETWEEN %s AND %s"
        return text, (amount, note, block[0], block[-1])

    def delete_block(self, table, block):
        for key in block:
            self._note_delete(table, key, None)
        return f"DELETE FROM {table.name} WHERE id BETWEEN %s AND %s", (block[0], block[-1])

    # -- structure

    def create(self, table):
        return self._ddl(table, f"CREATE TABLE {table.name} ({COLUMNS})")

    def alter(self, table):
        """A change of structure; every row of the table is changed with it, without an event."""
        self._alterations += 1
        extras, number = list(table.extras), self._alterations
        kinds = ["add", "modify"] + ["drop", "rename"] * bool(extras) + ["drop"] * (len(extras) > MOST_EXTRAS)
        kind = self.random.choice(kinds)
        if kind == "add":
            place = self.random.choice(["", " FIRST", " AFTER n"])
            table.extras[f"extra{number}"] = number
            self._change_rows(table, lambda row: {**row, f"extra{number}": number})
            return self._ddl(table, f"ALTER TABLE {table.name} ADD COLUMN extra{number} INT DEFAULT {number}{place}")
        if kind == "modify":
            return self._ddl(table, f"ALTER TABLE {table.name} MODIFY name VARCHAR({40 + number % 200})")
        old = self.random.choice(extras)
        default = table.extras.pop(old)
        if kind == "drop":
            self._change_rows(table, lambda row: {name: v for name, v in row.items() if name != old})
            return self._ddl(table, f"ALTER TABLE {table.name} DROP COLUMN {old}")
        new = f"extra{number}"
        table.extras[new] = default
        self._change_rows(table, lambda row: {new if name == old else name: v for name, v in row.items()})
        return self._ddl(table, f"ALTER TABLE {table.name} CHANGE {old} {new} INT DEFAULT {default}")

    def _change_rows(self, table, change):
        assert not self._undo, "DDL commits the transaction: commit it before"
        table.rows = {key: change(row) for key, row in table.rows.items()}

    def _ddl(self, table, statement):
        self.journal.tell_ddl(table.name, statement)
        return statement, None

    # -- what follows

    def _note(self, table, key, expected):
        self._undo.append((table, key, table.rows.get(key)))
        table.rows[key] = expected.after
        self._open.append((table.name, key, expected))

    def _note_delete(self, table, key, new):
        row = table.rows.pop(key)
        self._undo.append((table, key, row))
        self._open.append((table.name, key, Expected("d", row, None, new)))
        self._open.append((table.name, key, Expected(TOMBSTONE, None, None, new)))

    def _new_key(self, table):
        while True:
            key = self.random.randrange(KEYS)
            if key not in table.rows:
                return key

    def _new_row(self, table, key):
        self._numbers += 1
        row = {"id": key, "n": self._numbers, "name": f"näme {key}", "amount": f"{key % 1000}.50", "note": self._text()}
        return {**row, **table.extras}

    def _text(self):
        return "x" * self.random.randrange(200) + str(self.random.randrange(1000))
