"""Values that are not known where a configuration is checked, because their placeholders are replaced at deployment.

Known values are checked all the same; a check that needs an unknown value is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import wraps
from typing import ParamSpec

from tailrace.config.values import Value

P = ParamSpec("P")


class UnknownValueError(Exception):
    """A check needs a value that is not known."""


class KnownValues(Mapping[str, Value]):
    """Values by property name; looking up an unknown one raises `UnknownValueError`."""

    def __init__(self, values: Mapping[str, Value], unknown: Collection[str]) -> None:
        self._values = values
        self._unknown = unknown

    def __getitem__(self, name: str) -> Value:
        if name in self._unknown:
            raise UnknownValueError(name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def unless_unknown(check: Callable[P, None]) -> Callable[P, None]:
    """Decorate a check to end quietly where it looks up a value that is not known."""

    @wraps(check)
    def made(*args: P.args, **kwargs: P.kwargs) -> None:
        with suppress(UnknownValueError):
            check(*args, **kwargs)

    return made
