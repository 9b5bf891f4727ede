"""The databases that tailrace reads, one folder each; none knows of another."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tailrace.errors import UnsupportedError

if TYPE_CHECKING:
    from tailrace.config.settings import Settings
    from tailrace.connectors.base import Connector

_CONNECTORS = {
    "io.debezium.connector.mysql.MySqlConnector": "tailrace.connectors.mysql.reader:MySqlConnector",
}
_ROWS = {
    "io.debezium.connector.mysql.MySqlConnector": "tailrace.connectors.mysql.typed_rows",
}
_TAKING_OVER = {
    "io.debezium.connector.mysql.MySqlConnector": "tailrace.connectors.mysql.taking_over",
}
_POSITIONS = {
    "io.debezium.connector.mysql.MySqlConnector": "tailrace.connectors.mysql.given_offset:restart_from",
}


def connector_for(settings: Settings) -> Connector:
    """The connector that `connector.class` names."""
    connector: Connector = load_object(_place(_CONNECTORS, settings))(settings)
    return connector


def connector_from(document: Mapping[str, Any]) -> Connector:
    """The connector of a configuration as people write it."""
    from tailrace.config.load import from_mapping

    return connector_for(from_mapping(document))


def typed_rows_of(settings: Settings) -> Any:
    """The module with `row_schema` and `read_rows` for the connector."""
    return import_module(_place(_ROWS, settings))


def taking_over(settings: Settings) -> Any:
    """The module with `partition_of`, `restart_of`, `history_of` and `offset_of`: from Debezium's offsets and back."""
    return import_module(_place(_TAKING_OVER, settings))


def restart_from(settings: Settings, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A restart position that a person gave: the connector's own, or an offset of Debezium's.

    Raises:
        ProgressError: it is neither.

    """
    read = load_object(_place(_POSITIONS, settings))
    restart: Mapping[str, Any] = read(given)
    return restart


def _place(places: Mapping[str, str], settings: Settings) -> str:
    place = places.get(settings.connector_class)
    if place is None:
        raise UnsupportedError(f"connector.class={settings.connector_class}: there is no such connector yet")
    return place


def load_object(place: str) -> Any:
    """What `package.module:name` names; imported only now, as connectors are heavy."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
