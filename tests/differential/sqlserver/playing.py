"""A scenario is played: the steps of its case, with a connector that reads beside them.

    with Stand(scenario.databases) as stand, DebeziumSession(stand, scenario, folder) as session:
        play(scenario, stand, session)

The connector is real Debezium (`running.py`), tailrace (`following.py`), or both.
"""

from __future__ import annotations

from typing import Protocol

from tests.differential.sqlserver import cases
from tests.differential.sqlserver.scenarios import Scenario
from tests.differential.sqlserver.stand import Stand


class Connector(Protocol):
    """What reads along."""

    def start(self) -> None:
        """Begin, or go on where it was stopped."""

    def until_snapshot(self) -> None:
        """Wait until the snapshot of all databases is done."""

    def until_marked(self, marks: int) -> None:
        """Wait until the marker's row of that number has come from each database, and all that goes with it."""

    def until_incremental(self, rows: int) -> None:
        """Wait until so many rows of incremental snapshots have come."""

    def stop(self) -> None:
        """End in good order."""


class Both:
    """Two connectors side by side, on the same log."""

    def __init__(self, one: Connector, other: Connector) -> None:
        self._both = (one, other)

    def start(self) -> None:
        """Both begin."""
        for each in self._both:
            each.start()

    def until_snapshot(self) -> None:
        """Both are done with it."""
        for each in self._both:
            each.until_snapshot()

    def until_marked(self, marks: int) -> None:
        """Both have it."""
        for each in self._both:
            each.until_marked(marks)

    def until_incremental(self, rows: int) -> None:
        """Both have them."""
        for each in self._both:
            each.until_incremental(rows)

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
    for stage in rest if scenario.lasting else ():
        for step in stage:
            _take(step, stand, connector)
        stand.captured(mark=True)
        connector.until_marked(stand.marks)
    connector.stop()


def _take(step: cases.Step, stand: Stand, connector: Connector) -> None:
    if step.kind == "stop":
        stand.captured(mark=True)
        connector.until_marked(stand.marks)
        connector.stop()
    elif step.kind == "start":
        stand.captured()
        connector.start()
    elif step.kind == "resume":
        stand.resume()
    elif step.kind == "incremental":
        connector.until_incremental(int(step.text))
    else:
        stand.run(step)
