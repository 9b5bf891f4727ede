"""Why a Spark query ended: recognised by its error's text, since Spark's processes pass on only text."""

from __future__ import annotations

import re

from tailrace.errors import DriverAwayError, FencedError, PositionLostError, StoppedError, TailraceError

DEAD_TASK = ("Python worker exited unexpectedly", "Python worker failed to connect back")  # Spark's words
FAILED_TASK = re.compile(r"Job aborted due to stage failure:.*?most recent failure: (?P<why>[^\n]*)", re.DOTALL)
CANCELLED = "cancelled as part of cancellation of all jobs"  # Spark's words
RAISED_BY_PYTHON = ("PythonException", "Traceback (most recent call last)")
DEAD_PLANNER = re.compile(r"(?:EOFException|SocketException|failed to connect back).*?PythonStreamingSourceRunner", re.DOTALL)


def is_dead_process(error: Exception) -> bool:
    """Whether the query failed because a Python process of Spark's died (killed, out of memory) or could not start."""
    text = full_text(error)
    return any(sign in text for sign in DEAD_TASK) or is_dead_planner(error)


def failure_of_java(error: Exception) -> str:
    """What Spark's Java said when a task failed in it and not in Python; "" if that is not what ended the query.

    On a cluster Spark itself tries a task four times before it says so, in a session on one machine only once.
    """
    text = full_text(error)
    found = FAILED_TASK.search(text)
    return "" if found is None or any(sign in text for sign in RAISED_BY_PYTHON) else found["why"].strip()


def is_cancelled(error: Exception) -> bool:
    """Whether all jobs of the session were cancelled: pyspark does that at Ctrl-C in a script that made its session."""
    return CANCELLED in full_text(error)


def is_stopped(error: Exception) -> bool:
    """Whether a bounded turn was stopped on request."""
    return _is(error, StoppedError)


def lost_its_driver(error: Exception) -> bool:
    """Whether a task of a bounded turn ended since it had not reached the driver for long."""
    return _is(error, DriverAwayError)


def is_dead_planner(error: Exception) -> bool:
    """Whether the dead process was the planner's, or one that did not start."""
    return bool(DEAD_PLANNER.search(full_text(error)))


def may_be_lost(error: Exception) -> bool:
    """Whether a task reported that the log no longer reaches back."""
    return _is(error, PositionLostError)


def is_taken_over(error: Exception) -> bool:
    """Whether another run has taken the lanes."""
    return _is(error, FencedError)


def _is(error: Exception, kind: type[TailraceError]) -> bool:
    """Whether it is of this kind, or one of Spark's with its name in the text."""
    return isinstance(error, kind) or kind.__name__ in full_text(error)


def full_text(error: BaseException) -> str:
    """The full text of a Spark error, with its causes: a dead planner shows only in Java's stack trace."""
    cause = getattr(error, "_cause", None)
    own = f"{error}\n{getattr(error, '_stackTrace', '')}"
    return own if cause is None else f"{own}\n{full_text(cause)}"
