"""`tailrace demo`: a shop in a temporary database, a writer, and the shop's changes on the screen.

Each connector has such a shop, some on a stand-in for their database; `--source` says whose. `demo_ways` has the ways that the
changes go: `--to` and `--format`.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import Self

import orjson

from tailrace.cli.demo_ways import Way, chosen_way
from tailrace.cli.demo_writer import Writer
from tailrace.cli.preparing import prepare_for_run
from tailrace.cli.running import StopSignal, run_job
from tailrace.cli.screen import Screen
from tailrace.connectors.demo import Shop
from tailrace.connectors.interface import Demo
from tailrace.connectors.registry import DEMO, SPECS
from tailrace.errors import ConfigError, TailraceError
from tailrace.object_paths import load_object
from tailrace.streaming.jobs import load_job

CATCH_UP_SECONDS = 300


def run_demo(seconds: int, *, source: str = DEMO, to: str | None = None, format_: str = "json", verbose: bool) -> None:
    """Run it; raises where not every change came through.

    Args:
        seconds: how long the writer changes rows.
        source: the connector whose shop it is.
        to: where its changes go; None: where the format can be shown.
        format_: of keys and values.
        verbose: whether whole records are shown.

    Raises:
        ConfigError: there is no such demo, or a server that it needs can't be had.
        TailraceError: not every change came through.

    """
    demo = _demo_of(source)
    chosen = chosen_way(to, format_)
    prepare_for_run()
    folder = Path(tempfile.mkdtemp(prefix="tailrace-demo-"))
    try:
        with (
            Screen(verbose=verbose, quiet_progress=True) as screen,
            chosen.opened(folder, screen) as way,
            demo.opened(screen.notice) as shop,
        ):
            _run(shop, way, folder, screen, seconds, verbose=verbose)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _demo_of(source: str) -> Demo:
    places = {spec.name: spec.demo for spec in SPECS.values()}
    if source not in places:
        names = sorted(places, key=lambda name: name != DEMO)
        raise ConfigError(f"--source {source}: the demo's shop is on {', '.join(names[:-1])} or {names[-1]}")
    demo: Demo = load_object(places[source])
    return demo


def _run(shop: Shop, way: Way, folder: Path, screen: Screen, seconds: int, *, verbose: bool) -> None:
    config = folder / "inventory-connector.json"
    document = {"name": "inventory-connector", "config": {**shop.config, **way.properties}}
    config.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2))
    job, _ = load_job(config, way.target)
    screen.notice(f"{shop.place}, its shop in the database {shop.database}; starting Spark")
    with _Play(Writer(shop.connect(), shop.statements), way, screen, seconds) as play:
        # A demo is there to be seen: the archive, in 15 s, would save this one start 3 s. A first `tailrace run` makes it.
        run_job(job, way.target, screen, available_now=False, verbose=verbose, stop=play, archive=False)
    play.summarise()


class _Play(StopSignal):
    """The course of the demo: the writer starts with the first commit and stops in time; then all must arrive."""

    def __init__(self, writer: Writer, way: Way, screen: Screen, seconds: int) -> None:
        super().__init__()
        self._writer = writer
        self._way = way
        self._reader = way.reader
        self._screen = screen
        self._seconds = seconds
        self._ends_at: float | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer.is_alive():
            self._writer.stop()

    def stop_requested(self) -> bool:
        """Whether the demo is over."""
        return super().stop_requested() or self._advance()

    def _advance(self) -> bool:
        now = time.monotonic()
        if self._ends_at is None:
            if self._screen.totals.count("commits"):
                self._ends_at = now + self._seconds
                self._writer.start()
            return False
        if self._reader is not None and self._reader.error is not None:
            return True
        if now < self._ends_at and self._writer.is_alive():
            return False
        if self._writer.is_alive():
            self._writer.stop()
        return self._arrived() >= self._writer.changes or now > self._ends_at + CATCH_UP_SECONDS

    def _arrived(self) -> int:
        return self._screen.totals.count("changes") if self._reader is None else self._reader.changes

    def summarise(self) -> None:
        """Print the last line; raises if changes are missing."""
        if self._writer.error is not None:
            raise self._writer.error
        if self._reader is not None:
            self._reader.stop()
        stopped = super().stop_requested()
        if not stopped:
            self._check()
        self._way.summarise(self._screen)
        writer = self._writer
        self._screen.notice(
            f"{'stopped early' if stopped else 'done'}: "
            f"{writer.transactions} transactions changed {writer.changes} rows; {self._arrivals()}"
        )

    def _check(self) -> None:
        written, arrived = self._writer.changes, self._arrived()
        if self._reader is not None:
            self._reader.check(written)
        elif written != arrived:
            raise TailraceError(f"{written} rows were changed, but {arrived} changes arrived")

    def _arrivals(self) -> str:
        if self._reader is None:
            return f"{self._arrived()} changes arrived as {self._screen.totals.count('records')} records"
        each = "each once" if not self._reader.repeated else f"{self._reader.repeated} of them again"
        return f"a read-committed consumer got {self._reader.changes} changes as {self._reader.records} records, {each}"
