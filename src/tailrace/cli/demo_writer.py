"""The demo's writer: small transactions on the shop's tables, a few per second, until it is stopped."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Sequence
from typing import Any

from tailrace.connectors.demo import Statements

SECONDS_BETWEEN = 0.3
FIRST_NAMES = ("Ida", "Noah", "Priya", "Omar", "Lena", "Kofi", "Yara", "Jun")
LAST_NAMES = ("Olsen", "Okafor", "Silva", "Novak", "Haddad", "Kim", "Moreau", "Rossi")


class Writer(threading.Thread):
    """Changes rows on a separate connection; `changes` counts the changed rows."""

    def __init__(self, connection: Any, statements: Statements, seed: int = 7) -> None:
        super().__init__(daemon=True, name="demo-writer")
        self.changes = 0
        self.transactions = 0
        self.error: Exception | None = None
        self._connection = connection
        self._statements = statements
        self._chance = random.Random(seed)  # noqa: S311
        self._stopping = threading.Event()
        self._numbers = itertools.count(1)

    def run(self) -> None:
        """Write until stopped; an error ends it and is kept."""
        actions = (self._order, self._order, self._customer, self._move, self._restock, self._cancel)
        try:
            while not self._stopping.wait(SECONDS_BETWEEN):
                changed = self._chance.choice(actions)()
                self._connection.commit()
                self.changes += changed
                self.transactions += 1
        except Exception as error:  # noqa: BLE001
            self.error = error

    def stop(self) -> None:
        """End after the transaction at hand."""
        self._stopping.set()
        self.join()
        self._connection.close()

    def _order(self) -> int:
        customer, product = self._any("customers", "id"), self._any("products", "id")
        quantity = self._chance.randint(1, 4)
        changed = self._execute(self._statements.order, (customer, quantity, product))
        return changed + self._execute(self._statements.sale, (quantity, product))

    def _customer(self) -> int:
        first, last = self._chance.choice(FIRST_NAMES), self._chance.choice(LAST_NAMES)
        email = f"{first}.{last}.{next(self._numbers)}@example.com".lower()
        return self._execute(self._statements.customer, (first, last, email))

    def _move(self) -> int:
        table, key, address = self._statements.moved
        return self._execute(self._statements.move, (address.format(next(self._numbers)), self._any(table, key)))

    def _restock(self) -> int:
        return self._execute(self._statements.restock)

    def _cancel(self) -> int:
        return self._execute(self._statements.cancel, (self._any("orders", self._statements.number),))

    def _any(self, table: str, column: str) -> Any:
        with self._connection.cursor() as cursor:
            cursor.execute(f"SELECT {column} FROM {table} ORDER BY {column}")  # noqa: S608
            rows: Sequence[tuple[Any, ...]] = cursor.fetchall()
        return self._chance.choice(rows)[0] if rows else None

    def _execute(self, statement: str, arguments: Sequence[Any] = ()) -> int:
        with self._connection.cursor() as cursor:
            cursor.execute(statement, arguments)
            return int(cursor.rowcount)
