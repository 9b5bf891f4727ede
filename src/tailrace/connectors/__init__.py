"""The databases that tailrace reads, one folder each; none knows of another.

`registry.py` lists them, and `interface.py` says what a connector is. Here are the ways to one of a configuration, which load
the heavy parts only where they are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tailrace.connectors.places import load_object
from tailrace.errors import UnsupportedError

if TYPE_CHECKING:
    from tailrace.config.settings import Settings
    from tailrace.connectors.interface import Applying, Checks, Connector, TakingOver, TypedRows
    from tailrace.connectors.spec import Spec


def spec_of(settings: Settings) -> Spec:
    """What there is of the connector that `connector.class` names."""
    from tailrace.connectors.registry import SPECS

    return SPECS[settings.connector_class]


def connector_for(settings: Settings) -> Connector:
    """The connector that `connector.class` names."""
    connector: Connector = load_object(spec_of(settings).connector)(settings)
    return connector


def connector_from(document: Mapping[str, Any]) -> Connector:
    """The connector of a configuration as people write it."""
    from tailrace.connectors.load import from_mapping

    return connector_for(from_mapping(document))


def try_login(document: Mapping[str, Any]) -> None:
    """Log in to the database that a configuration names, and out again: cheap, and all that is in the way is raised."""
    from tailrace.connectors.load import from_mapping

    settings = from_mapping(document)
    load_object(spec_of(settings).login)(settings)


def checks_of(settings: Settings) -> Checks:
    """What looks at the server and gives findings."""
    checks: Checks = load_object(spec_of(settings).checks)
    return checks


def applying_of(settings: Settings) -> Applying:
    """What runs the statements that a check asks for; `UnsupportedError` where none does."""
    place = spec_of(settings).applying
    if place is None:
        raise UnsupportedError(
            f"connector.class={settings.connector_class}: tailrace check --apply is not there yet for this connector"
        )
    applying: Applying = load_object(place)
    return applying


def typed_rows_of(settings: Settings) -> TypedRows:
    """What reads one table's typed rows."""
    rows: TypedRows = load_object(spec_of(settings).rows)
    return rows


def taking_over(settings: Settings) -> TakingOver:
    """From Debezium's offsets and back."""
    module: TakingOver = load_object(spec_of(settings).taking_over)
    return module


def restart_from(settings: Settings, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A restart position that a person gave: the connector's own, or an offset of Debezium's.

    Raises:
        ProgressError: it is neither.

    """
    restart: Mapping[str, Any] = load_object(spec_of(settings).position)(given)
    return restart
