"""Changes a table at a rate until standard input ends: `python changes_writer.py JOB.json`.

Each transaction inserts, updates and deletes rows, and changes the keys of some. The writer knows which keys exist, so each
statement changes rows. Keys are chosen at random (seeded) all over the table; at first every other number is free. It prints
"ready" when it begins, and at the end one line of JSON with the numbers of its changes.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pymysql
from pymysql.constants import CLIENT

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT)]

from bench import workloads  # noqa: E402

INSERTS, UPDATES, DELETES, MOVES = 6, 10, 6, 3  # in a transaction; as many inserts as deletes, so that the table keeps its size
CHANGES = INSERTS + UPDATES + DELETES + MOVES


def main(path: str) -> None:
    job = json.loads(Path(path).read_text())
    ended = threading.Event()
    threading.Thread(target=_until_told, args=(ended,), daemon=True).start()
    connection = pymysql.connect(**job["connect"], autocommit=True, client_flag=CLIENT.MULTI_STATEMENTS)
    print("ready", flush=True)
    with connection.cursor() as cursor:
        done = write(cursor, Keys(job["rows"], job["seed"]), job["rate"], ended)
    print(json.dumps(done), flush=True)


def _until_told(ended: threading.Event) -> None:
    sys.stdin.read()
    ended.set()


class Keys:
    """The keys that the table has: at first 2, 4, 6 and so on, one for each row."""

    def __init__(self, rows: int, seed: int) -> None:
        self._there = bytearray(b"\0\1" * (rows + 1))  # key k is at index k - 1
        self._there[-2:] = b"\0\0"
        self._random = random.Random(seed)

    def taken(self, count: int) -> list[int]:
        """Different keys that exist."""
        return self._drawn(count, 1)

    def free(self, count: int) -> list[int]:
        """Different keys that don't exist."""
        return self._drawn(count, 0)

    def add(self, keys: list[int]) -> None:
        """Note that they exist now."""
        for key in keys:
            self._there[key - 1] = 1

    def remove(self, keys: list[int]) -> None:
        """Note that they don't exist any more."""
        for key in keys:
            self._there[key - 1] = 0

    def _drawn(self, count: int, there: int) -> list[int]:
        found: set[int] = set()
        while len(found) < count:
            key = self._random.randint(1, len(self._there))
            if self._there[key - 1] == there:
                found.add(key)
        return list(found)


def transaction(keys: Keys, number: int) -> str:
    """The statements of a transaction; updates `keys`."""
    old = keys.taken(UPDATES + DELETES + MOVES)
    new = keys.free(INSERTS + MOVES)
    updated, deleted, moved = old[:UPDATES], old[UPDATES:-MOVES], old[-MOVES:]
    inserted, targets = new[:INSERTS], new[INSERTS:]
    keys.remove(deleted + moved)
    keys.add(new)
    rows = " UNION ALL ".join(f"SELECT {key} n" for key in inserted)
    return ";".join(
        [
            "BEGIN",
            f"INSERT INTO orders {workloads.ORDER.format(n='n')} FROM ({rows}) s",
            f"UPDATE orders SET {_change(number)} WHERE id IN ({_listed(updated)})",
            f"DELETE FROM orders WHERE id IN ({_listed(deleted)})",
            *(
                f"UPDATE orders SET id = {target}, status = 'MOVED' WHERE id = {key}"
                for key, target in zip(moved, targets, strict=True)
            ),
            "COMMIT",
        ]
    )


def write(cursor: Any, keys: Keys, rate: float, ended: threading.Event) -> dict[str, float]:
    """Run transactions at an even pace until `ended` is set; returns the numbers of changes."""
    begun, number = time.monotonic(), 0
    while not ended.is_set():
        wait = begun + number * CHANGES / rate - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        affected = _run(cursor, transaction(keys, number))
        if affected != CHANGES:
            raise ValueError(f"transaction {number} changed {affected} rows and not {CHANGES}")
        number += 1
    return {"transactions": number, "changes": number * CHANGES, "seconds": time.monotonic() - begun}


def _run(cursor: Any, text: str) -> int:
    cursor.execute(text)
    affected = max(0, cursor.rowcount)
    while cursor.nextset():
        affected += max(0, cursor.rowcount)
    return affected


def _change(number: int) -> str:
    return f"quantity = quantity % 1000 + 1, amount = amount + 1.07, updated_at = NOW(6), note = 'changed by {number}'"


def _listed(keys: list[int]) -> str:
    return ", ".join(map(str, keys))


if __name__ == "__main__":
    main(sys.argv[1])
