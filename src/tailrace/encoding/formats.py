"""The formats that a configuration asks for: which converter writes keys, values and headers."""

from __future__ import annotations

from tailrace.config.properties.connect import JSON, STRING
from tailrace.config.settings import Settings
from tailrace.encoding.json import JsonFormat, JsonMessages
from tailrace.encoding.message_encoder import MessageEncoder, Messages


def encoder_of(settings: Settings) -> MessageEncoder:
    """The encoder of a configuration's converters."""
    return MessageEncoder(
        _messages(settings.key_converter, key_format(settings)),
        _messages(settings.value_converter, value_format(settings)),
        JsonMessages(header_format(settings)),
    )


def key_format(settings: Settings) -> JsonFormat:
    """How keys are written, where it is as JSON."""
    return JsonFormat(settings.key_converter_schemas_enable, settings.key_converter_replace_null_with_default)


def value_format(settings: Settings) -> JsonFormat:
    """How values are written, where it is as JSON."""
    return JsonFormat(settings.value_converter_schemas_enable, settings.value_converter_replace_null_with_default)


def header_format(settings: Settings) -> JsonFormat:
    """How headers are written. Kafka's own default converter writes JSON, but for texts, which it leaves as they are."""
    return JsonFormat(
        settings.header_converter_schemas_enable, bare_texts=settings.header_converter != JSON
    )


def _messages(converter: str, format_: JsonFormat) -> Messages:
    if converter == STRING:
        from tailrace.encoding.strings import StringMessages  # polars, which few need here

        return StringMessages()
    return JsonMessages(format_)
