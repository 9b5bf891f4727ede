"""How glibc gives the memory that librdkafka frees back to the operating system: not with each batch.

librdkafka takes about a megabyte for each batch of messages and frees it when the broker has confirmed it. As glibc is set,
memory of that size comes fresh from the operating system each time, with a page fault for every 4 KiB, until the process
happens to free a larger piece. Whether that happens is chance: it cost up to a tenth of the rate into Kafka.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from typing import Final

# The parameters of mallopt(3), and the environment variables with which a user sets them.
TRIM_THRESHOLD: Final = -1
MMAP_THRESHOLD: Final = -3
SET_BY: Final = ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES")

FROM_SYSTEM: Final = 4 << 20
"""Bytes; what is larger still comes from the operating system and goes back when it is freed."""
FREE_AT_END: Final = 16 << 20
"""Bytes; the end of a heap goes back when so much of it is free."""


@cache
def keep_freed_memory() -> bool:
    """Let the process use the memory of freed batches again; returns whether it will.

    Once for a process. It does nothing where one of the variables in `SET_BY` is set, whatever it says, or without glibc.
    """
    if any(name in os.environ for name in SET_BY):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return bool(mallopt and mallopt(MMAP_THRESHOLD, FROM_SYSTEM) and mallopt(TRIM_THRESHOLD, FREE_AT_END))
