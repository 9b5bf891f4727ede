"""The converters that have properties of their own, by the names of their Java classes.

Each has a folder beside this file. A folder is imported only where a configuration names its converter: what reads the
settings without what encodes, as that is compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tailrace.config.problems import Problems
    from tailrace.config.property import PropertyTables
    from tailrace.encoding.message_encoder import Messages
    from tailrace.registry.schemas import SchemaIds

ConverterSettings = Any
"""The settings of a converter: a type of the converter's own, which can be pickled and whose `repr` shows no secret."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What reads a converter's properties.

    Attributes:
        tables: the properties that it has, by the name of its class.
        settings: the settings of a class (first argument) for `key` or `value` from its properties, by names without
            `key.converter.`; problems are added to the last argument, and `ConfigError` or `UnsupportedError` is raised.

    """

    tables: Callable[[str], PropertyTables]
    settings: Callable[[str, str, Mapping[str, str], Problems], ConverterSettings]


@dataclass(frozen=True, slots=True)
class Making:
    """What makes a converter's parts from its settings.

    Attributes:
        messages: what renders keys or values.
        schema_ids: the client of its schema registry; None: the settings ask for none.

    """

    messages: Callable[[ConverterSettings], Messages]
    schema_ids: Callable[[ConverterSettings], SchemaIds | None]


@dataclass(frozen=True, slots=True)
class OwnConverter:
    """A converter with properties of its own.

    Attributes:
        title: of its section in the reference.
        writes: what it writes, for the reference.
        reading: imports what reads its properties.
        making: imports what encodes.

    """

    title: str
    writes: str
    reading: Callable[[], Reading]
    making: Callable[[], Making]


def _reading_avro() -> Reading:
    from tailrace.encoding.avro.settings import avro_converter_settings, tables_of

    return Reading(tables_of, avro_converter_settings)


def _making_avro() -> Making:
    from tailrace.encoding.avro.encoder import avro_encoder_for, schema_ids_for

    return Making(avro_encoder_for, schema_ids_for)


def _reading_protobuf() -> Reading:
    from tailrace.encoding.protobuf.settings import protobuf_settings, tables_of

    return Reading(tables_of, protobuf_settings)


def _making_protobuf() -> Making:
    from tailrace.encoding.protobuf.encoder import protobuf_messages
    from tailrace.encoding.registered_settings import schema_ids_of

    return Making(protobuf_messages, schema_ids_of)


def _reading_json_schema() -> Reading:
    from tailrace.encoding.json_schema.settings import json_schema_settings, tables_of

    return Reading(tables_of, json_schema_settings)


def _making_json_schema() -> Making:
    from tailrace.encoding.json_schema.encoder import json_schema_messages
    from tailrace.encoding.registered_settings import schema_ids_of

    return Making(json_schema_messages, schema_ids_of)


CONVERTERS: Final[Mapping[str, OwnConverter]] = {
    "io.confluent.connect.avro.AvroConverter": OwnConverter(
        "Avro with Confluent's API",
        "Avro, with schemas in a registry that has Confluent's API",
        _reading_avro,
        _making_avro,
    ),
    "io.apicurio.registry.utils.converter.AvroConverter": OwnConverter(
        "Avro with Apicurio's API",
        "Avro, with schemas in Apicurio Registry by its own API",
        _reading_avro,
        _making_avro,
    ),
    "io.confluent.connect.protobuf.ProtobufConverter": OwnConverter(
        "Protobuf",
        "Protobuf, with schemas in a registry that has Confluent's API",
        _reading_protobuf,
        _making_protobuf,
    ),
    "io.confluent.connect.json.JsonSchemaConverter": OwnConverter(
        "JSON Schema",
        "JSON, with schemas in a registry that has Confluent's API",
        _reading_json_schema,
        _making_json_schema,
    ),
}
