"""Snapshots in small steps."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import pytest

from support.change_table_reading import PLAIN
from support.encoding import records_of
from tailrace.connectors import connector_for
from tailrace.connectors.base import LogRange, Progress
from tailrace.connectors.change_tables.snapshots import capture, sections, splitting
from tailrace.connectors.change_tables.snapshots.source import ChangeTableSource
from tailrace.connectors.db2.snapshots import capture_progress, views
from tailrace.connectors.load import from_mapping
from tailrace.connectors.shared.snapshots import chunk_sizes
from tailrace_standins.servers.db2_server import URL, Database


@pytest.fixture(autouse=True)
def one_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in's clock is exact, so nothing waits for a second."""
    if os.environ.get(URL):
        return
    monkeypatch.setattr(capture_progress, "CLOCK_SECONDS", 0.0)
    monkeypatch.setattr(views, "GRAIN_SECONDS", 0.01)
    monkeypatch.setattr(views, "MARGIN_SECONDS", 0.01)


@pytest.fixture
def settings_for(db2: Database) -> Callable[..., Any]:
    """Settings of a connector of the test's database; in names an underscore stands for a dot."""

    def made(**more: str) -> Any:
        return from_mapping(db2.properties(**{"snapshot_mode": "initial", **PLAIN, **more}))

    return made


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_LEAST", 7)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_MOST", 7)
    monkeypatch.setattr(sections, "SECTION_TRANSACTIONS", 10)
    if not os.environ.get(URL):
        monkeypatch.setattr(capture, "POLL_SECONDS", 0.01)


@pytest.fixture
def always_split(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also small tables are read by all lanes."""
    monkeypatch.setattr(splitting, "LEAST_ROWS", 10)


@pytest.fixture
def in_between(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What is to be done before each chunk, as well as between batches."""
    doing: list[Callable[[], object]] = []
    read = ChangeTableSource._read

    def disturbed(self: Any, segment: Any, **how: Any) -> Any:
        for each in doing:
            each()
        return read(self, segment, **how)

    monkeypatch.setattr(ChangeTableSource, "_read", disturbed)
    return doing


def changes_behind(settings: Any, snapshot: Any) -> dict[str, list[dict[str, Any]]]:
    """The records of the log behind a snapshot, by topic; all that is committed must be captured."""
    connector = connector_for(settings)
    progress = Progress("", json.loads(json.dumps(snapshot.progress.restart)))
    found: dict[str, list[dict[str, Any]]] = {}
    for batch in connector.read(LogRange(progress.restart, connector.head()), progress, tuple(snapshot.history)):
        for each in records_of(batch, settings):
            for i in range(len(each)):
                found.setdefault(each.topic, []).append({"key": each.keys[i], "value": each.values[i]})
    return found
