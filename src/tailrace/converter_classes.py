"""The Java classes of converters that more than one place has to know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tailrace.schema.connect import Type

_CONNECT: Final = "org.apache.kafka.connect."
JSON: Final = f"{_CONNECT}json.JsonConverter"
SIMPLE_HEADERS: Final = f"{_CONNECT}storage.SimpleHeaderConverter"
STRING: Final = f"{_CONNECT}storage.StringConverter"
UTF_8: Final = "utf-8"
"""Python's name of the character set that texts have by default."""
BYTE_ARRAY: Final = f"{_CONNECT}converters.ByteArrayConverter"
NUMBERS: Final[Mapping[str, Type]] = {
    f"{_CONNECT}converters.{name}Converter": type_
    for name, type_ in (
        ("Short", Type.INT16),
        ("Integer", Type.INT32),
        ("Long", Type.INT64),
        ("Float", Type.FLOAT32),
        ("Double", Type.FLOAT64),
        ("Boolean", Type.BOOLEAN),
    )
}
"""Kafka's converters of numbers and booleans, and the type that each takes."""
BINARY_DATA: Final = "io.debezium.converters.BinaryDataConverter"
OLD_BINARY_DATA: Final = "io.debezium.converters.ByteArrayConverter"
"""Its name up to Debezium 2; the class is still there."""
CLOUD_EVENTS: Final = "io.debezium.converters.CloudEventsConverter"
EXT_JSON: Final = "io.apicurio.registry.utils.converter.ExtJsonConverter"
CONFLUENT_AVRO: Final = "io.confluent.connect.avro.AvroConverter"
CONFLUENT_PROTOBUF: Final = "io.confluent.connect.protobuf.ProtobufConverter"
CONFLUENT_JSON_SCHEMA: Final = "io.confluent.connect.json.JsonSchemaConverter"
APICURIO_AVRO: Final = "io.apicurio.registry.utils.converter.AvroConverter"
OF_HEADERS: Final = (STRING, BYTE_ARRAY, *NUMBERS, BINARY_DATA, OLD_BINARY_DATA)
"""Those with properties of their own that write headers, too."""
WITH_OWN_PROPERTIES: Final = (
    *OF_HEADERS,
    CONFLUENT_AVRO,
    CONFLUENT_PROTOBUF,
    CONFLUENT_JSON_SCHEMA,
    APICURIO_AVRO,
    CLOUD_EVENTS,
    EXT_JSON,
)
"""Those that `encoding/converters.py` has."""
