"""`python -m tailrace_standins.servers.sqlserver_control PASSWORD SHORTCUTS`: a stand-in controlled through its standard input.

It first prints its port. Each input line is a JSON list of a command and its arguments. Each is answered by one line: `done`
and the result as JSON, or `failed` and the reason. The process ends at the end of its input.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import Any
from zoneinfo import ZoneInfo

from tailrace_standins.servers.sqlserver_server import DONE, FAILED
from tailrace_standins.sqlserver.cdc import ChangeDataCapture, install
from tailrace_standins.sqlserver.engine.availability import Access, AvailabilityGroup
from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.server import StandIn
from tailrace_standins.sqlserver.shortcuts.switch import Shortcuts


def main() -> None:
    """Serve until the input ends."""
    clock = Clock()
    engine = Engine(password=sys.argv[1], clock=clock, shortcuts=Shortcuts(sys.argv[2]))
    commands = _commands(engine, install(engine)) | {"clock": clock.set}
    with closing(engine), ExitStack() as servers:
        commands["secondary"] = lambda *names: _secondary(engine, names, servers)
        server = servers.enter_context(StandIn(engine, tls=True))
        commands["certificate"] = lambda: _certificate(server.pair)
        _say(DONE, str(server.port))
        for line in sys.stdin:
            command, *arguments = json.loads(line)
            _say(*_answer(commands[command], arguments))


def _secondary(engine: Engine, databases: tuple[str, ...], servers: ExitStack) -> int:
    """Put databases into an availability group; returns the port of its secondary, which requires read intent (error 978)."""
    group = AvailabilityGroup(engine, databases)
    group.secondary.access = Access.READ_ONLY
    return servers.enter_context(StandIn(group.secondary, tls=True)).port


def _certificate(pair: bytes) -> str:
    """The certificate that a client must trust, as PEM."""
    return pair[pair.index(b"-----BEGIN CERTIFICATE") :].decode()


class Clock:
    """The server's clock: the real time, or a fixed one."""

    def __init__(self) -> None:
        self._set: dt.datetime | None = None

    def set(self, text: str | None) -> None:
        """Set a fixed time (ISO 8601); None: back to the real one."""
        self._set = None if text is None else dt.datetime.fromisoformat(text)

    def __call__(self) -> dt.datetime:
        """The current time, in UTC."""
        return self._set or dt.datetime.now(dt.UTC)


def _commands(engine: Engine, capture: ChangeDataCapture) -> dict[str, Callable[..., Any]]:
    return {
        "pause": capture.pause,
        "resume": capture.resume,
        "step": capture.step,
        "wait": capture.wait,
        "note_idle": capture.note_idle,
        "choose_victim": engine.locks.choose_victim,
        "zone": lambda name: setattr(engine, "zone", ZoneInfo(name) if name else dt.UTC),
        "answered": lambda: engine.system.answered,
        "agent": lambda is_running: setattr(engine, "agent_running", is_running),
    }


def _answer(command: Callable[..., Any], arguments: list[Any]) -> tuple[str, str]:
    try:
        return DONE, json.dumps(command(*arguments))
    except Exception as error:  # noqa: BLE001 -- sent to the other process, which raises it
        return FAILED, f"{type(error).__name__}: {error}".replace("\n", " ")


def _say(kind: str, text: str) -> None:
    sys.stdout.write(f"{kind} {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
