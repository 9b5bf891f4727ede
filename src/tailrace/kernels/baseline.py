"""The processor that kernels are compiled for: a stated baseline, so that what an image has fits the machine that runs it.

numba compiles for the very processor it finds, with all its extensions, and what it keeps is of no use on another model. On
Linux it is x86-64-v3 here: what Intel has had since 2013 (Haswell) and AMD since 2015, and every cloud offers. On 64-bit ARM it
is what all of them have. Processors without these, and other systems, which no image is made for, get code of their own.
`NUMBA_CPU_NAME` (and `NUMBA_CPU_FEATURES`) choose another one. Nothing here imports numba.
"""

from __future__ import annotations

import os
import platform
import sys
from functools import cache
from pathlib import Path
from typing import Final

CPU_NAME: Final = "NUMBA_CPU_NAME"
CPU_FEATURES: Final = "NUMBA_CPU_FEATURES"
X86_64_V3: Final = "x86-64-v3"
"""Source: the x86-64 psABI, "micro-architecture levels"."""
ARM: Final = "generic"

_FLAGS: Final = frozenset(
    [
        "cx16",
        "lahf_lm",
        "popcnt",
        "pni",
        "sse4_1",
        "sse4_2",
        "ssse3",
        "avx",
        "avx2",
        "bmi1",
        "bmi2",
        "f16c",
        "fma",
        "abm",
        "movbe",
        "xsave",
    ]
)
"""What Linux calls the extensions of the level."""
_CPU_INFO: Final = Path("/proc/cpuinfo")


@cache
def baseline() -> str | None:
    """LLVM's name of the processor to compile for; None: the one of this machine."""
    if sys.platform != "linux":
        return None
    if platform.machine() == "x86_64":
        return X86_64_V3 if has_level(_CPU_INFO) else None
    return ARM if platform.machine() == "aarch64" else None


def has_level(cpu_info: Path) -> bool:
    """Whether the processor that Linux describes in a file is of the level."""
    try:
        lines = cpu_info.read_text().splitlines()
    except OSError:
        return False
    flags = next((line for line in lines if line.startswith("flags")), "")
    return set(flags.partition(":")[2].split()) >= _FLAGS


def use_baseline() -> None:
    """Set numba's environment variables, unless the user has."""
    name = baseline()
    if name is None or CPU_NAME in os.environ or CPU_FEATURES in os.environ:
        return
    os.environ[CPU_NAME] = name
    os.environ[CPU_FEATURES] = ""
    config = sys.modules.get("numba.core.config")
    if config is not None:  # it was imported before; what has compiled something keeps its processor, and finds no file
        config.reload_config()


def target_text() -> str:
    """For which processor kernels are compiled here, for people and as part of a folder's name."""
    name = os.environ.get(CPU_NAME) or baseline()
    return name or f"this machine's {platform.machine()}"
