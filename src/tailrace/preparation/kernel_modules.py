"""The modules with functions that Python calls and numba compiles; a test finds out when one is missing.

Those that take longest come first, so that the last ones fill up the end where several processes compile.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from tailrace.connectors.registry import SPECS
from tailrace.kernels.stamps import text_of

_ENTRIES: Final = re.compile(r"^@entry(?:_with_runtime)?\(", re.MULTILINE)
_OF_ALL: Final = (
    "tailrace.transforms.json_scan_kernel",
    "tailrace.encoding.render_kernel",
    "tailrace.encoding.protobuf.kernel",
    "tailrace.encoding.avro.kernel",
    "tailrace.encoding.protobuf.logical_kernel",
    "tailrace.changes.distinct",
    "tailrace.changes.expand",
    "tailrace.changes.taking",
    "tailrace.changes.views",
    "tailrace.encoding.decimal_kernel",
    "tailrace.kafka.produce_kernel",
    "tailrace.snapshot.digests",
    "tailrace.snapshot.first_changes",
    "tailrace.snapshot.key_bytes",
    "tailrace.snapshot.key_set",
    "tailrace.snapshot.multiset",
    "tailrace.transforms.java_hashes",
)


def kernel_modules() -> tuple[str, ...]:
    """All of them, each once."""
    return tuple(dict.fromkeys([*(module for spec in SPECS.values() for module in spec.kernels), *_OF_ALL]))


@cache
def entries_of(module: str) -> int:
    """How many kernels a module has; it is not imported."""
    return len(_ENTRIES.findall(text_of(module)))
