"""Confluent's ExtractTopic: the topic from the key, the value, one of their fields, or a header.

Source: Confluent's documentation of its transforms.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.config.values import NotYetError
from tailrace.schema.connect import Type
from tailrace.transforms.parts import Part, split
from tailrace.transforms.spec import HEADER, ByContent, Making, Options, Topics, TransformSpec
from tailrace.transforms.topics_of_fields import TopicField, by_topic, without_topic

_STEP: Final = re.compile(r"""\.([A-Za-z_]\w*)|\[(?:'([^']*)'|"([^"]*)")\]""")
_TEXT: Final = frozenset({Type.STRING})


class ExtractTopic:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(self, making: Making, *, field: str, field_format: str, skip_missing_or_null: bool) -> None:
        self._of_header = making.part == HEADER
        if self._of_header and not field:
            raise ValueError("field is missing: it names the header")
        if self._of_header and field_format != "PLAIN":
            raise ValueError("field.format must be PLAIN with $Header")
        what = f"{field!r}" if field else f"its {making.part.lower()}"
        names = _json_path(field) if field_format == "JSON_PATH" else ((field,) if field else ())
        self._wanted = TopicField(() if self._of_header else names, what, _TEXT, skip_missing_or_null)
        self._header = field
        self._part = Part(making.part)
        self._failures = making.failures

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records under their new topics."""
        if self._of_header:
            return self._by_header(records)
        found = split(records, self._part)
        made = [without_topic(each, self._wanted, self._failures) for each in (found.missing, found.null) if each is not None]
        layout = self._part.layout(records)
        if found.present is None or layout is None:
            return made
        return [*made, *by_topic(found.present, layout, self._wanted, self._failures)]

    def _by_header(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """By the last header of the name that a record has."""
        made: list[SourceRecords] = []
        for place in reversed(range(len(records.headers))):
            header = records.headers[place]
            if header.name != self._header or not len(records):
                continue
            there = np.ones(len(records), np.bool_) if header.present is None else header.present
            made += by_topic(records.where(there), header.layout, self._wanted, self._failures)
            records = records.where(~there)
        return [*made, without_topic(records, self._wanted, self._failures)] if len(records) else made


def _json_path(text: str) -> tuple[str, ...]:
    """The names of a JSON path that has only members: `$.a.b`, `$["a"]["b"]`."""
    if not text.startswith("$"):
        raise ValueError(f"field is {text!r}, which is no JSON path: it must begin with $")
    names, place = [], 1
    while place < len(text):
        found = _STEP.match(text, place)
        if found is None:
            raise NotYetError(f'field is {text!r}, of which only members ($.a.b, $["a"]["b"]) are supported yet')
        names.append(next(group for group in found.groups() if group is not None))
        place = found.end()
    return tuple(names)


def _topics(_options: Options) -> Topics:
    return ByContent()


SPEC = TransformSpec(
    name="io.confluent.connect.transforms.ExtractTopic",
    doc="Takes the topic from the key or value, a field of it, or (`$Header`) a header.",
    properties=(
        Property(name="field", default="", doc="The field, or the header; empty: the whole key or value."),
        Property(
            name="field.format",
            kind=Kind.ENUM,
            default="PLAIN",
            allowed=("JSON_PATH", "PLAIN"),
            doc="Whether `field` is a name, or a path such as `$.after.kind`.",
        ),
        Property(
            name="skip.missing.or.null",
            kind=Kind.BOOL,
            default=False,
            doc="Whether records without such a text keep their topic; else they fail.",
        ),
    ),
    make=ExtractTopic,
    topics=_topics,
    has_parts=True,
    has_header_part=True,
)
