"""`tailrace demo`: a MySQL server of its own, a shop, a writer, and the shop's changes on the screen."""

from __future__ import annotations

import shutil
import tempfile
import time
from importlib.resources import files
from pathlib import Path
from typing import Self

import orjson

from tailrace.cli.demo_writer import Writer
from tailrace.cli.running import StopSignal, Target, load_job, run_job
from tailrace.cli.screen import Screen
from tailrace.errors import ConfigError, TailraceError
from tailrace.testing.mysql_install import Unavailable
from tailrace.testing.mysql_server import MySqlServer, Server

USER, PASSWORD = "tailrace", "tailrace"
CATCH_UP_SECONDS = 300


def run_demo(seconds: int, *, verbose: bool) -> None:
    """Run it; raises where not every change came through."""
    folder = Path(tempfile.mkdtemp(prefix="tailrace-demo-"))
    try:
        with Screen(verbose=verbose, quiet_progress=True) as screen:
            screen.notice("starting a MySQL server")
            with MySqlServer() as server:
                _run(server, folder, screen, seconds, verbose=verbose)
    except Unavailable as error:
        raise ConfigError(f"the demo needs a MySQL server program: {error}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(server: Server, folder: Path, screen: Screen, seconds: int, *, verbose: bool) -> None:
    server.create_connector_user(USER, PASSWORD)
    server.sql(files("tailrace.cli").joinpath("inventory.sql").read_text(encoding="utf-8"))
    config = write_config(server, folder)
    target = Target.parse("console", folder / "state")
    job, _ = load_job(config, target)
    screen.notice(f"MySQL is at {server.host}:{server.port}, its shop in the database inventory; starting Spark")
    with _Play(Writer(server.connect("inventory")), screen, seconds) as play:
        run_job(job, target, screen, available_now=False, verbose=verbose, stop=play)
    play.summarise()


def write_config(server: Server, folder: Path) -> Path:
    """The connector's configuration, as somebody would write it."""
    config = {
        "connector.class": "io.debezium.connector.mysql.MySqlConnector",
        "database.hostname": server.host,
        "database.port": server.port,
        "database.user": USER,
        "database.password": PASSWORD,
        "database.server.id": 184054,
        "database.include.list": "inventory",
        "topic.prefix": "dbserver1",
        "snapshot.mode": "no_data",
        "value.converter.schemas.enable": False,
        "key.converter.schemas.enable": False,
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "key.converter": "org.apache.kafka.connect.json.JsonConverter",
    }
    path = folder / "inventory-connector.json"
    path.write_bytes(orjson.dumps({"name": "inventory-connector", "config": config}, option=orjson.OPT_INDENT_2))
    return path


class _Play(StopSignal):
    """The course of the demo: the writer starts with the first commit and stops in time; then all must arrive."""

    def __init__(self, writer: Writer, screen: Screen, seconds: int) -> None:
        super().__init__()
        self._writer = writer
        self._screen = screen
        self._seconds = seconds
        self._ends_at: float | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer.is_alive():
            self._writer.stop()

    def asked(self) -> bool:
        """Whether it is over."""
        return super().asked() or self._advance()

    def _advance(self) -> bool:
        now = time.monotonic()
        if self._ends_at is None:
            if self._screen.totals.count("commits"):
                self._ends_at = now + self._seconds
                self._writer.start()
            return False
        if now < self._ends_at and self._writer.is_alive():
            return False
        if self._writer.is_alive():
            self._writer.stop()
        return self._arrived() >= self._writer.changes or now > self._ends_at + CATCH_UP_SECONDS

    def _arrived(self) -> int:
        return self._screen.totals.count("changes")

    def summarise(self) -> None:
        """The last line; raises where changes are missing."""
        if self._writer.error is not None:
            raise self._writer.error
        written, arrived = self._writer.changes, self._arrived()
        if written != arrived and not super().asked():
            raise TailraceError(f"{written} rows were changed, but {arrived} changes arrived")
        records = self._screen.totals.count("records")
        self._screen.notice(
            f"done: {self._writer.transactions} transactions changed {written} rows; "
            f"{arrived} changes arrived as {records} records"
        )
