"""The program: measures everything of one database in order, prints it, and with --write updates the pages."""

from __future__ import annotations

import argparse
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from bench.change_tables import catch_up, ceiling, idle, page, plan, tables
from bench.change_tables.plan import Case, Sizes
from bench.change_tables.system import Data, Servers, System
from bench.measuring import program
from bench.measuring import servers as machine
from bench.measuring.program import Failures, new_prefix
from bench.measuring.results import Results
from bench.measuring.turns import SIDES, measure_all, missing

RESULTS = Path(__file__).resolve().parent.parent / "results"
TRIAL_CHANGES = 10_000
PARTS = ("rates", "idle")
OURS = SIDES[0]


def main(system: System, about: str) -> None:
    """Measure, print, and with --write update the pages."""
    program.end_in_good_order()
    args = arguments(system, about)
    rounds = {"rounds": args.rounds, "main_rounds": args.main_rounds}
    chosen = plan.cases(args.sizes, **rounds, quick=args.quick, schemas=args.schemas)
    chosen = [case for case in chosen if (args.only or "") in case.label]
    header = {"date": str(datetime.now(UTC).date()), "machine": machine.machine(), "versions": system.versions()}
    results = (Results.go_on if args.go_on else Results.begin)(args.results, header)
    failures = Failures()
    with system.running(args.patience) as running:
        bench = Bench(system, running, args.sides, results, failures)
        if not args.no_trial:
            bench.trial(args.sizes.polling)
        if "rates" in args.parts:
            bench.rates(chosen)
        if "idle" in args.parts:
            bench.idle(args.sizes.instances)
    shown = [tables.rates(system, results, chosen), tables.ceilings(system, results, chosen)]
    shown += [tables.costs(results, chosen), tables.memory(results, chosen), tables.idle(system, results)]
    program.end(shown, results, failures, (lambda: page.write(system, results, chosen)) if args.write else None)


def arguments(system: System, about: str) -> argparse.Namespace:
    """Parse the command line; `sizes` has what is measured."""
    sizes, quick = system.sizes, system.sizes.quick()
    parser = argparse.ArgumentParser(
        prog=f"./run {system.words.command}", description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help=f"the main cases, {quick.changes:,} changes or rows, one round")
    program.add_common_arguments(parser)
    parser.add_argument("--parts", default=",".join(PARTS), help="rates, idle [both]")
    parser.add_argument("--instances", type=int, help=f"of the idle server [{sizes.instances}; quick: {quick.instances}]")
    parser.add_argument("--changes", type=int, help=f"[{sizes.changes}; quick: {quick.changes}]")
    parser.add_argument("--rows", type=int, help=f"of the snapshots' table [{sizes.rows}; quick: {quick.rows}]")
    parser.add_argument("--schemas", action="store_true", help="the cases with schemas in messages, too")
    parser.add_argument("--rounds", type=int, default=1, help="of the cases with schemas [1]")
    parser.add_argument("--main-rounds", type=int, default=1, help="of the cases without schemas [1]")
    parser.add_argument("--only", metavar="TEXT", help="cases whose label has this: 'snapshot', 'schemas off'")
    parser.add_argument("--sides", default=",".join(SIDES), help=f"[{','.join(SIDES)}]")
    parser.add_argument("--no-trial", action="store_true", help="leave out the small run of both sides before the others")
    args = parser.parse_args()
    args.sizes = _sizes(quick if args.quick else sizes, args)
    args.parts = program.parts_of(parser, args.parts, PARTS)
    args.sides = program.parts_of(parser, args.sides, SIDES)
    name = system.words.command.removeprefix("bench-")
    args.results = args.results or RESULTS / (f"{name}-quick.jsonl" if args.quick else f"{name}.jsonl")
    return args


def _sizes(sizes: Sizes, args: argparse.Namespace) -> Sizes:
    given = {name: getattr(args, name) for name in ("changes", "rows", "instances")}
    return replace(sizes, **{name: number for name, number in given.items() if number})


class Bench:
    """The measurements of one database."""

    def __init__(
        self, system: System, running: Servers[Any], sides: list[str], results: Results, failures: Failures
    ) -> None:
        self._system = system
        self._running = running
        self._sides = sides
        self._results = results
        self._failures = failures

    def trial(self, polling: int) -> None:
        """Do a small run of the sides: failures show at once, and code is compiled into its cache."""
        case = Case(plan.CATCH_UP, "lz4", "off", TRIAL_CHANGES, 1, polling)
        with self._system.filled(self._running, *case.data) as data:
            for side in self._sides:
                self._measure(data, case, side, new_prefix(side))
                print(f"trial of {side}: {TRIAL_CHANGES:,} changes", flush=True)

    def rates(self, chosen: list[Case]) -> None:
        """Measure all cases, grouped by their data, except those that have results."""
        for (task, changes), group in groupby(chosen, key=lambda case: case.data):
            left = missing(self._results, "rate", list(group), self._sides)
            runs = [run for run in left if run.side == OURS or not run.case.is_ours_alone]
            if not runs:
                continue
            print(f"writing {changes:,} {'changes' if task == plan.CATCH_UP else 'rows'}", flush=True)
            with self._system.filled(self._running, task, changes) as data:
                self._ceilings(data, task)
                if task == plan.SNAPSHOT:
                    self._read_before(data, runs[0].case, {run.side for run in runs})
                measure_all(self._results, "rate", runs, self._failures, partial(self._measure, data), tables.one_run)

    def _read_before(self, data: Data, case: Case, sides: set[str]) -> None:
        """Take a snapshot with each side that is not measured: the stand-in has the rows of its statements encoded then."""
        for side in sorted(sides):
            with self._failures.noted(f"{case.task}, read before by {side}"):
                self._measure(data, case, side, new_prefix(side))

    def _measure(self, data: Data, case: Case, side: str, prefix: str) -> dict[str, Any]:
        """Do one run of one side; during a snapshot changes must be captured, because tailrace waits for it."""
        if case.task == plan.SNAPSHOT:
            data.capture_every(case.polling)
        return catch_up.measure(self._system, self._running, data, case, side, prefix)

    def _ceilings(self, data: Data, task: str) -> None:
        """Measure the stand-in's speed for each reader alone, in changes: an update has two rows in the change table."""
        for reader in reversed(self._system.readers):  # the drivers first, so that the stand-in has all rows encoded at last
            key = {"task": task, "changes": data.changes, "reader": reader}
            if self._results.has("ceiling", key):
                continue
            with self._failures.noted(f"{task}, {reader} alone"):
                found = ceiling.measure(self._system, self._running, data, task, reader)
                self._results.add("ceiling", key, found)
                print(f"{task:32} {reader:12} {found['changes_rate']:>9,}/s alone: {found['rate']:,} rows/s", flush=True)

    def idle(self, count: int) -> None:
        """Measure each side over the same tables."""
        left = [side for side in self._sides if not self._results.has("idle", {"instances": count, "side": side})]
        if not left:
            return
        print(f"making {count:,} captured tables", flush=True)
        with self._system.idle_tables(self._running, count) as made:
            for side in left:
                with self._failures.noted(f"{count:,} {self._system.words.instances}, {side}"):
                    figures = idle.measure(self._system, self._running, made, side, new_prefix(side))
                    self._results.add("idle", {"instances": count, "side": side}, figures)
                    print(f"{side:9} {figures}", flush=True)
