"""Failpoints: named places where a test lets the process die or fail.

`TAILRACE_FAILPOINTS=sink.before-commit=kill@3,task.committed=error@1` kills the process (SIGKILL) when it reaches the
first place for the third time, and raises a retriable error when it first reaches the second place. Without the
variable a failpoint costs one comparison. Every name is in `NAMES`, and a test kills at each of them.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from typing import Final

from tailrace.errors import RetriableError, SinkLostError

VARIABLE: Final = "TAILRACE_FAILPOINTS"
NAMES: Final = (
    "sink.opened",
    "sink.written",
    "sink.before-flush",
    "sink.before-commit",
    "sink.after-commit",
    "task.committed",
)
OF_THE_DRIVER: Final = ("sink.before-anew", "sink.after-anew")  # only the driver runs this code

_armed: dict[str, tuple[str, int]] | None = None
_met: Counter[str] = Counter()


def hit(name: str) -> None:
    """Die or fail here, if a test wants it."""
    armed = _armed if _armed is not None else _arm()
    if not armed or name not in armed:
        return
    _met[name] += 1
    action, turn = armed[name]
    if _met[name] != turn:
        return
    if action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    # what a broker's failure would raise there: the sink is then opened again instead of used further
    raise (SinkLostError if name.startswith("sink.") else RetriableError)(f"failpoint {name}")


def _arm() -> dict[str, tuple[str, int]]:
    global _armed  # noqa: PLW0603 -- read once for each process
    armed = {}
    for item in filter(None, os.environ.get(VARIABLE, "").split(",")):
        name, _, what = item.partition("=")
        action, _, turn = what.partition("@")
        if name not in (*NAMES, *OF_THE_DRIVER) or action not in {"kill", "error"}:
            raise ValueError(f"{VARIABLE}: {item!r} is not NAME=kill@N or NAME=error@N with a name of {', '.join(NAMES)}")
        armed[name] = (action, int(turn or 1))
    _armed = armed
    return armed
