"""tailrace compared with Debezium in Kafka Connect: from the same SQL Server stand-in into the same Kafka broker.

    ./run bench-sqlserver [--quick] [--parts rates,idle] [--continue] [--write]

Starts its own stand-in and broker. rates: writes changes, captures them, and lets both sides deliver them in turn; it also
measures the stand-in's own speed, for a reader that only reads and for the drivers of both sides. idle: many capture instances
without changes. Each result is saved at once, as a line of JSON under bench/results; --continue skips those that exist. A
failed measurement prints the end of its side's log, the others continue, and the exit code is 1. Everything that the program
starts ends with it.
It needs Linux, a quiet machine, and for its first run a network to download jars.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(ROOT / "tests")]

from bench.measuring import program  # noqa: E402
from bench.measuring import servers as machine  # noqa: E402
from bench.measuring.program import Failures, new_prefix  # noqa: E402
from bench.measuring.results import Results  # noqa: E402
from bench.measuring.turns import SIDES, measure_all, missing  # noqa: E402
from bench.sqlserver import catch_up, ceiling, idle, page, plan, servers, tables  # noqa: E402
from bench.sqlserver.data import NAME, Data, capture_every, filled  # noqa: E402
from bench.sqlserver.plan import Case  # noqa: E402
from bench.sqlserver.servers import Servers  # noqa: E402

RESULTS = ROOT / "bench" / "results"
TRIAL_CHANGES = 10_000
PARTS = ("rates", "idle")
OURS = SIDES[0]


def main() -> None:
    """Measure, print, and with --write update the pages."""
    program.end_in_good_order()
    args = arguments()
    chosen = plan.cases(
        args.changes,
        args.rows,
        rounds=args.rounds,
        main_rounds=args.main_rounds,
        quick=args.quick,
        schemas=args.schemas,
    )
    if args.only:
        chosen = [case for case in chosen if args.only in case.label]
    header = {"date": str(datetime.now(UTC).date()), "machine": machine.machine(), "versions": servers.versions()}
    results = (Results.go_on if args.go_on else Results.begin)(args.results, header)
    failures = Failures()
    with servers.running(args.patience) as running:
        if not args.no_trial:
            trial(running, args.sides)
        if "rates" in args.parts:
            measure_rates(running, chosen, args.sides, results, failures)
        if "idle" in args.parts:
            measure_idle(running, args.instances, args.sides, results, failures)
    shown = [of(results, chosen) for of in (tables.rates, tables.ceilings, tables.costs, tables.memory)]
    shown.append(tables.idle(results))
    program.end(shown, results, failures, (lambda: page.write(results, chosen)) if args.write else None)


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="./run bench-sqlserver", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help=f"the main cases with {plan.CHANGES_QUICK:,} changes or rows, one round"
    )
    program.add_common_arguments(parser)
    parser.add_argument("--parts", help="rates, idle [both]")
    parser.add_argument(
        "--instances", type=int, help=f"of the idle server [{plan.INSTANCES}; quick: {plan.INSTANCES_QUICK}]"
    )
    parser.add_argument("--changes", type=int, help=f"[{plan.CHANGES}; quick: {plan.CHANGES_QUICK}]")
    parser.add_argument("--rows", type=int, help=f"of the snapshots' table [{plan.ROWS}; quick: {plan.ROWS_QUICK}]")
    parser.add_argument("--schemas", action="store_true", help="the cases with schemas in messages, too")
    parser.add_argument("--rounds", type=int, default=1, help="of the cases with schemas [1]")
    parser.add_argument("--main-rounds", type=int, default=1, help="of the cases without schemas [1]")
    parser.add_argument("--only", metavar="TEXT", help="cases whose label has this: 'snapshot', 'schemas off'")
    parser.add_argument("--sides", default=",".join(SIDES), help=f"[{','.join(SIDES)}]")
    parser.add_argument(
        "--no-trial", action="store_true", help="leave out the small run of both sides before the others"
    )
    args = parser.parse_args()
    args.changes = args.changes or (plan.CHANGES_QUICK if args.quick else plan.CHANGES)
    args.rows = args.rows or (plan.ROWS_QUICK if args.quick else plan.ROWS)
    args.instances = args.instances or (plan.INSTANCES_QUICK if args.quick else plan.INSTANCES)
    args.parts = program.parts_of(parser, args.parts or ",".join(PARTS), PARTS)
    args.sides = program.parts_of(parser, args.sides, SIDES)
    args.results = args.results or RESULTS / ("sqlserver-quick.jsonl" if args.quick else "sqlserver.jsonl")
    return args


def trial(running: Servers, sides: list[str]) -> None:
    """Do a small run of both sides: failures show at once, and code is compiled into its cache."""
    case = Case(plan.CATCH_UP, "lz4", "off", TRIAL_CHANGES, 1)
    with filled(running, *case.data) as data:
        for side in sides:
            catch_up.measure(running, data, case, side, new_prefix(side))
            print(f"trial of {side}: {TRIAL_CHANGES:,} changes", flush=True)


def measure_rates(running: Servers, chosen: list[Case], sides: list[str], results: Results, failures: Failures) -> None:
    """Measure all cases, grouped by their data, except those that have results."""
    for (task, changes), group in groupby(chosen, key=lambda case: case.data):
        cases = list(group)
        left = missing(results, "rate", cases, sides)
        runs = [run for run in left if run.side == OURS or not run.case.is_ours_alone]
        if not runs:
            continue
        print(f"writing {changes:,} {'changes' if task == plan.CATCH_UP else 'rows'}", flush=True)
        with filled(running, task, changes) as data:
            measure_ceilings(running, data, cases[0], results, failures)
            measure_all(results, "rate", runs, failures, partial(measure, running, data), tables.one_run)


def measure(running: Servers, data: Data, case: Case, side: str, prefix: str) -> dict[str, Any]:
    """Do one run of one side; during a snapshot the capture job must run, because tailrace waits for it."""
    if case.task == plan.SNAPSHOT:
        capture_every(data.database, case.polling)
    return catch_up.measure(running, data, case, side, prefix)


def measure_idle(running: Servers, count: int, sides: list[str], results: Results, failures: Failures) -> None:
    """Measure each side over the same tables."""
    left = [side for side in sides if not results.has("idle", {"instances": count, "side": side})]
    if not left:
        return
    print(f"making {count:,} tables with a capture instance each", flush=True)
    with idle.instances(running, count) as database:
        for side in left:
            with failures.noted(f"{count:,} instances, {side}"):
                figures = idle.measure(running, database, side, new_prefix(side))
                results.add("idle", {"instances": count, "side": side}, figures)
                print(f"{side:9} {figures}", flush=True)


def measure_ceilings(running: Servers, data: Data, case: Case, results: Results, failures: Failures) -> None:
    """Measure the stand-in's speed for each reader alone, in changes: an update has two rows in the change table."""
    server = running.sqlserver
    url = {"host": server.host, "port": server.port, "user": server.user, "password": server.password, "database": NAME}
    for reader in ceiling.READERS:
        key = {"task": case.task, "changes": case.changes, "reader": reader}
        if results.has("ceiling", key):
            continue
        with failures.noted(f"{case.task}, {reader} alone"):
            found = ceiling.measure(reader, url, server.pid, data, case.task)
            found["changes_rate"] = round(found["rate"] * data.changes / data.change_rows)
            results.add("ceiling", key, found)
            print(
                f"{case.task:32} {reader:12} {found['changes_rate']:>9,}/s alone: {found['rate']:,} rows/s", flush=True
            )


if __name__ == "__main__":
    main()
