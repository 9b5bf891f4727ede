"""The arguments of `rd_kafka_produceva`: the numbers of their types, and their width; numbers of messages.

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
"""The number of arguments of every message; its headers follow them."""
WIDTH: Final = 9
"""The size of `rd_kafka_vu_t` in words: the type, and eight words for the value."""

ROW_BITS: Final = 32
"""A message's number has the row in so many bits, and above them the number of the `send`."""
