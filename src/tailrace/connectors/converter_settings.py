"""Reads the properties of converters that are not JSON: `key.converter.<property>`, `value.converter.<property>`.

JSON's own few are properties of every connector (`config/properties/connect.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tailrace.config.entries import Entry
from tailrace.config.problems import Problems
from tailrace.config.properties.connect import JSON
from tailrace.config.property import Status
from tailrace.config.settings import Settings
from tailrace.config.values import Value
from tailrace.encoding.converters import CONVERTERS, ConverterSettings
from tailrace.errors import ConfigError, UnsupportedError

PARTS: Final = ("key", "value")
_OF_JSON: Final = ("schemas.enable", "decimal.format", "replace.null.with.default", "schemas.cache.size")


def read_converters(
    values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems
) -> dict[str, ConverterSettings | None]:
    """The settings of each part's converter, None where it is JSON or text; errors and warnings are added to `problems`."""
    return {part: _read(part, str(values[f"{part}.converter"]), entries, problems) for part in PARTS}


def _read(
    part: str, converter: str, entries: Mapping[str, Entry], problems: Problems
) -> ConverterSettings | None:
    prefix = f"{part}.converter."
    given = {name.removeprefix(prefix): entry for name, entry in entries.items() if name.startswith(prefix)}
    own = CONVERTERS.get(converter)
    if own is None:
        _report_others(converter, {name: each for name, each in given.items() if name not in _OF_JSON}, problems)
        return None
    if any(entry.broken for entry in given.values()):
        return None  # what is wrong with it was said
    reading = own.reading()
    its = {each.name for each in reading.tables(converter).properties if each.status is Status.WORKS}
    foreign = set(_OF_JSON) - its
    texts = {name: entry.text for name, entry in given.items() if name not in foreign}
    for name in sorted(set(given) & foreign):
        problems.warn(f"{given[name].shown_name} has no effect: it is a property of {JSON}")
    try:
        return reading.settings(converter, part, texts, problems)
    except (ConfigError, UnsupportedError):
        return None  # they are among the problems


def _report_others(converter: str, given: Mapping[str, Entry], problems: Problems) -> None:
    """Properties of other converters, which Kafka Connect ignores."""
    names = ", ".join(entry.shown_name for entry in given.values())
    if names:
        problems.warn(f"{names}: no effect, as {converter.rpartition('.')[2]} has no such property")


def require_text(settings: Settings, what: str, converters: Sequence[str]) -> None:
    """Refuse converters whose bytes can't go where records go.

    Args:
        settings: the configuration.
        what: where they go, for the message.
        converters: those that are possible there.

    Raises:
        ConfigError: another one is configured; the message names its property.

    """
    for name, converter in (("key", settings.key_converter), ("value", settings.value_converter)):
        if converter not in converters:
            raise ConfigError(
                f"{name}.converter is {converter}, which {what} does not take: deliver to Kafka, or set "
                f"{name}.converter={' or '.join(converters)}"
            )
