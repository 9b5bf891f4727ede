"""The link between the driver and the tasks that run on the same machine.

Figures, notices, log lines and console lines go one way, "stop" goes the other. It is a convenience, not part of
delivery: a task without a link (after the driver's death) uses only its time budget. It is a Unix socket in a folder that
only this user can enter, so no key is needed; messages are JSON, never pickles. Tasks on other machines have `remote_link`.
"""

from __future__ import annotations

import json
import shutil
import socket
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

from tailrace.remote_link import RemoteAddress, RemoteListener

Handler = Callable[[str, Any], None]
GO, STOP = b"go", b"stop"
KEPT, KEPT_TEXTS = "kept", 3
REACHED = "reached"  # told by the planner: all that was wanted is delivered
ASK_SECONDS = 0.1
PATIENCE_SECONDS = 10.0


class Link:
    """The driver's end. `handler(kind, content)` is called on threads of the link, one message at a time.

    Attributes:
        address: the socket's path.
        folder: only this user can enter it, and it ends with the link.
        elsewhere: where tasks on other machines find the driver; None while it does not listen for them.

    """

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._stop = threading.Event()
        self._reached = threading.Event()
        self._is_closed = False
        self._lock, self._closing = threading.Lock(), threading.Lock()
        self.folder = Path(tempfile.mkdtemp(prefix="tailrace-"))
        self.address = str(self.folder / "link")
        self.elsewhere: RemoteAddress | None = None
        self._remote: RemoteListener | None = None
        self._kept: dict[str, str] = {}
        self._listener = Listener(self.address, family="AF_UNIX")
        self._accepting = threading.Thread(target=self._accept, daemon=True, name="tailrace-link")
        self._accepting.start()

    def listen_elsewhere(self, host: str, bind: str = "", port: int = 0) -> None:
        """Listen for tasks on other machines too, as `RemoteListener` says."""
        self._remote = RemoteListener(self._handle, self._stop.is_set, self.folder, host=host, bind=bind, port=port)
        self.elsewhere = self._remote.address

    def keep(self, text: str) -> str:
        """Keep a text for a process of this user on this machine; returns what `kept` takes. The newest texts are kept."""
        key = uuid.uuid4().hex
        self._kept = {**dict(list(self._kept.items())[1 - KEPT_TEXTS :]), key: text}
        return f"{self.address}#{key}"

    def begin_query(self) -> None:
        """Forget what the planner of the query before has told."""
        self._reached.clear()

    def has_reached_end(self) -> bool:
        """Whether the query's planner has found that there is nothing left to do."""
        return self._reached.is_set()

    def stop_tasks(self) -> None:
        """Tell all tasks, including later ones, to commit and end."""
        self._stop.set()

    def let_tasks_work(self) -> None:
        """Let later tasks run without a stop."""
        self._stop.clear()

    def close(self) -> None:
        """Accept no more messages; of several threads that close it, all but the first wait until it is done."""
        with self._closing:
            if not self._is_closed:
                self._is_closed = True
                self._end()

    def _end(self) -> None:
        with suppress(OSError), socket.socket(socket.AF_UNIX) as waking:
            waking.settimeout(ASK_SECONDS)  # tasks may wait in front of it
            waking.connect(self.address)  # ends `accept`, which a close alone does not
        self._accepting.join(1)  # it stays where this process may open no file
        self._listener.close()
        if self._remote is not None:
            self._remote.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _handle(self, kind: str, content: Any) -> None:
        with self._lock:
            self._handler(kind, content)

    def _accept(self) -> None:
        while True:
            try:
                connection = self._listener.accept()
            except OSError:  # such as too many open files
                if self._is_closed:
                    return
                time.sleep(ASK_SECONDS)
                continue
            if self._is_closed:
                connection.close()
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: Connection) -> None:
        with connection, suppress(EOFError, OSError):
            while True:
                kind, content = json.loads(connection.recv_bytes())
                if kind == KEPT:
                    if content not in self._kept:
                        return
                    connection.send_bytes(self._kept[content].encode())
                    continue
                if kind == REACHED:
                    self._reached.set()
                elif kind != "ask":
                    self._handle(kind, content)
                connection.send_bytes(STOP if self._stop.is_set() else GO)


def kept(place: str) -> str:
    """The text that `Link.keep` keeps: it is in no file, no argument and no option."""
    address, _, key = place.rpartition("#")
    with Client(address, family="AF_UNIX") as connection:
        connection.send_bytes(json.dumps([KEPT, key]).encode())
        return connection.recv_bytes().decode()


def is_listening(address: str) -> bool:
    """Whether the driver can be reached at its socket: it is on this machine, and of this user, and alive.

    A folder that machines share shows the socket to all of them, and nobody answers there.
    """
    try:
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(PATIENCE_SECONDS)
            asking.connect(address)
    except OSError:
        return False
    return True


class Reporter:
    """A task's end; every message is acknowledged, so a sent message has been handled."""

    def __init__(self, address: str) -> None:
        self._connection: Connection | None = None
        self._stopping = False
        self._asked_at = -ASK_SECONDS
        self._lock = threading.RLock()  # other threads of a task write to the log
        self._connect(address)

    @property
    def connected(self) -> bool:
        """Whether the driver listens."""
        return self._connection is not None

    def report(self, figures: Mapping[str, Any]) -> None:
        """Send the figures so far."""
        self.send("figures", figures)

    def notice(self, text: str) -> None:
        """Send a notice for people."""
        self.send("notice", text)

    def stopping(self) -> bool:
        """Whether to end soon: the driver says so, or it is gone."""
        now = time.monotonic()
        if now - self._asked_at >= ASK_SECONDS:
            self._asked_at = now
            self.send("ask", None)
        return self._stopping

    def send(self, kind: str, content: Any) -> None:
        """Send a message and wait until it was handled."""
        with self._lock:
            if self._connection is None:
                return
            try:
                self._connection.send_bytes(json.dumps([kind, content]).encode())
                self._stopping = self._connection.recv_bytes() == STOP
            except (EOFError, OSError):
                self.close()
                self._stopping = True

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connect(self, address: str) -> None:
        if not address:
            return
        try:
            self._connection = Client(address, family="AF_UNIX")
        except ConnectionRefusedError:  # the socket is there and nobody listens
            self._stopping = True  # the driver was killed
        except OSError:
            self._connection = None  # on another machine than the driver there is no socket
