"""Sample events of a configuration's tables as golden lines, and its own chain and converters on both sides."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tests.formats.chains import chain_in, same_records
from tests.formats.comparing import Comparison, Same, same_json
from tests.formats.connect_parts import SIMPLE_HEADERS, ConnectParts, Converter, Line

from tailrace.changes.merging import in_log_order
from tailrace.changes.records import Records
from tailrace.changes.source_records import SourceRecords
from tailrace.cli.sample_chain import OPERATIONS, made_samples
from tailrace.config.settings import Settings
from tailrace.encoding.json import JsonEncoder, JsonFormat
from tailrace.events.pipeline import encoder_of, transforms_of
from tailrace.events.samples import sample_event
from tailrace.transforms.chain import transformed

_AS_IT_IS: Final = JsonFormat(schemas=True, defaults=False)
_ENCODER: Final = JsonEncoder(_AS_IT_IS, _AS_IT_IS, _AS_IT_IS)
_JSON: Final = Converter("org.apache.kafka.connect.json.JsonConverter")


def sample_lines(settings: Settings) -> list[Line]:
    """Each operation on each table that the configuration names, or on a made one."""
    return [
        line
        for table in made_samples(settings)
        for operation in OPERATIONS
        for line in _lines(_ENCODER.encode(sample_event(table, operation).source_records()))
    ]


def same_samples(
    parts: ConnectParts, settings: Settings, properties: Mapping[str, str], same: Same = same_json
) -> Comparison:
    """Fails where sample events become other records than in Kafka Connect with these properties."""
    return same_records(parts, sample_lines(settings), Configured(settings), chain_in(properties), converters_in(properties), same)


class Configured:
    """The transforms and converters of settings."""

    def __init__(self, settings: Settings) -> None:
        self._transforms = transforms_of(settings)
        self._encoder = encoder_of(settings)

    def __call__(self, records: SourceRecords) -> Sequence[Records]:
        return in_log_order([self._encoder.encode(each) for each in transformed(records, self._transforms)])


def converters_in(properties: Mapping[str, str]) -> tuple[Converter, Converter, Converter]:
    """The converters of keys, values and headers that a configuration names; without one JSON, for headers Connect's own."""
    key, value, header = (_converter(f"{part}.converter", properties) for part in ("key", "value", "header"))
    return key or _JSON, value or _JSON, header or SIMPLE_HEADERS


def _converter(name: str, properties: Mapping[str, str]) -> Converter | None:
    if not (properties.get(name) or "").strip():
        return None
    options = {each.removeprefix(f"{name}."): text for each, text in properties.items() if each.startswith(f"{name}.")}
    return Converter(properties[name], options)


def _lines(records: Records) -> Iterator[Line]:
    for i in range(len(records)):
        yield {
            "topic": records.topic,
            "partition": records.partition,
            "timestamp": int(records.timestamps[i]),
            "key": _message(records.keys[i]),
            "value": _message(records.values[i]),
            "headers": [[each.name, _message(each.values[i])] for each in records.headers if each.values[i] is not None],
        }


def _message(text: bytes | None) -> Any:
    return None if text is None else json.loads(text)
