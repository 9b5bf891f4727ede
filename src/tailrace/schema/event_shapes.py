"""The field sets that events can have: Debezium 3.6's, or those of older versions, as `tailrace.event.shape` names them."""

from __future__ import annotations

CURRENT = "current"
SHAPE_2_1 = "2.1"
SHAPE_1_4 = "1.4"
