"""Real Debezium's Db2 connector in a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.differential import debezium, jars
from tests.differential.db2.scenarios import Scenario
from tests.differential.db2.stand import MARKER, Stand
from tests.differential.db2.stand_process import DATABASE, PASSWORD, USER
from tests.differential.snapshots.running import PREFIX, Captured, Session

COMPLETED = "type='COMPLETED'"


class ScenarioSession(Session):
    """One connector on a scenario's stand, in one run of the engine or several."""

    def __init__(self, stand: Stand, scenario: Scenario, folder: Path) -> None:
        self.stand = stand
        self.scenario = scenario
        super().__init__(stand, folder, scenario.properties)

    def until_snapshot(self) -> None:
        """Wait until this run's snapshot is done: told by the log, and by its last row."""
        self.until(self._is_snapshotted, "the end of the snapshot")

    def until_marked(self, marks: int) -> None:
        """Wait for the marker's row. The end of its transaction is told with the next one, or never."""
        self.until(lambda records: any(is_mark(each.value, marks) for each in records), f"marker {marks}")

    def until_told(self, rows: int, mark: str) -> None:
        """Wait for rows of snapshots."""
        self.until(lambda records: sum(each.mark == mark for each in records) >= rows, f"{rows} rows {mark}")

    def until_held(self, records: int) -> None:
        """Wait until this run has told so many records."""
        self.until(lambda told: sum(each.run == self._run for each in told) >= records, f"{records} records")

    def _is_snapshotted(self, records: Sequence[Captured]) -> bool:
        last = not self.scenario.has_rows or any(each.mark == "last" and each.run == self._run for each in records)
        return COMPLETED in self._log() and last

    @property
    def _run(self) -> int:
        return self._runs - 1

    def _base(self) -> dict[str, str]:
        return {**debezium.stored_in(self.folder), **base(self.stand)}


def base(stand: Stand) -> dict[str, str]:
    """The properties that both connectors have in every scenario, but where they keep their state."""
    return {
        "connector.class": jars.DB2,
        "topic.prefix": PREFIX,
        "database.hostname": "127.0.0.1",
        "database.port": str(stand.port),
        "database.user": USER,
        "database.password": PASSWORD,
        "database.dbname": DATABASE,
        "notification.enabled.channels": "log",
        "extended.headers.enabled": "false",
        "schema.history.internal.store.only.captured.tables.ddl": "true",
        "signal.poll.interval.ms": "200",
        **{f"{part}.converter.schemas.enable": "false" for part in ("key", "value", "header")},
    }


def is_mark(value: Mapping[str, object], marks: int) -> bool:
    """Is this the value of the marker's row of that number?"""
    source, after = value.get("source"), value.get("after")
    return (
        isinstance(source, Mapping)
        and source.get("table") == MARKER
        and source.get("snapshot") == "false"
        and isinstance(after, Mapping)
        and after.get("ID") == marks
    )
