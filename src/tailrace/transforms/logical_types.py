"""Kafka Connect's own logical types."""

from __future__ import annotations

from typing import Final

from tailrace.schema.connect import Schema, Type

_PACKAGE: Final = "org.apache.kafka.connect.data."
TIMESTAMP: Final = Schema(Type.INT64, name=f"{_PACKAGE}Timestamp", version=1)  # milliseconds since the epoch
DATE: Final = Schema(Type.INT32, name=f"{_PACKAGE}Date", version=1)  # days since the epoch
TIME: Final = Schema(Type.INT32, name=f"{_PACKAGE}Time", version=1)  # milliseconds since midnight
DECIMAL_NAME: Final = f"{_PACKAGE}Decimal"
SCALE: Final = "scale"
"""The parameter of a decimal's schema."""

LOGICAL_NAMES: Final = frozenset({TIMESTAMP.name, DATE.name, TIME.name, DECIMAL_NAME})
DAY_MS: Final = 86_400_000


def scale_of(schema: Schema) -> int:
    """The scale of a decimal's schema."""
    return int(dict(schema.parameters).get(SCALE, "0"))
