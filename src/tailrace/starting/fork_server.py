"""A process that has imported what Spark's Pythons need, and forks one of them in an instant.

Spark starts four Pythons before a query's first row, and one for each task. Each would import the same modules again, which
takes it most of a second. `fork_client` is what Spark runs in place of Python: it asks the server at a socket, hands its
standard streams, environment and folder over, stays as long as the forked process lives, and ends as that ends. If the client
is killed, the server kills the process. If the server's owner ends, however it ends, the server kills all of them and ends too;
if the server is killed, the system kills them. Clients that find no server run a Python of their own.

A process with several threads can't be forked safely, so the server has only one.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import os
import runpy
import selectors
import shutil
import signal
import socket
import struct
import sys
import threading
import traceback
from pathlib import Path
from typing import Any, Final, NoReturn

from attrs import define

SOCKET: Final = "TAILRACE_FORK_SERVER"  # environment variable: where the server listens
MODULE: Final = "TAILRACE_FORK_MODULE"  # environment variable: what a client asks for
_STREAMS: Final = 3
_LENGTH: Final = struct.Struct("<I")
_PR_SET_PDEATHSIG: Final = 1  # prctl(2)
_PR_SET_NAME: Final = 15
_NAME: Final = "tailrace-forks"
_TASKS: Final = Path("/proc/self/task")


@define
class _Forked:
    """A process, and its client's connection."""

    pid: int
    client: socket.socket


@define
class Request:
    """What a client asks for."""

    module: str
    folder: str
    variables: list[bytes]
    streams: list[int]


def can_fork() -> bool:
    """Whether this process can be forked safely: other systems than Linux have libraries that it breaks."""
    return sys.platform == "linux" and len(list(_TASKS.iterdir())) == 1


def serve(listener: socket.socket, owner: int) -> NoReturn:
    """Fork for whoever asks at the socket, until `owner` can be read: a pipe whose other end only the owner has.

    This process must have one thread, and nobody waits for what is on its stack.
    """
    request = None
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the owner's business
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        atexit._clear()  # noqa: SLF001 -- what is registered belongs to the owner
        gc.collect()
        gc.freeze()  # a collection would write to pages that are shared
        _show_as([_NAME])  # whoever ends `tailrace` by its name means the owner, who ends this one in good order
        _call_itself(_NAME)
        request = _Server(listener, owner).loop()
    finally:
        if request is None:
            os._exit(1)
    run(request)


class _Server:
    def __init__(self, listener: socket.socket, owner: int) -> None:
        self._listener = listener
        self._owner = owner
        self._forked: dict[int, _Forked] = {}
        self._woken, self._waking = os.pipe()
        for end in (self._woken, self._waking):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # else nothing is written to the pipe
        signal.set_wakeup_fd(self._waking, warn_on_full_buffer=False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(listener, selectors.EVENT_READ, self._accept)
        self._selector.register(owner, selectors.EVENT_READ, self._end)
        self._selector.register(self._woken, selectors.EVENT_READ, self._reap)

    def loop(self) -> Request:
        """Serve; returns in each forked process, with what it is to be."""
        while True:
            for key, _ in self._selector.select():
                request = key.data(key.fileobj)
                if request is not None:
                    return request  # type: ignore[no-any-return]

    def _accept(self, _: Any) -> Request | None:
        client, _address = self._listener.accept()
        client.settimeout(10)  # it sends at once
        request = _received(client)
        if request is None:
            client.close()
            return None
        own = os.getpid()
        try:
            pid = os.fork()
        except OSError:  # there are too many processes: the client will find out by itself
            pid = -1
        if pid == 0:
            die_with(own)
            self._let_go(client)
            return request
        for stream in request.streams:
            os.close(stream)
        if pid < 0:
            client.close()
            return None
        client.setblocking(False)
        with contextlib.suppress(OSError):  # a client that has ended already is noticed below
            client.send(b"f")
        self._forked[pid] = _Forked(pid, client)
        self._selector.register(client, selectors.EVENT_READ, self._client_gone)
        return None

    def _let_go(self, client: socket.socket) -> None:
        """In the forked process: close what is the server's."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        for each in (self._listener, client, *(forked.client for forked in self._forked.values())):
            each.close()
        for end in (self._owner, self._woken, self._waking):
            os.close(end)

    def _client_gone(self, client: Any) -> None:
        """It was killed, as Spark does with a task that is to end."""
        with contextlib.suppress(KeyError, ValueError):  # its process has ended in the same moment, and was reaped first
            self._selector.unregister(client)
        for forked in self._forked.values():
            if forked.client is client:
                os.kill(forked.pid, signal.SIGKILL)  # it is not reaped yet, so that the number is its own

    def _reap(self, _: Any) -> None:
        with contextlib.suppress(BlockingIOError):
            while os.read(self._woken, 512):
                pass
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                self._tell(*ended)

    def _tell(self, pid: int, status: int) -> None:
        forked = self._forked.pop(pid)
        with contextlib.suppress(KeyError):
            self._selector.unregister(forked.client)
        with contextlib.suppress(OSError):  # a client that was killed
            forked.client.send(bytes([os.waitstatus_to_exitcode(status) & 0xFF]))
        forked.client.close()

    def _end(self, _: Any) -> None:
        for pid in self._forked:
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(Path(self._listener.getsockname()).parent, ignore_errors=True)
        os._exit(0)


def _received(client: socket.socket) -> Request | None:
    """What a client asks for; None if it has ended, or is something else."""
    streams: list[int] = []
    try:
        data, streams, _, _ = socket.recv_fds(client, _LENGTH.size, _STREAMS)
        (size,) = _LENGTH.unpack(data)
        text = b""
        while len(text) < size and (more := client.recv(size - len(text))):
            text += more
        module, folder, *variables = text.split(b"\0")
    except (OSError, ValueError, struct.error):
        size, text = 0, b"-"
    if len(text) == size and len(streams) == _STREAMS:
        return Request(os.fsdecode(module), os.fsdecode(folder), variables, streams)
    for stream in streams:
        os.close(stream)
    return None


def die_with(parent: int) -> None:
    """Have the system kill this process when its parent ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended meanwhile
        os._exit(1)


def run(request: Request) -> NoReturn:
    """Be the process that was asked for, as `python -m MODULE` is."""
    code: Any = 1
    try:
        _become(request)
        runpy.run_module(request.module, run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as exit_:
        code = exit_.code
    except BaseException:  # noqa: BLE001 -- as Python does at the end
        traceback.print_exc()
    finally:  # what Python does at its end, and what `multiprocessing` does for processes that it forks
        threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001
        atexit._run_exitfuncs()  # noqa: SLF001
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code & 0xFF if isinstance(code, int) else int(code is not None))


def _become(request: Request) -> None:
    """Take over streams, environment, folder and path."""
    for number, stream in enumerate(request.streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout, sys.stderr = (open(number, "w", buffering=1, closefd=False) for number in (1, 2))  # noqa: SIM115
    os.environ.clear()
    for variable in request.variables:
        name, _, value = variable.partition(b"=")
        os.environb[name] = value
    os.chdir(request.folder)
    own = [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place]
    sys.path[:] = [request.folder, *own, *(place for place in sys.path[1:] if place not in own)]
    sys.argv[:] = ["-m"]
    _show_as([sys.executable, "-m", request.module])
    _call_itself(Path(sys.executable).name)


def _call_itself(name: str) -> None:
    """Set the name by which `pgrep -x` and `killall` find this process, of which Linux keeps 15 bytes."""
    ctypes.CDLL(None).prctl(_PR_SET_NAME, os.fsencode(name))


def _show_as(words: list[str]) -> None:
    """Write what `ps` shows of this process over the command line that it was forked with, as far as there is room."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    first, last = int(fields[45]), int(fields[46])  # arg_start and arg_end, numbers 48 and 49 in proc(5)
    room = last - first
    if first and room > 0:
        text = b"".join(os.fsencode(word) + b"\0" for word in words)[: room - 1]
        ctypes.memmove(first, text.ljust(room, b"\0"), room)
