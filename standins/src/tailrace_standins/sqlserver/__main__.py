"""`python -m tailrace_standins.sqlserver --port 1433`: runs a stand-in with an inventory database until it is interrupted.

It prints a line with its address, on the loopback, when it accepts clients; a second one with its readable secondary's, if it
has one; and nothing else.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

from tailrace_standins.listener import HOST
from tailrace_standins.sqlserver.cdc import install
from tailrace_standins.sqlserver.engine.availability import Access, AvailabilityGroup
from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.inventory import fill
from tailrace_standins.sqlserver.server import StandIn
from tailrace_standins.sqlserver.session import SqlError
from tailrace_standins.sqlserver.shortcuts.switch import Shortcuts

DEFAULT_PORT = 1433
DEFAULT_PASSWORD = "Tailrace-1"  # noqa: S105 -- of a server for tests on the loopback


def main(arguments: list[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM; returns 1 if the server can't start."""
    options = _parser().parse_args(arguments)
    try:
        engine = Engine(
            options.folder, password=options.password, shortcuts=None if options.shortcuts else Shortcuts.OFF
        )
    except ValueError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    install(engine)
    try:
        fill(engine, options.database, options.password)
        _serve(engine, options)
    except (OSError, SqlError) as error:
        print(f"no stand-in on port {options.port}: {error}", file=sys.stderr)  # noqa: T201
        return 1
    finally:
        engine.close()
    return 0


def _serve(engine: Engine, options: argparse.Namespace) -> None:
    """Accept clients until the process gets a signal to end."""
    with ExitStack() as servers:
        server = servers.enter_context(StandIn(engine, port=options.port, tls=options.tls))
        told = [f"SQL Server stand-in on {HOST},{server.port}, database {options.database}, user sa"]
        if options.secondary_port is not None:
            secondary = AvailabilityGroup(engine, [options.database]).secondary
            secondary.access = Access[options.secondary_access.upper().replace("-", "_")]
            reader = servers.enter_context(StandIn(secondary, port=options.secondary_port, tls=options.tls))
            told.append(f"its readable secondary on {HOST},{reader.port}")
        stopped = _stop_event()
        print("\n".join(told), flush=True)  # noqa: T201
        stopped.wait()


def _stop_event() -> threading.Event:
    """An event that is set when the process gets a signal to end."""
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    return stopped


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tailrace_standins.sqlserver",
        description="A stand-in for SQL Server, for tests and demos: never for data one needs.",
    )
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="where to listen; 0 for one that is free")
    parser.add_argument("--folder", type=Path, help="where data is kept; without it, it is gone with the server")
    parser.add_argument("--tls", action=argparse.BooleanOptionalAction, default=True, help="offer encryption")
    parser.add_argument(
        "--no-shortcuts",
        dest="shortcuts",
        action="store_false",
        help="answer every query through SQLite, also those that connectors ask of large tables",
    )
    parser.add_argument("--password", default=DEFAULT_PASSWORD, help="of user sa")
    parser.add_argument("--database", default="inventory", help="made and filled where it is not there")
    parser.add_argument(
        "--secondary-port", type=int, help="where its readable secondary listens; without it there is none"
    )
    parser.add_argument(
        "--secondary-access", choices=("all", "read-only", "no"), default="all", help="whom that lets in"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
