"""Writes rows at a rate, and records when each commit returned: `python latency_writer.py JOB.json`.

It is a process of its own, so that the consumer's clock readings don't wait for it. Commands come on standard input, as a JSON
line each: `{"rate": 10, "seconds": 40, "first": 1000}`, with `rows` for more than one row in a transaction. The answer is one
line of JSON: for each row its id and the machine's monotonic clock in nanoseconds. Commits are evenly spaced plus a random
part of the interval (seeded), so that they don't synchronise with a poll interval.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import pymysql


def main(path: str) -> None:
    job = json.loads(Path(path).read_text())
    connection = pymysql.connect(**job["connect"], autocommit=True)
    print("ready", flush=True)
    with connection.cursor() as cursor:
        for line in sys.stdin:
            print(json.dumps(write(cursor, **json.loads(line))), flush=True)


def write(cursor: Any, rate: float, seconds: float, first: int, rows: int = 1) -> list[tuple[int, int]]:
    """Insert `rate * seconds` rows, `rows` in each transaction; returns their ids and times."""
    shares = random.Random(first)
    begun, noted = time.monotonic(), []
    for number in range(0, round(rate * seconds), rows):
        wait = begun + (number + rows * shares.random()) / rate - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        ids = range(first + number, first + number + rows)
        cursor.execute(f"INSERT INTO ticks VALUES {', '.join(f'({id_}, {_note(id_)}, NOW(6))' for id_ in ids)}")
        moment = time.monotonic_ns()
        noted += [(id_, moment) for id_ in ids]
    return noted


def _note(id_: int) -> str:
    return f"'tick {id_}'"


if __name__ == "__main__":
    main(sys.argv[1])
