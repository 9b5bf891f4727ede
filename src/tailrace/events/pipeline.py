"""The pipeline: from the events of a connector to what sinks take.

    events → source records → transforms → encoder → records in log order

It stands between reading and delivering and is the same for all connectors, and for both ways out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from tailrace.changes.merging import in_log_order
from tailrace.changes.records import Records
from tailrace.changes.source_records import SourceRecords
from tailrace.config.settings import Settings
from tailrace.encoding.encoder import Encoder
from tailrace.events.event import Event
from tailrace.events.transforms import Transform, transformed

if TYPE_CHECKING:
    from tailrace.encoding.json import JsonEncoder, JsonFormat
    from tailrace.encoding.sizes import JsonSizes

T = TypeVar("T")


class Pipeline(Generic[T]):
    """Makes records of events, or whatever else its encoder gives."""

    def __init__(self, encoder: Encoder[T], transforms: Sequence[Transform] = ()) -> None:
        self._encoder = encoder
        self._transforms = tuple(transforms)

    def encoded(self, events: list[Event]) -> list[T]:
        """What some events become; they are taken out of the list one by one, so that columns go when they are encoded."""
        events.reverse()
        return [self._encoder.encode(each) for each in self._source_records(events)]

    def _source_records(self, events: list[Event]) -> Iterator[SourceRecords]:
        while events:
            yield from transformed(events.pop().source_records(), self._transforms)


class RecordPipeline(Pipeline[Records]):
    """Makes what sinks take."""

    def records(self, events: list[Event], *, interleaved: bool) -> list[Records]:
        """The records of a batch, in log order within each topic, of which transforms may have made one of several.

        Args:
            events: see `encoded`.
            interleaved: they may lie between each other in the log; else each is behind the one before.

        """
        made = self.encoded(events)
        return in_log_order(made) if interleaved else made


def pipeline_of(settings: Settings) -> RecordPipeline:
    """The pipeline that a configuration asks for."""
    return RecordPipeline(json_encoder(settings))


def json_encoder(settings: Settings) -> JsonEncoder:
    """JSON as the converters of a configuration are set."""
    from tailrace.encoding.json import JsonEncoder, JsonFormat  # compiled code, which planners do without

    return JsonEncoder(*_formats(settings), JsonFormat(settings.header_converter_schemas_enable))


def sizes_of(settings: Settings) -> JsonSizes:
    """What reckons how large events are when they are encoded."""
    from tailrace.encoding.sizes import JsonSizes  # as above

    return JsonSizes(*_formats(settings))


def _formats(settings: Settings) -> tuple[JsonFormat, JsonFormat]:
    """Of keys and of values."""
    from tailrace.encoding.json import JsonFormat  # as above

    return (
        JsonFormat(settings.key_converter_schemas_enable, settings.key_converter_replace_null_with_default),
        JsonFormat(settings.value_converter_schemas_enable, settings.value_converter_replace_null_with_default),
    )
