"""What a chain does to one record, transform by transform: so that a person sees it before it runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tailrace.changes.source_records import SourceRecords
from tailrace.config.transform_settings import TransformSettings
from tailrace.errors import TailraceError
from tailrace.transforms.configured import transform_of


@dataclass(frozen=True, slots=True)
class Step:
    """What one transform has made of a record.

    Attributes:
        alias: of the transform.
        type: its Java class.
        records: what there is behind it; nothing where it was dropped, or failed.
        failure: why the transform failed, None if it did not.

    """

    alias: str
    type: str
    records: tuple[SourceRecords, ...]
    failure: str | None = None


def steps(record: SourceRecords, chain: Sequence[TransformSettings]) -> Iterator[Step]:
    """The steps of a chain over one record, up to the one that drops it or fails."""
    records: tuple[SourceRecords, ...] = (record,)
    for each in chain:
        transform = transform_of(each)
        try:
            records = tuple(made for before in records for made in transform(before) if len(made))
        except TailraceError as error:
            yield Step(each.alias, each.type, (), str(error))
            return
        yield Step(each.alias, each.type, records)
        if not records:
            return
