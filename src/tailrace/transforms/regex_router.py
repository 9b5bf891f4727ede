"""RegexRouter: renames topics by a regular expression. Source: Kafka's documentation of its transforms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Property
from tailrace.java_replacements import replacing, whole_replaced
from tailrace.schema.topic_renames import TopicRename
from tailrace.transforms.spec import Making, Options, TransformSpec


class RegexRouter:
    """The `Transform`."""

    def __init__(self, making: Making, *, regex: str, replacement: str) -> None:
        """Raises `PatternError` if the expression or the replacement can't be used."""
        replacing(regex, replacement)
        self._rename = TopicRename(regex, replacement)
        self._failures = making.failures
        self._renamed: dict[str, str] = {}  # many tables have many small events

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records under their new topic."""
        topic = self._renamed.get(records.topic)
        if topic is None:
            if whole_replaced(self._rename.regex, self._rename.replacement, records.topic) == "":
                return (self._failures.all_of(records, "regex and replacement leave nothing of the topic's name"),)
            topic = self._renamed[records.topic] = self._rename.renamed(records.topic)
        return (replace(records, topic=topic),)


def _topics(options: Options) -> TopicRename:
    return TopicRename(options["regex"], options["replacement"])


SPEC = TransformSpec(
    name="org.apache.kafka.connect.transforms.RegexRouter",
    doc="Renames topics whose whole name matches.",
    properties=(
        Property(name="regex", required=True, doc="A Java regular expression, which the whole name must match."),
        Property(name="replacement", required=True, doc="The new name; `$1` is the first group of the expression."),
    ),
    make=RegexRouter,
    topics=_topics,
)
