"""Incremental snapshots beside a running stream: one schedule, made, run and checked at every delivery."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tailrace.snapshot.segments import Segment

from .checks import ViolationError
from .database import Database, Entry, any_below, any_of
from .streaming import Ask, Habit, StreamingLane

MOST_STEPS = 3_000

Parts = Callable[[str], list[Segment]]  # a table's segments


def run_incremental(
    random: Random, database: Database, parts: Parts, made: type[StreamingLane] = StreamingLane
) -> None:
    """Signals come while the stream goes on, until every snapshot is done or stopped; `parts` cuts a table, `made` is the lane."""
    plan = planned(random, database, parts)
    asks: dict[int, Ask] = {}
    lane = made(database, asks, habit(random))
    for _ in range(MOST_STEPS):
        if not plan and not lane.state.segments and lane.state.at > max(asks):
            break
        if plan and random.random() < (0.2 if asks else 0.8):
            asks[len(database.log)] = plan.pop(0)
            database.log.append(Entry("signal"))
        lane.step()
        database.disturb()
        if database.pending and random.random() < 0.1:  # nothing stays invisible for ever
            database.show(any_of(random, database.pending))
    else:
        raise ViolationError("it does not end")
    lane.finish()


def habit(random: Random) -> Habit:
    """How the lane goes."""
    return Habit(
        limit=1 + any_below(random, 4),
        batch=any_of(random, (1, 4, 12)),
        chunk=any_of(random, (0.3, 0.8)),
        commit=any_of(random, (0.2, 0.7, 1.0)),
        death=any_of(random, (0.0, 0.05, 0.2)),
        deaths=4,
        is_visible=random.random() < 0.5,
        wins=random.random() < 0.3,
    )


def planned(random: Random, database: Database, parts: Parts) -> list[Ask]:
    """The signals that will come."""
    names = [*database.tables]
    plan = [_execute(random, names, parts)]
    if random.random() < 0.3:
        plan += [Ask("pause"), Ask("resume")]
    if random.random() < 0.2:
        plan.append(Ask("stop", tables=[any_of(random, names)]))
    if random.random() < 0.2:
        plan.append(_execute(random, names, parts))
    return plan


def _execute(random: Random, names: list[str], parts: Parts) -> Ask:
    some = [name for name in names if random.random() < 0.8] or names[:1]
    return Ask("execute", [segment for name in some for segment in parts(name)])
