"""A Db2 server for one scenario, a stand-in of its own: the same numbers and times in its log each time.

asncap stands still, so that the log is captured only when a stage has ended, and the server's clock stands still but for a
second from transaction to transaction.
"""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Self

from tests.differential.db2 import cases
from tests.differential.db2.cases import Step
from tests.differential.db2.scenarios import Scenario

from tailrace_standins.servers.child_process import dying_with_parent

ROOT = Path(__file__).parents[3]
BEGINNING = dt.datetime(2026, 3, 1, 12, 0, 0, 123456, dt.UTC)
MARKER = "ZZ_MARKER"
PATIENCE = 30
PASSING = 2  # seconds


class Stand:
    """A server with SQL Replication; the steps of a case's stages are run here.

    Args:
        schema: the capture schema.
        platform: LUW or ZOS.
        marked: there is a table of whose rows one marks the end of each stage.

    Attributes:
        port: where it listens.
        marks: how many stages were marked.

    """

    def __init__(self, schema: str = "ASNCDC", platform: str = "LUW", *, marked: bool = True) -> None:
        self.schema = schema
        self.platform = platform
        self.port = 0
        self.marks = 0
        self._marked = marked
        self._now = BEGINNING
        self._moments = 0
        self._lock = threading.Lock()
        self._child: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        command = [
            *dying_with_parent(),
            sys.executable,
            "-m",
            "tests.differential.db2.stand_process",
            self.schema,
            self.platform,
        ]
        self._child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self._answer())
        self._tick()
        if self._marked:
            self.sql(f"CREATE TABLE {cases.OWNER}.{MARKER} (ID INTEGER NOT NULL PRIMARY KEY)")
            self.register(MARKER)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._child is not None
        assert self._child.stdin is not None
        self._child.stdin.close()
        self._child.wait(PATIENCE)

    def sql(self, *statements: str) -> Any:
        """Run statements in one transaction; the rows of the last one."""
        return self._command("sql", statements)

    def step(self) -> None:
        """What is committed is captured."""
        self._command("step")

    def passes(self) -> None:
        """Seconds pass, more than tailrace thinks clocks may differ by, and what is committed is captured."""
        self._moments += 1
        self._command("clock", (self._now + dt.timedelta(seconds=PASSING * self._moments)).isoformat())
        self.step()

    def settled(self) -> None:
        """The clock is set back to the scenario's time, and the log goes on at a round position, however long anything took."""
        self._moments = 0
        self._command("clock", self._now.isoformat())
        self._command("round")

    def resume(self) -> None:
        """From now on asncap works by itself."""
        self._command("resume")

    def register(self, text: str) -> None:
        """Register tables, and let them be captured from here on."""
        for owner, table in cases.registrations(text):
            self.sql(f"CALL {self.schema}.ADDTABLE('{owner}', '{table}')")
        self._command("reinit")

    def run(self, step: Step) -> None:
        """Run a transaction, or register tables."""
        self._tick()
        if step.kind == "sql":
            self.sql(*step.statements)
        elif step.kind == "register":
            self.register(step.text)
        elif step.kind == "capture":
            self.step()
        else:
            raise ValueError(f"a case has no line --- {step.kind}")

    def captured(self, *, mark: bool = False) -> None:
        """The log is captured to its end, behind a row of the marker where that is wanted."""
        self._tick()
        self.marks += mark
        if mark:
            self.sql(f"INSERT INTO {cases.OWNER}.{MARKER} VALUES ({self.marks})")
        self.step()

    def _tick(self) -> None:
        self._now += dt.timedelta(seconds=1)
        self._command("clock", self._now.isoformat())

    def _command(self, what: str, *arguments: Any) -> Any:
        assert self._child is not None
        assert self._child.stdin is not None
        with self._lock:
            print(json.dumps([what, *arguments]), file=self._child.stdin, flush=True)
            return self._answer()

    def _answer(self) -> Any:
        assert self._child is not None
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        if not line:
            raise RuntimeError(f"the stand-in ended with {self._child.wait(PATIENCE)}")
        answer = json.loads(line)
        if "failed" in answer:
            raise RuntimeError(answer["failed"])
        return answer["result"]


def stand_of(scenario: Scenario) -> Stand:
    """The server of a scenario."""
    return Stand(scenario.schema, scenario.platform, marked=scenario.lasting)
