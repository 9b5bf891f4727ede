"""ChangeTopicCase: topics with their words put together in another way.

Source: the documentation of kafka-connect-transform-common, and Guava's of `CaseFormat`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.schema.topic_cases import TOPIC_CASES
from tailrace.schema.topic_renames import TopicRename
from tailrace.transforms.spec import Making, Options, TransformSpec


class ChangeTopicCase:
    """The `Transform`; `from` and `to` are the properties of these names."""

    def __init__(self, _making: Making, **options: str) -> None:
        self._rename = _topics(options)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records under their new topic."""
        return (replace(records, topic=self._rename.renamed(records.topic)),)


def _topics(options: Options) -> TopicRename:
    return TopicRename("", "", from_case=options["from"], to_case=options["to"])


def _case(name: str, doc: str) -> Property:
    return Property(name=name, kind=Kind.ENUM, required=True, allowed=TOPIC_CASES, doc=doc)


SPEC = TransformSpec(
    name="com.github.jcustenborder.kafka.connect.transform.common.ChangeTopicCase",
    doc="Puts the words of topics together in another way: `my_topic`, `myTopic`.",
    properties=(_case("from", "How they are put together."), _case("to", "How they shall be.")),
    make=ChangeTopicCase,
    topics=_topics,
)
