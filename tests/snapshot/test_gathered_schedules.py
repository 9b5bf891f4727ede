"""Schedules of incremental snapshots beside a log that is captured late; a failure names the seed that replays it."""

from dataclasses import replace

import pytest
from simulator.checks import ViolationError
from simulator.gathering import GatheringLane, run_gathered
from simulator.streaming import StreamingLane

from tailrace.snapshot import incremental
from tailrace.snapshot.incremental import _TableLog
from tailrace.snapshot.key_set import KeySet

BLOCKS = [0, pytest.param(500, marks=pytest.mark.long)]  # the first of 500 schedules each
ENOUGH = 2_000
RARE = 1_637  # the first schedule that shows the rarest mistake: it is tried before the others, as it is far among them


@pytest.mark.parametrize("first", BLOCKS)
def test_a_consumer_never_holds_what_is_older_than_the_stream_and_lacks_nothing(first):
    run_all(range(first, first + 500))


def run_all(seeds):
    for seed in seeds:
        run_gathered(seed)


_take = incremental.take_gathered
_passed, _gather = GatheringLane._passed, GatheringLane._gather


def newest_captured(lane):
    return max(lane._database.visible_upto() - 2, 0)


def asked_before_the_read(lane, segment):
    early = _passed(lane)
    lane._passed = lambda: early
    _gather(lane, segment)


def first_chunk_alone(source, segment, chunks, *args):
    taken = _take(source, segment, chunks[:1], *args)
    return replace(taken, after=chunks[-1].bound(len(chunks[-1]) - 1) if len(chunks[-1]) else taken.after)


MUTANTS = {
    "it is not waited for what was read": (GatheringLane, "_passed", newest_captured),
    "the head is asked before the chunks are read": (GatheringLane, "_gather", asked_before_the_read),
    "what the stream has told meanwhile is told again": (_TableLog, "keys_upto", lambda self, at: KeySet()),
    "a table that is asked for anew is not read anew": (GatheringLane, "_obey", StreamingLane._obey),
    "only the first chunk is delivered": (incremental, "take_gathered", first_chunk_alone),
}


@pytest.mark.long
@pytest.mark.parametrize("name", MUTANTS)
def test_the_simulator_notices_when(name, monkeypatch):
    monkeypatch.setattr(*MUTANTS[name])
    with pytest.raises(ViolationError, match=r"seed \d+: ViolationError"):
        run_all([RARE, *range(ENOUGH)])
