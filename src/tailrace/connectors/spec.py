"""What everything outside of a connector's folder knows of it: `SPEC`, of its own `spec.py`.

It has names, which every configuration has to know, and the places of what is loaded where it is used: the properties, the
settings, the `Connector`, and modules with the functions of the other protocols of `interface.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from attrs import frozen

from tailrace.connectors.places import load_object

if TYPE_CHECKING:  # a spec is loaded with every configuration, and what is named here is heavy
    from tailrace.config.entries import Entry
    from tailrace.config.filters import Naming, SystemNames
    from tailrace.config.problems import Problems
    from tailrace.config.property import PropertyTables
    from tailrace.config.settings import Settings
    from tailrace.config.values import Value


def _as_they_are(tables: PropertyTables) -> PropertyTables:
    return tables


@frozen(kw_only=True)
class Cloud:
    """A connector of Confluent Cloud's: its class, and whether it is one of the first version, Debezium 1.x."""

    name: str
    is_first: bool = False


@frozen(kw_only=True)
class Spec:
    """A connector, as everything outside of its folder knows it.

    Attributes:
        name: of its folder, and short for its class in a configuration.
        database: the database's name, for people.
        connector_class: Debezium's class.
        other_names: more that `connector.class` may say for it.
        cloud: the same connector at Confluent Cloud.
        naming: what lists of tables call a table.
        system: what is never captured.
        either: pairs of its own properties of which only one can be set.
        format: the name of its DataFrames: `spark.readStream.format(...)`.
        frames: the package in which Spark finds them.

        among: its properties beside those of the other connectors; `registry.SPECS` has it.

    Places, `package.module` or `package.module:name`:
        properties: the `PropertyTables` with its properties.
        settings_class: the class of the `Settings` that they become.
        contradictions: the function that adds what contradicts itself in a configuration, besides what is checked for every
            connector; None: nothing more.
        connector: the class that reads; a `Connector`, made from settings.
        login: the function that logs in with settings, and out again.
        position: the function that reads a restart position which a person gave, its own or an offset of Debezium's.
        checks: a module as `Checks`.
        applying: a module as `Applying`; None: no check asks for anything that could be run.
        rows: a module as `TypedRows`.
        taking_over: a module as `TakingOver`.
        demo: a module as `Demo`.
        pages: a module as `Pages`.

    """

    name: str
    database: str
    connector_class: str
    other_names: tuple[str, ...] = ()
    cloud: tuple[Cloud, ...] = ()
    naming: Naming
    system: SystemNames
    either: Sequence[tuple[str, str]] = ()
    among: Callable[[PropertyTables], PropertyTables] = _as_they_are
    format: str
    frames: str
    properties: str
    settings_class: str
    contradictions: str | None = None
    connector: str
    login: str
    position: str
    checks: str
    applying: str | None = None
    rows: str
    taking_over: str
    demo: str
    pages: str

    @cached_property
    def tables(self) -> PropertyTables:
        """Its properties."""
        return self.among(load_object(self.properties))

    @property
    def settings(self) -> type[Settings]:
        """What they become."""
        made: type[Settings] = load_object(self.settings_class)
        return made

    def check(self, values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems) -> None:
        """Add what contradicts itself, besides what is checked for every connector."""
        if self.contradictions is not None:
            load_object(self.contradictions)(values, entries, problems)
