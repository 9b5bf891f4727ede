"""Retries after a retriable error, and the pause before them; a stop ends that pause, and a wait for an answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

from tailrace.errors import RetriableError, StoppedError
from tailrace.source.job import Pace

T = TypeVar("T")

STEP_SECONDS = 0.2


def retrying(
    pace: Pace, question: Callable[[], T], notice: Callable[[str], None], stopping: Callable[[], bool] = lambda: False
) -> T:
    """The function's result, after as many attempts as the pace allows; `notice` gets each failure.

    Raises:
        StoppedError: a stop was requested during a pause.

    """
    failures = 0
    while True:
        try:
            return question()
        except RetriableError as error:
            failures += 1
            if 0 <= pace.max_retries < failures:
                raise
            notice(f"{error}; trying again in {pace.retry_seconds:g} s")
            if paused(pace.retry_seconds, stopping):
                raise StoppedError("stopped as asked, while waiting for the next attempt") from error


def paused(seconds: float, stopping: Callable[[], bool]) -> bool:
    """Wait for `seconds`, or until a stop is requested; return whether it was."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and not stopping():
        time.sleep(min(STEP_SECONDS, seconds))
    return stopping()


def in_time(question: Callable[[], T], stopping: Callable[[], bool]) -> T:
    """The function's result, unless a stop comes first: a hanging server may block for longer than a stop may take.

    The call is then left to a thread that nobody waits for.

    Raises:
        StoppedError: a stop was requested before there was a result.

    """
    answer: Future[T] = Future()

    def ask() -> None:
        try:
            answer.set_result(question())
        except BaseException as error:  # noqa: BLE001 -- raised where the answer is waited for
            answer.set_exception(error)

    threading.Thread(target=ask, daemon=True, name="tailrace-question").start()
    while not wait([answer], STEP_SECONDS).done:
        if stopping():
            raise StoppedError("there was no answer in time")
    return answer.result()
