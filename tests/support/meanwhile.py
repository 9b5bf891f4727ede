"""Does something while a test continues: in another thread, or before a function is called."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest


@contextmanager
def meanwhile(doing: Callable[[], object], pause: float = 0.01) -> Iterator[None]:
    """It is done again and again, with a pause of so many seconds, until the block ends, which raises what it raised."""
    ends, errors = threading.Event(), list[BaseException]()

    def do() -> None:
        try:
            while not ends.wait(pause):
                doing()
        except BaseException as error:  # it is raised where the block ends
            errors.append(error)

    thread = threading.Thread(target=do)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()
        if errors:  # also where the block failed, which may be for that reason
            raise errors[0]


def before_first_call(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, do: Callable[[], object]) -> None:
    """Do something before a function of a module is called for the first time."""
    real, left = getattr(module, name), [do]

    def called(*given: Any) -> Any:
        while left:
            left.pop()()
        return real(*given)

    monkeypatch.setattr(module, name, called)
