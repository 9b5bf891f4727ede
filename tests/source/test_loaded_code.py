"""A task gives memory back after its first changes, and once when none come for a while."""

import pytest

from tailrace.connectors.base import LogBatch
from tailrace.source import loaded_code
from tailrace.source.loaded_code import QUIET_SECONDS, LoadedCode
from tailrace.starting import library_pages


class Clock:
    now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(loaded_code, "time", made)
    return made


@pytest.fixture
def given(monkeypatch):
    times = []
    monkeypatch.setattr(library_pages, "give_back", lambda: times.append(1))
    return times


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ([(0, 0)], 0),
        ([(0, 0), (QUIET_SECONDS - 0.1, 0)], 0),
        ([(0, 0), (QUIET_SECONDS, 0)], 1),
        ([(0, 0), (QUIET_SECONDS, 0), (QUIET_SECONDS, 0)], 1),
        ([(0, 3), (1, 3)], 1),
        ([(0, 0), (QUIET_SECONDS - 0.1, 3), (0.2, 0), (QUIET_SECONDS - 0.1, 0)], 1),
        ([(0, 0), (QUIET_SECONDS, 0), (1, 3), (1, 3), (1, 0), (QUIET_SECONDS, 0)], 2),
    ],
)
def test_it_is_given_back_once_for_each_of_them(seen, expected, clock, given):
    made = LoadedCode()
    for later, changes in seen:
        clock.now += later
        made.saw(LogBatch([], None, changes=changes))
    assert len(given) == expected
