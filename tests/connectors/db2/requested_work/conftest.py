"""A captured signal table, and chunks so small that few rows make many."""

from __future__ import annotations

from typing import Any

import pytest
from tests.connectors.db2.requested_work.db2_signalling import signal_table

from support.db2_reading import settings_of
from tailrace.connectors.change_tables.snapshots import capture, incremental, pending_chunks
from tailrace.connectors.db2.snapshots import capture_progress
from tailrace_standins.servers.db2_server import Database


@pytest.fixture
def given() -> dict[str, str]:
    """What every configuration here has."""
    return {
        "signal_data_collection": "S.SIGNALS",
        "notification_enabled_channels": "sink",
        "notification_sink_topic_name": "notices",
        "poll_interval_ms": "10",
        "incremental_snapshot_chunk_size": "3",
    }


@pytest.fixture
def settings(db2: Database, given: dict[str, str]) -> Any:
    signal_table(db2)
    return settings_of(db2, **given)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for another clock: there is only the stand-in's."""
    monkeypatch.setattr(incremental, "POLL_MS", 5)
    monkeypatch.setattr(capture, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(capture_progress, "CLOCK_SECONDS", 0.0)


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """One chunk is delivered at a time."""
    monkeypatch.setattr(pending_chunks, "PENDING_BYTES", 1)
