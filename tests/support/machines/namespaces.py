"""Network namespaces by name: made, entered by a thread, swept when the run that made them is gone."""

import ctypes
import fcntl
import os
import signal
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path

from support.machines.available import PREFIX, run

CLONE_NEWNET = 0x40000000
PLACES = Path("/run/netns")
_libc = ctypes.CDLL(None, use_errno=True)


@contextmanager
def inside(name):
    """This thread is in the namespace meanwhile, with all the threads and processes that it starts."""
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        _enter(PLACES / name)
        yield
    finally:
        _set(before)
        os.close(before)


class Names:
    """Names of this run's namespaces. A lock, which ends with this process, says that the run is alive."""

    def __init__(self):
        descriptor, place = tempfile.mkstemp(prefix=PREFIX, suffix=".machines")
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        self._descriptor, self._place = descriptor, Path(place)
        self._run = self._place.stem.removeprefix(PREFIX)
        self._made = []

    def add(self, name):
        """Make a namespace; its whole name."""
        whole = f"{PREFIX}{self._run}-{name}"
        run("ip", "netns", "add", whole)
        self._made.append(whole)
        run("ip", "-n", whole, "link", "set", "lo", "up")
        return whole

    def close(self):
        """Remove them with all processes that are in them."""
        for whole in reversed(self._made):
            remove(whole)
        self._made.clear()
        os.close(self._descriptor)
        self._place.unlink(missing_ok=True)


def remove(whole):
    """Kill what runs in a namespace, and remove it."""
    for pid in run("ip", "netns", "pids", whole).split():
        with suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
    run("ip", "netns", "del", whole)


def sweep():
    """Remove what runs that are gone have left; the names."""
    found = []
    for place in Path(tempfile.gettempdir()).glob(f"{PREFIX}*.machines"):
        with place.open() as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue  # that run is alive
            left = [name.name for name in PLACES.glob(f"{place.stem}-*")]
            for name in left:
                remove(name)
            found += left
            place.unlink(missing_ok=True)
    return found


def _enter(place):
    descriptor = os.open(place, os.O_RDONLY)
    try:
        _set(descriptor)
    finally:
        os.close(descriptor)


def _set(descriptor):
    if _libc.setns(descriptor, CLONE_NEWNET):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
