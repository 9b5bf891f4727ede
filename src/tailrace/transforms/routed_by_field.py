"""Topics from a field's values: records of one topic become records of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tailrace.changes.field_paths import Path, texts
from tailrace.changes.source_records import SourceRecords


def routed(
    records: SourceRecords, path: Path, topic: Callable[[str | None], str | None] = lambda text: text
) -> Sequence[SourceRecords]:
    """The records by the text of a field: `topic` gives the new topic, or None for those that stay in their own.

    Raises:
        TypeError: the field is no text.

    """
    if not len(records):
        return ()
    distinct, places = texts(records, path)
    if len(distinct) == 1:
        return (_under(records, topic(distinct[0])),)
    return [_under(records.where(places == i), topic(text)) for i, text in enumerate(distinct)]


def _under(records: SourceRecords, topic: str | None) -> SourceRecords:
    return records if topic is None else replace(records, topic=topic)
