"""Settings with a signal table, and chunks so small that a few rows make many."""

import pytest

from support.mysql_settings import settings_for
from support.signalling import signal_table
from tailrace.connectors.shared.snapshots import chunk_sizes

NO_SCHEMAS = {"key_converter_schemas_enable": False, "value_converter_schemas_enable": False}


@pytest.fixture
def given(database):
    """What every configuration here has."""
    return {
        "database_include_list": database,
        "signal_data_collection": f"{database}.signals",
        "notification_enabled_channels": "sink",
        "notification_sink_topic_name": "notices",
        "poll_interval_ms": 20,
        **NO_SCHEMAS,
    }


@pytest.fixture
def settings(mysql_server, database, given):
    signal_table(mysql_server, database)
    return settings_for(mysql_server, **given)


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_LEAST", 7)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_MOST", 7)
