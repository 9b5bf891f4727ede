"""Snapshots in small steps."""

import json

import pytest

from support.encoding import records_of
from tailrace.connectors import connector_for
from tailrace.connectors.base import LogRange, Progress
from tailrace.connectors.change_tables.snapshots import capture, sections, splitting
from tailrace.connectors.change_tables.snapshots.source import ChangeTableSource
from tailrace.connectors.load import from_mapping
from tailrace.connectors.shared.snapshots import chunk_sizes

NO_SCHEMAS = {"key_converter_schemas_enable": "false", "value_converter_schemas_enable": "false"}


@pytest.fixture
def settings_for(sqlserver):
    """Settings of a connector of the test's database; in names an underscore stands for a dot."""

    def made(**more):
        return from_mapping(sqlserver.properties(**{"snapshot_mode": "initial", **NO_SCHEMAS, **more}))

    return made


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_LEAST", 7)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_MOST", 7)
    monkeypatch.setattr(sections, "SECTION_TRANSACTIONS", 10)
    monkeypatch.setattr(capture, "POLL_SECONDS", 0.01)


@pytest.fixture
def always_split(monkeypatch):
    """Also small tables are read by all lanes."""
    monkeypatch.setattr(splitting, "LEAST_ROWS", 10)


@pytest.fixture
def in_between(monkeypatch):
    """What is to be done before each chunk, as well as between batches."""
    doing = []
    read = ChangeTableSource._read

    def disturbed(self, segment, **how):
        for each in doing:
            each()
        return read(self, segment, **how)

    monkeypatch.setattr(ChangeTableSource, "_read", disturbed)
    return doing


def changes_behind(settings, snapshot):
    """The records of the log behind a snapshot, by topic; all that is committed must be captured."""
    connector = connector_for(settings)
    progress = Progress("", json.loads(json.dumps(snapshot.progress.restart)))
    found = {}
    for batch in connector.read(LogRange(progress.restart, connector.head()), progress, tuple(snapshot.history)):
        for each in records_of(batch, settings):
            for i in range(len(each)):
                found.setdefault(each.topic, []).append({"key": each.keys[i], "value": each.values[i]})
    return found
