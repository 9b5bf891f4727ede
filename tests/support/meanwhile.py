"""Does something in another thread while a test continues."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


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
