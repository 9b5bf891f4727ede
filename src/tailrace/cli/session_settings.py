"""The settings of Spark that a session of the command line has by itself."""

from __future__ import annotations

from typing import Final

from tailrace.cli.beginning import of_executors
from tailrace.starting.session_java import SETTINGS

LOCAL: Final = "local[2]"
OF_THIS_PROCESS: Final = "local["  # how masters begin whose tasks are in the process of the driver's Java
_ELSEWHERE: Final = {"spark.python.use.daemon": "true"}
"""A daemon ends an executor's Python processes with it, also where the executor is killed."""


def own_settings(master: str, *, is_here: bool = True) -> dict[str, str]:
    """What a session begins with.

    Args:
        master: Spark's.
        is_here: whether all of it is on this machine.

    """
    where = {} if is_here else {**_ELSEWHERE, **of_executors()}
    return {"spark.master": master, "spark.app.name": "tailrace", **SETTINGS, **where}


def local_master(lanes: int) -> str:
    """Spark on this machine, with a core for each lane, at least 2."""
    return f"local[{max(2, lanes)}]"
