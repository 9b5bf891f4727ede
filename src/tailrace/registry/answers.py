"""What is taken from a registry's answers: only what its API says they have.

A server that answers well but not as a registry (a login page, another service at the same port) must give an error that says
so, and never an id by accident.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tailrace.errors import RegistryError

_NOT_UNDERSTOOD = (KeyError, IndexError, TypeError, ValueError, AttributeError)


def parsed_answer(answer: bytes) -> Any:
    """The JSON of an answer, an empty object if it is empty; None if it is no JSON, or too deep."""
    try:
        return json.loads(answer) if answer.strip() else {}
    except (ValueError, RecursionError):
        return None


def schema_number(found: Any) -> int:
    """The id of a schema. Raises `TypeError` or `ValueError` if it is no whole number, or below zero."""
    if not isinstance(found, int) or isinstance(found, bool):
        raise TypeError("an id that is no whole number")
    if found < 0:
        raise ValueError("an id below zero")
    return found


@contextmanager
def understood(name: str, about: str) -> Iterator[None]:
    """A context in which answers are read.

    Args:
        name: of the property that names the registry.
        about: what was asked for.

    Raises:
        RegistryError: an answer lacks what the API says it has.

    """
    try:
        yield
    except _NOT_UNDERSTOOD as error:
        lacks = f"; it lacks {error}" if isinstance(error, KeyError) else ""
        raise RegistryError(
            f"{name}: the answer to {about} is not that of a schema registry's API{lacks}: does the URL name the registry, "
            "with the whole path of its API?"
        ) from error
