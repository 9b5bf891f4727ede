"""TimestampRouter: topics with the time of the record in their names.

Source: Kafka's documentation of its transforms; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Property
from tailrace.transforms.java_date_formats import JavaDateFormat
from tailrace.transforms.java_date_patterns import of_property
from tailrace.transforms.spec import ByContent, ByTime, Making, Options, Topics, TransformSpec

TOPIC: Final = "${topic}"
TIMESTAMP: Final = "${timestamp}"


class TimestampRouter:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(self, making: Making, *, topic_format: str, timestamp_format: str) -> None:
        self._topic_format = topic_format
        self._dates = of_property("timestamp.format", JavaDateFormat, timestamp_format)
        self._failures = making.failures

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records by the text of their time."""
        if not len(records):
            return ()
        moments, places = np.unique(records.timestamps, return_inverse=True)
        topics = [self._topic(records.topic, text) for text in self._dates.texts(moments)]
        found = []
        for topic in dict.fromkeys(topics):
            these = np.array([each == topic for each in topics])
            chosen = records.where(these[places])
            found.append(self._under(chosen, topic))
        return found

    def _under(self, records: SourceRecords, topic: str) -> SourceRecords:
        return replace(records, topic=topic) if topic else self._failures.all_of(records, "topic.format leaves no name")

    def _topic(self, topic: str, time: str) -> str:
        return self._topic_format.replace(TOPIC, topic).replace(TIMESTAMP, time)


def _topics(options: Options) -> Topics:
    """Each table's topics stay its own if its topic is in their names."""
    return ByTime() if TOPIC in options["topic_format"] else ByContent()


SPEC = TransformSpec(
    name="org.apache.kafka.connect.transforms.TimestampRouter",
    doc="Puts the time of the record into the name of its topic.",
    properties=(
        Property(
            name="topic.format",
            default=f"{TOPIC}-{TIMESTAMP}",
            doc=f"The name of the topic; `{TOPIC}` is the one before, `{TIMESTAMP}` the time.",
        ),
        Property(
            name="timestamp.format",
            default="yyyyMMdd",
            doc="How the time is written: a pattern of Java's `SimpleDateFormat`, in UTC.",
        ),
    ),
    make=TimestampRouter,
    topics=_topics,
)
