"""The link between the driver and the tasks that run on the same machine.

Figures, notices, log lines and console lines go one way, "stop" and what `told_turns` says go the other. It is a
convenience, not part of delivery: a task without a link (after the driver's death) uses only its time budget. It is a Unix
socket in a folder that only this user can enter, so no key is needed; messages are JSON, never pickles. Tasks on other
machines have `remote_link`.
"""

from __future__ import annotations

import json
import logging
import shutil
import socket
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

from tailrace.errors import TailraceError
from tailrace.remote_link import RemoteAddress, RemoteListener
from tailrace.told_turns import ASK, STOP, ToldTurns, TurnReporter

Handler = Callable[[str, Any], None]
KEPT, KEPT_TEXTS = "kept", 3
REACHED = "reached"  # told by the planner, with its query: all that was wanted is delivered
ASK_SECONDS = 0.1
PATIENCE_SECONDS = 10.0
_LOG = logging.getLogger(__name__)


class Link:
    """The driver's end. `handler(kind, content)` is called on threads of the link, one message at a time.

    A `TailraceError` of the handler ends the query; what else it raises is logged.

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
        self._turns = ToldTurns()
        self._kept: dict[str, str] = {}
        self._listener = Listener(self.address, family="AF_UNIX")
        self._accepting = threading.Thread(target=self._accept, daemon=True, name="tailrace-link")
        self._accepting.start()

    def listen_elsewhere(self, host: str, bind: str = "", port: int = 0) -> None:
        """Listen for tasks on other machines too, as `RemoteListener` says."""
        self._remote = RemoteListener(self._answer, self.folder, host=host, bind=bind, port=port)
        self.elsewhere = self._remote.address

    def keep(self, text: str) -> str:
        """Keep a text for a process of this user on this machine; returns what `kept` takes. The newest texts are kept."""
        key = uuid.uuid4().hex
        self._kept = {**dict(list(self._kept.items())[1 - KEPT_TEXTS :]), key: text}
        return f"{self.address}#{key}"

    def begin_query(self) -> str:
        """Forget what planner and tasks of the query before have told; a name for the next one, by which its own are known."""
        query = uuid.uuid4().hex
        self._turns.begin(query)
        self._reached.clear()
        return query

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
        """Handle no more messages; of several threads that close it, all but the first wait until it is done.

        Tasks that are still there are told to stop, or find the driver gone.
        """
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
                kind, content, task = json.loads(connection.recv_bytes())
                if self._is_closed:
                    return
                if kind == KEPT:
                    if content not in self._kept:
                        return
                    connection.send_bytes(self._kept[content].encode())
                else:
                    connection.send_bytes(self._answer(kind, content, task))

    def _answer(self, kind: str, content: Any, task: int | None) -> bytes:
        """Handle a message; what its sender is told."""
        if self._is_closed:
            return STOP
        if kind == REACHED:
            self._note_reached(content)
        elif kind != ASK and not self._turns.heard(kind, content):
            self._handle(kind, content)
        return self._turns.answer(task, stopping=self._stop.is_set())

    def _note_reached(self, query: str) -> None:
        """A planner that was stopped may tell it late."""
        if query == self._turns.query:
            self._reached.set()

    def _handle(self, kind: str, content: Any) -> None:
        """Whatever happens, the task gets an answer: without one it would take the driver for gone, or send this for ever."""
        try:
            with self._lock:
                self._handler(kind, content)
        except TailraceError as error:
            self._turns.fail(error)
        except (Exception, SystemExit) as error:  # noqa: BLE001 -- the handler may call functions of users
            _LOG.warning("a message of a task (%s) could not be shown: %s: %s", kind, type(error).__name__, error)


def kept(place: str) -> str:
    """The text that `Link.keep` keeps: it is in no file, no argument and no option."""
    address, _, key = place.rpartition("#")
    with Client(address, family="AF_UNIX") as connection:
        connection.send_bytes(json.dumps([KEPT, key, None]).encode())
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


class Reporter(TurnReporter):
    """A task's end; every message is acknowledged, so a sent message has been handled."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self._connection: Connection | None = None
        self._asked_at = -ASK_SECONDS
        self._lock = threading.RLock()  # other threads of a task write to the log
        self._connect(address)

    @property
    def connected(self) -> bool:
        """Whether the driver listens."""
        return self._connection is not None

    def stopping(self) -> bool:
        """Whether to end soon: the driver says so, or it is gone."""
        now = time.monotonic()
        if now - self._asked_at >= ASK_SECONDS:
            self._asked_at = now
            self.send(ASK, None)
        return self._told_to_stop

    def wait(self) -> None:
        """Return at once: whatever was sent is answered."""

    def send(self, kind: str, content: Any) -> None:
        """Send a message and wait until it was handled."""
        with self._lock:
            if self._connection is None:
                return
            try:
                self._connection.send_bytes(self._message(kind, content))
                self._hear(self._connection.recv_bytes())
            except (EOFError, OSError):
                self.close()
                self._is_gone()

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
            self._is_gone()  # the driver was killed
        except OSError:
            self._connection = None  # on another machine than the driver there is no socket
