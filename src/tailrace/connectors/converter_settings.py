"""Reads the properties of converters that are not JSON: `key.converter.<property>`, `value.converter.<property>`.

JSON's own few are properties of every connector (`config/properties/connect.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tailrace.config.entries import Entry
from tailrace.config.problems import Problems
from tailrace.config.properties.json_converter import json_properties
from tailrace.config.property import Status
from tailrace.config.settings import Settings
from tailrace.config.values import Value
from tailrace.converter_classes import JSON, SIMPLE_HEADERS, STRING, UTF_8
from tailrace.encoding.converters import CONVERTERS
from tailrace.encoding.own_converter import ConverterSettings
from tailrace.errors import ConfigError, UnsupportedError

PARTS: Final = ("key", "value", "header")
_OF_JSON: Final = tuple(each.name for each in json_properties("value"))


def read_converters(
    values: Mapping[str, Value], entries: Mapping[str, Entry], problems: Problems, *, transformed: bool = False
) -> dict[str, ConverterSettings | None]:
    """The settings of each part's converter, None where it has none of its own.

    Args:
        values: of all properties.
        entries: what is set.
        problems: where errors and warnings go.
        transformed: whether there are transforms, which may make something else of keys and envelopes.

    """
    found: dict[str, ConverterSettings | None] = {}
    for part in PARTS:
        converter = str(values[f"{part}.converter"])
        found[part] = _read(part, converter, entries, problems)
        if part != "header" and not transformed:
            _require_structs(part, converter, found[part], problems)
    _require_schemas_in_headers(values, found, problems)
    return found


def _require_schemas_in_headers(
    values: Mapping[str, Value], found: Mapping[str, ConverterSettings | None], problems: Problems
) -> None:
    """Refuse converters that read headers which they can't read."""
    if values["header.converter"] == JSON and values["header.converter.schemas.enable"]:
        return
    for part, settings in found.items():
        converter = str(values[f"{part}.converter"])
        if settings is not None and CONVERTERS[converter].reads_headers(settings):
            problems.add(
                f"{part}.converter.metadata.source: {converter.rpartition('.')[2]} reads headers only where they are JSON "
                f"with schemas: set header.converter={JSON}, and leave its schemas.enable"
            )


def _require_structs(part: str, converter: str, settings: ConverterSettings | None, problems: Problems) -> None:
    """Refuse a converter that fails on every key, or on every envelope."""
    own = CONVERTERS.get(converter)
    if own is None or settings is None or own.takes_structs(settings):
        return
    what = "keys are structs" if part == "key" else "values are envelopes"
    problems.add(
        f"{part}.converter={converter}: {what}, and it fails on them, as in Kafka Connect; it goes with a transform that makes "
        "something else of them, such as EventRouter or ExtractField"
    )


def _read(
    part: str, converter: str, entries: Mapping[str, Entry], problems: Problems
) -> ConverterSettings | None:
    prefix = f"{part}.converter."
    given = {name.removeprefix(prefix): entry for name, entry in entries.items() if name.startswith(prefix)}
    own = CONVERTERS.get(converter)
    if own is None:
        _report_others(converter, {name: each for name, each in given.items() if name not in _OF_JSON}, problems)
        return None
    if any(entry.broken for entry in given.values()) or any(name.startswith(prefix) for name in problems.unknown):
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


def require_text(settings: Settings, what: str, *, json_only: bool) -> None:
    """Refuse converters whose bytes can't go where records go.

    Args:
        settings: the configuration.
        what: where they go, for the message.
        json_only: whether only JSON can; else any text.

    Raises:
        ConfigError: another one is configured; the message names its property.

    """
    pairs = (
        ("key", settings.key_converter, settings.key_format),
        ("value", settings.value_converter, settings.value_format),
    )
    for name, converter, own in pairs:
        if own is not None and not _is_text(converter, own, json_only=json_only):
            possible = JSON if json_only else f"{JSON} or {STRING}"
            raise ConfigError(
                f"{name}.converter is {converter}, which {what} does not take: deliver to Kafka, or set "
                f"{name}.converter={possible}"
            )


def _is_text(converter: str, own: ConverterSettings, *, json_only: bool) -> bool:
    return CONVERTERS[converter].writes_json(own) or (not json_only and converter == STRING and own.encoding == UTF_8)


def require_json_headers(settings: Settings, what: str) -> None:
    """Refuse converters of headers whose bytes can't stand in lines of JSON. Raises as `require_text`."""
    if settings.header_converter not in (SIMPLE_HEADERS, JSON):
        raise ConfigError(
            f"header.converter is {settings.header_converter}, which {what} does not take: deliver to Kafka, or set "
            f"header.converter={SIMPLE_HEADERS} or {JSON}"
        )
