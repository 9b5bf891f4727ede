"""One schedule: made from its seed, run, checked."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from random import Random
from typing import Final

from tailrace.snapshot.segments import Segment, TablePlan, shares
from tailrace.snapshot.state import start as beginning

from .checks import ViolationError, by_key, check_fold, check_lane, check_rows, replayed_by
from .database import Database, Habits, Table, any_below, any_of
from .incremental import Parts, run_incremental
from .lanes import Delivered, Lane, Pace
from .reading import Position

INITIAL: Final = "initial"
INCREMENTAL: Final = "incremental"
BOTH: Final = "both"  # which one follows from the seed
KINDS: Final = (BOTH, INITIAL, INCREMENTAL)
MOST_STEPS = 3_000


def run(seed: int, kind: str = BOTH) -> None:
    """Run one schedule; a `ViolationError` names its seed and the kind of snapshot, which together replay it."""
    random = Random(seed)
    drawn = INITIAL if random.random() < 0.5 else INCREMENTAL
    kind = drawn if kind == BOTH else kind
    with replayed_by(f"--seed {seed} --kind {kind}"):
        if kind == INITIAL:
            run_initial(random)
        else:
            run_beside_stream(random)


def run_block(block: tuple[int, int, str]) -> tuple[int, list[str]]:
    """Run the schedules from one seed to before another; how many those are, and the violations."""
    logging.disable()  # in a process of its own; tables without a key are doubted all the time
    first, end, kind = block
    violations = []
    for seed in range(first, end):
        try:
            run(seed, kind)
        except ViolationError as violation:
            violations.append(str(violation))
    return end - first, violations


def made(random: Random, keyless: float = 0.0) -> Database:
    """A database that has been written to for a while; `keyless` is the likelihood that a table has no key."""
    chance = random.random
    habits = Habits(liveliness=any_of(random, (0.1, 0.3, 0.6)), lag=any_of(random, (0.0, 0.3, 0.9)))
    database = Database(random, habits, budget=0)
    for table in database.tables.values():
        table.is_keyless = keyless > 0 and chance() < keyless
    for _ in range(2 + any_below(random, 23)):
        database.write()
    habits.structures = 0.15 if chance() < 0.3 else 0.0
    habits.truncates = 0.5 if chance() < 0.4 else 0.0
    habits.incomplete = 0.3 if chance() < 0.3 else 0.0
    database.budget = any_below(random, 40)
    return database


def run_initial(random: Random) -> None:
    """An initial snapshot by one or more lanes, and the stream from P."""
    database = made(random, keyless=0.25)
    start, tables = position(database)
    at_start = {name: by_key(rows.values()) for name, rows in tables.items()}
    lanes = lanes_of(database, start)
    delivered = delivered_by(lanes, database)
    check_rows(database, start, at_start, delivered)
    check_fold(database, start, [(record.table, record.row) for record in delivered])
    for lane in lanes:
        check_lane(database, start, lane)


def delivered_by(lanes: Sequence[Lane], database: Database) -> list[Delivered]:
    """What lanes deliver, each a step now and then, beside somebody who writes."""
    for _ in range(MOST_STEPS):
        active = [lane for lane in lanes if not lane.is_done]
        if not active:
            return [record for lane in lanes for record in lane.delivered]
        any_of(database.random, active).step()
        database.disturb()
    raise ViolationError("it does not end")


def run_beside_stream(random: Random) -> None:
    """Incremental snapshots, and the stream all the while."""
    database = made(random)
    database.budget += any_below(random, 40)
    run_incremental(random, database, parts_of(random, database))


def parts_of(random: Random, database: Database) -> Parts:
    """Cuts tables."""

    def parts(name: str) -> list[Segment]:
        plan = table_plan(random, database.tables[name])
        return [segment for lane in shares([plan], 1 + any_below(random, 3)) for segment in lane.segments]

    return parts


def position(database: Database) -> tuple[Position, dict[str, dict]]:
    """A position P, and what the tables hold there.

    Either what is visible now, as a set; or the log's head, which is waited for.
    """
    if database.random.random() < 0.5:
        held = {table.name: dict(table.visible) for table in database.tables.values()}
        return Position(len(database.log), sorted(database.pending)), held
    at = Position(len(database.log))
    held = {table.name: dict(table.latest) for table in database.tables.values()}
    database.wait_for(at.n)
    return at, held


def lanes_of(database: Database, start: Position) -> list[Lane]:
    """Lanes, and the tables shared out to them."""
    random = database.random
    plans = [table_plan(random, table) for table in database.tables.values()]
    pace = Pace(
        limit=1 + any_below(random, 3),
        commit=any_of(random, (0.2, 0.7, 1.0)),
        death=any_of(random, (0.0, 0.05, 0.2)),
        deaths=4,
    )
    parts = shares(plans, 1 + any_below(random, 3))
    return [Lane(database, start, beginning(plan, start.to_dict()), pace) for plan in parts]


def table_plan(random: Random, table: Table) -> TablePlan:
    """A table, cut at some keys, which need not be there; one without a key can't be cut."""
    if table.is_keyless:
        return TablePlan(table.name, len(table.visible))
    cuts = sorted(random.sample(range(len(table.kind.of_rank)), any_below(random, 4)))
    splits = [table.kind.bounds[any_of(random, table.kind.of_rank[rank])] for rank in cuts]
    return TablePlan(table.name, len(table.visible), splits)
