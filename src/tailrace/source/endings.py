"""What a query of Spark's ended with: told by its error's text, since only text comes from Spark's processes."""

from __future__ import annotations

import re

from tailrace.errors import FencedError, PositionLostError, StoppedError

DEAD_TASK = ("Python worker exited unexpectedly", "Python worker failed to connect back")  # Spark's words
DEAD_PLANNER = re.compile(r"(?:EOFException|SocketException).*?PythonStreamingSourceRunner", re.DOTALL)


def is_dead_process(error: Exception) -> bool:
    """Whether the query failed because a Python process of Spark's is gone (killed, out of memory) or could not start."""
    text = told(error)
    return any(sign in text for sign in DEAD_TASK) or is_dead_planner(error)


def is_stopped(error: Exception) -> bool:
    """Whether a bounded turn says that it was stopped as asked."""
    return isinstance(error, StoppedError) or StoppedError.__name__ in told(error)


def is_dead_planner(error: Exception) -> bool:
    """Whether that process was the planner's."""
    return bool(DEAD_PLANNER.search(told(error)))


def may_be_lost(error: Exception) -> bool:
    """Whether a task said that the log no longer reaches back."""
    return isinstance(error, PositionLostError) or PositionLostError.__name__ in told(error)


def is_taken_over(error: Exception) -> bool:
    """Whether another run has the lanes by now."""
    return isinstance(error, FencedError) or FencedError.__name__ in told(error)


def told(error: BaseException) -> str:
    """All that an error of Spark's tells, with its causes: of a dead planner only Java's stack trace does."""
    cause = getattr(error, "_cause", None)
    own = f"{error}\n{getattr(error, '_stackTrace', '')}"
    return own if cause is None else f"{own}\n{told(cause)}"
