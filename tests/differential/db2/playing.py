"""A scenario is played: the steps of its case, with a connector that reads beside them.

    with Stand(scenario.schema) as stand, ScenarioSession(stand, scenario, folder) as session:
        play(scenario, stand, session)

The connector is real Debezium (`scenario_session.py`), tailrace (`following.py`), or both.
"""

from __future__ import annotations

from typing import Protocol

from tests.differential.db2 import cases
from tests.differential.db2.cases import Step
from tests.differential.db2.scenarios import Scenario
from tests.differential.db2.stand import Stand


class Connector(Protocol):
    """What reads along."""

    def start(self, hold: int = 0) -> None:
        """Begin, or go on where it was stopped; with `hold` it tells so many records, and no more until it is stopped."""

    def until_snapshot(self) -> None:
        """Wait until the snapshot is done."""

    def until_marked(self, marks: int) -> None:
        """Wait until the marker's row of that number has come, and all that goes with it."""

    def until_told(self, rows: int, mark: str) -> None:
        """Wait until so many rows of snapshots with this mark have come."""

    def until_held(self, records: int) -> None:
        """Wait until this run has told so many records."""

    def stop(self) -> None:
        """End in good order."""


class Both:
    """Two connectors side by side, on the same log."""

    def __init__(self, *both: Connector) -> None:
        self._both = both

    def start(self, hold: int = 0) -> None:
        """Both begin."""
        for each in self._both:
            each.start(hold)

    def until_snapshot(self) -> None:
        """Both are done with it."""
        for each in self._both:
            each.until_snapshot()

    def until_marked(self, marks: int) -> None:
        """Both have it."""
        for each in self._both:
            each.until_marked(marks)

    def until_told(self, rows: int, mark: str) -> None:
        """Both have them."""
        for each in self._both:
            each.until_told(rows, mark)

    def until_held(self, records: int) -> None:
        """Both have them."""
        for each in self._both:
            each.until_held(records)

    def stop(self) -> None:
        """Both end."""
        for each in self._both:
            each.stop()


def play(scenario: Scenario, stand: Stand, connector: Connector) -> None:
    """All stages, or the first alone."""
    first, *rest = cases.stages(scenario.case)
    for step in first:
        stand.run(step)
    stand.captured()
    connector.start()
    connector.until_snapshot()
    stand.settled()
    for stage in rest if scenario.lasting else ():
        for place, step in enumerate(stage):
            _take(scenario, step, stage[place + 1 :], stand, connector)
        stand.captured(mark=True)
        connector.until_marked(stand.marks)
    connector.stop()


def _take(scenario: Scenario, step: Step, following: list[Step], stand: Stand, connector: Connector) -> None:
    if step.kind == "stop":
        stand.captured(mark=True)
        connector.until_marked(stand.marks)
        connector.stop()
    elif step.kind == "start":
        stand.captured()
        held = next((int(each.text) for each in following if each.kind == "held"), 0)
        connector.start(held)
        if scenario.snapshots_each_time:
            connector.until_snapshot()
            stand.settled()
    elif step.kind == "held":
        connector.until_held(int(step.text))
        connector.stop()
    elif step.kind == "resume":
        stand.resume()
    elif step.kind == "incremental":
        connector.until_told(int(step.text), "incremental")
    elif step.kind == "told":
        connector.until_told(int(step.text), "last")
    else:
        stand.run(step)
