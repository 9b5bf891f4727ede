"""One checkout beside another: the same work by both versions of tailrace, in pairs, on the same machine.

    ./run bench-versions OTHER [--pairs 7] [--parts read,kafka,snapshot,sqlserver,db2] [--changes 1000000] [--only TEXT]

OTHER is the folder of the other checkout, the version before, say. Its sources are run with this checkout's Python packages.
read: the binary log decoded, shaped and encoded, no sink. kafka: `tailrace run` from MySQL into Kafka, the log and then a
snapshot. sqlserver, db2: the same from the stand-ins for these, this checkout's for both. In each pair both do the same
once, the second pair the other way round, so that what drifts hits both. The figures are medians over the pairs of this
one's rate, CPU seconds and peak memory divided by the other one's: a rate above 1 is faster, CPU and memory below 1 are
less. It needs Linux and a quiet machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.change_tables import catch_up as change_tables  # noqa: E402
from bench.change_tables.plan import CATCH_UP, SNAPSHOT  # noqa: E402
from bench.change_tables.plan import Case as ChangeTablesCase  # noqa: E402
from bench.change_tables.system import Data as Captured  # noqa: E402
from bench.change_tables.system import System  # noqa: E402
from bench.db2.system import Db2  # noqa: E402
from bench.into_kafka import catch_up, logs  # noqa: E402
from bench.into_kafka.plan import Case as LogCase  # noqa: E402
from bench.measuring import connectors, program, servers  # noqa: E402
from bench.measuring.program import new_prefix  # noqa: E402
from bench.snapshots import filled, initial  # noqa: E402
from bench.snapshots.plan import Case as SnapshotCase  # noqa: E402
from bench.sqlserver.system import SqlServer  # noqa: E402

from bench import run as engines  # noqa: E402
from bench import workloads  # noqa: E402
from tailrace.connectors import connector_for  # noqa: E402
from tailrace.connectors.load import from_mapping  # noqa: E402
from tailrace_standins.servers.mysql_server import MySqlServer  # noqa: E402

PARTS = ("read", "kafka", "snapshot", "sqlserver", "db2")
WIDE_SHARE = 10  # so many times fewer changes has the wide workload
ROUNDS = 2  # readings of a process in `read`, besides the one that warms up
Figures = Mapping[str, float]  # rate, cpu, peak_mb
Measure = Callable[[Path], Figures]  # by the checkout


def main() -> None:
    """Measure and print."""
    program.end_in_good_order()
    args = arguments()
    for part in args.parts:
        for label, measure in CASES[part](args):
            if args.only not in label:
                continue
            measure(ROOT), measure(args.other)  # compiled code comes into the caches
            pairs = [pair(measure, args.other, number) for number in range(args.pairs)]
            print(line(label, pairs), flush=True)


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        prog="./run bench-versions", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("other", type=Path, help="the other checkout")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--parts", default=",".join(PARTS), help="read, kafka, snapshot, sqlserver, db2 [all]")
    parser.add_argument("--changes", type=int, default=1_000_000, help="of each workload; wide: a tenth [1000000]")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose label has this")
    args = parser.parse_args()
    args.parts = program.parts_of(parser, args.parts, PARTS)
    args.other = args.other.resolve()
    if not (args.other / "src" / "tailrace").is_dir():
        parser.error(f"{args.other} is no checkout of tailrace: it has no src/tailrace")
    return args


def pair(measure: Measure, other: Path, number: int) -> tuple[Figures, Figures]:
    """One run of each; this checkout's figures first."""
    if number % 2:
        theirs = measure(other)
        return measure(ROOT), theirs
    return measure(ROOT), measure(other)


def line(label: str, pairs: list[tuple[Figures, Figures]]) -> str:
    """The medians of the ratios, and what lies behind them."""
    ratios = {name: [ours[name] / theirs[name] for ours, theirs in pairs] for name in ("rate", "cpu", "peak_mb")}
    shown = "; ".join(
        f"{name} {statistics.median(each):.3f} ({min(each):.2f} to {max(each):.2f})" for name, each in ratios.items()
    )
    rate = statistics.median(ours["rate"] for ours, _ in pairs)
    return f"{label}: {shown}; {len(pairs)} pairs, {rate:,.0f}/s"


def read_cases(args: argparse.Namespace) -> Iterator[tuple[str, Measure]]:
    """The log without a sink."""
    with MySqlServer() as server:
        for name in ("orders", "wide", "many"):
            database = f"bench_{name}"
            first = connector_for(from_mapping(engines.properties(server, database, schemas=False)))
            server.sql(f"FLUSH BINARY LOGS; CREATE DATABASE {database}")
            with server.connect(database) as connection:
                workloads.create(connection, name)
                point = first.start_point()
                workloads.fill(connection, name, changes_of(name, args.changes))
                until = first.head()
            for schemas in ("off", "on"):
                job = {
                    "properties": engines.properties(server, database, schemas=schemas == "on"),
                    "start": point.restart,
                    "until": until,
                    "history": point.history,
                    "readings": ROUNDS,
                }
                yield f"read, {name}, schemas {schemas}", lambda checkout, job=job: reading(checkout, job)


def reading(checkout: Path, job: Mapping[str, Any]) -> Figures:
    """A process that reads the log with the sources of a checkout."""
    found = engines.readings_of(job, checkout)
    return {
        "rate": statistics.median(each["changes"] / each["seconds"] for each in found),
        "cpu": statistics.median(each["cpu_seconds"] for each in found),
        "peak_mb": max(each["peak_mb"] for each in found),
    }


def log_cases(args: argparse.Namespace) -> Iterator[tuple[str, Measure]]:
    """The log into Kafka."""
    with servers.running() as running:
        for name, schemas in (("orders", "off"), ("orders", "on"), ("wide", "off")):
            case = LogCase(name, "MINIMAL", "lz4", schemas, changes_of(name, args.changes), 1)
            data = logs.fill(running, case.workload, case.metadata, case.changes)

            def measure(checkout: Path, case: LogCase = case, data: logs.Data = data) -> Figures:
                return of_run(checkout, lambda prefix: catch_up.measure(running, data, case, "tailrace", prefix))

            yield f"kafka, {case.label}", measure
            servers.forget(running, data.database)


def snapshot_cases(args: argparse.Namespace) -> Iterator[tuple[str, Measure]]:
    """Snapshots into Kafka."""
    with servers.running() as running:
        rows = {"orders": args.changes, "wide": changes_of("wide", args.changes)}
        data: filled.Filled | None = None
        for schemas in ("off", "on"):
            case = SnapshotCase("default", "lz4", schemas, args.changes, 1)
            data = data or filled.fill(running, "bench_snapshot", rows)

            def measure(checkout: Path, case: SnapshotCase = case, data: filled.Filled = data) -> Figures:
                return of_run(checkout, lambda prefix: initial.measure(running, data, case, "tailrace", prefix))

            yield f"snapshot, {case.label}", measure


def sqlserver_cases(args: argparse.Namespace) -> Iterator[tuple[str, Measure]]:
    """SQL Server's change tables into Kafka, then a snapshot."""
    return change_table_cases(SqlServer(), args.changes)


def db2_cases(args: argparse.Namespace) -> Iterator[tuple[str, Measure]]:
    """Db2's change tables into Kafka, then a snapshot."""
    return change_table_cases(Db2(), args.changes)


def change_table_cases(system: System, changes: int) -> Iterator[tuple[str, Measure]]:
    """Change tables into Kafka, then a snapshot."""
    with system.running(90) as running:
        for task in (CATCH_UP, SNAPSHOT):
            with system.filled(running, task, changes) as data:
                for schemas in ("off", "on"):
                    case = ChangeTablesCase(task, "lz4", schemas, changes, 1, system.sizes.polling)

                    def measure(checkout: Path, case: ChangeTablesCase = case, data: Captured = data) -> Figures:
                        if case.task == SNAPSHOT:
                            data.capture_every(case.polling)
                        return of_run(
                            checkout, lambda prefix: change_tables.measure(system, running, data, case, "tailrace", prefix)
                        )

                    yield f"{system.words.name}, {case.label}", measure


def of_run(checkout: Path, measure: Callable[[str], Mapping[str, Any]]) -> Figures:
    """What a run of `tailrace` takes with the sources of a checkout."""
    os.environ[connectors.CHECKOUT] = str(checkout)
    try:
        found = measure(new_prefix("tailrace"))
    finally:
        del os.environ[connectors.CHECKOUT]
    return {
        "rate": found["rate"],
        "cpu": found["python_cpu"],
        "peak_mb": found["python_peak_mb"],
    }


def changes_of(workload: str, changes: int) -> int:
    """How many changes a workload has."""
    return changes // WIDE_SHARE if workload == "wide" else changes


CASES = {"read": read_cases, "kafka": log_cases, "snapshot": snapshot_cases, "sqlserver": sqlserver_cases, "db2": db2_cases}

if __name__ == "__main__":
    main()
