"""Starts of `tailrace run`, warm: from the command to the first record.

    ./run bench-starts [--starts 10] [--sources mysql,sqlserver] [--targets kafka,files] [--idle SECONDS] [--processes]

A row is inserted while no run is active. A run is started, which goes on from its stored progress, and the clock stops when a
consumer sees the row's record. The first start of each pair is not counted. Figures are medians.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path

from bench.measuring.cells import table
from bench.measuring.servers import new_broker
from bench.starts.clocked import Start, start
from bench.starts.sources import SOURCES, Source
from bench.starts.targets import Files, Kafka, Target

WARM = 1
HEAD = ["from", "into", "starts", "seconds", "most", "CPU seconds"]


def main() -> None:
    """Run it and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--sources", default=",".join(SOURCES))
    parser.add_argument("--targets", default="kafka,files")
    parser.add_argument("--idle", type=float, default=0, help="seconds without changes after the last start's first record")
    parser.add_argument("--processes", action="store_true", help="also show what each process took")
    given = parser.parse_args()
    rows = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        broker = stack.enter_context(new_broker()) if "kafka" in given.targets else None
        for name in given.sources.split(","):
            with SOURCES[name]() as source:
                for kind in given.targets.split(","):
                    target: Target = Kafka(broker.address) if kind == "kafka" and broker else Files(folder / f"{name}-out")
                    found = _starts(source, f"{name}-{kind}", target, folder, given.starts, given.idle)
                    rows.append([name, kind, *_cells(found)])
                    print(" | ".join(rows[-1]), flush=True)
                    for process, (percent, memory) in found[-1].idle.items():
                        print(f"  idle: {process}: {percent:.2f} % of a core, {memory:.0f} MB", flush=True)
                    if given.processes:
                        _show_processes(found)
    print(table(HEAD, rows, left=2))


def _starts(source: Source, prefix: str, target: Target, folder: Path, count: int, idle: float) -> list[Start]:
    config = folder / f"{prefix}.json"
    config.write_text(json.dumps(source.properties(prefix)))
    command = [sys.executable, "-m", "tailrace.cli.main", "run", str(config), "--to", target.text]
    command += ["--checkpoint", str(folder / f"{prefix}-checkpoint")]
    _prepare(command, source)
    found = []
    for number in range(WARM + count):
        has_come = target.arrival(source.topic(prefix))
        source.change()
        found.append(start(command, folder / f"{prefix}.log", has_come, os.environ, idle if number == WARM + count - 1 else 0))
    return found[WARM:]


def _prepare(command: list[str], source: Source) -> None:
    """A first run records where to go on; a second one delivers, so that the topic exists and kernels are compiled."""
    for _ in range(2):
        done = subprocess.run([*command, "--available-now"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed: {(done.stderr or done.stdout)[-2000:]}")
        source.change()


def _cells(found: list[Start]) -> list[str]:
    walls = [each.wall for each in found]
    cpu = statistics.median(each.cpu for each in found)
    return [str(len(found)), f"{statistics.median(walls):.2f}", f"{max(walls):.2f}", f"{cpu:.2f}"]


def _show_processes(found: list[Start]) -> None:
    by_name: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for each in found:
        for process in each.processes.values():
            by_name[process.name].append((process.first, process.last, process.cpu))
    rows = [
        [name, f"{len(seen) / len(found):.1f}", *(f"{statistics.median(column):.2f}" for column in zip(*seen, strict=True))]
        for name, seen in sorted(by_name.items(), key=lambda item: statistics.median(first for first, _, _ in item[1]))
    ]
    print(table(["process", "a start", "from", "to", "CPU seconds"], rows, left=1), flush=True)


if __name__ == "__main__":
    main()
