"""One start of `tailrace run`: until the first record is there, with each process's part.

CPU is that of all processes of the run, ended ones included (a parent's figures hold those of the children it has waited for).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bench.measuring.processes import SideError, shared_mb, started

TICK = os.sysconf("SC_CLK_TCK")
PATIENCE = 120.0
PAUSE = 0.03
SETTLING = 20.0  # until nothing of the start is left to do
MODULES = ("lookup_data_sources", "create_data_source", "python_streaming_source_runner", "plan_data_source_read", "pyspark.worker")


@dataclass
class Process:
    """One process of a run: its name, when it was first and last seen (seconds after the command), its CPU seconds."""

    name: str
    first: float
    last: float
    cpu: float


@dataclass
class Start:
    """One start.

    Attributes:
        wall: seconds until the first record.
        cpu: CPU seconds until then.
        idle: by name of processes, what they took afterwards: percent of a core, and memory (PSS) in MB; empty if not measured.
        processes: until the first record, by id and name.

    """

    wall: float
    cpu: float
    idle: dict[str, tuple[float, float]]
    processes: dict[tuple[int, str], Process] = field(default_factory=dict)


def start(command: list[str], log: Path, has_come: Callable[[], bool], env: Mapping[str, str], idle: float = 0) -> Start:
    """Start the command and wait for the record; then, after `idle` seconds without changes, the run is stopped."""
    began = time.monotonic()
    seen: dict[tuple[int, str], Process] = {}
    with started("tailrace run", command, log, env) as side:
        while not has_come():
            _look(side.session, time.monotonic() - began, seen)
            side.check()
            if time.monotonic() - began > PATIENCE:
                raise SideError(side, f"no record within {PATIENCE:.0f} s")
            time.sleep(PAUSE)
        wall = time.monotonic() - began
        cpu = _look(side.session, wall, seen)
        at_rest = _idle(side.session, idle) if idle else {}
        side.terminate(60)
        if side.ended() != 0:
            raise SideError(side, f"it ended with {side.ended()}")
    return Start(wall, cpu, at_rest, seen)


def _idle(session: int, seconds: float) -> dict[str, tuple[float, float]]:
    time.sleep(SETTLING)
    before: dict[tuple[int, str], Process] = {}
    total = _look(session, 0, before)
    began = time.monotonic()
    time.sleep(seconds)
    after: dict[tuple[int, str], Process] = {}
    share = 100 * (_look(session, 0, after) - total) / (time.monotonic() - began)
    found: dict[str, tuple[float, float]] = {}
    for key, process in after.items():
        used = 100 * (process.cpu - (before[key].cpu if key in before else 0)) / seconds
        percent, memory = found.get(process.name, (0.0, 0.0))
        found[process.name] = (percent + used, memory + shared_mb(key[0]))
    return {**found, "all": (share, sum(memory for _, memory in found.values()))}


def _look(session: int, now: float, seen: dict[tuple[int, str], Process]) -> float:
    """Note what runs; returns the CPU seconds so far."""
    total = 0.0
    for pid in _pids():
        try:
            text = Path(f"/proc/{pid}/stat").read_text()
            fields = text.rpartition(")")[2].split()
            if int(fields[3]) != session:
                continue
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
        except (OSError, IndexError, ValueError):
            continue  # it has ended meanwhile
        own = (int(fields[11]) + int(fields[12])) / TICK
        total += own + (int(fields[13]) + int(fields[14])) / TICK
        found = seen.setdefault((pid, name := _name(words)), Process(name, now, now, own))
        found.last, found.cpu = now, own
    return total


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 -- Path objects cost too much


def _name(words: list[str]) -> str:
    program = Path(words[0]).name if words else ""
    if program == "java":
        return "java: launcher" if "org.apache.spark.launcher.Main" in words else "java: Spark"
    module = next((each for each in MODULES for word in words if each in word), None)
    if module:
        return module
    return "tailrace" if any("tailrace" in word for word in words) else program
