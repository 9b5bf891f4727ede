"""What processes cost: CPU and memory out of /proc, sampled while they run.

A side of the benchmark is started in a session of its own, so that its processes are known by their session id even
when they change their parent or their group, and none is left behind. A sampler reads /proc/PID/stat of all processes
ten times a second. A process that ends keeps its last value; what it used after it is lost, at most a tenth of a
second. `Ledger` is the pure part: readings in, CPU of a group between two moments out.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

PROC = Path("/proc")
TICK = os.sysconf("SC_CLK_TCK")
INTERVAL = 0.1
GROUP_OF_ALL = "all"
END_TIMEOUT = 20


@dataclass(frozen=True, slots=True)
class Stat:
    """A process at a moment: its name, its session, its CPU seconds, and what tells it from a later one."""

    pid: int
    name: str
    session: int
    cpu: float
    started: int

    @classmethod
    def parse(cls, text: str) -> Stat:
        """From /proc/PID/stat; the name stands in brackets and may hold any character (proc(5))."""
        before, _, rest = text.rpartition(")")
        pid, _, name = before.partition(" (")
        fields = rest.split()
        used = int(fields[11]) + int(fields[12])
        return cls(int(pid), name, int(fields[3]), used / TICK, int(fields[19]))


class Ledger:
    """CPU seconds of groups of processes over time; ended processes keep what they had."""

    def __init__(self) -> None:
        self._last: dict[tuple[int, int], tuple[str, float]] = {}
        self._times: list[float] = []
        self._totals: dict[str, list[float]] = {}

    def add(self, moment: float, readings: Iterable[tuple[str, Stat]]) -> None:
        """Take a reading of every process that belongs to a group; what all together used is one as well."""
        for group, stat in readings:
            self._last[stat.pid, stat.started] = (group, stat.cpu)
        sums: dict[str, float] = {}
        for group, cpu in self._last.values():
            sums[group] = sums.get(group, 0.0) + cpu
        for group in sums.keys() | self._totals.keys():
            series = self._totals.setdefault(group, [0.0] * len(self._times))
            series.append(sums.get(group, 0.0))
        self._times.append(moment)

    def at(self, group: str, moment: float) -> float:
        """What the group had used at a moment, between two readings in proportion."""
        series = self._totals.get(group)
        if not series:
            return 0.0
        place = bisect_left(self._times, moment)
        if place == 0:
            return series[0]
        if place == len(series):
            return series[-1]
        before, after = self._times[place - 1], self._times[place]
        share = (moment - before) / (after - before)
        return series[place - 1] + share * (series[place] - series[place - 1])

    def between(self, group: str, first: float, last: float) -> float:
        """What the group used from one moment to another."""
        return self.at(group, last) - self.at(group, first)

    def when(self, group: str, after: float, seconds: float) -> float | None:
        """The first reading behind a moment at which the group had used so much more than then; None: it never had."""
        if group not in self._totals:
            return None
        goal = self.at(group, after) + seconds
        for moment, used in zip(self._times, self._totals[group], strict=True):
            if moment > after and used >= goal:
                return moment
        return None


@dataclass
class Side:
    """A program that was started for a measurement, with all its children."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path
    started: float = field(default_factory=time.time)

    @property
    def session(self) -> int:
        """The session that all its processes are in."""
        return self.process.pid

    def ended(self) -> int | None:
        """Its exit code; None while it runs."""
        return self.process.poll()

    def log_tail(self, lines: int = 25) -> str:
        """The end of what it said."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return "\n".join(line[:500] for line in text.splitlines()[-lines:])

    def check(self) -> None:
        """Raise `SideError` when it has ended with a failure."""
        if self.ended():
            raise SideError(self, f"{self.name} ended with {self.ended()}")

    def terminate(self, seconds: float = END_TIMEOUT) -> None:
        """Ask it to end, and wait for it."""
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)


class SideError(Exception):
    """One side failed; the message ends with the tail of its log."""

    def __init__(self, side: Side, message: str) -> None:
        super().__init__(f"{message}; the end of its log:\n{side.log_tail()}")


@contextmanager
def started(name: str, command: list[str], log: Path, env: Mapping[str, str] | None = None) -> Iterator[Side]:
    """Run a program in a session of its own; at the end of the block nothing of it is left."""
    setpriv = shutil.which("setpriv")
    dying = [setpriv, "--pdeathsig", "KILL"] if setpriv else []
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*dying, *command], stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True, env=env
        )
    side = Side(name, process, log)
    try:
        yield side
    finally:
        _end_session(side.session)
        process.wait()


def _end_session(session: int) -> None:
    deadline = time.monotonic() + END_TIMEOUT
    while time.monotonic() < deadline:
        members = living(session)
        if not members:
            return
        for stat in members:
            with contextlib.suppress(ProcessLookupError):
                os.kill(stat.pid, signal.SIGKILL)
        time.sleep(0.05)


def all_processes() -> list[Stat]:
    """All processes of the machine."""
    found = []
    for name in os.listdir(PROC):  # noqa: PTH208 -- ten times a second: no Path objects
        if name.isdigit():
            with (
                contextlib.suppress(OSError, ValueError, IndexError),
                open(f"/proc/{name}/stat", errors="replace") as file,  # noqa: PTH123
            ):
                found.append(Stat.parse(file.read()))
    return found


def living(session: int) -> list[Stat]:
    """The processes of a session, without those that have ended and wait for nobody but their parent."""
    return [stat for stat in all_processes() if stat.session == session and not _is_zombie(stat.pid)]


def _is_zombie(pid: int) -> bool:
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def peak_mb(pid: int) -> float:
    """The most memory that a process held so far (VmHWM); 0 when it is gone."""
    with contextlib.suppress(OSError):
        for line in (PROC / str(pid) / "status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0


def shared_mb(pid: int) -> float:
    """The memory that a process holds now, pages that it shares divided by those who share them (PSS)."""
    with contextlib.suppress(OSError, IndexError):
        text = (PROC / str(pid) / "smaps_rollup").read_text()
        return int(text.partition("\nPss:")[2].split()[0]) / 1024
    return 0.0


def is_unborn(pid: int) -> bool:
    """Whether a process is a copy of a Java process that is to become another program: its memory is its parent's still."""
    try:
        return (PROC / str(pid) / "exe").readlink().name == "java"
    except OSError:
        return False


def machine_busy() -> float:
    """CPU seconds that the whole machine has worked since it started, idle and waiting left out."""
    fields = [int(each) for each in (PROC / "stat").read_text().splitlines()[0].split()[1:8]]
    return (sum(fields) - fields[3] - fields[4]) / TICK


def wait_for_quiet(seconds: float = 90.0, share: float = 0.1) -> float:
    """Wait until the machine has been idle for a while; the cores that are in use when that does not come."""
    deadline, calm, used = time.monotonic() + seconds, 0, 0.0
    while calm < 4 and time.monotonic() < deadline:
        before, moment = machine_busy(), time.monotonic()
        time.sleep(0.5)
        used = (machine_busy() - before) / (time.monotonic() - moment)
        calm = calm + 1 if used <= share * (os.cpu_count() or 1) else 0
    return used


class Sampler:
    """Reads what the processes of a side and of the servers use until it is stopped.

    Groups: `python` and `java` of the side, the given servers by their names, `others` (everybody else but this
    process). `peaks` is the largest sum of VmHWM over the processes of a group that were there at the same time,
    `shared` the largest sum of PSS, looked at once a second. `processes` has the peak of each process, `servers` the
    names of the servers.
    """

    def __init__(self, side: Side, servers: Mapping[str, int], *, interval: float = INTERVAL) -> None:
        self.ledger = Ledger()
        self.peaks: dict[str, float] = {}
        self.shared: dict[str, float] = {}
        self.processes: dict[tuple[str, int], float] = {}
        self._side = side
        self.servers = tuple(servers)
        self._servers = {pid: name for name, pid in servers.items()}
        self._interval = interval
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._sample(memory=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._sample(memory=True)

    def _run(self) -> None:
        for number in iter_while(self._stop, self._interval):
            self._sample(memory=number % 10 == 0)

    def _sample(self, *, memory: bool) -> None:
        moment, busy = time.time(), machine_busy()
        readings = [(group, stat) for stat in all_processes() if (group := self._group(stat))]
        everybody = Stat(-1, "", 0, busy, 0)
        self.ledger.add(moment, [*readings, (GROUP_OF_ALL, everybody)])
        if memory:
            self._note_memory(readings)

    def _group(self, stat: Stat) -> str | None:
        if stat.session == self._side.session:
            return "java" if stat.name == "java" else "python"
        if stat.pid == os.getpid():
            return "bench"
        return self._servers.get(stat.pid)

    def _note_memory(self, readings: list[tuple[str, Stat]]) -> None:
        peaks: dict[str, float] = {}
        shared: dict[str, float] = {}
        for group, stat in readings:
            if group == "python" and is_unborn(stat.pid):
                continue
            peak = peak_mb(stat.pid)
            self.processes[group, stat.pid] = peak or self.processes.get((group, stat.pid), 0.0)
            peaks[group] = peaks.get(group, 0.0) + peak
            if group in {"python", "java"}:
                shared[group] = shared.get(group, 0.0) + shared_mb(stat.pid)
        _keep_largest(self.peaks, peaks)
        _keep_largest(self.shared, shared)


def _keep_largest(kept: dict[str, float], now: Mapping[str, float]) -> None:
    for name, value in now.items():
        kept[name] = max(value, kept.get(name, 0.0))


def iter_while(stop: threading.Event, interval: float) -> Iterator[int]:
    """Count up, a step an interval, until the event is set."""
    number = 0
    while not stop.wait(interval):
        yield number
        number += 1


def wait_until(condition: Callable[[], bool], seconds: float, complaint: Callable[[], Exception]) -> None:
    """Ask until it is so; raises the complaint when that takes longer."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise complaint()
        time.sleep(0.05)
