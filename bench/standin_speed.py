"""Measures the speed of the SQL Server stand-in: capturing, serving a change table and a table, enabling many instances.

    ./run bench-standin [--rows 1000000] [--instances 1000] [--rounds 5]

The stand-in runs in a process of its own. mssql-python reads it as Arrow batches, with the queries of a connector: a change
table in the order of its key up to a position, and a table in the order of its key. Prints a table. A change table of 12
columns has seven of the source table and five of change data capture. The stand-in converts a table into columns when it is
read as a whole for the second time.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tailrace_standins.sqlserver.cdc import install  # noqa: E402
from tailrace_standins.sqlserver.engine.server import Engine  # noqa: E402
from tailrace_standins.sqlserver.server import StandIn  # noqa: E402
from tailrace_standins.sqlserver.session import Login, Session, run  # noqa: E402

PASSWORD = "Tailrace-1"
BATCH = 100_000
NARROW = "id int primary key, customer int, product bigint, status varchar(20), email nvarchar(40), amount decimal(10,2), at datetime2"
WIDE = NARROW + ", ok bit, changed datetime, price float, note varchar(30), kind smallint"
VALUES = "1, 2, 'shipped', N'name@example.com', 12.34, '2024-05-06 07:08:09.1234567'"
MORE = VALUES + ", 1, '2024-05-06 07:08:09.123', 1.5, 'another text of it', 7"
TABLES = {"narrow": (NARROW, VALUES), "wide": (WIDE, MORE)}
ADDED = "c.[__$start_lsn], c.[__$seqval], c.[__$operation], c.[__$update_mask], c.[__$command_id]"
ORDER = "ORDER BY c.[__$start_lsn], c.[__$command_id], c.[__$seqval], c.[__$operation]"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="of a change table [1000000]")
    parser.add_argument("--instances", type=int, default=1_000, help="enabled one by one [1000]")
    parser.add_argument("--rounds", type=int, default=5, help="how often a change table is read [5]")
    args = parser.parse_args()
    print("| what | rows | seconds | a second |\n| --- | ---: | ---: | ---: |")
    for name in TABLES:
        with served(name, args.rows) as (port, captured):
            show(f"capture into {name}", args.rows, captured)
            for what, reads in (("change table", changes), ("table", rows_of)):
                warm_up = [read(port, *reads(name)) for _ in range(2)]
                show(f"read {what} {name} for the first time", args.rows, warm_up[0])
                seconds = [read(port, *reads(name)) for _ in range(args.rounds)]
                show(f"read {what} {name}: median of {args.rounds}", args.rows, median(seconds))
                show(f"read {what} {name}: the best", args.rows, min(seconds))
    show("tables and capture instances enabled", args.instances, enabled(args.instances))


def show(what: str, count: int, seconds: float) -> None:
    """Print a line of the table."""
    print(f"| {what} | {count:,} | {seconds:.2f} | {count / seconds:,.0f} |", flush=True)


@contextmanager
def served(name: str, rows: int) -> Iterator[tuple[int, float]]:
    """A context with a stand-in in a process of its own and a change table: yields its port, and the seconds of capturing."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    server = context.Process(target=serve, args=(theirs, name, rows))
    server.start()
    theirs.close()
    try:
        yield ours.recv()
    finally:
        ours.close()
        server.join()


def serve(asked: Connection, name: str, rows: int) -> None:
    """Fill, capture, send the port, and serve until the other process closes the pipe."""
    definition, values = TABLES[name]
    with closing(Engine(password=PASSWORD)) as engine:
        capture = install(engine, automatic=False)
        session = of_database(engine)
        run(session, f"CREATE TABLE {name} ({definition})")
        run(session, f"EXEC sys.sp_cdc_enable_table 'dbo', '{name}', @role_name = NULL")
        digits = ", ".join(f"(VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) {place}(x)" for place in "abcde")
        for first in range(0, rows, BATCH):
            numbers = f"{first} + ROW_NUMBER() OVER (ORDER BY (SELECT 1))"
            run(session, f"INSERT {name} SELECT TOP ({min(BATCH, rows - first)}) {numbers}, {values} FROM {digits}")
        begun = time.monotonic()
        capture.step("bench")
        captured = time.monotonic() - begun
        with StandIn(engine) as server:
            asked.send((server.port, captured))
            try:
                asked.recv()
            except EOFError:
                session.close()


def of_database(engine: Engine) -> Session:
    """A session in a new database with change data capture."""
    engine.create_database("bench")
    session = engine.login(Login("sa", PASSWORD, "bench"))
    run(session, "EXEC sys.sp_cdc_enable_db")
    return session


def changes(name: str) -> tuple[str, bool]:
    """The query of a change table, and whether it has a position as its parameter."""
    return f"SELECT {ADDED}, {columns(name)} FROM cdc.dbo_{name}_CT c WHERE c.[__$start_lsn] <= ? {ORDER}", True


def rows_of(name: str) -> tuple[str, bool]:
    """The query of the table itself, and whether it has a position as its parameter."""
    return f"SELECT {columns(name)} FROM dbo.{name} c WHERE c.[id] > 0 ORDER BY c.[id]", False


def columns(name: str) -> str:
    """The source table's columns."""
    return ", ".join(f"c.[{column.split()[0]}]" for column in TABLES[name][0].split(", "))


def read(port: int, wanted: str, takes_position: bool) -> float:
    """The seconds to read a table."""
    import mssql_python

    address = f"SERVER=127.0.0.1,{port};DATABASE=bench;UID=sa;PWD={PASSWORD};Encrypt=no"
    with closing(mssql_python.connect(address, autocommit=True)) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT sys.fn_cdc_get_max_lsn()")
        highest = cursor.fetchone()[:1]
        begun = time.monotonic()
        cursor.execute(wanted, *(highest if takes_position else ()))
        for _ in cursor.arrow_reader(8192):
            pass
        return time.monotonic() - begun


def enabled(count: int) -> float:
    """The seconds to create `count` tables with a capture instance each, one by one."""
    with closing(Engine(password=PASSWORD)) as engine:
        install(engine)
        session = of_database(engine)
        begun = time.monotonic()
        for number in range(count):
            run(session, f"CREATE TABLE t{number} (id int primary key, v varchar(20))")
            run(session, f"EXEC sys.sp_cdc_enable_table 'dbo', 't{number}', @role_name = NULL")
        seconds = time.monotonic() - begun
        session.close()
    return seconds


if __name__ == "__main__":
    main()
