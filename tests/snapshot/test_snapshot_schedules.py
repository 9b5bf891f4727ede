"""Thousands of schedules of a model database through the real code; a failure names the seed that replays it."""

import pytest
from simulator.checks import ViolationError
from simulator.mutants import MUTANTS
from simulator.schedule import run

SCHEDULES = 2_000
ENOUGH = 4_000  # schedules in which a mutant must have shown itself


@pytest.mark.parametrize("first", range(0, SCHEDULES, 500))
def test_every_row_is_delivered_once_as_it_was_at_p_and_the_stream_from_there_makes_the_tables(first):
    run_all(range(first, first + 500))


@pytest.mark.parametrize("name", MUTANTS)
def test_the_simulator_notices_when(name, monkeypatch):
    monkeypatch.setattr(*MUTANTS[name])
    with pytest.raises(ViolationError, match=r"seed \d+: (Violation|Progress)Error"):
        run_all(range(ENOUGH))


def run_all(seeds):
    for seed in seeds:
        run(seed)
