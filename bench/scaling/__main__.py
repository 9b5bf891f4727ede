"""How tailrace scales: a snapshot's planning simulated, costs measured that nothing else measures, and a model of both.

    ./run bench-scaling [--parts simulation,frames,costs] [--tables 10000] [--chunks 1000000] [--continue] [--write]

simulation: the real planner, lanes' states and driver, with modelled executors, for all lanes of --lanes; the last one to its
end, the others for ten thousand waves, as they differ by nothing but length. frames: the offsets of a DataFrame's
snapshot. costs: a chunk, a wait for GTIDs, a commit and a planner's look at lanes, with a MySQL and a broker that are started
for that. Figures are CPU seconds, so the machine need not be quiet. All of it takes about ten minutes.
"""

from __future__ import annotations

import argparse
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from bench.measuring import program, servers  # noqa: E402
from bench.measuring.program import Failures  # noqa: E402
from bench.measuring.results import Results  # noqa: E402
from bench.scaling import costs, frames, page  # noqa: E402
from bench.scaling.population import population  # noqa: E402
from bench.scaling.simulation import Load, simulated  # noqa: E402

RESULTS = ROOT / "bench" / "results" / "scaling.jsonl"
PARTS = ("simulation", "frames", "costs")
SOME_WAVES = 10_000


def main() -> None:
    """Simulate, measure, print, and with --write update the page."""
    program.end_in_good_order()
    args = arguments()
    header = {
        "date": str(datetime.now(UTC).date()),
        "machine": servers.machine(),
        "versions": {"Python": platform.python_version()},
    }
    results = (Results.go_on if args.go_on else Results.begin)(args.results, header)
    failures = Failures()
    if "simulation" in args.parts:
        simulate(results, args)
    if "frames" in args.parts:
        add(results, "frames", {"tables": args.tables, "chunks": args.chunks}, frames.planned_in_offsets)
    if "costs" in args.parts:
        with failures.noted("costs"):
            costs.measure(results)
    program.end([page.tables(results)], results, failures, (lambda: page.write(results)) if args.write else None)


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="./run bench-scaling", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", default=",".join(PARTS), help="simulation, frames, costs [all]")
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--chunks", type=int, default=1_000_000)
    parser.add_argument("--lanes", default="1,4,16,64", help="the last one is simulated to its end [1,4,16,64]")
    parser.add_argument("--continue", dest="go_on", action="store_true", help="leave out what the results file has")
    parser.add_argument("--write", action="store_true", help="write docs/reference/scaling.md")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file of raw results")
    args = parser.parse_args()
    args.parts = program.parts_of(parser, args.parts, PARTS)
    args.lanes = [int(lanes) for lanes in args.lanes.split(",")]
    return args


def simulate(results: Results, args: argparse.Namespace) -> None:
    """All simulations: the large snapshot, one of small tables only, and one whose tables all change."""
    large = {"tables": args.tables, "chunks": args.chunks}
    small = {"tables": args.tables, "chunks": args.tables}
    cases: list[dict[str, Any]] = [
        {**large, "lanes": lanes, "touches": 1, "waves": 0 if lanes == args.lanes[-1] else SOME_WAVES}
        for lanes in args.lanes
    ]
    cases += [{**small, "lanes": lanes, "touches": 1, "waves": 0} for lanes in (args.lanes[0], args.lanes[-1])]
    cases += [{**large, "lanes": args.lanes[0], "touches": 20, "waves": 4_000}]
    for case in cases:
        add(results, "simulation", case, one_simulation)


def one_simulation(tables: int, chunks: int, lanes: int, touches: int, waves: int) -> dict[str, Any]:
    """One of them; `waves` 0: to its end."""
    found = simulated(population(tables, chunks), lanes, Load(touches_a_chunk=touches), waves or None)
    return found.to_dict()


def add(results: Results, kind: str, key: dict[str, Any], measure: Any) -> None:
    """Add a result, unless it is there."""
    if results.has(kind, key):
        return
    results.add(kind, key, measure(**key))
    print(f"{kind} {key}: {results.lines[-1]}", flush=True)


if __name__ == "__main__":
    main()
