"""The settings of Debezium's CloudEventsConverter, from its properties."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from tailrace.config.problems import Problems
from tailrace.config.property import PropertyTables
from tailrace.converter_classes import APICURIO_AVRO, CONFLUENT_AVRO, JSON
from tailrace.encoding.cloud_events.metadata import MetadataSource, metadata_source
from tailrace.encoding.cloud_events.properties import AVRO, TABLES
from tailrace.encoding.converter_properties import ConverterProperties, read_properties
from tailrace.encoding.json_format import JsonFormat
from tailrace.encoding.nested import Nested, nested_settings, within
from tailrace.errors import ConfigError

DATA: Final = "data"
_URL_OF_APICURIO: Final = "apicurio.registry.url"
_URL_OF_CONFLUENT: Final = "schema.registry.url"
_USER: Final = re.compile("(?<=://)[^/?#]*@")


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudEventSettings:
    """The settings of a converter; they can be pickled.

    Attributes:
        part: `key`, `value` or `header`.
        json: how events are written in JSON; None: they are Avro.
        avro: the converter of events or data in Avro; None: there is none.
        avro_data: whether data are Avro.
        registry: the URLs of the registry without user and password, which `dataschema` begins with.
        extensions: whether events have the attributes `iodebezium…`.
        tracing: whether they have `traceparent`.
        adjustment: how the name of the event's schema is adjusted.
        schema_name: of the event's schema; None: it is made of the source block.
        metadata: what is taken from headers.

    """

    part: str
    json: JsonFormat | None
    avro: Nested | None
    avro_data: bool
    registry: str
    extensions: bool
    tracing: bool
    adjustment: str
    schema_name: str | None
    metadata: MetadataSource


def tables_of(_name: str) -> PropertyTables:
    """The properties of the converter."""
    return TABLES


def cloud_event_settings(
    _converter: str, part: str, properties: Mapping[str, str], problems: Problems
) -> CloudEventSettings:
    """The settings of the converter. Raises `ConfigError`; what is wrong is among `problems`, too."""
    before = len(problems.wrong), len(problems.not_yet)
    prefix = f"{part}.converter."
    read = read_properties(TABLES, prefix, properties, problems)
    avro_event, avro_data = read.text("serializer.type") == AVRO, read.text("data.serializer.type") == AVRO
    if avro_event and not avro_data:
        problems.add(f"{prefix}serializer.type=avro takes data in Avro only: set {prefix}data.serializer.type=avro")
    json = nested_settings(JSON, part, "json.", within("json.", properties), problems)
    avro = _avro(part, within("avro.", properties), problems) if avro_event or avro_data else None
    metadata = _metadata(read, problems)
    if part == "key":
        problems.warn(f"{prefix[:-1]} is CloudEventsConverter: it makes null of keys, as in Debezium; events are values")
    if (len(problems.wrong), len(problems.not_yet)) != before or json is None:
        raise ConfigError(f"{prefix[:-1]} can't be made")  # what is wrong is among the problems
    format_: JsonFormat = json.settings
    message_field = DATA if format_.schemas and not avro_data else None
    return CloudEventSettings(
        part=part,
        json=None if avro_event else replace(format_, schemas=False, message_field=message_field),
        avro=avro,
        avro_data=avro_data,
        registry=_registry(within("avro.", properties)),
        extensions=read.flag("extension.attributes.enable"),
        tracing=read.flag("opentelemetry.tracing.attributes.enable"),
        adjustment=read.text("schema.name.adjustment.mode"),
        schema_name=read.text("schema.cloudevents.name") or None,
        metadata=metadata,
    )


def _avro(part: str, properties: Mapping[str, str], problems: Problems) -> Nested | None:
    urls = (_URL_OF_APICURIO, _URL_OF_CONFLUENT)
    if not any(name in properties for name in urls):
        names = " or ".join(f"{part}.converter.avro.{name}" for name in urls)
        problems.add(f"{names} is missing: Avro needs a schema registry")
        return None
    converter = APICURIO_AVRO if _URL_OF_APICURIO in properties else CONFLUENT_AVRO
    return nested_settings(converter, "value", "avro.", properties, problems)


def _registry(properties: Mapping[str, str]) -> str:
    """The URLs as events have them: without user and password, which are nothing for readers of a topic."""
    given = properties.get(_URL_OF_APICURIO) or properties.get(_URL_OF_CONFLUENT) or ""
    return ",".join(_USER.sub("", url.strip()) for url in given.split(","))


def _metadata(read: ConverterProperties, problems: Problems) -> MetadataSource:
    try:
        return metadata_source(
            read.items("metadata.source"),
            tracing=read.flag("opentelemetry.tracing.attributes.enable"),
            named_by_header=read.flag("schema.data.name.source.header.enable"),
        )
    except ValueError as error:
        problems.add(f"{read.prefix}metadata.source: {error}")
        return MetadataSource()
