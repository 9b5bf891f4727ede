"""Values of `tailrace.event.shape`: the Debezium version whose fields the events have; `current` is 3.6."""

from __future__ import annotations

CURRENT = "current"
SHAPE_2_1 = "2.1"
SHAPE_1_4 = "1.4"
