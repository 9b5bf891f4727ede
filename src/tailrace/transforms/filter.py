"""Filter: keeps the records that a condition is true of. Source: Debezium's reference, "Message Filtering"."""

from __future__ import annotations

from collections.abc import Sequence

from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Property
from tailrace.transforms.scripting import LANGUAGE, NULL_HANDLING_MODE, TOPIC_REGEX, Chosen, read, without_failed
from tailrace.transforms.spec import Making, TransformSpec


class Filter:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(
        self, making: Making, *, language: str, condition: str, topic_regex: str, null_handling_mode: str
    ) -> None:
        """Raises `ValueError` if the condition can't be used."""
        self._failures = making.failures
        self._chosen = Chosen(topic_regex, null_handling_mode)
        self._condition = read(language, condition, "condition")

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records that the condition is true of, and those that it is not for."""
        kept, asked = self._chosen.split(records)
        if asked is None:
            return kept
        true, failed = self._condition.condition(asked)
        _, good = without_failed(self._failures, asked, failed)
        wanted = true & good
        return (*kept, asked.where(wanted)) if wanted.any() else kept


SPEC = TransformSpec(
    name="io.debezium.transforms.Filter",
    doc="Keeps the records that a condition is true of.",
    properties=(
        TOPIC_REGEX,
        LANGUAGE,
        Property(name="condition", required=True, doc="The condition, as in `value.op == 'u' && value.after.id > 5`."),
        NULL_HANDLING_MODE,
    ),
    make=Filter,
)
