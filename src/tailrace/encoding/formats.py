"""The formats that a configuration asks for: which converter writes keys, values and headers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailrace.config.properties.json_converter import NUMERIC
from tailrace.config.settings import Settings
from tailrace.converter_classes import SIMPLE_HEADERS
from tailrace.encoding.converters import CONVERTERS
from tailrace.encoding.json import JsonMessages
from tailrace.encoding.json_format import JsonFormat
from tailrace.encoding.message_encoder import MessageEncoder, Messages
from tailrace.encoding.own_converter import ConverterSettings

if TYPE_CHECKING:
    from tailrace.registry.schemas import SchemaIds


def encoder_of(settings: Settings, *, all_json: bool = False) -> MessageEncoder:
    """The encoder of a configuration's converters; `all_json`: headers are JSON, too, for lines of JSON."""
    return MessageEncoder(
        _messages(settings.key_converter, key_format(settings), settings.key_format),
        _messages(settings.value_converter, value_format(settings), settings.value_format),
        _header_messages(settings, all_json=all_json),
    )


def registries_of(settings: Settings) -> list[SchemaIds]:
    """The clients of the schema registries that a configuration's converters ask."""
    pairs = (settings.key_converter, settings.key_format), (settings.value_converter, settings.value_format)
    made = (CONVERTERS[name].making().schema_ids(own) for name, own in pairs if own is not None)
    return [ids for ids in made if ids is not None]


def key_format(settings: Settings) -> JsonFormat:
    """How keys are written, where it is as JSON."""
    return JsonFormat(
        settings.key_converter_schemas_enable,
        settings.key_converter_replace_null_with_default,
        settings.key_converter_decimal_format == NUMERIC,
    )


def value_format(settings: Settings) -> JsonFormat:
    """How values are written, where it is as JSON."""
    return JsonFormat(
        settings.value_converter_schemas_enable,
        settings.value_converter_replace_null_with_default,
        settings.value_converter_decimal_format == NUMERIC,
    )


def header_format(settings: Settings) -> JsonFormat:
    """How headers are written, where it is as JSON; Kafka's own default converter writes no schemas."""
    return JsonFormat(
        settings.header_converter_schemas_enable,
        settings.header_converter_replace_null_with_default,
        settings.header_converter_decimal_format == NUMERIC,
    )


def _messages(converter: str, format_: JsonFormat, own: ConverterSettings | None) -> Messages:
    return JsonMessages(format_) if own is None else CONVERTERS[converter].making().messages(own)


def _header_messages(settings: Settings, *, all_json: bool) -> Messages:
    if settings.header_converter == SIMPLE_HEADERS and not all_json:
        from tailrace.encoding.simple_headers import SimpleHeaderMessages  # what only headers need

        return SimpleHeaderMessages()
    return _messages(settings.header_converter, header_format(settings), settings.header_format)
