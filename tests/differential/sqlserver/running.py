"""Real Debezium's SQL Server connector in a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.differential import debezium, jars
from tests.differential.snapshots.running import PREFIX, Captured, Session
from tests.differential.sqlserver.scenarios import Scenario
from tests.differential.sqlserver.stand import MARKER, Stand

COMPLETED = "type='COMPLETED'"


class DebeziumSession(Session):
    """One connector on a scenario's stand, in one run of the engine or several."""

    def __init__(self, stand: Stand, scenario: Scenario, folder: Path) -> None:
        self.stand = stand
        self.databases = scenario.databases
        super().__init__(stand, folder, scenario.properties)

    def until_snapshot(self) -> None:
        """Wait until each database's snapshot is done."""
        self.until(self._is_snapshotted, "the end of the snapshots")

    def until_marked(self, marks: int) -> None:
        """Wait for the marker's rows, and where there is transaction metadata, for the end of their transactions."""
        self.until(lambda records: self._is_marked(records, marks), f"marker {marks}")

    def until_incremental(self, rows: int) -> None:
        """Wait for rows of incremental snapshots."""
        self.until(
            lambda records: sum(each.mark == "incremental" for each in records) >= rows, f"{rows} incremental rows"
        )

    def _is_snapshotted(self, records: Sequence[Captured]) -> bool:
        """Told by the log, and by the last row of each database, where rows are wanted."""
        last = sum(each.mark == "last" for each in records)
        rows_wanted = 0 if self.properties.get("snapshot.mode") == "no_data" else len(self.databases)
        return self._log().count(COMPLETED) >= len(self.databases) and last >= rows_wanted

    def _is_marked(self, records: Sequence[Captured], marks: int) -> bool:
        rows = [each for each in records if is_mark(each.value, marks)]
        if len(rows) < len(self.databases):
            return False
        begun = {each.value["transaction"]["id"] for each in rows if each.value.get("transaction")}
        ended = {each.value["id"] for each in records if each.value.get("status") == "END"}
        return begun <= ended

    def _base(self) -> dict[str, str]:
        return {**debezium.stored_in(self.folder), **base(self.stand, self.databases)}


def base(stand: Stand, databases: Sequence[str]) -> dict[str, str]:
    """The properties that both connectors have in every scenario, but where they keep their state."""
    return {
        "connector.class": jars.SQL_SERVER,
        "topic.prefix": PREFIX,
        "database.hostname": stand.server.host,
        "database.port": str(stand.port),
        "database.user": stand.server.user,
        "database.password": stand.server.password,
        "database.names": ",".join(databases),
        "database.encrypt": "false",
        "notification.enabled.channels": "log",
        "extended.headers.enabled": "false",
        "schema.history.internal.store.only.captured.tables.ddl": "true",  # others are not told of by tailrace
        "signal.poll.interval.ms": "200",
        **{f"{part}.converter.schemas.enable": "false" for part in ("key", "value", "header")},
    }


def is_mark(value: Mapping[str, object], marks: int) -> bool:
    """Is this the value of the marker's row of that number?"""
    source, after = value.get("source"), value.get("after")
    return (
        isinstance(source, Mapping)
        and source.get("table") == MARKER
        and isinstance(after, Mapping)
        and after.get("id") == marks
    )
