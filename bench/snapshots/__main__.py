"""Snapshots of MySQL tables into Kafka: tailrace compared with Debezium in Kafka Connect.

    ./run bench-snapshots [--quick] [--parts initial,changes,incremental] [--continue] [--write]

Starts its own MySQL and broker. initial: both sides read the same two tables in turn, to the last row. changes: tailrace reads
a large table while a writer changes it, and the result is compared with the table. incremental: how much later changes arrive
while an incremental snapshot is read. Each result is saved at once, as a line of JSON under bench/results; --continue skips
those that exist. A failed measurement prints the end of its side's log, the others continue, and the exit code is 1.
Everything that the program starts ends with it.
It needs Linux, a quiet machine, and for its first run a network to download jars.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.measuring import program, servers  # noqa: E402
from bench.measuring.program import Failures, new_prefix  # noqa: E402
from bench.measuring.results import Results  # noqa: E402
from bench.measuring.servers import Servers  # noqa: E402
from bench.measuring.turns import SIDES, measure_all, missing  # noqa: E402
from bench.snapshots import beside_stream, filled, initial, page, plan, tables, under_changes  # noqa: E402
from bench.snapshots.filled import Filled  # noqa: E402
from bench.snapshots.plan import Case  # noqa: E402

RESULTS = ROOT / "bench" / "results"
PARTS = ("initial", "changes", "incremental")
TRIAL_ROWS = 20_000
MYSQL_FLAGS = ("--innodb-buffer-pool-size=1G", "--loose-innodb-redo-log-capacity=1G")


def main() -> None:
    """Measure, print, and with --write update the pages."""
    program.end_in_good_order()
    args = arguments()
    chosen = plan.cases(args.rows, rounds=args.rounds, main_rounds=args.main_rounds, quick=args.quick)
    announce(chosen, args)
    with servers.running(args.patience, MYSQL_FLAGS) as running:
        results = program.opened(running, args.results, go_on=args.go_on)
        failures = Failures()
        if not args.no_trial:
            trial(running, args.sides)
        if "initial" in args.parts:
            measure_initial(running, chosen, args.sides, results, failures)
        if "changes" in args.parts:
            measure_under_changes(running, args, results, failures)
        if "incremental" in args.parts:
            measure_beside_stream(running, args, results, failures)
    there = [case for case in chosen if results.of("initial", **case.key())]
    shown = [of(results, there) for of in (tables.initial, tables.costs, tables.memory)]
    shown += [tables.under_changes(results), tables.beside_stream(results)]
    program.end(shown, results, failures, (lambda: page.write(results, chosen)) if args.write else None)


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="./run bench-snapshots", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="the main case with 1 M rows, one round, nothing else")
    program.add_common_arguments(parser)
    parser.add_argument("--parts", help="initial, changes, incremental [all; quick: initial]")
    parser.add_argument("--sides", default=",".join(SIDES), help="tailrace, Debezium [both]")
    parser.add_argument(
        "--rows", type=int, help="of the long table; the wide one has a twentieth [3000000; quick: 1000000]"
    )
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--main-rounds", type=int, help="of the main case [3; quick: 1]")
    parser.add_argument("--changes-rows", type=int, default=20_000_000, help="of the table under changes [20000000]")
    parser.add_argument("--changes-rate", type=int, default=5_000, help="changes a second of it [5000]")
    parser.add_argument("--beside-rows", type=int, default=5_000_000, help="of the incremental snapshot [5000000]")
    parser.add_argument("--no-trial", action="store_true", help="begin without a small run of both sides")
    args = parser.parse_args()
    args.rows = args.rows or (1_000_000 if args.quick else 3_000_000)
    args.main_rounds = args.main_rounds or (1 if args.quick else 3)
    args.results = args.results or RESULTS / ("snapshots-quick.jsonl" if args.quick else "snapshots.jsonl")
    args.parts = program.parts_of(parser, args.parts or ("initial" if args.quick else ",".join(PARTS)), PARTS)
    args.sides = program.parts_of(parser, args.sides, SIDES)
    return args


def announce(chosen: list[Case], args: argparse.Namespace) -> None:
    """Print the plan and its estimated time, and check that the disk is large enough."""
    measured = chosen if "initial" in args.parts else []
    changed = args.changes_rows if "changes" in args.parts else 0
    setups = len(args.sides) * len(beside_stream.LOADS) if "incremental" in args.parts else 0
    seconds = plan.seconds_for_all(measured, changed, setups)
    print(f"{', '.join(args.parts)}: about {seconds / 60:.0f} minutes on a quiet machine with 2 cores", flush=True)
    program.require_room(plan.bytes_for(measured, changed, args.beside_rows if setups else 0))


def trial(running: Servers, sides: list[str]) -> None:
    """Do a small run: failures show at once, and tailrace's code is compiled into its cache."""
    case = Case("default", "lz4", "off", TRIAL_ROWS, 1)
    with tables_with(running, "bench_trial", case.tables) as data:
        for side in sides:
            begun = time.monotonic()
            initial.measure(running, data, case, side, new_prefix(side))
            print(f"trial of {side}: {TRIAL_ROWS:,} rows in {time.monotonic() - begun:.0f} s", flush=True)


def measure_initial(
    running: Servers, chosen: list[Case], sides: list[str], results: Results, failures: Failures
) -> None:
    """Measure all cases over the same tables, except those that have results."""
    if not (runs := missing(results, "initial", chosen, sides)):
        return
    with tables_with(running, "bench_snapshot", chosen[0].tables) as data:
        measure_all(results, "initial", runs, failures, partial(initial.measure, running, data), tables.one_run)


def measure_under_changes(running: Servers, args: argparse.Namespace, results: Results, failures: Failures) -> None:
    """Measure one run of tailrace."""
    key = {"rows": args.changes_rows, "rate": args.changes_rate}
    if results.has("changes", key):
        return
    with (
        failures.noted("under changes"),
        tables_with(running, "bench_changed", {"orders": args.changes_rows}, step=2) as data,
    ):
        figures = under_changes.measure(running, data, args.changes_rate, new_prefix("tailrace"))
        results.add("changes", key, figures)
        print(f"under changes {figures}", flush=True)


def measure_beside_stream(running: Servers, args: argparse.Namespace, results: Results, failures: Failures) -> None:
    """Measure each side with each load."""
    keys = [
        (side, load, {"side": side, "rate": load.rate, "rows": args.beside_rows})
        for load in beside_stream.LOADS
        for side in args.sides
    ]
    missing = [each for each in keys if not results.has("incremental", each[2])]
    if not missing:
        return
    with tables_with(running, "bench_beside", {"orders": args.beside_rows}) as data:
        for side, load, key in missing:
            with failures.noted(f"incremental, {side}, {load.rate} rows/s"):
                figures = beside_stream.measure(running, data, side, load, new_prefix(side))
                results.add("incremental", key, figures)
                print(f"{side:9} {figures}", flush=True)


@contextmanager
def tables_with(running: Servers, database: str, rows: dict[str, int], *, step: int = 1) -> Iterator[Filled]:
    """A context with filled tables, which are dropped at its end."""
    print(f"filling {', '.join(f'{name} with {count:,} rows' for name, count in rows.items())}", flush=True)
    data = filled.fill(running, database, rows, step=step)
    try:
        yield data
    finally:
        servers.forget(running, database)


if __name__ == "__main__":
    main()
