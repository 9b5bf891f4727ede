"""Errors for people: one line, of the error that tailrace raised inside a Spark task."""

from __future__ import annotations

import re
from contextlib import suppress
from importlib import import_module

from tailrace.errors import StoppedError, TailraceError
from tailrace.streaming.java_process import why_lost

# The last line of a Python traceback, which Spark passes on as text, up to what Spark or Java append.
RAISED = re.compile(
    r"^(?P<module>(?:\w+\.)*)(?P<name>\w*(?:Error|Exception|Interrupt)): (?P<message>.*?)\s*"
    r"(?=\n\s*\n|\n\s+at |\nTraceback|\n\s*SQLSTATE|\Z)",
    re.MULTILINE | re.DOTALL,
)
JAVA = ("java.", "org.", "scala.", "py4j.")
STOPPED = "StoppedError"


def cause_of(error: BaseException) -> BaseException:
    """What to tell of an error that ended a run."""
    return why_lost(error) or unwrapped(error)


def unwrapped(error: BaseException) -> BaseException:
    """The error that was raised in a task or in the planner; the given one if Spark passes on none."""
    if isinstance(error, TailraceError) or not is_sparks(error):
        return error
    raised = [match for match in RAISED.finditer(str(error)) if not match["module"].startswith(JAVA)]
    if not raised:
        return error
    last = raised[-1]
    message = last["message"].strip()
    if not last["module"].startswith("tailrace."):
        return RuntimeError(f"{last['name']}: {message}")
    kind = kind_of(last["module"], last["name"])
    return kind.__new__(kind, message)  # its other arguments are lost in Spark's text


def kind_of(module: str, name: str) -> type[TailraceError]:
    """The class of an error that was raised in another process, wherever it is defined."""
    with suppress(ImportError):
        found = getattr(import_module(module.rstrip(".")), name, None)
        if isinstance(found, type) and issubclass(found, TailraceError):
            return found
    return TailraceError


def is_stop(error: BaseException) -> bool:
    """Whether the error only says that a bounded run was stopped on request."""
    return isinstance(error, StoppedError) or any(match["name"] == STOPPED for match in RAISED.finditer(str(error)))


def is_sparks(error: BaseException) -> bool:
    """Whether Spark raised it, or the bridge to Java."""
    return type(error).__module__.startswith(("pyspark.", "py4j."))


def first_line(error: BaseException) -> str:
    """An error in one line."""
    text = str(error).strip()
    if isinstance(error, TailraceError):
        return text
    head = "" if type(error) is RuntimeError else type(error).__name__
    return ": ".join(filter(None, [head, text.splitlines()[0] if text else ""]))
