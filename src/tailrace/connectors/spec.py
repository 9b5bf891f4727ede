"""What the code outside a connector's folder knows of it: the class of `SPEC` in the folder's own `spec.py`.

It has the names that every configuration needs, and the module paths of everything that is imported only when used: the
properties, the settings, the `Connector`, and modules with the functions of the other protocols of `interface.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from attrs import frozen

from tailrace.object_paths import load_object

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
    """A connector of Confluent Cloud: its class name, and whether it is of the first version (Debezium 1.x)."""

    name: str
    is_first: bool = False


@frozen(kw_only=True)
class Spec:
    """A connector, as the code outside its folder knows it.

    Attributes:
        name: the folder's name, and an alias of the class in a configuration.
        database: the database's name, for people.
        connector_class: Debezium's class.
        other_names: further values of `connector.class` that mean this connector.
        cloud: the same connector at Confluent Cloud.
        naming: the parts of a table's name in lists of tables.
        system: the databases, schemas and tables that are never captured.
        either: pairs of its own properties that exclude each other.
        one_database: the property that names the one database that is read, whose name topics and signal tables then leave out;
            None: there may be several.
        among: adds to its properties what depends on the other connectors; `registry.SPECS` sets it.
        format: the name of its data source: `spark.readStream.format(...)`.
        frames: the package that registers the data source with Spark.
        lacks: which values its log does not have, for the page of post processors.

    Module paths, `package.module` or `package.module:name`:
        properties: its properties, as `PropertyTables`.
        settings_class: the class of its settings.
        contradictions: the function that adds problems with combinations of properties, beside the checks for every
            connector; None: there are no more.
        connector: the class that reads; a `Connector`, made from settings.
        streaming: the module that reading the log imports, beside the connector's.
        login: the function that logs in with settings, and out again.
        position: the function that parses a restart position which the user gave, its own or an offset of Debezium.
        checks: a module as `Checks`.
        applying: a module as `Applying`; None: no finding has statements to run.
        rows: a module as `TypedRows`.
        samples: a module as `Samples`.
        taking_over: a module as `TakingOver`.
        demo: a module as `Demo`.
        pages: a module as `Pages`.
        kernels: the modules of what it reads with that have kernels, the longest to compile first.
        converters: its built-in custom converters, the module path of each one's `ConverterSpec` by Java class; None: there are
            none.
        environment: the function that says which variables a process lacks that began with those it is given; None: it needs
            none.

    """

    name: str
    database: str
    connector_class: str
    other_names: tuple[str, ...] = ()
    cloud: tuple[Cloud, ...] = ()
    naming: Naming
    system: SystemNames
    either: Sequence[tuple[str, str]] = ()
    one_database: str | None = None
    among: Callable[[PropertyTables], PropertyTables] = _as_they_are
    format: str
    frames: str
    lacks: str
    properties: str
    settings_class: str
    contradictions: str | None = None
    connector: str
    streaming: str
    login: str
    position: str
    checks: str
    applying: str | None = None
    rows: str
    samples: str
    taking_over: str
    demo: str
    pages: str
    kernels: tuple[str, ...] = ()
    converters: str | None = None
    environment: str | None = None

    @cached_property
    def tables(self) -> PropertyTables:
        """Its properties, with what depends on the other connectors."""
        return self.among(load_object(self.properties))

    @property
    def custom_converters(self) -> Mapping[str, str]:
        """The module paths of its built-in custom converters, by Java class."""
        found: Mapping[str, str] = load_object(self.converters) if self.converters else {}
        return found

    @property
    def settings(self) -> type[Settings]:
        """The class of its settings."""
        made: type[Settings] = load_object(self.settings_class)
        return made

    def check(self, values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems) -> None:
        """Add problems with combinations of properties, beside the checks for every connector."""
        if self.contradictions is not None:
            load_object(self.contradictions)(values, entries, problems)
