"""ContentBasedRouter: topics from an expression. Source: Debezium's reference, "Content-based routing"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Property
from tailrace.transforms.scripting import LANGUAGE, NULL_HANDLING_MODE, TOPIC_REGEX, Chosen, read, without_failed
from tailrace.transforms.spec import ByContent, Making, Options, Topics, TransformSpec


class ContentBasedRouter:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(
        self, making: Making, *, language: str, topic_expression: str, topic_regex: str, null_handling_mode: str
    ) -> None:
        """Raises `ValueError` if the expression can't be used."""
        self._failures = making.failures
        self._chosen = Chosen(topic_regex, null_handling_mode)
        self._expression = read(language, topic_expression, "topic.expression")

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records by their new topics; those without one stay in their own."""
        kept, asked = self._chosen.split(records)
        if asked is None:
            return kept
        topics, failed = self._expression.topics(asked)
        good, alive = without_failed(self._failures, asked, failed)
        places = topics.places[alive]
        routed = [
            good.where(places == place)
            if place < 0
            else replace(good.where(places == place), topic=topics.names[place])
            for place in np.unique(places).tolist()
        ]
        return (*kept, *routed)


def _topics(_options: Options) -> Topics:
    return ByContent()


SPEC = TransformSpec(
    name="io.debezium.transforms.ContentBasedRouter",
    doc="Gives each record the topic that an expression names.",
    properties=(
        TOPIC_REGEX,
        LANGUAGE,
        Property(
            name="topic.expression",
            required=True,
            doc="The topic's name, or null to leave it: `value.op == 'd' ? topic + '.deleted' : null`.",
        ),
        NULL_HANDLING_MODE,
    ),
    make=ContentBasedRouter,
    topics=_topics,
)
