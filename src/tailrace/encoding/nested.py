"""Converters that stand inside others: Debezium's CloudEventsConverter and BinaryDataConverter have such.

Their properties stand behind a prefix of the outer one's: `value.converter.json.schemas.enable`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tailrace.config.problems import Problems
from tailrace.converter_classes import JSON
from tailrace.encoding.converter_properties import read_properties
from tailrace.encoding.converters import CONVERTERS
from tailrace.encoding.json_properties import TABLES, json_format_of
from tailrace.errors import ConfigError, UnsupportedError

if TYPE_CHECKING:
    from tailrace.encoding.message_encoder import Messages
    from tailrace.registry.schemas import SchemaIds

_IN_HEADERS: Final = "apicurio.registry.headers.enabled"
_ID_CLASS: Final = ("key.schema.id.serializer", "value.schema.id.serializer")


@dataclass(frozen=True, slots=True)
class Nested:
    """A converter inside another one: its class, and its settings (`JsonFormat` of JSON's)."""

    converter: str
    settings: Any


def known_inside(converter: str) -> bool:
    """Whether a class is one of the converters that can stand inside another one."""
    return converter == JSON or converter in CONVERTERS


def nested_settings(
    converter: str, part: str, inner: str, properties: Mapping[str, str], problems: Problems
) -> Nested | None:
    """The settings of a converter inside another one.

    Args:
        converter: its class, one of `known_inside`.
        part: `key`, `value` or `header`.
        inner: what stands before its properties, behind `key.converter.`; with a dot at its end.
        properties: by names without that.
        problems: where errors and warnings go; None is returned then.

    """
    prefix = f"{part}.converter.{inner}"
    if converter == JSON:
        return Nested(JSON, json_format_of(read_properties(TABLES, prefix, properties, problems)))
    given = {name: text for name, text in properties.items() if name != _IN_HEADERS}
    if len(given) < len(properties):
        problems.warn(f"{prefix}{_IN_HEADERS} has no effect: a converter inside another one has no headers for ids")
    for name in _ID_CLASS:
        if "Header" in given.get(name, ""):
            problems.add(f"{prefix}{name}={given[name]}: a converter inside another one has no headers for ids; leave it out")
    own = Problems(strict=problems.strict)
    try:
        settings = CONVERTERS[converter].reading().settings(converter, part, given, own)
    except (ConfigError, UnsupportedError):
        settings = None
    for mine, theirs in ((problems.wrong, own.wrong), (problems.not_yet, own.not_yet), (problems.warnings, own.warnings)):
        mine += [text.replace(f"{part}.converter.", prefix) for text in theirs]
    return None if settings is None else Nested(converter, settings)


def nested_messages(nested: Nested) -> Messages:
    """What renders with a converter."""
    if nested.converter == JSON:
        from tailrace.encoding.json import JsonMessages  # compiled code

        return JsonMessages(nested.settings)
    return CONVERTERS[nested.converter].making().messages(nested.settings)


def nested_schema_ids(nested: Nested | None) -> SchemaIds | None:
    """The client of its registry, if it has one."""
    if nested is None or nested.converter == JSON:
        return None
    return CONVERTERS[nested.converter].making().schema_ids(nested.settings)


def within(prefix: str, properties: Mapping[str, str]) -> dict[str, str]:
    """The properties that begin with `prefix`, without it."""
    return {name.removeprefix(prefix): text for name, text in properties.items() if name.startswith(prefix)}
