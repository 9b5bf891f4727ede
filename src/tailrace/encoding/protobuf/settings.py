"""The settings of Confluent's ProtobufConverter, from its properties."""

from __future__ import annotations

from collections.abc import Mapping

from tailrace.config.problems import Problems
from tailrace.config.property import PropertyTables
from tailrace.encoding.converter_properties import ConverterProperties
from tailrace.encoding.protobuf.options import ProtobufOptions
from tailrace.encoding.protobuf.properties import TABLES
from tailrace.encoding.registered.settings import RegisteredSettings, registered_settings, settings_of_properties

ProtobufSettings = RegisteredSettings[ProtobufOptions]


def tables_of(name: str) -> PropertyTables:  # noqa: ARG001 -- other folders have several classes
    """The properties of the converter."""
    return TABLES


def protobuf_settings(
    converter: str,  # noqa: ARG001 -- as above
    part: str,
    properties: Mapping[str, str],
    problems: Problems | None = None,
) -> ProtobufSettings:
    """The settings of the converter for `part`; the other arguments and errors are those of `settings_of_properties`."""
    return settings_of_properties(TABLES, _settings, part, properties, problems)


def _settings(part: str, read: ConverterProperties, problems: Problems) -> ProtobufSettings:
    options = ProtobufOptions(
        optional_fields=read.flag("optional.for.nullables"),
        wrappers=read.flag("wrapper.for.nullables"),
        scrub=read.flag("scrub.invalid.names"),
        keep_nulls=read.flag("ignore.default.for.nullables"),
    )
    return registered_settings(part, read, problems, options)
