"""The converters that have properties of their own, by the names of their Java classes.

Each has a folder beside this file. A folder is imported only where a configuration names its converter: what reads the
settings without what encodes, as that is compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

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
from tailrace.object_paths import load_object

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
class Parts:
    """What reads and writes a converter's keys and values, by names of objects, so that it is imported only with the converter.

    Attributes:
        settings: as `Reading.settings`; `tables_of` is in the same module.
        messages: as `Making.messages`.
        schema_ids: as `Making.schema_ids`.

    """

    settings: str
    messages: str
    schema_ids: str

    def reading(self) -> Reading:
        """What reads the properties; imported now."""
        module = self.settings.partition(":")[0]
        return Reading(load_object(f"{module}:tables_of"), load_object(self.settings))

    def making(self) -> Making:
        """What encodes; imported now, compiled code with it."""
        return Making(load_object(self.messages), load_object(self.schema_ids))


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnConverter:
    """A converter with properties of its own.

    Attributes:
        title: of its section in the reference.
        writes: what it writes, for the reference.
        compared: what was run beside it in tests (`tests/formats`), for the reference.
        parts: what reads its properties and what encodes.
        for_headers: whether it writes headers, too.
        takes_structs: whether it can write keys and envelopes as they are, with these settings; else transforms have to make
            something else of them.
        writes_json: whether it writes JSON with these settings, which goes into lines.
        reads_headers: whether it reads headers with these settings, which must be JSON with schemas then.

    """

    title: str
    writes: str
    compared: str
    parts: Parts
    for_headers: bool = False
    takes_structs: Callable[[ConverterSettings], bool] = _always
    writes_json: Callable[[ConverterSettings], bool] = _never
    reads_headers: Callable[[ConverterSettings], bool] = _never

    def reading(self) -> Reading:
        """What reads its properties."""
        return self.parts.reading()

    def making(self) -> Making:
        """What encodes."""
        return self.parts.making()


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
    f"{_E}registered_settings:schema_ids_of",
)
_JSON_SCHEMA: Final = Parts(
    f"{_E}json_schema.settings:json_schema_settings",
    f"{_E}json_schema.encoder:json_schema_messages",
    f"{_E}registered_settings:schema_ids_of",
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
    return OwnConverter(title=title, writes=writes, compared=_KAFKA, parts=_PLAIN, for_headers=True, takes_structs=_never)


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
        writes_json=_always,
    ),
}
"""The table of converters that have properties of their own."""
