"""Kafka's predicates: which records a transform is for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import numpy as np

from tailrace.changes.field_paths import values_are_null
from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.config.property import Property
from tailrace.java_patterns import compile_java
from tailrace.transforms.chain import Predicate
from tailrace.transforms.spec import PredicateSpec

_PACKAGE: Final = "org.apache.kafka.connect.transforms.predicates."
TOPIC_NAME_MATCHES: Final = f"{_PACKAGE}TopicNameMatches"


class TopicNameMatches:
    """True of records whose topic's whole name matches."""

    def __init__(self, *, pattern: str) -> None:
        self._pattern: re.Pattern[str] = compile_java(pattern, ignore_case=False)

    def __call__(self, records: SourceRecords) -> Mask:
        """All, or none."""
        return np.full(len(records), self._pattern.fullmatch(records.topic) is not None, np.bool_)


class HasHeaderKey:
    """True of records with a header of that name."""

    def __init__(self, *, name: str) -> None:
        self._name = name

    def __call__(self, records: SourceRecords) -> Mask:
        """Those with the header."""
        found = np.zeros(len(records), np.bool_)
        for header in records.headers:
            if header.name == self._name:
                found |= True if header.present is None else header.present
        return found


def _is_tombstone() -> Predicate:
    return values_are_null


SPECS: Final[Mapping[str, PredicateSpec]] = {
    each.name: each
    for each in (
        PredicateSpec(
            name=TOPIC_NAME_MATCHES,
            doc="True of records whose topic's whole name matches a regular expression.",
            properties=(Property(name="pattern", required=True, doc="A Java regular expression."),),
            make=TopicNameMatches,
        ),
        PredicateSpec(
            name=f"{_PACKAGE}HasHeaderKey",
            doc="True of records with a header of that name.",
            properties=(Property(name="name", required=True, doc="The header's name."),),
            make=HasHeaderKey,
        ),
        PredicateSpec(
            name=f"{_PACKAGE}RecordIsTombstone",
            doc="True of records whose value is null, with a schema or without.",
            make=_is_tombstone,
        ),
    )
}
