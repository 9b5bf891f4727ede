"""Measures how much of the log was written, and how much of it was read.

The bytes that a side reads are counted at its socket (`counted/sitecustomize.py`). These are packets of the replication
protocol: the log's events with five bytes before each. The number of events is estimated from the lengths of events in that
part of the log. The server's counters are no use: they add a connection's rows and log, and lose closed connections.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from bench.measuring.servers import ROOT, Servers

COUNTED = Path(__file__).parent / "counted"
INTERVAL = 0.2
PACKET_BYTES = 5  # before each event
EVENTS = 20_000  # sampled for their length


def counting_env(folder: Path) -> dict[str, str]:
    """The environment that makes a side's processes write their counts to a folder."""
    folder.mkdir()
    paths = [str(COUNTED), str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(paths), "TAILRACE_BENCH_COUNTED": str(folder)}


def bytes_read(folder: Path) -> list[int]:
    """The count of each process that read the log, the largest first."""
    counts = (int.from_bytes(file.read_bytes(), "little") for file in folder.iterdir())
    return sorted(filter(None, counts), reverse=True)


@dataclass
class LogSize:
    """The size of the log over time, counted from the file in which it began."""

    first_file: str
    _series: list[tuple[float, int]] = field(default_factory=list)

    def note(self, moment: float, size: int) -> None:
        """Record its size at a time."""
        self._series.append((moment, size))

    def at(self, moment: float) -> float:
        """Its size at a time, interpolated."""
        before = max((each for each in self._series if each[0] <= moment), default=self._series[0])
        after = min((each for each in self._series if each[0] >= moment), default=self._series[-1])
        if after[0] == before[0]:
            return before[1]
        return before[1] + (after[1] - before[1]) * (moment - before[0]) / (after[0] - before[0])


class LogWatch:
    """Records the size of the log several times a second."""

    def __init__(self, servers: Servers) -> None:
        self._connection = servers.mysql.connect()
        self.sizes = LogSize(self._files()[-1][0])
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._look()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._look()
        self._connection.close()

    def before(self, file: str, pos: int) -> int:
        """The bytes of the log before a position."""
        return sum(size for name, size in self._at_end if name < file) + pos

    def _run(self) -> None:
        while not self._stop.wait(INTERVAL):
            self._look()

    def _look(self) -> None:
        self._at_end = [(name, size) for name, size in self._files() if name >= self.sizes.first_file]
        self.sizes.note(time.time(), sum(size for _, size in self._at_end))

    def _files(self) -> list[tuple[str, int]]:
        with self._connection.cursor() as cursor:
            cursor.execute("SHOW BINARY LOGS")
            return [(row[0], int(row[1])) for row in cursor.fetchall()]


def share_of_events(servers: Servers, file: str, pos: int) -> float:
    """The share of the log's own bytes among those on the wire, by the events from a position on."""
    with closing(servers.mysql.connect()) as connection, connection.cursor() as cursor:
        cursor.execute(f"SHOW BINLOG EVENTS IN %s FROM {pos} LIMIT {EVENTS}", (file,))
        events = cursor.fetchall()
    length = int(events[-1][4]) - int(events[0][1])  # End_log_pos, Pos
    return length / (length + PACKET_BYTES * len(events))
