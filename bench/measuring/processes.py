"""CPU and memory of processes, sampled from /proc while they run.

A side runs in a session of its own. Its processes are found by the session id, even if their parent or process group changes,
and none is left running. A sampler reads /proc/PID/stat of all processes ten times a second. A process that has ended keeps
its last value; its CPU time after the last sample, at most a tenth of a second, is lost. `Ledger` does the calculation, without
I/O: it gets samples and returns the CPU time of a group between two times.
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
MEMORY_EVERY, SHARED_EVERY = 10, 20  # samples
GROUP_OF_ALL = "all"
END_TIMEOUT = 20


@dataclass(frozen=True, slots=True)
class Stat:
    """One sample of a process: name, session, CPU seconds, and the start time, which differs if its id is reused."""

    pid: int
    name: str
    session: int
    cpu: float
    started: int

    @classmethod
    def parse(cls, text: str) -> Stat:
        """Parse /proc/PID/stat; the name is in parentheses and may contain any character (proc(5))."""
        before, _, rest = text.rpartition(")")
        pid, _, name = before.partition(" (")
        fields = rest.split()
        used = int(fields[11]) + int(fields[12])
        return cls(int(pid), name, int(fields[3]), used / TICK, int(fields[19]))


class Ledger:
    """CPU seconds of groups of processes over time; ended processes keep their last value."""

    def __init__(self) -> None:
        self._last: dict[tuple[int, int], tuple[str, float]] = {}
        self._times: list[float] = []
        self._totals: dict[str, list[float]] = {}

    def add(self, moment: float, readings: Iterable[tuple[str, Stat]]) -> None:
        """Add samples of all processes at a time, and record the sum of each group."""
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
        """The CPU seconds of the group up to a time, interpolated between samples."""
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
        """The CPU seconds of the group between two times."""
        return self.at(group, last) - self.at(group, first)

    def when(self, group: str, after: float, seconds: float) -> float | None:
        """The time of the first sample after `after` at which the group had used `seconds` more; None if there is none."""
        if group not in self._totals:
            return None
        goal = self.at(group, after) + seconds
        for moment, used in zip(self._times, self._totals[group], strict=True):
            if moment > after and used >= goal:
                return moment
        return None


@dataclass
class Side:
    """A program that was started for a measurement, with all its child processes."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path
    started: float = field(default_factory=time.time)

    @property
    def session(self) -> int:
        """The session id of all its processes."""
        return self.process.pid

    def ended(self) -> int | None:
        """Its exit code; None while it is running."""
        return self.process.poll()

    def log_tail(self, lines: int = 25) -> str:
        """The last lines of its output."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return "\n".join(line[:500] for line in text.splitlines()[-lines:])

    def check(self) -> None:
        """Raise `SideError` if it has failed."""
        if self.ended():
            raise SideError(self, f"{self.name} ended with {self.ended()}")

    def terminate(self, seconds: float = END_TIMEOUT) -> None:
        """Send SIGTERM and wait until it has ended."""
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)


class SideError(Exception):
    """One side failed; the message ends with the tail of its log."""

    def __init__(self, side: Side, message: str) -> None:
        super().__init__(f"{message}; the end of its log:\n{side.log_tail()}")


@contextmanager
def started(name: str, command: list[str], log: Path, env: Mapping[str, str] | None = None) -> Iterator[Side]:
    """A context with a program in a session of its own; at its end no process of it is left."""
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
    for name in os.listdir(PROC):  # noqa: PTH208 -- ten times a second: Path objects cost too much
        if name.isdigit():
            with (
                contextlib.suppress(OSError, ValueError, IndexError),
                open(f"/proc/{name}/stat", errors="replace") as file,  # noqa: PTH123
            ):
                found.append(Stat.parse(file.read()))
    return found


def cpu_seconds(pid: int) -> float:
    """The CPU seconds of a process so far."""
    return Stat.parse((PROC / str(pid) / "stat").read_text()).cpu


def living(session: int) -> list[Stat]:
    """The processes of a session, without zombies."""
    return [stat for stat in all_processes() if stat.session == session and not _is_zombie(stat.pid)]


def _is_zombie(pid: int) -> bool:
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def peak_mb(pid: int) -> float:
    """The peak memory of a process so far (VmHWM); 0 if it has ended."""
    with contextlib.suppress(OSError):
        for line in (PROC / str(pid) / "status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0


def shared_mb(pid: int) -> float:
    """The present memory of a process, with shared pages divided by the number of processes that share them (PSS)."""
    with contextlib.suppress(OSError, IndexError):
        text = (PROC / str(pid) / "smaps_rollup").read_text()
        return int(text.partition("\nPss:")[2].split()[0]) / 1024
    return 0.0


def is_unborn(pid: int) -> bool:
    """Whether a process is a fork of a Java process before its exec: until then its memory is that of its parent."""
    try:
        return (PROC / str(pid) / "exe").readlink().name == "java"
    except OSError:
        return False


def machine_busy() -> float:
    """CPU seconds of the whole machine since its start, without idle and I/O wait."""
    fields = [int(each) for each in (PROC / "stat").read_text().splitlines()[0].split()[1:8]]
    return (sum(fields) - fields[3] - fields[4]) / TICK


def wait_for_quiet(seconds: float = 90.0, share: float = 0.1) -> float:
    """Wait until the machine has been idle for a while; returns the cores in use, also if that does not happen in time."""
    deadline, calm, used = time.monotonic() + seconds, 0, 0.0
    while calm < 4 and time.monotonic() < deadline:
        before, moment = machine_busy(), time.monotonic()
        time.sleep(0.5)
        used = (machine_busy() - before) / (time.monotonic() - moment)
        calm = calm + 1 if used <= share * (os.cpu_count() or 1) else 0
    return used


class Sampler:
    """Samples the processes of a side and of the servers until it is stopped.

    Groups are `python` and `java` of the side, the given servers by name, and `others` (all but this process). `peaks` is the
    largest sum of VmHWM over the processes of a group that existed at the same time, `shared` the largest sum of PSS, sampled
    every two seconds: the system walks through all pages for that. `processes` has the peak of each process, `servers` the
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
            self._sample(memory=number % MEMORY_EVERY == 0, shared=number % SHARED_EVERY == 0)

    def _sample(self, *, memory: bool, shared: bool = True) -> None:
        moment, busy = time.time(), machine_busy()
        readings = [(group, stat) for stat in all_processes() if (group := self._group(stat))]
        everybody = Stat(-1, "", 0, busy, 0)
        self.ledger.add(moment, [*readings, (GROUP_OF_ALL, everybody)])
        if memory:
            self._note_memory(readings, shared=shared)

    def _group(self, stat: Stat) -> str | None:
        if stat.session == self._side.session:
            return "java" if stat.name == "java" else "python"
        if stat.pid == os.getpid():
            return "bench"
        return self._servers.get(stat.pid)

    def _note_memory(self, readings: list[tuple[str, Stat]], *, shared: bool) -> None:
        peaks: dict[str, float] = {}
        divided: dict[str, float] = {}
        for group, stat in readings:
            if group == "python" and is_unborn(stat.pid):
                continue
            peak = peak_mb(stat.pid)
            self.processes[group, stat.pid] = peak or self.processes.get((group, stat.pid), 0.0)
            peaks[group] = peaks.get(group, 0.0) + peak
            if shared and group in {"python", "java"}:
                divided[group] = divided.get(group, 0.0) + shared_mb(stat.pid)
        _keep_largest(self.peaks, peaks)
        _keep_largest(self.shared, divided)


def _keep_largest(kept: dict[str, float], now: Mapping[str, float]) -> None:
    for name, value in now.items():
        kept[name] = max(value, kept.get(name, 0.0))


def iter_while(stop: threading.Event, interval: float) -> Iterator[int]:
    """Count up once in each interval, until the event is set."""
    number = 0
    while not stop.wait(interval):
        yield number
        number += 1


def wait_until(condition: Callable[[], bool], seconds: float, complaint: Callable[[], Exception]) -> None:
    """Poll until the condition is true; raises the complaint if that takes longer."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise complaint()
        time.sleep(0.05)
