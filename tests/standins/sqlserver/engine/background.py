"""Sessions that wait, in threads of their own."""

import threading
import time
from collections.abc import Callable

from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.session import SqlError

PATIENCE = 10.0


def in_background(work: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    """Runs it; the list gets what it gave, or the number of its error."""
    found: list[object] = []

    def run() -> None:
        try:
            found.append(work())
        except SqlError as problem:
            found.append(problem.number)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, found


def until_waiting(engine: Engine, session: int) -> None:
    """Until the session waits for a lock."""
    deadline = time.monotonic() + PATIENCE
    while session not in engine.locks.waiting():
        assert time.monotonic() < deadline, "nobody waits"
        time.sleep(0.001)
