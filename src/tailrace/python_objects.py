"""Python classes and functions of users, which a configuration names: `python:package.module.Name`.

They are imported where they are used, on the driver and on the executors, so nothing of them is pickled.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tailrace.config.entries import SHORTEST_HIDDEN

PREFIX: Final = "python:"


class NotImportableError(ValueError):
    """A module can't be imported on this machine; the text says what to do."""


def is_python(type_: str) -> bool:
    """Whether a property's value names something in Python, and no Java class."""
    return type_.startswith(PREFIX)


def load_callable(type_: str, arguments: int) -> Callable[..., Any]:
    """The class or function that a property names.

    Args:
        type_: `python:package.module.Name`.
        arguments: how many it has to take.

    Raises:
        NotImportableError: its module can't be imported.
        ValueError: it is not there, or takes other arguments; the text says what to do.

    """
    path = type_.removeprefix(PREFIX).strip()
    module, _, name = path.rpartition(".")
    if not module or not all(part.isidentifier() for part in path.split(".")):
        raise ValueError("write python:package.module.Name")
    found = getattr(_imported(module), name, None)
    if found is None:
        raise ValueError(f"the module {module} has no {name}")
    if not callable(found) or not _takes(found, arguments):
        given = "one argument, the options" if arguments == 1 else f"{arguments} arguments"
        raise ValueError(f"{name} must be a class or a function that takes {given}")
    made: Callable[..., Any] = found
    return made


def kind_and_place(error: BaseException) -> str:
    """What may be told of an error of a user's code, whose text may have a value: its kind, and where it was raised.

    Raise what has it `from None`: Spark shows an error with all those that it came from.
    """
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    place = "" if last is None else f" ({Path(last.tb_frame.f_code.co_filename).name}, line {last.tb_lineno})"
    return f"{type(error).__name__}{place}"


def refusal(error: BaseException, options: Mapping[str, str]) -> str:
    """What is told of an error with which a user's code refuses its options: its text too, without the options' values."""
    text = str(error)
    for value in sorted(options.values(), key=len, reverse=True):
        if len(value) >= SHORTEST_HIDDEN:
            text = text.replace(value, "***")
    return f"{kind_and_place(error)}: {text}"


def _imported(module: str) -> Any:
    try:
        return import_module(module)
    except Exception as error:  # the module is the user's: anything may be wrong with it
        raise NotImportableError(
            f"the module {module} can't be imported ({type(error).__name__}: {error}): install its package where tailrace "
            "is installed, on the driver and on all executors"
        ) from error


def _takes(function: Callable[..., Any], arguments: int) -> bool:
    try:
        inspect.signature(function).bind(*range(arguments))
    except (TypeError, ValueError):
        return False
    return True
