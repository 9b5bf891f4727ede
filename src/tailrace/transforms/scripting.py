"""What Filter and ContentBasedRouter have in common: a language, topics that they are for, what becomes of null values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tailrace.changes.field_paths import values_are_null
from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.java_patterns import PatternError, compile_java
from tailrace.transforms.expressions.expression import Expression
from tailrace.transforms.expressions.failed import Failed
from tailrace.transforms.expressions.tokens import ExpressionError
from tailrace.transforms.failures import Failures

KEEP, DROP, EVALUATE = "keep", "drop", "evaluate"


class Chosen:
    """Which records an expression is evaluated for."""

    def __init__(self, topic_regex: str, null_handling_mode: str) -> None:
        """Raises `ValueError` if `topic.regex` is no regular expression."""
        try:
            self._topics = compile_java(topic_regex, ignore_case=False) if topic_regex else None
        except PatternError as error:
            raise ValueError(f"topic.regex: {error}") from error
        self._nulls = null_handling_mode

    def split(self, records: SourceRecords) -> tuple[Sequence[SourceRecords], SourceRecords | None]:
        """The records that stay as they are, and those to be evaluated; what is dropped is in neither."""
        if self._topics is not None and self._topics.fullmatch(records.topic) is None:
            return (records,), None
        null = np.zeros(len(records), np.bool_) if self._nulls == EVALUATE else values_are_null(records)
        kept = [records.where(null)] if self._nulls == KEEP and null.any() else []
        rest = records.where(~null)
        return kept, rest if len(rest) else None


def read(language: str, text: str, name: str) -> Expression:
    """The expression of the property `name`. Raises `ValueError` with the place of what can't be used."""
    try:
        return Expression(language, text)
    except ExpressionError as error:
        raise ValueError(f"{name}: {error}") from error


def without_failed(failures: Failures, records: SourceRecords, failed: Failed) -> tuple[SourceRecords, Mask]:
    """The records that did not fail, and which ones these are. Raises as `Failures.without`."""
    if not failed.reasons:
        return records, np.ones(len(records), np.bool_)
    return failures.without(records, failed.mask, failed.first_reason()), ~failed.mask


TOPIC_REGEX: Final = Property(
    name="topic.regex", default="", doc="The topics it is for: a Java regular expression; empty: all."
)
LANGUAGE: Final = Property(
    name="language",
    required=True,
    doc="The expression's language: `jsr223.groovy`, `jsr223.graal.js`, or tailrace's own `sql`.",
)
NULL_HANDLING_MODE: Final = Property(
    name="null.handling.mode",
    kind=Kind.ENUM,
    default=KEEP,
    allowed=(KEEP, DROP, EVALUATE),
    doc="What becomes of records whose value is null: they are kept, dropped, or evaluated as others.",
)
