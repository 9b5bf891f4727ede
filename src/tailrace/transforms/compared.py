"""Which real classes tests run beside ours (`tests/formats`), and in which version."""

from __future__ import annotations

from typing import Final

from tailrace.transforms.registry import AIVEN, CONFLUENT, CUSTENBORDER, DEBEZIUM

_NOT_RUN: Final = frozenset(
    {
        f"{DEBEZIUM}tracing.ActivateTracingSpan",
        f"{DEBEZIUM}openlineage.OpenLineage",
        f"{CONFLUENT}Drop",
        f"{CONFLUENT}ExtractTopic",
        f"{CONFLUENT}TombstoneHandler",
        f"{CUSTENBORDER}TimestampNowField",
        f"{AIVEN}ExtractTopic",
        f"{AIVEN}KeyToValue",
        f"{AIVEN}TombstoneHandler",
    }
)
_VERSIONS: Final = {
    "org.apache.kafka.": "Kafka Connect 4.3.1",
    "io.debezium.": "Debezium 3.6.1.Final",
    CUSTENBORDER: "kafka-connect-transform-common 0.1.0.14",
}
"""Of the jars that all other classes are from, by what their names begin with."""


def compared_with(name: str) -> str | None:
    """What the real class of a transform or predicate, that was run beside ours, is from; None: it could not be had."""
    if name in _NOT_RUN:
        return None
    return next(version for beginning, version in _VERSIONS.items() if name.startswith(beginning))
