"""Aiven's ExtractTopic: the topic from the key, the value, or one of their fields.

A null key or value fails where a field of it is asked for, whatever `skip.missing.or.null` says.
Source: Aiven's documentation of its transforms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.schema.connect import Type
from tailrace.transforms.parts import Part, is_struct, split
from tailrace.transforms.spec import ByContent, Making, Options, Topics, TransformSpec
from tailrace.transforms.topics_of_fields import TopicField, by_topic, without_topic

_TYPES: Final = frozenset(Type) - {Type.BYTES, Type.STRUCT, Type.ARRAY, Type.MAP}


class ExtractTopic:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(self, making: Making, *, field_name: str, skip_missing_or_null: bool) -> None:
        self._part = Part(making.part)
        names = (field_name,) if field_name else ()
        what = f"{field_name!r}" if field_name else f"its {self._part.word}"
        self._wanted = TopicField(names, what, _TYPES, skip_missing_or_null)
        self._failures = making.failures

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records under their new topics."""
        found = split(records, self._part)
        made = [self._of_nulls(each) for each in (found.missing, found.null) if each is not None]
        layout = self._part.layout(records)
        if found.present is None or layout is None:
            return made
        if self._wanted.names and not is_struct(layout):
            return [*made, self._failures.all_of(found.present, f"its {self._part.word} is no struct")]
        return [*made, *by_topic(found.present, layout, self._wanted, self._failures)]

    def _of_nulls(self, records: SourceRecords) -> SourceRecords:
        if self._wanted.names:
            return self._failures.all_of(records, f"its {self._part.word} is null")
        return without_topic(records, self._wanted, self._failures)


def _topics(_options: Options) -> Topics:
    return ByContent()


SPEC = TransformSpec(
    name="io.aiven.kafka.connect.transforms.ExtractTopic",
    doc="Takes the topic from the key or value, or a field of it: a text, a number or a boolean.",
    properties=(
        Property(name="field.name", default="", doc="The field; empty: the whole key or value."),
        Property(
            name="skip.missing.or.null",
            kind=Kind.BOOL,
            default=False,
            doc="Whether records whose field is missing, null or empty keep their topic; else they fail.",
        ),
    ),
    make=ExtractTopic,
    topics=_topics,
    has_parts=True,
)
