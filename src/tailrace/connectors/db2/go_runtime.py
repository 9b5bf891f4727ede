"""The runtime of Go that the driver brings, and the option of it that a process has to begin with.

Go 1.26's garbage collector can miss that a thread leaves Go in the moment in which all others are told to stop. Then it waits
until the runtime's monitor looks for such threads, and that sleeps for up to 60 seconds meanwhile, at times twice. The driver's
calls hang as long, and all of Python with them where one holds the interpreter's lock: seen with adbc-driver-db2 0.2.1
(Go 1.26.7). Kafka ends a transaction in such a pause. With `schedtrace` the monitor never sleeps for more than 10 ms. What it
traces is one line when the driver is loaded, if the machine has been up for as long as the option says, and one whenever that
has passed again.

A library of Go reads the environment with which the process began: what `os.environ` is given later is of no effect.

Sources: Go, src/runtime/proc.go (`reentersyscall`, `stopTheWorldWithSema`, `sysmon`); package runtime, "Environment Variables"
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

VARIABLE: Final = "GODEBUG"
_OPTION, _LONGEST_MS = "schedtrace", (1 << 31) - 1  # 24 days and 20 hours
AWAKE: Final = f"{_OPTION}={_LONGEST_MS}"
_BEGAN_WITH: Final = Path("/proc/self/environ")

log = logging.getLogger(__name__)


def lacking(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that a process needs beside these, or in their place; other options in them stay."""
    given = environment.get(VARIABLE, "")
    if _keeps_awake(given):
        return {}
    return {VARIABLE: f"{given},{AWAKE}" if given else AWAKE}


def _keeps_awake(given: str) -> bool:
    """Whether options have this one, as Go reads them: blanks count, and the last one holds."""
    values = [value for name, _, value in (each.partition("=") for each in given.split(",")) if name == _OPTION]
    return bool(values) and values[-1].isascii() and values[-1].isdigit() and 0 < int(values[-1]) <= _LONGEST_MS


@cache
def warn_if_lacking() -> None:
    """Say once if this process began without them: Spark was not started by `tailrace`."""
    try:
        texts = _BEGAN_WITH.read_bytes().decode(errors="replace").split("\0")
    except OSError:  # a system without it, where nothing tells
        return
    found = lacking(dict(text.split("=", 1) for text in texts if "=" in text))
    if found:
        log.warning(
            "the driver for Db2 may stand still for a minute or two at times, as this process began without %s=%s: set it in "
            "the environment of the program that makes the Spark session, and for executors with spark.executorEnv.%s",
            VARIABLE, found[VARIABLE], VARIABLE,
        )  # fmt: skip
