"""The holder of a target's lease, so that another run can name it, and can distinguish a dead process from a live one.

A process is known to be dead only on the same kernel with the same process ids: by the boot and the PID namespace,
not by the host name, which containers often share. Process ids are reused, so the process's start
time belongs to it. If any of this is not known, as on macOS, a process never counts as dead.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import asdict, field, frozen

from tailrace import epoch

_STATE, _STARTED = 0, 19  # of the fields that follow the name in /proc/PID/stat, see proc_pid_stat(5)
_ENDED = frozenset("ZX")


def process_namespace() -> str:
    """The boot id of this machine and the PID namespace; "" if they are not known."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def start_time(pid: int) -> str:
    """A process's start time, in ticks since the boot; "" if it is not known, or the process has ended."""
    fields = _stat(pid)
    return "" if not fields or fields[_STATE] in _ENDED else fields[_STARTED]


@frozen(kw_only=True)
class Holder:
    """A process that holds a target's lease.

    Attributes:
        run: one start of tailrace.
        host, pid: for people.
        place: where `pid` is valid; see `process_namespace`.
        started: distinguishes it from a later process with this id.
        since_ms: when it took the lease, by its own clock.

    """

    run: str
    host: str = field(factory=socket.gethostname)
    pid: int = field(factory=os.getpid)
    place: str = field(factory=process_namespace)
    started: str = field(factory=lambda: start_time(os.getpid()))
    since_ms: int = field(factory=epoch.now_ms)

    def __str__(self) -> str:
        since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(self.since_ms / 1000))
        return f"process {self.pid} on {self.host}, since {since}"

    def is_gone(self) -> bool:
        """Whether it is known to be dead."""
        return bool(self.place) and self.place == process_namespace() and not self._is_there()

    def _is_there(self) -> bool:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:  # it exists, and belongs to another user
            pass
        fields = _stat(self.pid)
        if not fields or not self.started:
            return True  # the process is not visible to us
        return fields[_STATE] not in _ENDED and fields[_STARTED] == self.started

    def to_fields(self) -> dict[str, Any]:
        """As a JSON object."""
        return asdict(self)

    @classmethod
    def of_fields(cls, fields: Mapping[str, Any]) -> Holder:
        """From a JSON object; missing fields are unknown."""
        return cls(
            run=str(fields.get("run", "")),
            host=str(fields.get("host", "?")),
            pid=int(fields.get("pid", 0)),
            place=str(fields.get("place", "")) if fields.get("pid") else "",
            started=str(fields.get("started", "")),
            since_ms=int(fields.get("since_ms", 0)),
        )


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the process's name, which may contain anything."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []
