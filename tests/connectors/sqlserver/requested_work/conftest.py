"""A captured signal table, and chunks so small that few rows make many."""

import pytest
from tests.connectors.sqlserver.requested_work.signalling import signal_table

from support.sqlserver_reading import settings_of
from tailrace.connectors.change_tables.snapshots import capture, incremental, pending_chunks


@pytest.fixture
def given(sqlserver):
    """What every configuration here has."""
    return {
        "signal_data_collection": f"{sqlserver.name}.dbo.signals",
        "notification_enabled_channels": "sink",
        "notification_sink_topic_name": "notices",
        "poll_interval_ms": "10",
        "incremental_snapshot_chunk_size": "3",
    }


@pytest.fixture
def settings(sqlserver, given):
    signal_table(sqlserver)
    return settings_of(sqlserver, **given)


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(incremental, "POLL_MS", 5)
    monkeypatch.setattr(capture, "POLL_SECONDS", 0.01)


@pytest.fixture
def small_steps(monkeypatch):
    """One chunk is delivered at a time."""
    monkeypatch.setattr(pending_chunks, "PENDING_BYTES", 1)
