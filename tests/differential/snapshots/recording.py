"""`python -m tests.differential.snapshots.recording [NAME...]`: runs the scenarios anew and writes `golden/`.

A golden file holds the records of a scenario as Debezium wrote them, JSON lines as of `engine.py`, with the number of
the engine's run; `golden.json` beside them says with which Debezium and server they were made.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from tests.differential import cases, jars
from tests.differential.snapshots.running import Captured, Session, parse
from tests.differential.snapshots.scenarios import SCENARIOS, SMALL, Scenario

from tailrace_standins.servers.mysql_server import MySqlServer

GOLDEN = Path(__file__).with_name("golden")
ABOUT = "about.json"
SYSTEM = ("mysql", "sys", "information_schema", "performance_schema")


def main(names: Iterable[str]) -> None:
    """Record the scenarios of these names, or all."""
    wanted = [s for s in SCENARIOS if not names or s.name in names]
    with tempfile.TemporaryDirectory() as folder, Servers() as servers:
        for scenario in wanted:
            session = played(scenario, servers.of(scenario), Path(folder) / file_name(scenario))
            lines = [line + "\n" for line in session.lines]
            (GOLDEN / file_name(scenario)).write_text("".join(lines), encoding="utf-8")
            print(f"{scenario.name}: {len(lines)} records", flush=True)
        about = {"debezium": jars.DEBEZIUM, "mysql": str(servers.of(SCENARIOS[0]).variable("version"))}
        (GOLDEN / ABOUT).write_text(json.dumps(about) + "\n")


def golden(name: str) -> list[Captured]:
    """The recorded records of a scenario."""
    scenario = next(s for s in SCENARIOS if s.name == name)
    with (GOLDEN / file_name(scenario)).open(encoding="utf-8") as lines:
        return [parse(line) for line in lines]


def played(scenario: Scenario, server: MySqlServer, folder: Path) -> Session:
    """Run a scenario on a server that it has to itself."""
    emptied(server)
    cases.run_all(server.port, [*scenario.tables, "COMMIT"])
    with Session(server, folder, {**SMALL, **scenario.properties}) as session:
        scenario.play(session)
    return session


def file_name(scenario: Scenario) -> str:
    """The golden file of a scenario."""
    return re.sub(r"\W+", "-", scenario.name) + ".jsonl"


class Servers:
    """Servers with GTIDs and without, started when they are asked for."""

    def __init__(self) -> None:
        self._started: dict[bool, MySqlServer] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._started.values():
            server.discard()

    def of(self, scenario: Scenario) -> MySqlServer:
        """The server of a scenario."""
        if scenario.gtid not in self._started:
            self._started[scenario.gtid] = MySqlServer(gtid=scenario.gtid).start()
        return self._started[scenario.gtid]


def emptied(server: MySqlServer) -> None:
    """A server without databases of ours."""
    for (name,) in server.sql("SHOW DATABASES"):
        if name not in SYSTEM:
            server.sql(f"DROP DATABASE `{name}`")


if __name__ == "__main__":
    main(sys.argv[1:])
