"""`python -m tests.differential.db2.recording [NAME...]`: runs the scenarios anew and writes `golden/`.

A golden file holds the records of a scenario as Debezium wrote them, JSON lines as of `tests.differential.snapshots.engine`,
with the number of the engine's run; `about.json` beside them says with which Debezium they were made.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.differential import jars
from tests.differential.db2.playing import play
from tests.differential.db2.scenario_session import ScenarioSession
from tests.differential.db2.scenarios import SCENARIOS, Scenario, named
from tests.differential.db2.stand import stand_of
from tests.differential.snapshots.running import Captured, parse

GOLDEN = Path(__file__).with_name("golden")


def main(names: Sequence[str]) -> None:
    """Record the scenarios of these names, or all."""
    GOLDEN.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for scenario in [named(name) for name in names] or SCENARIOS:
            lines = [line + "\n" for line in played(scenario, Path(folder) / file_name(scenario)).lines]
            (GOLDEN / file_name(scenario)).write_text("".join(lines), encoding="utf-8")
            print(f"{scenario.name}: {len(lines)} records", flush=True)
    (GOLDEN / "about.json").write_text(json.dumps({"debezium": jars.DEBEZIUM}) + "\n")


def played(scenario: Scenario, folder: Path) -> ScenarioSession:
    """Run a scenario with Debezium."""
    with stand_of(scenario) as stand, ScenarioSession(stand, scenario, folder) as session:
        play(scenario, stand, session)
    return session


def golden(scenario: Scenario) -> list[Captured]:
    """The recorded records of a scenario."""
    with (GOLDEN / file_name(scenario)).open(encoding="utf-8") as lines:
        return [parse(line) for line in lines]


def file_name(scenario: Scenario) -> str:
    """The golden file of a scenario."""
    return re.sub(r"\W+", "-", scenario.name) + ".jsonl"


if __name__ == "__main__":
    main(sys.argv[1:])
