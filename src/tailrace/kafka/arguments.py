"""The arguments of `rd_kafka_produceva`: what stands for which, and how wide one is.

Source: librdkafka's `rdkafka.h`, `rd_kafka_vtype_t` and `rd_kafka_vu_t`.
"""

from __future__ import annotations

from typing import Final

RKT: Final = 2
PARTITION: Final = 3
VALUE: Final = 4
KEY: Final = 5
OPAQUE: Final = 6
TIMESTAMP: Final = 8
HEADER: Final = 9

FIXED: Final = 6
"""How many arguments every message has; its headers stand behind them."""
WIDTH: Final = 9
"""`rd_kafka_vu_t` in words: the kind, and eight words for what it holds."""
