"""The properties and settings of Apicurio's ExtJsonConverter: those of its Avro converter, and of Kafka's JsonConverter.

Source: Apicurio Registry's documentation of its converters (3.x); comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from attrs import evolve

from tailrace.config.problems import Problems
from tailrace.config.properties.json_converter import NUMERIC, json_properties
from tailrace.config.property import Property, PropertyTables, Status
from tailrace.encoding.avro.settings import apicurio_ids, warn_of_version
from tailrace.encoding.converter_properties import read_properties
from tailrace.encoding.json_format import JsonFormat
from tailrace.encoding.registered import apicurio_properties as apicurio
from tailrace.encoding.registered.logins import apicurio_connection
from tailrace.errors import ConfigError
from tailrace.registry.apicurio import ApicurioIds
from tailrace.registry.connection import RegistryConnection

P: Final = apicurio.P
_FIXED: Final = {
    f"{P}use-id": "it is always the content id",
    f"{P}id-handler": "the id is a number in the JSON",
    f"{P}headers.enabled": "the id stands in the JSON",
    f"{P}dereference-schema": "schemas are always registered whole",
    "schemas.enable": "the schema is always in the registry",
}
_OF_AVRO: Final = ("schemas.cache.config", f"{P}avro", f"{P}use-specific-avro-reader")


def _ignored(prop: Property) -> Property:
    return evolve(prop, status=Status.IGNORED, reason=_FIXED[prop.name]) if prop.name in _FIXED else prop


_JSON: Final = tuple(map(_ignored, json_properties("message")))
_IN_JSON: Final = {each.name for each in _JSON}
_REGISTRY: Final = tuple(
    _ignored(each) for each in apicurio.REGISTRY if not each.name.startswith(_OF_AVRO) and each.name not in _IN_JSON
)
TABLES: Final = PropertyTables(
    (
        ("Registry and ids", _REGISTRY, apicurio.FAMILIES),
        ("JSON", _JSON, ()),
        ("Login", apicurio.LOGIN, ()),
        ("TLS", apicurio.STORES, ()),
        ("Requests", apicurio.HTTP, ()),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtJsonSettings:
    """The settings of a converter; they can be pickled, and their `repr` shows no secret.

    Attributes:
        part: `key` or `value`.
        connection: to the registry.
        ids: how ids of schemas are got.
        format: of payloads and schemas.

    """

    part: str
    connection: RegistryConnection
    ids: ApicurioIds
    format: JsonFormat


def tables_of(_name: str) -> PropertyTables:
    """The properties of the converter."""
    return TABLES


def ext_json_settings(
    _converter: str, part: str, properties: Mapping[str, str], problems: Problems
) -> ExtJsonSettings:
    """The settings of the converter. Raises `ConfigError`; what is wrong is among `problems`, too."""
    before = len(problems.wrong), len(problems.not_yet)
    read = read_properties(TABLES, f"{part}.converter.", properties, problems)
    if (len(problems.wrong), len(problems.not_yet)) != before:
        raise ConfigError(f"{part}.converter can't be made")  # what is wrong is among the problems
    warn_of_version(read, problems)
    try:
        connection = apicurio_connection(read)
    except ConfigError as error:
        problems.add(str(error))
        raise
    format_ = JsonFormat(
        defaults=read.flag("replace.null.with.default"), numeric=read.text("decimal.format") == NUMERIC
    )
    return ExtJsonSettings(part=part, connection=connection, ids=apicurio_ids(part, read), format=format_)
