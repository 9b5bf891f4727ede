"""A stored state put back: its server with the same log, what tailrace had kept, and today's code from there to the log's head."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stored_state import own_topics
from stored_state.events import Events, check, in_files, in_kafka, in_rows, joined
from stored_state.stages import ROOT, Servers, Stage, document
from support.live_run import LiveRun
from support.streaming_frames import batches, read
from tailrace_standins.servers.child_process import dying_with_parent

DATA = ROOT / "tests" / "data" / "stored_state"
SECONDS = 600


class Replay:
    """One fixture; `put_back` and then `go_on`."""

    def __init__(self, folder: Path, scratch: Path, address: str = "") -> None:
        self.content = json.loads((folder / "scenario.json").read_text())
        self._folder = folder
        self._scratch = scratch
        self._address = address
        self._stage: Stage | None = None

    @property
    def stage(self) -> Stage:
        """The server's."""
        assert self._stage is not None
        return self._stage

    def put_back(self, servers: Servers) -> None:
        """The log up to the state, the state, and what happened after it."""
        content = self.content
        self._stage = servers.stage(content["kind"], gtid=content["gtid"], metadata=content["metadata"])
        self._stage.replay(content["before"])
        self._put_state()
        for statements in content["after"]:
            self._stage.play(*statements)

    def go_on(self, variant: Mapping[str, str]) -> Events:
        """All events, those that were delivered before and those that come now."""
        if self.content["way"] in {"frame", "query"}:
            now = self._frames(variant) if self.content["way"] == "frame" else self._query(variant)
            return joined(self.content["delivered"], now)
        with self.stage.reading():
            self._run(variant)
        now = in_kafka(self._address) if self.content["way"] == "kafka" else in_files(self._sink)
        return joined(self.content["delivered"], now)

    def offsets(self) -> list[Any]:
        """Of a DataFrame: those that were planned, in order."""
        found: list[Any] = json.loads((self._folder / "offsets.json").read_text())
        return found

    def batch(self, start: Any, end: Any, variant: Mapping[str, str]) -> Events:
        """Of a DataFrame: what is between two offsets."""
        with self.stage.reading():
            return in_rows(read(self._options(variant), start, end))

    @property
    def _sink(self) -> Path:
        return self._scratch / "out"

    def _put_state(self) -> None:
        if self.content["way"] == "kafka":
            own_topics.clear(self._address)
            own_topics.restore(self._address, self._folder)
        elif self.content["way"] == "files":
            shutil.copytree(self._folder / "out", self._sink)

    def _run(self, variant: Mapping[str, str]) -> None:
        target = f"kafka:{self._address}" if self.content["way"] == "kafka" else f"files:{self._sink}"
        given = document(self.stage, {**self.content["properties"], **variant})
        if any(wanted["beside"] for wanted in self.content["expected"].values()):
            self._follow(given, target)  # what ends at the log's head leaves an incremental snapshot to the next run
            return
        run_to_the_head(given, target, self._scratch, "--master", "local[4]")  # lanes apart go on before they are fewer

    def _follow(self, given: Mapping[str, Any], target: str) -> None:
        """`tailrace run` until all is there, and a clean stop."""
        config = self._scratch / "config.json"
        config.write_text(json.dumps(given))
        run = LiveRun(self._scratch, config, target, [])
        run.start()
        try:
            deadline = time.monotonic() + SECONDS
            while not self._is_all_there() and time.monotonic() < deadline:
                assert run.ended() is None, run.log.read_text()
                time.sleep(0.2)
            assert run.stop() == 0, run.log.read_text()
        finally:
            run.kill_all()

    def _is_all_there(self) -> bool:
        """Whether a consumer has the rows that are there; whether they came as they should is another question."""
        try:
            check(in_files(self._sink), self.content["expected"])
        except AssertionError:
            return False
        return True

    def _query(self, variant: Mapping[str, str]) -> Events:
        checkpoint, rows = self._scratch / "checkpoint", self._scratch / "rows"
        shutil.copytree(self._folder / "checkpoint", checkpoint)
        with self.stage.reading():
            run_query(self._options(variant), checkpoint, rows, self._scratch)
        return in_rows(rows_in(rows))

    def _frames(self, variant: Mapping[str, str]) -> Events:
        found: Events = {}
        with self.stage.reading():
            for start, end in batches(self._options(variant), self.offsets()[-1]):
                found = joined(found, in_rows(read(self._options(variant), start, end)))
        return found

    def _options(self, variant: Mapping[str, str]) -> dict[str, str]:
        config: dict[str, str] = document(self.stage, {**self.content["properties"], **variant})["config"]
        return config


def run_to_the_head(given: Mapping[str, Any], target: str, scratch: Path, *options: str) -> None:
    """`tailrace run` to the head of the log of now, as people start it."""
    config = scratch / "config.json"
    config.write_text(json.dumps(given))
    _python("tailrace.cli.main", "run", config, "--to", target, "--available-now", *options)


def run_query(options: Mapping[str, str], checkpoint: Path, rows: Path, scratch: Path) -> None:
    """A query of Spark's to the head of the log; its rows go to a folder."""
    given = scratch / "options.json"
    given.write_text(json.dumps(options))
    _python("stored_state.query", given, checkpoint, rows)


def rows_in(folder: Path) -> list[dict[str, Any]]:
    """What a query has written."""
    return [json.loads(line) for file in folder.glob("*.json") for line in file.read_text().splitlines()]


def _python(module: str, *arguments: object) -> None:
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [*dying_with_parent(), sys.executable, "-m", module, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
