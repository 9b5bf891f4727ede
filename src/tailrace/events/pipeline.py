"""The pipeline: from the events of a connector to what sinks take.

    events → source records → transforms → encoder → records in log order

It stands between reading and delivering and is the same for all connectors, and for both ways out. A connector is given
`new_events`, and puts the events of a batch into what that makes: so each is encoded at once, and its columns go before those
of the next one come. Memory is used again while it is in the processor's caches, and a batch is held as bytes alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, TypeVar, cast

import numpy as np

from tailrace.changes.merging import in_log_order
from tailrace.changes.records import Records
from tailrace.changes.skipped_records import SkippedRecords
from tailrace.changes.source_records import EventKind, SourceRecords
from tailrace.config.settings import Settings
from tailrace.encoding.encoder import Encoder
from tailrace.events.event import Event, Events
from tailrace.transforms.chain import Transform, transformed

if TYPE_CHECKING:
    from tailrace.encoding.message_encoder import MessageEncoder
    from tailrace.encoding.sizes import JsonSizes

T = TypeVar("T")


class Pipeline(Generic[T]):
    """Makes records of events, or whatever else its encoder gives."""

    def __init__(
        self, encoder: Encoder[T], transforms: Sequence[Transform] = (), skipped: SkippedRecords | None = None
    ) -> None:
        """`skipped` counts the records that transforms and encoder drop because they fail on them."""
        self._encoder = encoder
        self._transforms = tuple(transforms)
        self._skipped = skipped or SkippedRecords()

    def take_skipped(self) -> int:
        """How many records were dropped, since this was last asked, because a transform or the encoder failed on them."""
        return self._skipped.taken()

    def new_events(self) -> EncodedEvents[T]:
        """What the events of another batch are put into."""
        return EncodedEvents(self._encoded, self._encoder.size)

    def encoded(self, events: Events) -> list[T]:
        """What the events of a batch become; those in `new_events` have become that already, and a list is emptied."""
        if isinstance(events, EncodedEvents):
            return events.made
        held, made = cast("list[Event]", events), self.new_events()
        held.reverse()
        while held:
            made.append(held.pop())  # its columns go when it is encoded
        return made.made

    def _encoded(self, event: Event) -> list[T]:
        return [self._encoder.encode(each) for each in self._transformed(event.source_records())]

    def _transformed(self, records: SourceRecords) -> Iterator[SourceRecords]:
        return transformed(records, self._transforms)


class EncodedEvents(Generic[T]):
    """The events of one batch, of which only what they have become is held.

    Attributes:
        made: what they have become, in their order.

    """

    def __init__(self, encode: Callable[[Event], list[T]], size: Callable[[T], int]) -> None:
        self.made: list[T] = []
        self._encode = encode
        self._size = size
        self._count = 0

    def append(self, event: Event, /) -> int:
        """Encode another one; returns the bytes that it has become."""
        made = self._encode(event)
        self.made += made
        self._count += 1
        return sum(map(self._size, made))

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Event]:
        return iter(())


class RecordPipeline(Pipeline[Records]):
    """Makes what sinks take."""

    def __init__(
        self,
        encoder: Encoder[Records],
        transforms: Sequence[Transform] = (),
        skipped: SkippedRecords | None = None,
        kept_name: Callable[[str], str] | None = None,
    ) -> None:
        """`kept_name` gives the topic of a table's records, by that before the transforms; None: they say it."""
        super().__init__(encoder, transforms, skipped)
        self._kept_name = kept_name

    def _encoded(self, event: Event) -> list[Records]:
        return self.made_of(event.source_records())

    def made_of(self, records: SourceRecords) -> list[Records]:
        """The records of an event, in log order within each topic: a transform may have handled some of them by themselves.

        Records of one change have the same rank in the log. So their places in the event order them here.
        """
        if not self._transforms and self._kept_name is None:
            return self._kept([records])
        ranks = records.log_order
        placed = replace(records, log_order=np.arange(len(records), dtype=np.int64))
        merged = in_log_order(self._kept(self._named(placed.topic, self._transformed(placed))))
        return [replace(each, log_order=ranks[each.log_order]) for each in merged]

    def _named(self, before: str, records: Iterable[SourceRecords]) -> Iterable[SourceRecords]:
        """The records under the names that topics keep; `before` is the topic before the transforms."""
        if self._kept_name is None:
            return records
        kept = self._kept_name(before)
        return (replace(each, topic=kept) if each.kind is EventKind.ROWS else each for each in records)

    def _kept(self, records: Iterable[SourceRecords]) -> list[Records]:
        """Encoded records, without those of which all are dropped because the converter fails on them."""
        return [made for each in records if len(made := self._encoder.encode(each))]

    def records(self, events: Events, *, interleaved: bool) -> list[Records]:
        """The records of a batch, in log order within each topic, of which transforms may have made one of several.

        Args:
            events: see `encoded`.
            interleaved: they may lie between each other in the log; else each is behind the one before.

        """
        made = self.encoded(events)
        return in_log_order(made) if interleaved else made


def pipeline_of(settings: Settings, *, all_json: bool = False, keeps_names: bool = False) -> RecordPipeline:
    """The pipeline that a configuration asks for.

    `all_json`: headers are JSON, whatever their converter is. `keeps_names`: topics of tables have the names of the settings'
    routing, whatever the transforms make of them.
    """
    skipped = SkippedRecords()
    encoder: Encoder[Records] = encoder_of(settings, all_json=all_json)
    if _is_tolerant(settings):
        from tailrace.encoding.tolerant_encoder import TolerantEncoder  # as much as is needed

        encoder = TolerantEncoder(encoder, skipped)
    kept_name = settings.routing.delivered if keeps_names else None
    return RecordPipeline(encoder, transforms_of(settings, skipped), skipped, kept_name)


def transforms_of(settings: Settings, skipped: SkippedRecords | None = None) -> list[Transform]:
    """The transforms of a configuration, in order; `skipped` counts records that are dropped because they fail."""
    if not settings.transform_chain:
        return []
    from tailrace.transforms.configured import transform_of  # as much as the transforms need

    tolerant = _is_tolerant(settings)
    return [transform_of(each, tolerant=tolerant, skipped=skipped) for each in settings.transform_chain]


def _is_tolerant(settings: Settings) -> bool:
    return settings.errors_tolerance == "all"


def encoder_of(settings: Settings, *, all_json: bool = False) -> MessageEncoder:
    """The encoder that a configuration asks for, as `pipeline_of`."""
    from tailrace.encoding import formats  # compiled code, which planners do without

    return formats.encoder_of(settings, all_json=all_json)


def check_registries(settings: Settings) -> None:
    """Ask the schema registries of the converters whether they answer.

    Raises:
        RegistryError: one refuses the login.
        RegistryUnavailableError: one does not answer.

    """
    if settings.key_format is None and settings.value_format is None:
        return
    from tailrace.encoding.formats import registries_of  # only with such a converter

    for ids in registries_of(settings):
        ids.check()
        ids.close()


def sizes_of(settings: Settings) -> JsonSizes:
    """What reckons how large events are when they are encoded."""
    from tailrace.encoding.formats import key_format, value_format  # as above
    from tailrace.encoding.sizes import JsonSizes

    return JsonSizes(key_format(settings), value_format(settings))
