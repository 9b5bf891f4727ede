"""A connector of real Debezium that is followed while it runs: its records so far, its log, and what it stored.

    with Session(server, folder, properties) as session:
        session.start()
        session.until(is_last, "the last row of the snapshot")
        session.sql("INSERT INTO d.t VALUES (1)")
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol, Self

from tests.differential import cases, debezium, jars
from tests.differential.records import Record, loads

from tailrace_standins.servers.waiting import wait_until

PREFIX = "dbz"
ROOT = Path(__file__).parents[3]
PATIENCE = 90.0
LOGGED = ("io.debezium.pipeline.notification", "io.debezium.pipeline.signal")


@dataclass(frozen=True)
class Captured:
    """One record, and the offset that is stored with it."""

    record: Record
    partition: int | None
    source: Mapping[str, Any]
    offset: Mapping[str, Any]
    run: int = 0

    @property
    def value(self) -> Mapping[str, Any]:
        """The record's value without its schema; empty for a tombstone."""
        value = self.record.value or {}
        return value["payload"] if "schema" in value and "payload" in value else value

    @property
    def mark(self) -> str | None:
        """The snapshot marker of the source block; `None` for what has no such block."""
        return (self.value.get("source") or {}).get("snapshot")

    @property
    def op(self) -> str | None:
        """The operation of a row's event."""
        return self.value.get("op")


def parse(line: str | bytes, run: int = 0) -> Captured:
    """One JSON line of `engine.py`."""
    parsed = loads(line)
    record = Record(parsed["topic"], parsed["key"], parsed["value"], parsed["headers"])
    return Captured(record, parsed["partition"], parsed["source"], parsed["offset"], parsed.get("run", run))


class Engine:
    """One run of the engine in a process of its own."""

    def __init__(self, properties: Mapping[str, str], folder: Path, run: int, hold: int = 0) -> None:
        self.run = run
        self.out, self.log = folder / f"records-{run}.jsonl", folder / f"log-{run}.txt"
        self.lines: list[str] = []
        self._reading: IO[bytes] | None = None
        self._rest = b""
        self._errors = folder / f"errors-{run}.txt"
        job = folder / f"job-{run}.json"
        job.write_text(json.dumps(self._job(properties) | {"hold": hold}), encoding="utf-8")
        command = [sys.executable, "-m", "tests.differential.snapshots.engine", str(job)]
        with self._errors.open("w") as errors:
            self.process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
            )

    def read(self) -> list[Captured]:
        """The records that came since the last call."""
        if self._reading is None and self.out.exists():
            self._reading = self.out.open("rb")
        text = self._rest + (self._reading.read() if self._reading else b"")
        *whole, self._rest = text.split(b"\n")
        self.lines += [line.decode() for line in whole]
        return [parse(line, self.run) for line in whole]

    def ended(self) -> bool:
        """Has it ended by itself?"""
        return self.process.poll() is not None

    def end(self) -> str:
        """End it in good order; its complaint, which is empty when there was none."""
        try:
            out, _ = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, _ = self.process.communicate()
        figures = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        return str(figures[-1]["error"]) if figures else self._errors.read_text()[-4000:]

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.communicate()

    def _job(self, properties: Mapping[str, str]) -> dict[str, Any]:
        shown = [f"-Dorg.slf4j.simpleLogger.log.{name}=info" for name in LOGGED]
        log = ["-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", f"-Dorg.slf4j.simpleLogger.logFile={self.log}", *shown]
        return {
            "properties": dict(properties),
            "out": str(self.out),
            "libjvm": str(jars.libjvm(jars.java_home())),
            "java_options": [*debezium.QUICK_START, *log],
            "jars": [str(jar) for jar in jars.debezium_jars(properties["connector.class"])],
        }


class Listening(Protocol):
    """A server, as far as a connector must know it."""

    @property
    def port(self) -> int:
        """Where it listens."""
        ...


class Session:
    """One connector on one server, in one run of the engine or several."""

    def __init__(self, server: Listening, folder: Path, properties: Mapping[str, str] | None = None) -> None:
        self.server = server
        self.folder = folder
        given = {name: value.replace("{folder}", str(folder)) for name, value in (properties or {}).items()}
        self.properties = {**self._base(), **given}
        self.records: list[Captured] = []
        self.logs: list[str] = []
        self.lines: list[str] = []
        self._engine: Engine | None = None
        self._runs = 0

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        if self._engine is not None:
            self.kill()

    def _base(self) -> dict[str, str]:
        return debezium.base_properties(self.server.port, PREFIX, self.folder)

    def start(self, hold: int = 0, **changed: str) -> None:
        """Run the engine, with other properties if given (`_` stands for a dot); with `hold` it is held up behind so many records."""
        self.properties |= {name.replace("_", "."): value for name, value in changed.items()}
        self._engine = Engine(self.properties, self.folder, self._runs, hold)
        self._runs += 1

    def until(self, condition: Callable[[Sequence[Captured]], object], what: str) -> None:
        """Wait until the records so far fulfil a condition; `AssertionError` when the engine ends before."""
        wait_until(lambda: self._holds(condition, what), PATIENCE, lambda: f"{what} did not come")

    def until_logged(self, text: str) -> None:
        """Wait until this run's log has a line with this text."""
        self.until(lambda _: text in self._log(), f"{text!r} in the log")

    def until_ended(self) -> str:
        """Wait until the engine ends by itself; its complaint."""
        engine = self._running()
        wait_until(engine.ended, PATIENCE, lambda: "the engine goes on")
        return self._finish(engine.end())

    def stop(self) -> None:
        """End the engine in good order."""
        complaint = self._finish(self._running().end())
        if complaint:
            raise debezium.DebeziumError(complaint)

    def kill(self) -> None:
        """End the engine at once, as a crash would."""
        self._running().kill()
        self._finish("")

    def sql(self, *statements: str) -> None:
        """Run statements in one session of the server and commit."""
        cases.run_all(self.server.port, [*statements, "COMMIT"])

    def history(self) -> list[Any]:
        """The records of the schema history."""
        text = (self.folder / "history.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def _so_far(self) -> list[Captured]:
        self.records += self._running().read()
        return self.records

    def _running(self) -> Engine:
        if self._engine is None:
            raise ValueError("no engine runs")
        return self._engine

    def _log(self) -> str:
        log = self._running().log
        return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""

    def _holds(self, condition: Callable[[Sequence[Captured]], object], what: str) -> bool:
        engine = self._running()
        ended = engine.ended()
        if condition(self._so_far()):
            return True
        if ended:
            raise AssertionError(f"the engine ended before {what}: {self._finish(engine.end())}\n{self.logs[-1][-3000:]}")
        return False

    def _finish(self, complaint: str) -> str:
        engine = self._running()
        self.records += engine.read()
        self.lines += [line[:-1] + f',"run":{engine.run}}}' for line in engine.lines]
        self.logs.append(self._log())
        self._engine = None
        return complaint
