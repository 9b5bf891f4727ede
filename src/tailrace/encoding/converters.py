"""The converters that have properties of their own, by the names of their Java classes.

Each has a folder beside this file. A folder is imported only where a configuration names its converter: what reads the
settings without what encodes, as that is compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tailrace.encoding.class_names import (
    APICURIO_AVRO,
    BINARY_DATA,
    BYTE_ARRAY,
    CLOUD_EVENTS,
    CONFLUENT_AVRO,
    EXT_JSON,
    NUMBERS,
    OLD_BINARY_DATA,
    STRING,
)

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


def _always(_settings: ConverterSettings) -> bool:
    return True


def _never(_settings: ConverterSettings) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class OwnConverter:
    """A converter with properties of its own.

    Attributes:
        title: of its section in the reference.
        writes: what it writes, for the reference.
        reading: imports what reads its properties.
        making: imports what encodes.
        for_headers: whether it writes headers, too.
        takes_structs: whether it can write keys and envelopes as they are, with these settings; else transforms have to make
            something else of them.
        writes_json: whether it writes JSON with these settings, which goes into lines.
        reads_headers: whether it reads headers with these settings, which must be JSON with schemas then.

    """

    title: str
    writes: str
    reading: Callable[[], Reading]
    making: Callable[[], Making]
    for_headers: bool = False
    takes_structs: Callable[[ConverterSettings], bool] = _always
    writes_json: Callable[[ConverterSettings], bool] = _never
    reads_headers: Callable[[ConverterSettings], bool] = _never


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


def _reading_plain() -> Reading:
    from tailrace.encoding.plain.settings import plain_settings, tables_of

    return Reading(tables_of, plain_settings)


def _making_plain() -> Making:
    from tailrace.encoding.plain.encoder import no_schema_ids, plain_messages

    return Making(plain_messages, no_schema_ids)


def _reading_cloud_events() -> Reading:
    from tailrace.encoding.cloud_events.settings import cloud_event_settings, tables_of

    return Reading(tables_of, cloud_event_settings)


def _making_cloud_events() -> Making:
    from tailrace.encoding.cloud_events.encoder import cloud_event_messages, cloud_event_schema_ids

    return Making(cloud_event_messages, cloud_event_schema_ids)


def _reading_ext_json() -> Reading:
    from tailrace.encoding.ext_json.settings import ext_json_settings, tables_of

    return Reading(tables_of, ext_json_settings)


def _making_ext_json() -> Making:
    from tailrace.encoding.ext_json.encoder import ext_json_messages, ext_json_schema_ids

    return Making(ext_json_messages, ext_json_schema_ids)


def _reading_binary_data() -> Reading:
    from tailrace.encoding.binary_data.settings import binary_data_settings, tables_of

    return Reading(tables_of, binary_data_settings)


def _making_binary_data() -> Making:
    from tailrace.encoding.binary_data.encoder import binary_data_messages, binary_data_schema_ids

    return Making(binary_data_messages, binary_data_schema_ids)


def _binary_data(title: str) -> OwnConverter:
    return OwnConverter(
        title,
        "bytes as they are, such as the payload of an outbox; everything else by another converter",
        _reading_binary_data,
        _making_binary_data,
        for_headers=True,
        takes_structs=lambda settings: settings.delegate is not None,
    )


def _plain(title: str, writes: str) -> OwnConverter:
    return OwnConverter(title, writes, _reading_plain, _making_plain, for_headers=True, takes_structs=_never)


CONVERTERS: Final[Mapping[str, OwnConverter]] = {
    STRING: OwnConverter(
        "Text",
        "what Java's `toString` makes of a key or value: a text as it is, `Struct{id=1}`",
        _reading_plain,
        _making_plain,
        for_headers=True,
    ),
    BYTE_ARRAY: _plain("Bytes", "bytes as they are, such as the payload of an outbox; everything else fails"),
    **{
        name: _plain(f"Numbers: {type_}", f"a key or value that is {type_}, in binary form; everything else fails")
        for name, type_ in NUMBERS.items()
    },
    CONFLUENT_AVRO: OwnConverter(
        "Avro with Confluent's API",
        "Avro, with schemas in a registry that has Confluent's API",
        _reading_avro,
        _making_avro,
    ),
    APICURIO_AVRO: OwnConverter(
        "Avro with Apicurio's API",
        "Avro, with schemas in Apicurio Registry by its own API",
        _reading_avro,
        _making_avro,
    ),
    CLOUD_EVENTS: OwnConverter(
        "CloudEvents",
        "change events in the envelope of CloudEvents, in JSON or Avro; null for everything else",
        _reading_cloud_events,
        _making_cloud_events,
        writes_json=lambda settings: settings.json is not None,
        reads_headers=lambda settings: settings.metadata.any,
    ),
    BINARY_DATA: _binary_data("Bytes, with a delegate"),
    OLD_BINARY_DATA: _binary_data("Bytes, with a delegate: the old name"),
    EXT_JSON: OwnConverter(
        "JSON with Apicurio's API",
        "JSON with the id of its schema, which is in Apicurio Registry",
        _reading_ext_json,
        _making_ext_json,
        writes_json=_always,
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
"""The table of converters that have properties of their own."""

OF_HEADERS: Final = tuple(name for name, own in CONVERTERS.items() if own.for_headers)
"""Those that write headers, too."""
