"""The registry of connectors: each that can be configured is there, and what it names can be loaded."""

from __future__ import annotations

import importlib

import pytest

from support.unit_settings import sqlserver_unit_settings, unit_settings
from tailrace import connectors
from tailrace.config.connectors import KINDS
from tailrace.config.properties.connect import MYSQL, SQL_SERVER
from tailrace.connectors import Places, connector_for, load_object
from tailrace.errors import UnsupportedError

SETTINGS = {MYSQL: unit_settings(), SQL_SERVER: sqlserver_unit_settings()}
FUNCTIONS = {
    "checks": ("check",),
    "applying": ("statements_of", "apply"),
    "rows": ("row_schema", "row_settings"),
    "taking_over": ("partitions_of", "restart_of", "history_of", "offsets_of", "too_early", "place_of", "NEEDS_HISTORY"),
}


def places(connector_class: str) -> Places:
    return connectors._PLACES[connector_class]


def test_what_can_be_configured_can_be_read_and_the_other_way_round() -> None:
    assert set(connectors._PLACES) == set(KINDS) == set(SETTINGS)


@pytest.mark.parametrize("connector_class", KINDS)
def test_the_connector_of_the_settings_is_made(connector_class: str) -> None:
    made = connector_for(SETTINGS[connector_class])
    assert type(made) is load_object(places(connector_class).connector)


@pytest.mark.parametrize("connector_class", KINDS)
def test_a_connector_that_says_so_can_be_read_range_by_range(connector_class: str) -> None:
    made = connector_for(SETTINGS[connector_class])
    methods = ("snapshot_point", "next_parts", "read_part", "head_after", "progress_at", "history_at", "history_after", "listener", "asked_step")
    assert all(hasattr(made, name) for name in methods) is (places(connector_class).format is not None)


@pytest.mark.parametrize("connector_class", KINDS)
@pytest.mark.parametrize("part", FUNCTIONS)
def test_each_part_has_what_is_asked_of_it(connector_class: str, part: str) -> None:
    place = getattr(places(connector_class), part)
    if place is None:
        return
    module = importlib.import_module(place)
    assert [name for name in FUNCTIONS[part] if not hasattr(module, name)] == []


def test_a_part_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="tailrace check --apply is not there yet for this connector"):
        connectors.applying_of(SETTINGS[MYSQL])
