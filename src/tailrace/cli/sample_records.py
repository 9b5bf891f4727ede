"""Records as a person reads them: JSON without schemas, and in which form they are delivered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tailrace.changes.records import Records
from tailrace.changes.source_records import SourceRecords
from tailrace.config.settings import Settings
from tailrace.converter_classes import STRING
from tailrace.encoding.forms import KEY, VALUE, form_of
from tailrace.encoding.json import JsonEncoder, JsonMessages
from tailrace.encoding.json_format import JsonFormat
from tailrace.encoding.message_encoder import MessageEncoder, Messages

NOTHING: Final = "(none)"
"""A key that there is not, or a tombstone's value; a JSON null is `null`."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A record: key, value and headers as JSON text; `key_form` and `value_form` say how it is delivered, "" on the way."""

    topic: str
    partition: int | None
    key: str
    value: str
    headers: Mapping[str, str]
    key_form: str = ""
    value_form: str = ""

    def as_json(self) -> Mapping[str, Any]:
        """For programs."""
        found = {"topic": self.topic, "partition": self.partition, "key": self.key, "value": self.value}
        forms = {"key_form": self.key_form, "value_form": self.value_form} if self.value_form else {}
        return {**found, "headers": dict(self.headers), **forms}


def shown(settings: Settings, record: SourceRecords) -> Shown:
    """One record on its way."""
    return _shown(JsonEncoder(_plain(settings, KEY), _plain(settings, VALUE), JsonFormat(schemas=False)).encode(record))


def shown_as_sent(settings: Settings, record: SourceRecords) -> Shown:
    """One record as it is delivered; what is binary is shown as JSON."""
    encoder = MessageEncoder(_messages(settings, KEY), _messages(settings, VALUE), JsonMessages(JsonFormat(schemas=False)))
    found = _shown(encoder.encode(record))
    key = "" if record.key is None else form_of(settings, KEY, record.topic, record.key)
    is_live = record.has_value is None or bool(record.has_value[0])
    value = form_of(settings, VALUE, record.topic, record.value) if is_live else "a tombstone"
    return replace(found, key_form=key, value_form=value)


def same(before: Sequence[SourceRecords], after: Sequence[SourceRecords]) -> bool:
    """Whether a transform has changed nothing, schemas included."""
    if len(before) != len(after):
        return False
    with_schemas = JsonFormat(schemas=True, defaults=False)
    encoder = JsonEncoder(with_schemas, with_schemas, with_schemas)
    return all(
        _shown(encoder.encode(one)) == _shown(encoder.encode(other)) and one.timestamps[0] == other.timestamps[0]
        for one, other in zip(before, after, strict=True)
    )


def _plain(settings: Settings, part: str) -> JsonFormat:
    return JsonFormat(schemas=False, defaults=bool(getattr(settings, f"{part}_converter_replace_null_with_default")))


def _messages(settings: Settings, part: str) -> Messages:
    if getattr(settings, f"{part}_converter") == STRING:
        from tailrace.encoding.strings import StringMessages  # polars, which few need here

        return StringMessages()
    return JsonMessages(_plain(settings, part))


def _shown(records: Records) -> Shown:
    headers = {each.name: _text(each.values[0]) for each in records.headers if each.values[0] is not None}
    return Shown(records.topic, records.partition, _text(records.keys[0]), _text(records.values[0]), headers)


def _text(message: bytes | None) -> str:
    return NOTHING if message is None else message.decode(errors="replace")
