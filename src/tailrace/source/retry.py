"""Another attempt after a retriable error, for the planner's few questions to a database."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tailrace.errors import RetriableError
from tailrace.source.job import Pace

T = TypeVar("T")


def retrying(pace: Pace, question: Callable[[], T], notice: Callable[[str], None]) -> T:
    """The answer, after as many attempts as the pace allows; `notice` is told of each failure."""
    failures = 0
    while True:
        try:
            return question()
        except RetriableError as error:
            failures += 1
            if 0 <= pace.max_retries < failures:
                raise
            notice(f"{error}; trying again in {pace.retry_seconds:g} s")
            time.sleep(pace.retry_seconds)
