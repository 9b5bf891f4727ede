"""The converters that have properties of their own, by the names of their Java classes.

Each has a folder beside this file. A folder is imported only where a configuration names its converter: what reads the
settings without what encodes, as that is compiled code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tailrace.converter_classes import (
    APICURIO_AVRO,
    BINARY_DATA,
    BYTE_ARRAY,
    CLOUD_EVENTS,
    CONFLUENT_AVRO,
    CONFLUENT_JSON_SCHEMA,
    CONFLUENT_PROTOBUF,
    EXT_JSON,
    NUMBERS,
    OLD_BINARY_DATA,
    STRING,
)
from tailrace.encoding.own_converter import OwnConverter, Parts, always, never

_E: Final = "tailrace.encoding."
_AVRO: Final = Parts(
    f"{_E}avro.settings:avro_converter_settings", f"{_E}avro.encoder:avro_encoder_for", f"{_E}avro.encoder:schema_ids_for"
)
_PLAIN: Final = Parts(
    f"{_E}plain.settings:plain_settings", f"{_E}plain.encoder:plain_messages", f"{_E}plain.encoder:no_schema_ids"
)
_CLOUD_EVENTS: Final = Parts(
    f"{_E}cloud_events.settings:cloud_event_settings",
    f"{_E}cloud_events.encoder:cloud_event_messages",
    f"{_E}cloud_events.encoder:cloud_event_schema_ids",
)
_PROTOBUF: Final = Parts(
    f"{_E}protobuf.settings:protobuf_settings",
    f"{_E}protobuf.encoder:protobuf_messages",
    f"{_E}registered.settings:schema_ids_of",
)
_JSON_SCHEMA: Final = Parts(
    f"{_E}json_schema.settings:json_schema_settings",
    f"{_E}json_schema.encoder:json_schema_messages",
    f"{_E}registered.settings:schema_ids_of",
)
_EXT_JSON: Final = Parts(
    f"{_E}ext_json.settings:ext_json_settings",
    f"{_E}ext_json.encoder:ext_json_messages",
    f"{_E}ext_json.encoder:ext_json_schema_ids",
)
_BINARY_DATA: Final = Parts(
    f"{_E}binary_data.settings:binary_data_settings",
    f"{_E}binary_data.encoder:binary_data_messages",
    f"{_E}binary_data.encoder:binary_data_schema_ids",
)
_KAFKA: Final = "Kafka Connect's class, 4.3.1"
_DEBEZIUM: Final = "Debezium's class, 3.6.1.Final"
_CONFLUENT: Final = "Confluent's class, 7.0.16, and a real registry with its API (Apicurio's)"
_APICURIO: Final = "Apicurio's class, 3.2.4, and the real registry"


def _plain(title: str, writes: str) -> OwnConverter:
    return OwnConverter(title=title, writes=writes, compared=_KAFKA, parts=_PLAIN, for_headers=True, takes_structs=never)


def _binary_data(title: str) -> OwnConverter:
    return OwnConverter(
        title=title,
        writes="bytes as they are, such as the payload of an outbox; everything else by another converter",
        compared=_DEBEZIUM,
        parts=_BINARY_DATA,
        for_headers=True,
        takes_structs=lambda settings: settings.delegate is not None,
    )


CONVERTERS: Final[Mapping[str, OwnConverter]] = {
    STRING: OwnConverter(
        title="Text",
        writes="what Java's `toString` makes of a key or value: a text as it is, `Struct{id=1}`",
        compared=_KAFKA,
        parts=_PLAIN,
        for_headers=True,
    ),
    BYTE_ARRAY: _plain("Bytes", "bytes as they are, such as the payload of an outbox; everything else fails"),
    **{
        name: _plain(f"Numbers: {type_}", f"a key or value that is {type_}, in binary form; everything else fails")
        for name, type_ in NUMBERS.items()
    },
    CONFLUENT_AVRO: OwnConverter(
        title="Avro with Confluent's API",
        writes="Avro, with schemas in a registry that has Confluent's API",
        compared=_CONFLUENT,
        parts=_AVRO,
    ),
    APICURIO_AVRO: OwnConverter(
        title="Avro with Apicurio's API",
        writes="Avro, with schemas in Apicurio Registry by its own API",
        compared=_APICURIO,
        parts=_AVRO,
    ),
    CONFLUENT_PROTOBUF: OwnConverter(
        title="Protobuf",
        writes="Protobuf, with schemas in a registry that has Confluent's API",
        compared=_CONFLUENT,
        parts=_PROTOBUF,
    ),
    CONFLUENT_JSON_SCHEMA: OwnConverter(
        title="JSON Schema",
        writes="JSON, with schemas in a registry that has Confluent's API",
        compared="not the class, which could not be had: its sources, and the library that it writes schemas with",
        parts=_JSON_SCHEMA,
    ),
    CLOUD_EVENTS: OwnConverter(
        title="CloudEvents",
        writes="change events in the envelope of CloudEvents, in JSON or Avro; null for everything else",
        compared=_DEBEZIUM,
        parts=_CLOUD_EVENTS,
        writes_json=lambda settings: settings.json is not None,
        reads_headers=lambda settings: settings.metadata.any,
    ),
    BINARY_DATA: _binary_data("Bytes, with a delegate"),
    OLD_BINARY_DATA: _binary_data("Bytes, with a delegate: the old name"),
    EXT_JSON: OwnConverter(
        title="JSON with Apicurio's API",
        writes="JSON with the id of its schema, which is in Apicurio Registry",
        compared=_APICURIO,
        parts=_EXT_JSON,
        writes_json=always,
    ),
}
"""The table of converters that have properties of their own."""
