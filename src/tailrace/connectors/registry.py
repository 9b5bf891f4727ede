"""The connectors, one line each, and the messages for well-known connectors that are not supported.

A new connector is a folder with a `spec.py`, and a line in `FOLDERS`. Importing this module imports only the names of
all connectors, so that a mistake in one connector's properties breaks no other connector. Only a name that is no property
of its own connector is looked up in those of all the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Final

from attrs import evolve

from tailrace.config.confluent_cloud import CloudClass
from tailrace.config.properties import connect
from tailrace.config.property import Kind, Property, PropertyTables
from tailrace.connectors.spec import Spec
from tailrace.schema.event_shapes import SHAPE_1_4

FOLDERS: Final = (
    "tailrace.connectors.mysql",
    "tailrace.connectors.sqlserver",
    "tailrace.connectors.db2",
)
"""One line per connector, in the order in which pages and messages name them."""

DEMO: Final = "sqlserver"
"""The connector whose shop `tailrace demo` shows by default: one that needs no installed server."""

_GIVEN: Final[tuple[Spec, ...]] = tuple(import_module(f"{folder}.spec").SPEC for folder in FOLDERS)
_DATABASES: Final = " and ".join(filter(None, [", ".join(spec.database for spec in _GIVEN[:-1]), _GIVEN[-1].database]))
_MARIADB: Final = "that database is not supported: MariaDB's log has events of its own, which are not read here"
_INSTEAD_OF_MARIADB: Final = (
    "Leave this connector on Debezium; where the data is in MySQL, or moves there, write MySQL's connector class"
)
# Class names that people bring from elsewhere. The reason is more useful than "unknown connector.class". The first
# match wins, so general patterns (all of io.debezium, all sinks) follow the specific ones.
_NONE_OF_OURS: Final = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (
            r"(?i)(?:io\.debezium\.connector\.mariadb\.)?MariaDb(?:Connector)?|MariaDbCdcSource(?:V\d)?",
            f"{_MARIADB}; there are {_DATABASES}. {_INSTEAD_OF_MARIADB}",
        ),
        (
            r"""(?ix) (?:io\.debezium\.connector\.\w+\.)?
            (?:Oracle|As400Rpc|Postgres|MongoDb|Vitess|Spanner|Cassandra|Informix|CockroachDB) (?:Connector)?""",
            f"that database is not supported yet; there are {_DATABASES}",
        ),
        (
            r"""(?x) (?:Postgres|Oracle|OracleXStream|MongoDbAtlas|DynamoDb) (?:Cdc)? Source (?:V\d)?
            | io\.confluent\.connect\.oracle\..+ | com\.mongodb\.kafka\.connect\.MongoSourceConnector
            | io\.debezium\.connector\..+""",
            f"that connector is not supported yet; there are those of {_DATABASES}",
        ),
        (
            r".*Sink(?:Connector)?(?:V\d)?",
            "that is a sink connector: it reads topics; tailrace reads databases, and --to says where it delivers",
        ),
        (
            r".*\bJdbcSourceConnector|(?:MySql|MicrosoftSqlServer|Postgres|Oracle)Source",
            "that connector asks tables with queries and reads no log; take Debezium's of the database",
        ),
        (
            r"org\.apache\.kafka\.connect\.(?:mirror|file|tools)\..+|FileStreamSource.*|Datagen.*|.*\.DatagenConnector",
            "that connector reads no database",
        ),
    )
)


def _other_names(specs: Iterable[Spec]) -> Iterator[tuple[str, str]]:
    for spec in specs:
        yield from ((name, spec.connector_class) for name in (spec.name, *spec.other_names))
    for spec in specs:
        yield from ((each.name, spec.connector_class) for each in spec.cloud)


def _names_in_words(specs: Sequence[Spec]) -> str:
    first, *more = (f"`{spec.connector_class}`, or `{spec.name}`" for spec in specs)
    return "; ".join((f"{first} for short", *more))


CONNECTOR_CLASS: Final = Property(
    name=connect.CONNECTOR_CLASS.name,
    kind=Kind.CLASS,
    required=True,
    allowed=tuple(spec.connector_class for spec in _GIVEN),
    other_spellings=dict(_other_names(_GIVEN)),
    recognised=_NONE_OF_OURS,
    doc=f"Which connector this is: {_names_in_words(_GIVEN)}.",
)
"""`connector.class`: selects the connector that a configuration is for."""


def _among_all(tables: PropertyTables) -> PropertyTables:
    return tables.among(lambda: (spec.tables for spec in _GIVEN), CONNECTOR_CLASS)


SPECS: Final[Mapping[str, Spec]] = {spec.connector_class: evolve(spec, among=_among_all) for spec in _GIVEN}
"""The connectors, by `connector.class`."""


def cloud_classes(spec: Spec) -> tuple[CloudClass, ...]:
    """A connector's classes at Confluent Cloud."""
    has_shape_1_4 = SHAPE_1_4 in spec.tables.by_name["tailrace.event.shape"].allowed
    return tuple(CloudClass(each.name, each.is_first, has_shape_1_4) for each in spec.cloud)


@cache
def names_of_others(name: str) -> frozenset[str]:
    """The names and aliases of the properties of all other connectors, whose properties it imports."""
    others = (other.tables for other in _GIVEN if other.name != name)
    return frozenset(each for tables in others for each in (*tables.by_name, *tables.aliases))
