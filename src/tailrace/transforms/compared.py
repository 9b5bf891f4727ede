"""Which real classes tests run beside ours (`tests/formats`), and in which version."""

from __future__ import annotations

from typing import Final

from tailrace.transforms.registry import CUSTENBORDER, KAFKA

_NOT_RUN: Final = ("io.debezium.transforms.tracing.ActivateTracingSpan", "io.debezium.transforms.openlineage.OpenLineage")
_COMPARED: Final = {
    KAFKA: "Kafka Connect 4.3.1",
    "io.debezium.": "Debezium 3.6.1.Final",
    f"{CUSTENBORDER}ChangeTopicCase": "kafka-connect-transform-common 0.1.0.14",
}


def compared_with(name: str) -> str | None:
    """What the real class of a name, that was run beside ours, is from; None: it could not be had."""
    if name in _NOT_RUN:
        return None
    return next((version for known, version in _COMPARED.items() if name.startswith(known)), None)
