"""ActivateTracingSpan, which leaves records as they are: tailrace makes no spans.

Debezium's adds headers with the context of a span where OpenTelemetry's SDK or its agent is in the JVM. With the API alone it
leaves records as they are too.

Source: comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tailrace.changes.source_records import SourceRecords
from tailrace.transforms.spec import Making, Options, TransformSpec
from tailrace.transforms.tracing_properties import TRACING_PROPERTIES


class Unchanged:
    """The `Transform`."""

    def __init__(self, _making: Making, **_options: Any) -> None:
        pass

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records as they are."""
        return (records,)


def _told(_options: Options, _given: Options, _shape: str) -> tuple[Options, list[str]]:
    return {}, ["type has no effect: tailrace writes no traces, and records pass as they are"]


SPEC = TransformSpec(
    name="io.debezium.transforms.tracing.ActivateTracingSpan",
    doc="Leaves records as they are, with a warning: tailrace writes no traces. Debezium's adds headers where "
    "OpenTelemetry's SDK is.",
    properties=TRACING_PROPERTIES,
    make=Unchanged,
    settle=_told,
)
