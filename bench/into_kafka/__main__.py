"""tailrace compared with Debezium in Kafka Connect: from the same MySQL log into the same Kafka broker.

    ./run bench-kafka [--quick] [--continue] [--write]

Starts its own MySQL and broker, writes each workload into the log and lets both sides deliver it in turn. Then it measures how
long a change takes from its commit to a consumer. Each result is saved at once, as a line of JSON under bench/results;
--continue skips those that exist. A failed measurement prints the end of its side's log, the others continue, and the exit
code is 1. Everything that the program starts ends with it.
It needs Linux, a quiet machine, and for its first run a network to download jars.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.into_kafka import catch_up, latency, logs, page, plan, tables  # noqa: E402
from bench.into_kafka.plan import Case  # noqa: E402
from bench.measuring import program, servers  # noqa: E402
from bench.measuring.program import Failures, new_prefix  # noqa: E402
from bench.measuring.results import Results  # noqa: E402
from bench.measuring.servers import Servers  # noqa: E402
from bench.measuring.turns import SIDES, measure_all, missing  # noqa: E402

RESULTS = ROOT / "bench" / "results"
TRIAL_CHANGES = 20_000
PARTS = ("rates", "latency")


def main() -> None:
    """Measure, print, and with --write update the pages."""
    program.end_in_good_order()
    args = arguments()
    chosen = plan.cases(args.changes, rounds=args.rounds, main_rounds=args.main_rounds, quick=args.quick)
    if args.only:
        chosen = [case for case in chosen if args.only in case.label]
    announce(chosen, args)
    with servers.running(args.patience) as running:
        results = program.opened(running, args.results, go_on=args.go_on)
        trial(running)
        failures = Failures()
        if "rates" in args.parts:
            measure_rates(running, chosen, results, failures)
        if "latency" in args.parts:
            measure_latencies(running, results, failures)
    shown = [of(results, chosen) for of in (tables.rates, tables.costs, tables.memory)]
    shown.append(tables.latencies(results))
    program.end(shown, results, failures, (lambda: page.write(results, chosen)) if args.write else None)


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="./run bench-kafka", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="1 M changes of the main case, one round, no latency")
    program.add_common_arguments(parser)
    parser.add_argument(
        "--changes", type=int, help="of each workload; a tenth of it for the wide one [5000000; quick: 1000000]"
    )
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--main-rounds", type=int, help="of the main case [3; quick: 1]")
    parser.add_argument("--parts", help="rates, latency [both; quick: rates]")
    parser.add_argument("--only", metavar="TEXT", help="cases whose label has this: 'wide', 'none, schemas off, FULL'")
    args = parser.parse_args()
    args.changes = args.changes or (1_000_000 if args.quick else 5_000_000)
    args.main_rounds = args.main_rounds or (1 if args.quick else 3)
    args.parts = program.parts_of(parser, args.parts or ("rates" if args.quick else ",".join(PARTS)), PARTS)
    args.results = args.results or RESULTS / ("into-kafka-quick.jsonl" if args.quick else "into-kafka.jsonl")
    return args


def announce(chosen: list[Case], args: argparse.Namespace) -> None:
    """Print the plan and its estimated time, and check that the disk is large enough."""
    measured = chosen if "rates" in args.parts else []
    seconds = plan.seconds_for_all(measured, latency="latency" in args.parts)
    print(f"{len(measured)} cases, about {seconds / 60:.0f} minutes on a quiet machine with 2 cores", flush=True)
    program.require_room(plan.bytes_for(measured))


def trial(running: Servers) -> None:
    """Do a small run of both sides: failures show at once, and tailrace's code is compiled into its cache."""
    case = Case("orders", "MINIMAL", "lz4", "off", TRIAL_CHANGES, 1)
    with logs.filled(running, case.workload, case.metadata, case.changes) as data:
        for side in SIDES:
            begun = time.monotonic()
            catch_up.measure(running, data, case, side, new_prefix(side))
            print(f"trial of {side}: {TRIAL_CHANGES:,} changes in {time.monotonic() - begun:.0f} s", flush=True)


def measure_rates(running: Servers, chosen: list[Case], results: Results, failures: Failures) -> None:
    """Measure all cases, log by log, except those that have results."""
    for _, group in groupby(chosen, key=lambda case: (*case.data, case.changes)):
        cases = list(group)
        if not (runs := missing(results, "rate", cases)):
            continue
        with logs.filled(running, cases[0].workload, cases[0].metadata, cases[0].changes) as data:
            measure_all(results, "rate", runs, failures, partial(catch_up.measure, running, data), tables.one_run)


def measure_latencies(running: Servers, results: Results, failures: Failures) -> None:
    """Measure all setups."""
    for setup in latency.SETUPS:
        if results.has("latency", {"setup": setup, "rate": latency.PHASES[0].rate}):
            continue
        with failures.noted(f"latency of {setup}"):
            for figures in latency.measure(running, setup, new_prefix(setup)):
                results.add("latency", {"setup": setup, "rate": figures["rate"]}, figures)
                print(f"{setup:18} {figures}", flush=True)


if __name__ == "__main__":
    main()
