"""Writes rows at a rate, one a transaction, and notes when each commit had returned: `python latency_writer.py JOB.json`.

A process of its own, so that the consumer's clock readings don't wait for it. Orders come on standard input, one JSON
a line: `{"rate": 10, "seconds": 40, "first": 1000}`; the answer is one line of JSON: for each row its id and the
nanoseconds of the machine's monotonic clock. Moments are spread evenly with a random share of the interval (seeded),
so that they don't keep step with anybody's poll interval.
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


def write(cursor: Any, rate: float, seconds: float, first: int) -> list[tuple[int, int]]:
    """Insert `rate * seconds` rows; their ids and times."""
    shares = random.Random(first)
    begun, noted = time.monotonic(), []
    for number in range(round(rate * seconds)):
        wait = begun + (number + shares.random()) / rate - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        cursor.execute(f"INSERT INTO ticks VALUES ({first + number}, 'tick {first + number}', NOW(6))")
        noted.append((first + number, time.monotonic_ns()))
    return noted


if __name__ == "__main__":
    main(sys.argv[1])
