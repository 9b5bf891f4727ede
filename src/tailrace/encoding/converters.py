"""The converters that have properties of their own, by the names of their Java classes.

Each has a folder beside this file. A folder is imported only where a configuration names its converter: what reads the
settings without what encodes, as that is compiled code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tailrace.encoding import converter_parts as parts
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
from tailrace.encoding.own_converter import OwnConverter, always, never


def _binary_data(title: str) -> OwnConverter:
    return OwnConverter(
        title,
        "bytes as they are, such as the payload of an outbox; everything else by another converter",
        parts.reading_binary_data,
        parts.making_binary_data,
        for_headers=True,
        takes_structs=lambda settings: settings.delegate is not None,
    )


def _plain(title: str, writes: str) -> OwnConverter:
    return OwnConverter(title, writes, parts.reading_plain, parts.making_plain, for_headers=True, takes_structs=never)


CONVERTERS: Final[Mapping[str, OwnConverter]] = {
    STRING: OwnConverter(
        "Text",
        "what Java's `toString` makes of a key or value: a text as it is, `Struct{id=1}`",
        parts.reading_plain,
        parts.making_plain,
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
        parts.reading_avro,
        parts.making_avro,
    ),
    APICURIO_AVRO: OwnConverter(
        "Avro with Apicurio's API",
        "Avro, with schemas in Apicurio Registry by its own API",
        parts.reading_avro,
        parts.making_avro,
    ),
    CLOUD_EVENTS: OwnConverter(
        "CloudEvents",
        "change events in the envelope of CloudEvents, in JSON or Avro; null for everything else",
        parts.reading_cloud_events,
        parts.making_cloud_events,
        writes_json=lambda settings: settings.json is not None,
        reads_headers=lambda settings: settings.metadata.any,
    ),
    BINARY_DATA: _binary_data("Bytes, with a delegate"),
    OLD_BINARY_DATA: _binary_data("Bytes, with a delegate: the old name"),
    EXT_JSON: OwnConverter(
        "JSON with Apicurio's API",
        "JSON with the id of its schema, which is in Apicurio Registry",
        parts.reading_ext_json,
        parts.making_ext_json,
        writes_json=always,
    ),
    "io.confluent.connect.protobuf.ProtobufConverter": OwnConverter(
        "Protobuf",
        "Protobuf, with schemas in a registry that has Confluent's API",
        parts.reading_protobuf,
        parts.making_protobuf,
    ),
    "io.confluent.connect.json.JsonSchemaConverter": OwnConverter(
        "JSON Schema",
        "JSON, with schemas in a registry that has Confluent's API",
        parts.reading_json_schema,
        parts.making_json_schema,
    ),
}
"""The table of converters that have properties of their own."""

OF_HEADERS: Final = tuple(name for name, own in CONVERTERS.items() if own.for_headers)
"""Those that write headers, too."""
