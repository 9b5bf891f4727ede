"""The databases that tailrace reads, one folder each; no connector imports another.

`registry.py` lists them, and `interface.py` defines what a connector is. The functions here lead from settings to the
parts of their connector. They import a part only when it is requested: drivers and compiled code take seconds to
import, and most commands need little of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tailrace.errors import UnsupportedError
from tailrace.object_paths import load_object

if TYPE_CHECKING:
    from tailrace.config.settings import Settings
    from tailrace.connectors.interface import Applying, Checks, Connector, TakingOver, TypedRows
    from tailrace.connectors.spec import Spec


def spec_of(settings: Settings) -> Spec:
    """The spec of the connector that `connector.class` names."""
    from tailrace.connectors.registry import SPECS

    return SPECS[settings.connector_class]


def connector_for(settings: Settings) -> Connector:
    """The connector that `connector.class` names."""
    connector: Connector = load_object(spec_of(settings).connector)(settings)
    return connector


def connector_from(document: Mapping[str, Any]) -> Connector:
    """The connector of a configuration document, as the user wrote it."""
    from tailrace.connectors.load import from_mapping

    return connector_for(from_mapping(document))


def try_login(document: Mapping[str, Any]) -> None:
    """Log in to the database of a configuration, and out again: a cheap test that raises every obstacle to a login."""
    from tailrace.connectors.load import from_mapping

    settings = from_mapping(document)
    load_object(spec_of(settings).login)(settings)


def checks_of(settings: Settings) -> Checks:
    """The module that checks the server's set-up (`tailrace check`)."""
    checks: Checks = load_object(spec_of(settings).checks)
    return checks


def applying_of(settings: Settings) -> Applying:
    """The module that runs the statements of findings (`tailrace check --apply`).

    Raises:
        UnsupportedError: the connector has none.

    """
    place = spec_of(settings).applying
    if place is None:
        raise UnsupportedError(
            f"connector.class={settings.connector_class}: tailrace check --apply is not there yet for this connector"
        )
    applying: Applying = load_object(place)
    return applying


def typed_rows_of(settings: Settings) -> TypedRows:
    """The module that reads one table's typed rows."""
    rows: TypedRows = load_object(spec_of(settings).rows)
    return rows


def taking_over(settings: Settings) -> TakingOver:
    """The module that converts Debezium's offsets to restart positions, and back."""
    module: TakingOver = load_object(spec_of(settings).taking_over)
    return module


def restart_from(settings: Settings, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A restart position that the user gave: in the connector's own format, or as an offset of Debezium."""
    restart: Mapping[str, Any] = load_object(spec_of(settings).position)(given)
    return restart
