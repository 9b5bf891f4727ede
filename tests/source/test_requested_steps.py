"""Which connector plans the next step of what signals ask for."""

from __future__ import annotations

from typing import Any, cast

import pytest

from tailrace.connectors.base import RequestedStep
from tailrace.connectors.interface import Connector
from tailrace.source.options import ReadJob
from tailrace.source.requested_work import Signals

WORK = {"tables": ["anything"]}
START = {"position": {"lsn": 1}}


class Asked:
    """A connector that can plan nothing, or fails; it counts how often it is asked."""

    def __init__(self, settings: str, error: Exception | None = None) -> None:
        self.settings = settings
        self.error = error
        self.count = 0

    def requested_step(self, *_: Any) -> RequestedStep | None:
        self.count += 1
        if self.error is not None:
            raise self.error
        return None


def ask(signals: Signals, connector: Asked, work: dict[str, Any] | None = WORK) -> None:
    signals.next_batch(cast("Connector", connector), START, work, None)


def test_the_one_that_could_not_plan_is_asked_again_as_it_knows_since_when_it_waits() -> None:
    signals, first, later = Signals(ReadJob(document={})), Asked("a"), Asked("a")
    ask(signals, first)
    ask(signals, later)
    assert (first.count, later.count) == (2, 0)


@pytest.mark.parametrize("password", ["a", "another"])
def test_it_is_forgotten_when_the_work_is_done_and_for_one_with_other_settings(password: str) -> None:
    signals, first, later = Signals(ReadJob(document={})), Asked("a"), Asked(password)
    ask(signals, first)
    if password == "a":
        ask(signals, later, None)
    ask(signals, later)
    assert (first.count, later.count) == (1, 1)


def test_it_is_forgotten_after_an_error() -> None:
    signals, first, later = Signals(ReadJob(document={})), Asked("a"), Asked("a")
    ask(signals, first)
    first.error = ValueError("gone")
    with pytest.raises(ValueError, match="gone"):
        ask(signals, later)
    ask(signals, later)
    assert (first.count, later.count) == (2, 1)
