"""How fast the SQL Server connector catches up: change tables of the stand-in, in a process of its own, into records.

    .venv/bin/python bench/sqlserver_catch_up.py [--rows 1000000] [--rounds 3] [--metadata]

Measures the connector alone: what comes from the driver becomes encoded records, and nothing is delivered. Prints a table, with
the CPU time of this process; the stand-in works on the same cores. `insert` is one large transaction for each 100,000 rows,
`update` the same with two images a change, `small` has two rows of two tables in each transaction.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.standin_speed import BATCH, MORE, WIDE  # noqa: E402

from tailrace.config.load import from_mapping  # noqa: E402
from tailrace.connectors.base import LogRange, Progress  # noqa: E402
from tailrace.connectors.sqlserver.reader import SqlServerConnector  # noqa: E402
from tailrace.testing.sqlserver_server import Database, StandInServer  # noqa: E402

DIGITS = ", ".join(f"(VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) {place}(x)" for place in "abcde")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="changes [1000000]")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is read [3]")
    parser.add_argument("--metadata", action="store_true", help="with provide.transaction.metadata")
    args = parser.parse_args()
    print("| workload | changes | seconds | a second | CPU s a million |\n| --- | ---: | ---: | ---: | ---: |")
    for name, fill in WORKLOADS.items():
        with StandInServer() as server:
            database = server.create_database()
            database.sql(f"CREATE TABLE w ({WIDE}); CREATE TABLE x ({WIDE})")
            database.capture("w")
            database.capture("x")
            connector = SqlServerConnector(
                from_mapping(
                    database.properties(
                        provide_transaction_metadata=str(args.metadata).lower(),
                        key_converter_schemas_enable="false",
                        value_converter_schemas_enable="false",
                    )
                )
            )
            progress, history = fill(database, connector, args.rows)
            read_all(connector, progress, history)  # compiles, and the stand-in makes columns of what it has
            rounds = [read_all(connector, progress, history) for _ in range(args.rounds)]
            count, seconds, cpu = rounds[0][0], median(each[1] for each in rounds), median(each[2] for each in rounds)
            print(
                f"| {name} | {count:,} | {seconds:.2f} | {count / seconds:,.0f} | {cpu * 1e6 / count:.2f} |", flush=True
            )


def begun(connector: SqlServerConnector) -> tuple[Progress, list[object]]:
    """A connector that begins now."""
    point = connector.start_point()
    return point.progress, list(point.history)


def inserts(database: Database, connector: SqlServerConnector, rows: int) -> tuple[Progress, list[object]]:
    """Rows of twelve columns, in large transactions."""
    at = begun(connector)
    for first in range(0, rows, BATCH):
        numbers = f"{first} + ROW_NUMBER() OVER (ORDER BY (SELECT 1))"
        database.sql(f"INSERT w SELECT TOP ({min(BATCH, rows - first)}) {numbers}, {MORE} FROM {DIGITS}")
    database.capture_all()
    return at


def updates(database: Database, connector: SqlServerConnector, rows: int) -> tuple[Progress, list[object]]:
    """The same rows updated."""
    inserts(database, connector, rows)
    at = begun(connector)
    for first in range(0, rows, BATCH):
        database.sql(f"UPDATE w SET status = 'delivered' WHERE id > {first} AND id <= {first + BATCH}")
    database.capture_all()
    return at


def small(database: Database, connector: SqlServerConnector, rows: int) -> tuple[Progress, list[object]]:
    """A tenth as many, in transactions of two rows: the stand-in takes long to make them."""
    at = begun(connector)
    row = f"(@i, {MORE})"
    database.sql(
        f"DECLARE @i int = 0; WHILE @i < {rows // 20} BEGIN BEGIN TRAN; INSERT w VALUES {row}; INSERT x VALUES {row}; COMMIT; "
        "SET @i = @i + 1 END"
    )
    database.capture_all()
    return at


Fill = Callable[[Database, SqlServerConnector, int], tuple[Progress, list[object]]]
WORKLOADS: dict[str, Fill] = {"insert": inserts, "update": updates, "small": small}


def read_all(connector: SqlServerConnector, progress: Progress, history: list[object]) -> tuple[int, float, float]:
    """Read to the head: how many changes, in how many seconds, with how much CPU time."""
    began, used, changes = time.monotonic(), time.process_time(), 0
    for batch in connector.read(LogRange(progress.restart, connector.head()), progress, history):
        changes += batch.changes
    return changes, time.monotonic() - began, time.process_time() - used


if __name__ == "__main__":
    main()
