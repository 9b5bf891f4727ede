"""Measures the reader's memory for large input: a transaction of millions of rows, a row of hundreds of MB.

    python bench/memory.py [--rows 5000000] [--row-mb 200] [--limit-mb 1024]

Starts its own MySQL, writes the log of each case, reads it in a new process and prints the peak. The exit code is 1 if a
transaction of many rows took more than the limit; a single long row may take a multiple of its length in addition.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "bench"), str(ROOT / "src")]

from run import properties, readings_of  # noqa: E402
from workloads import ROWS, SETUP  # noqa: E402

from tailrace.connectors import connector_for  # noqa: E402
from tailrace.connectors.load import from_mapping  # noqa: E402
from tailrace_standins.servers.mysql_server import MySqlServer  # noqa: E402

DATABASE = "bench_memory"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--row-mb", type=int, default=200)
    parser.add_argument("--limit-mb", type=int, default=1024)
    args = parser.parse_args()
    many = f"INSERT INTO small {ROWS.format(first=1, last=args.rows)} SELECT n, CONCAT('row ', n), n % 97 FROM s"
    small = "CREATE TABLE small (id INT NOT NULL PRIMARY KEY, name VARCHAR(40), n INT)"
    long = "CREATE TABLE large (id INT NOT NULL PRIMARY KEY, body LONGTEXT)"
    length = f"INSERT INTO large VALUES (1, REPEAT('x', {args.row_mb} * 1048576))"
    with MySqlServer() as server:
        rows = measure(server, small, many)
        row = measure(server, long, length)
    print("| what | schemas | changes | batches | largest batch MB | peak MB |\n| --- | --- | ---: | ---: | ---: | ---: |")
    for what, figures in ((f"{args.rows:,} rows in a transaction", rows), (f"a row of {args.row_mb} MB", row)):
        for schemas, one in figures.items():
            largest, batches = one["largest_batch"] / 1e6, one["batches"]
            print(f"| {what} | {schemas} | {one['changes']:,} | {batches} | {largest:.0f} | {one['peak_mb']} |")
    raise SystemExit(any(one["peak_mb"] > args.limit_mb for one in rows.values()))


def measure(server: MySqlServer, table: str, statement: str) -> dict[str, dict[str, Any]]:
    """The figures of reading one statement's log, without and with schemas."""
    server.sql(f"DROP DATABASE IF EXISTS {DATABASE}; CREATE DATABASE {DATABASE}")
    server.sql(table, DATABASE)
    connector = connector_for(from_mapping(properties(server, DATABASE, schemas=False)))
    point = connector.start_point()
    with server.connect(DATABASE) as connection, connection.cursor() as cursor:
        cursor.execute(SETUP)
        cursor.execute(statement)
    until = connector.head()
    found = {}
    for schemas in (False, True):
        given = properties(server, DATABASE, schemas=schemas)
        job = {"properties": given, "start": point.restart, "until": until, "history": point.history, "readings": 0}
        found["on" if schemas else "off"] = readings_of(job)[-1]
    return found


if __name__ == "__main__":
    main()
