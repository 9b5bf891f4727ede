"""Thousands of schedules of a model database through the real code; a failure names the seed that replays it."""

import pytest
from simulator import incremental_mutants, mutants
from simulator.checks import ViolationError
from simulator.schedule import INCREMENTAL, INITIAL, run

BLOCKS = [0, pytest.param(500, marks=pytest.mark.long)]  # the first of 500 schedules each
ENOUGH = 4_000  # schedules in which a mutant must have shown itself


@pytest.mark.parametrize("first", BLOCKS)
def test_every_row_is_delivered_once_as_it_was_at_p_and_the_stream_from_there_makes_the_tables(first):
    run_all(INITIAL, range(first, first + 500))


@pytest.mark.parametrize("first", BLOCKS)
def test_chunks_beside_a_stream_stand_in_the_tables_history_where_they_belong(first):
    run_all(INCREMENTAL, range(first, first + 500))


@pytest.mark.long
@pytest.mark.parametrize("name", mutants.MUTANTS)
def test_the_simulator_notices_when(name, monkeypatch):
    require_noticed(INITIAL, mutants.MUTANTS[name], monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize("name", [*incremental_mutants.MUTANTS, *mutants.SHARED])
def test_the_simulator_notices_beside_a_stream_when(name, monkeypatch):
    require_noticed(INCREMENTAL, incremental_mutants.MUTANTS.get(name) or mutants.MUTANTS[name], monkeypatch)


def require_noticed(kind, mutant, monkeypatch):
    monkeypatch.setattr(*mutant)
    with pytest.raises(ViolationError, match=rf"--seed \d+ --kind {kind}: (Violation|Progress)Error"):
        run_all(kind, range(ENOUGH))


def run_all(kind, seeds):
    for seed in seeds:
        run(seed, kind)
