"""Who delivers to a target, told so that another run can say who it is, and can tell a dead process from a live one.

A process is known to be dead only where the same kernel and the same process ids are seen: by the boot and the namespace
of process ids, not by the host's name, which containers often share. A process id is used again, so the moment when the
process began belongs to it. Where any of this is not known, as on macOS, a process is never taken for dead.
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


def this_place() -> str:
    """The boot of this machine and the namespace of process ids; "" where they are not told."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def started(pid: int) -> str:
    """When a process began, in ticks since the boot; "" where that is not told, or it has ended."""
    fields = _stat(pid)
    return "" if not fields or fields[_STATE] in _ENDED else fields[_STARTED]


@frozen(kw_only=True)
class Holder:
    """A process that holds a target's lease.

    Attributes:
        run: of one start of tailrace.
        host, pid: to be found by a person.
        place: where `pid` means something; see `this_place`.
        started: tells it from a later process with this id.
        since_ms: since when it holds the lease, by its own clock.

    """

    run: str
    host: str = field(factory=socket.gethostname)
    pid: int = field(factory=os.getpid)
    place: str = field(factory=this_place)
    started: str = field(factory=lambda: started(os.getpid()))
    since_ms: int = field(factory=epoch.now_ms)

    def __str__(self) -> str:
        since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(self.since_ms / 1000))
        return f"process {self.pid} on {self.host}, since {since}"

    def is_gone(self) -> bool:
        """Whether it is known to be dead."""
        return bool(self.place) and self.place == this_place() and not self._is_there()

    def _is_there(self) -> bool:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        fields = _stat(self.pid)
        if not fields or not self.started:
            return True  # it is hidden from us
        return fields[_STATE] not in _ENDED and fields[_STARTED] == self.started

    def to_fields(self) -> dict[str, Any]:
        """As a JSON object."""
        return asdict(self)

    @classmethod
    def of_fields(cls, fields: Mapping[str, Any]) -> Holder:
        """From a JSON object; what is missing is not known."""
        return cls(
            run=str(fields.get("run", "")),
            host=str(fields.get("host", "?")),
            pid=int(fields.get("pid", 0)),
            place=str(fields.get("place", "")) if fields.get("pid") else "",
            started=str(fields.get("started", "")),
            since_ms=int(fields.get("since_ms", 0)),
        )


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat behind the process's name, which may hold anything."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []
