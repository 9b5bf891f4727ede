"""tailrace's pipeline as a configuration of converters makes it, without transforms or with some."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tests.formats.connect_parts import JSON, Converter
from tests.support.unit_settings import unit_settings

from tailrace.changes.records import Records
from tailrace.changes.source_records import SourceRecords
from tailrace.events.pipeline import pipeline_of

_ANY_TRANSFORM: Final = {  # some converters go with transforms only; this one leaves all records as they are
    "transforms": "none",
    "transforms.none.type": "org.apache.kafka.connect.transforms.RegexRouter",
    "transforms.none.regex": "no such topic",
    "transforms.none.replacement": "x",
}


def ours(
    key: Converter = JSON, value: Converter = JSON, header: Converter = JSON, **transforms: str
) -> Callable[[SourceRecords], Sequence[Records]]:
    """The pipeline with these converters for keys, values and headers, and properties of transforms."""
    parts = {"key": key, "value": value, "header": header}
    return pipeline_of(unit_settings({**(transforms or _ANY_TRANSFORM), **properties_of(parts)})).made_of


def properties_of(parts: Mapping[str, Converter]) -> dict[str, str]:
    """The converters as a connector's configuration names them."""
    found = {}
    for part, converter in parts.items():
        found[f"{part}.converter"] = converter.type
        found |= {f"{part}.converter.{name}": text for name, text in converter.options.items()}
    return found
