"""What `tailrace run` begins before it reads its configuration: Spark's Java, which takes longest, and the imports meanwhile.

As soon as Java is ready it is asked for a session, with as many cores as the file's properties seem to ask for. If the
configuration, once it is read, says otherwise, another Java is started.

A run that ends before it needs Java, because its configuration or a password is wrong, ends Java too.
"""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Final

from tailrace.cli import java_start
from tailrace.cli.beginning import named_in, text_of
from tailrace.cli.session_settings import OF_THIS_PROCESS, local_master, own_settings
from tailrace.errors import ConfigError
from tailrace.starting import fork_server_owner
from tailrace.starting.direct_java import OF_SESSIONS, StartedJava
from tailrace.starting.fork_server_owner import SINGLE_THREADED
from tailrace.starting.session_java import archive_is_missing

_IN_LANES: Final = "kafka"
_DIGITS: Final = 5
_READY_SECONDS: Final = 2.0
_POLL_SECONDS: Final = 0.02
_COMMENTS: Final = re.compile(r"(?m)^\s*[#!].*")
_LANES: Final = re.compile(r"(?i)\b(?:tasks\.?max|snapshot\.max\.threads)\b[\"']?\s*[=:]\s*[\"']?([^\s\"',}]*)")
PRELOADED = "tailrace.source.preloaded"  # what the Pythons that Spark starts import


def begin(config: Path, to: str, *, master: str | None, verbose: bool) -> None:
    """Start Java and the fork server of a run on this machine; elsewhere, and where that fails, `start_session` does it all."""
    if master is not None and not master.startswith(OF_THIS_PROCESS):
        return
    with _ending_at_once():
        server = fork_server_owner.announce()
        java = None
        with suppress(ConfigError):  # there is no Java, of which the session tells in its turn
            if not archive_is_missing():  # else that is made first
                java = java_start.start(verbose=verbose)
        lanes = _lanes(config) if master is None and to.partition(":")[0] == _IN_LANES else 1
        settings = None if lanes is None else own_settings(master or local_master(lanes))
        is_asked = False
        for _ in _imported_for(config):
            is_asked = is_asked or (java is not None and settings is not None and java.begin_session(settings))
        if server is not None:
            server.fork()
        if java is not None and settings is not None and (is_asked or _asked_soon(java, settings)):
            _connect(java)


def _asked_soon(java: StartedJava, settings: Mapping[str, str]) -> bool:
    """Ask Java for the session as soon as it is ready, which is soon; False if it is not."""
    until = time.monotonic() + _READY_SECONDS
    while java.process.poll() is None and time.monotonic() < until:
        if java.begin_session(settings):
            return True
        time.sleep(_POLL_SECONDS)
    return False


def _connect(java: StartedJava) -> None:
    """Connect to a Java that is ready. No thread is there yet that could read the environment while this changes it."""
    for name, value in OF_SESSIONS.items():
        os.environ.setdefault(name, value)
    java.connect()


@contextmanager
def _ending_at_once() -> Iterator[None]:
    """A block that Ctrl-C and SIGTERM end at once, with the process and what it has started.

    No exception does that: imports and libraries would swallow some, and the signal with them.
    """
    before = {number: signal.signal(number, _end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    java_start.abandon()
    fork_server_owner.abandon()
    if number == signal.SIGTERM:  # supervisors take this end as the one they asked for
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(128 + number)


def _imported_for(config: Path) -> Iterator[str]:
    """Import what Spark's Pythons will need, and this process too: what is imported before a fork is imported once."""
    before = {name: os.environ.get(name) for name in SINGLE_THREADED}
    os.environ.update(SINGLE_THREADED)  # read when a library is loaded; others are not to inherit it
    try:
        for module in (PRELOADED, *_of_connector(config)):
            import_module(module)
            yield module
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def _lanes(config: Path) -> int | None:
    """How many lanes the file asks for, as far as a glance can tell; None: it can't."""
    found = _LANES.findall(_COMMENTS.sub("", text_of(str(config))))
    return max(map(int, found), default=1) if all(each.isdecimal() and len(each) < _DIGITS for each in found) else None


def _of_connector(config: Path) -> list[str]:
    """The modules of the connector that the file names, as far as that can be told without reading it."""
    return [module for spec in named_in([str(config)]) for module in (spec.connector.partition(":")[0], spec.streaming)]
