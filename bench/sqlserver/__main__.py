"""tailrace beside Debezium in Kafka Connect: the same SQL Server stand-in into the same Kafka broker.

    ./run bench-sqlserver [--quick] [--continue] [--write]

Starts a stand-in and a broker of its own, writes the changes and captures them, and lets both sides deliver them in turn; what
the stand-in gives to their drivers alone is measured beside it. Every result is kept as it comes, as a line of JSON under
bench/results; --continue leaves out what is there. A measurement that fails shows the end of its side's log, and the others go
on; the exit code is 1 then. Everything that the program starts ends with it.
It needs Linux, a quiet machine, and for its first run a network to fetch jars from.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(ROOT / "tests")]

from bench.into_kafka.plan import SIDES, turns  # noqa: E402
from bench.measuring import program  # noqa: E402
from bench.measuring import servers as machine  # noqa: E402
from bench.measuring.program import Failures, new_prefix  # noqa: E402
from bench.measuring.results import Results  # noqa: E402
from bench.sqlserver import catch_up, ceiling, page, plan, servers, tables  # noqa: E402
from bench.sqlserver.data import NAME, Data, filled  # noqa: E402
from bench.sqlserver.plan import Case  # noqa: E402
from bench.sqlserver.servers import Servers  # noqa: E402

RESULTS = ROOT / "bench" / "results"
TRIAL_CHANGES = 10_000


def main() -> None:
    """Measure, print, and write if asked to."""
    program.end_in_good_order()
    args = arguments()
    chosen = plan.cases(args.changes, rounds=args.rounds, main_rounds=args.main_rounds, quick=args.quick)
    if args.only:
        chosen = [case for case in chosen if args.only in case.label]
    header = {"date": str(datetime.now(UTC).date()), "machine": machine.machine(), "versions": servers.versions()}
    results = (Results.go_on if args.go_on else Results.begin)(args.results, header)
    failures = Failures()
    with servers.running(args.patience) as running:
        if not args.no_trial:
            trial(running, args.sides)
        for (task, changes), group in groupby(chosen, key=lambda case: (case.task, case.changes)):
            print(f"writing {changes:,} {'changes' if task == plan.CATCH_UP else 'rows'}", flush=True)
            with filled(running, task, changes) as data:
                measure(running, data, list(group), args.sides, results, failures)
    shown = (tables.rates(results, chosen), tables.costs(results, chosen), tables.memory(results, chosen))
    print("\n\n".join(["", *shown]))
    print(f"\nraw results: {results.path}")
    failures.end()
    if args.write:
        page.write(results, chosen)


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        prog="./run bench-sqlserver", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help=f"the main cases with {plan.CHANGES_QUICK:,} changes, one round"
    )
    program.add_common_arguments(parser)
    parser.add_argument("--changes", type=int, help=f"[{plan.CHANGES}; quick: {plan.CHANGES_QUICK}]")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--main-rounds", type=int, help="of the main cases [3; quick: 1]")
    parser.add_argument("--only", metavar="TEXT", help="cases whose label has this: 'snapshot', 'schemas off'")
    parser.add_argument("--sides", default=",".join(SIDES), help=f"[{','.join(SIDES)}]")
    parser.add_argument(
        "--no-trial", action="store_true", help="leave out the small run of both sides before the others"
    )
    args = parser.parse_args()
    args.changes = args.changes or (plan.CHANGES_QUICK if args.quick else plan.CHANGES)
    args.main_rounds = args.main_rounds or (1 if args.quick else 3)
    args.sides = program.parts_of(parser, args.sides, SIDES)
    args.results = args.results or RESULTS / ("sqlserver-quick.jsonl" if args.quick else "sqlserver.jsonl")
    return args


def trial(running: Servers, sides: list[str]) -> None:
    """A small run of both sides: failures show now, and compiled code comes into its cache."""
    case = Case(plan.CATCH_UP, "lz4", "off", TRIAL_CHANGES, 1)
    with filled(running, case.task, case.changes) as data:
        for side in sides:
            catch_up.measure(running, data, case, side, new_prefix(side))
            print(f"trial of {side}: {TRIAL_CHANGES:,} changes", flush=True)


def measure(
    running: Servers, data: Data, cases: list[Case], sides: list[str], results: Results, failures: Failures
) -> None:
    """All runs over the same data; results that are there are not made again."""
    measure_ceilings(running, data, cases[0], results, failures)
    for case in cases:
        for number, side in turns(case):
            key = {**case.key(), "side": side, "round": number}
            if side not in sides or results.has("rate", key):
                continue
            with failures.noted(f"{case.label}, {side}"):
                figures = catch_up.measure(running, data, case, side, new_prefix(side))
                results.add("rate", key, figures)
                print(tables.one_run(case, side, figures), flush=True)


def measure_ceilings(running: Servers, data: Data, case: Case, results: Results, failures: Failures) -> None:
    """What the stand-in gives to each driver alone, in changes: an update has two rows in the change table."""
    server = running.sqlserver
    url = {"host": server.host, "port": server.port, "user": server.user, "password": server.password, "database": NAME}
    for reader in ceiling.READERS:
        key = {"task": case.task, "changes": case.changes, "reader": reader}
        if results.has("ceiling", key):
            continue
        with failures.noted(f"{case.task}, {reader} alone"):
            found = ceiling.measure(reader, url, data, case.task)
            found["changes_rate"] = round(found["rate"] * data.changes / data.change_rows)
            results.add("ceiling", key, found)
            print(
                f"{case.task:32} {reader:12} {found['changes_rate']:>9,}/s alone: {found['rate']:,} rows/s", flush=True
            )


if __name__ == "__main__":
    main()
