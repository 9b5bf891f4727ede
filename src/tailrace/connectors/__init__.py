"""The databases that tailrace reads, one folder each; none knows of another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tailrace.config.properties.connect import MYSQL, SQL_SERVER
from tailrace.errors import UnsupportedError

if TYPE_CHECKING:
    from tailrace.config.settings import Settings
    from tailrace.connectors.base import Connector


@dataclass(frozen=True, slots=True)
class Places:
    """Where a connector's parts are, `package.module` or `package.module:name`; None: it has no such part.

    Attributes:
        connector: the class that reads.
        login: the function that logs in and out again.
        checks: the module with `check`.
        applying: the module with `statements_of` and `apply`, which run what a check asks for.
        position: the function that reads a restart position which a person gave.
        rows: the module with `row_schema` and `read_rows`.
        taking_over: the module with `partitions_of`, `restart_of`, `history_of` and `offsets_of`.
        format: the name of its DataFrames, where the connector is a `SignalledConnector`.

    """

    connector: str
    login: str
    checks: str | None = None
    applying: str | None = None
    position: str | None = None
    rows: str | None = None
    taking_over: str | None = None
    format: str | None = None


_PLACES: Mapping[str, Places] = {
    MYSQL: Places(
        connector="tailrace.connectors.mysql.reader:MySqlConnector",
        login="tailrace.connectors.mysql.connection:try_login",
        checks="tailrace.connectors.mysql.checks",
        position="tailrace.connectors.mysql.given_offset:restart_from",
        rows="tailrace.connectors.mysql.typed_rows",
        taking_over="tailrace.connectors.mysql.taking_over",
        format="mysql-cdc",
    ),
    SQL_SERVER: Places(
        connector="tailrace.connectors.sqlserver.reader:SqlServerConnector",
        login="tailrace.connectors.sqlserver.connection:try_login",
        position="tailrace.connectors.sqlserver.taking_over:restart_from",
        taking_over="tailrace.connectors.sqlserver.taking_over",
        checks="tailrace.connectors.sqlserver.checks",
        applying="tailrace.connectors.sqlserver.applying",
        format="sqlserver-cdc",
        rows="tailrace.connectors.sqlserver.typed_rows",
    ),
}


def connector_for(settings: Settings) -> Connector:
    """The connector that `connector.class` names."""
    connector: Connector = load_object(_PLACES[settings.connector_class].connector)(settings)
    return connector


def connector_from(document: Mapping[str, Any]) -> Connector:
    """The connector of a configuration as people write it."""
    from tailrace.connectors.load import from_mapping

    return connector_for(from_mapping(document))


def try_login(document: Mapping[str, Any]) -> None:
    """Log in to the database that a configuration names, and out again: cheap, and all that is in the way is raised."""
    from tailrace.connectors.load import from_mapping

    settings = from_mapping(document)
    load_object(_PLACES[settings.connector_class].login)(settings)


def checks_of(settings: Settings) -> Any:
    """The module with `check`, which looks at the server and gives findings."""
    return import_module(_there(settings, _PLACES[settings.connector_class].checks, "tailrace check"))


def applying_of(settings: Settings) -> Any:
    """The module with `statements_of` and `apply`, which run what a check asks for."""
    return import_module(_there(settings, _PLACES[settings.connector_class].applying, "tailrace check --apply"))


def format_of(settings: Settings) -> str:
    """The name of the connector's DataFrames: `spark.readStream.format(...)`."""
    return _there(settings, _PLACES[settings.connector_class].format, "the DataFrame way")


def typed_rows_of(settings: Settings) -> Any:
    """The module with `row_schema` and `read_rows` for the connector."""
    return import_module(_there(settings, _PLACES[settings.connector_class].rows, 'output="rows"'))


def taking_over(settings: Settings) -> Any:
    """The module with `partitions_of`, `restart_of`, `history_of` and `offsets_of`: from Debezium's offsets and back."""
    return import_module(_there(settings, _PLACES[settings.connector_class].taking_over, "taking over offsets"))


def restart_from(settings: Settings, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A restart position that a person gave: the connector's own, or an offset of Debezium's.

    Raises:
        ProgressError: it is neither.

    """
    read = load_object(_there(settings, _PLACES[settings.connector_class].position, "setting a position"))
    restart: Mapping[str, Any] = read(given)
    return restart


def _there(settings: Settings, place: str | None, what: str) -> str:
    if place is None:
        raise UnsupportedError(
            f"connector.class={settings.connector_class}: {what} is not there yet for this connector"
        )
    return place


def load_object(place: str) -> Any:
    """What `package.module:name` names; imported only now, as connectors are heavy."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
