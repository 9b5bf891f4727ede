"""Starts a fork server: out of this process, which has its modules already, or as a process of its own.

The socket is in a folder that only this user can enter, since whoever can connect gets a process of this user. It is there, and
named in the environment, before the server is: clients wait for the server, or find that there is none.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from tailrace.starting.fork_server import SOCKET, can_fork, serve

SINGLE_THREADED: Final = {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
"""Environment variables for libraries that start threads as soon as they are imported."""

_MODULE: Final = "tailrace.starting.fork_server_owner"
_PADDING: Final = "-" * 80  # room for the command lines of forked processes
_WAITING: Final = 64


class ForkServer:
    """A server that lives as long as this process does, or until it is closed. `path` is that of its socket.

    Raises:
        OSError: there is no room for a socket, or its name would be too long.

    """

    def __init__(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="tailrace-fork-"))
        self.path = folder / "socket"
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._listener.bind(str(self.path))
        except OSError:
            self._listener.close()
            shutil.rmtree(folder)
            raise
        self._listener.listen(_WAITING)
        self._owned, self._owner = os.pipe()
        self._process: subprocess.Popen[bytes] | None = None

    def name(self) -> None:
        """Put it into the environment, which Spark's Java and its Pythons inherit."""
        os.environ[SOCKET] = str(self.path)

    def fork(self) -> None:
        """Let it be a fork of this process, with all that is imported by now; without one if that can't be done safely."""
        if not can_fork():
            shutil.rmtree(self.path.parent)
        elif os.fork() == 0:
            _keep_only(self._listener.fileno(), self._owned)
            serve(self._listener, self._owned)
        self._let_go()

    def spawn(self, modules: Sequence[str]) -> None:
        """Let it be a process of its own, which imports the modules first."""
        ends = self._listener.fileno(), self._owned
        command = [sys.executable, "-m", _MODULE, *map(str, ends), *modules, _PADDING]
        null = subprocess.DEVNULL
        self._process = subprocess.Popen(  # noqa: S603
            command, stdin=null, stdout=null, stderr=null, pass_fds=ends, env={**os.environ, **SINGLE_THREADED}
        )
        self._let_go()

    def close(self) -> None:
        """End it, with all that it has forked."""
        os.close(self._owner)
        if self._process is not None:
            self._process.wait()

    def _let_go(self) -> None:
        self._listener.close()
        os.close(self._owned)


_own: ForkServer | None = None


def announce() -> ForkServer | None:
    """A new server for the Spark sessions of this process, named in the environment; it is to be forked or spawned.

    None where there can't be one, or there is one already. What the environment named before was a parent's.
    """
    global _own  # noqa: PLW0603 -- a process has one
    if _own is not None:
        _own.name()
        return None
    os.environ.pop(SOCKET, None)
    if sys.platform != "linux":
        return None
    try:
        _own = ForkServer()
    except OSError:
        return None
    _own.name()
    return _own


def abandon() -> None:
    """Let nothing of this process's server stay, which ends with it; for a process that ends at once."""
    if _own is not None:
        shutil.rmtree(_own.path.parent, ignore_errors=True)


def provide(modules: Sequence[str]) -> None:
    """See to it that the Pythons of Spark sessions come from a server of this process, if there can be one."""
    server = announce()
    if server is not None:
        server.spawn(modules)


def _keep_only(*kept: int) -> None:
    """Close everything else, and let go of the standard streams: no reader of the owner's output is to wait for the server."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 -- a Path would open a descriptor of its own for longer
        number = int(name)
        if number > 2 and number not in kept:
            try:
                os.close(number)
            except OSError:  # that of the listing
                continue
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)


def _main(listener: int, owner: int, modules: Sequence[str]) -> None:
    for module in modules:
        import_module(module)
    found = socket.socket(fileno=listener)
    if can_fork():
        serve(found, owner)
    shutil.rmtree(Path(found.getsockname()).parent)


if __name__ == "__main__":
    _main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:-1])
