"""`python -m tailrace_standins.db2 --port 50000`: runs a stand-in with SQL Replication until it is interrupted.

It prints a line with its address, on the loopback, when it accepts clients, and nothing else. Its Capture program runs, as
IBMSNAP_CAPPARMS says.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from contextlib import ExitStack, closing
from pathlib import Path

from tailrace_standins.db2.asn.control import Replication
from tailrace_standins.db2.engine.catalog import LUW, ZOS
from tailrace_standins.db2.engine.server import Engine
from tailrace_standins.db2.inventory import CAPTURE_SCHEMA, TABLES, statements
from tailrace_standins.db2.server import StandIn
from tailrace_standins.listener import HOST

DEFAULT_PORT = 50000
DEFAULT_PASSWORD = "Tailrace-1"  # noqa: S105 -- of a server for tests on the loopback
USER = "db2inst1"


def main(arguments: list[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM; returns 1 if the server can't start."""
    options = _parser().parse_args(arguments)
    name = options.database.upper()
    try:
        with ExitStack() as parts:
            engine = parts.enter_context(closing(Engine(name, users={USER: options.password}, platform=options.platform)))
            replication = parts.enter_context(closing(Replication(engine, CAPTURE_SCHEMA)))
            if options.inventory:
                _fill(engine)
            replication.capture.start(options.interval, keeps_house=True)
            server = parts.enter_context(StandIn(engine, port=options.port, certificate=options.certificate))
            stopped = _stop_event()
            print(f"Db2 stand-in on {HOST}:{server.port}, database {name}, user {USER}", flush=True)  # noqa: T201
            stopped.wait()
    except OSError as error:
        print(f"no stand-in on port {options.port}: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


def _fill(engine: Engine) -> None:
    """Make the shop of the demo and register its tables."""
    session = engine.session()
    for statement in statements():
        session.run(statement)
    for table in TABLES:
        schema, _, name = table.partition(".")
        session.run(f"CALL {CAPTURE_SCHEMA}.ADDTABLE('{schema}', '{name}')")
    session.commit()
    session.close()


def _stop_event() -> threading.Event:
    """An event that is set when the process gets a signal to end."""
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    return stopped


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tailrace_standins.db2",
        description="A stand-in for Db2, for tests and demos: never for data one needs.",
    )
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="where to listen; 0 for one that is free")
    parser.add_argument("--database", default="TESTDB", help="the name of its database")
    parser.add_argument("--password", default=DEFAULT_PASSWORD, help=f"of user {USER}")
    parser.add_argument("--certificate", type=Path, help="a PEM file with a key and its certificate; with it, all is TLS")
    parser.add_argument("--platform", choices=(LUW, ZOS), default=LUW, help="which Db2 it is like")
    parser.add_argument("--inventory", action="store_true", help="make the demo's shop, with its tables registered")
    parser.add_argument(
        "--interval", type=float, help="seconds between steps of the Capture program; as IBMSNAP_CAPPARMS says without it"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
