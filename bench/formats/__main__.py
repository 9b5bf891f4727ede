"""tailrace compared with Debezium in Kafka Connect: Avro on both sides, transforms on both sides.

    ./run bench-formats [--quick] [--continue] [--write]

Starts its own MySQL, broker and schema registry, writes each workload into the log and lets both sides deliver it in turn, in
each format and through each chain of transforms. Each result is saved at once under bench/results; --continue skips those that
exist. It needs Linux, a quiet machine, and for its first run a network to download jars.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.formats import page, plan, tables  # noqa: E402
from bench.formats.plan import FormatCase, ServersWithRegistry, delivered  # noqa: E402
from bench.into_kafka import catch_up, logs  # noqa: E402
from bench.measuring import program, servers  # noqa: E402
from bench.measuring.program import Failures, new_prefix  # noqa: E402
from bench.measuring.results import Results  # noqa: E402
from bench.measuring.turns import measure_all, missing  # noqa: E402

from tailrace_standins.servers.apicurio_registry import VERSION, ApicurioRegistry  # noqa: E402

RESULTS = ROOT / "bench" / "results"
TRIAL_CHANGES = 10_000
CONVERTER = "7.0.16"  # of the jars in Debezium Server


def main() -> None:
    """Measure, print, and with --write update the page."""
    program.end_in_good_order()
    args = arguments()
    chosen = [case for case in plan.cases(args.changes, args.rounds) if args.only in case.label]
    print(f"{len(chosen)} cases, about {plan.seconds_for_all(chosen) / 60:.0f} minutes on a quiet machine", flush=True)
    with running(args.patience) as servers_:
        results = opened(servers_, args.results, go_on=args.go_on)
        failures = Failures()
        if not args.no_trial:
            trial(servers_)
        for _, group in groupby(chosen, key=lambda case: (*case.data, case.changes)):
            measure_of_log(servers_, list(group), results, failures)
    shown = [of(results, chosen) for of in (tables.rates, tables.costs)]
    program.end(shown, results, failures, (lambda: page.write(results, chosen)) if args.write else None)


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="./run bench-formats", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="100,000 changes of each workload")
    program.add_common_arguments(parser)
    parser.add_argument("--changes", type=int, help="of each workload [1000000; quick: 100000]")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose label has this: 'avro', 'outbox, json'")
    parser.add_argument("--no-trial", action="store_true", help="measure at once; then the first figures may be low")
    args = parser.parse_args()
    args.changes = args.changes or (100_000 if args.quick else 1_000_000)
    args.results = args.results or RESULTS / ("formats-quick.jsonl" if args.quick else "formats.jsonl")
    return args


@contextmanager
def running(patience: float) -> Iterator[ServersWithRegistry]:
    """A context with all servers."""
    with ApicurioRegistry() as registry, servers.running(patience) as found:
        yield ServersWithRegistry(found.broker, found.patience, found.mysql, registry.confluent_url)


def opened(running_: ServersWithRegistry, path: Path, *, go_on: bool) -> Results:
    """Open the file of results."""
    versions = {"Apicurio Registry": VERSION, "Confluent's converter": CONVERTER}
    return program.opened(running_, path, go_on=go_on, further=versions)


def trial(running_: ServersWithRegistry) -> None:
    """Do small runs of tailrace, so that all its code is compiled into its cache."""
    for case in plan.cases(TRIAL_CHANGES, 1):
        if (case.format, case.chain) in {("avro", "unwrap"), ("json", "expanded")}:
            with logs.filled(running_, case.workload, case.metadata, case.changes) as data:
                begun = time.monotonic()
                measure(running_, data, case, "tailrace", new_prefix("tailrace"))
                print(f"trial, {case.label}: {time.monotonic() - begun:.0f} s", flush=True)


def measure_of_log(
    running_: ServersWithRegistry, chosen: list[FormatCase], results: Results, failures: Failures
) -> None:
    """Measure the cases of one log, except those that have results."""
    if not (runs := missing(results, tables.KIND, chosen)):
        return
    with logs.filled(running_, chosen[0].workload, chosen[0].metadata, chosen[0].changes) as data:

        def measured(case: FormatCase, side: str, prefix: str) -> dict[str, Any]:
            return measure(running_, data, case, side, prefix)

        measure_all(results, tables.KIND, runs, failures, measured, tables.one_run)


def measure(
    running_: ServersWithRegistry, data: logs.Data, case: FormatCase, side: str, prefix: str
) -> dict[str, Any]:
    """Do one run of one side; returns its figures."""
    return catch_up.measure(running_, delivered(data, case), case, side, prefix)


if __name__ == "__main__":
    main()
