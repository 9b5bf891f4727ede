"""One schedule: made from its seed, run, checked."""

from __future__ import annotations

from random import Random

from tailrace.snapshot.segments import TablePlan, shares
from tailrace.snapshot.state import start as beginning

from .checks import ViolationError, by_key, check_fold, check_lane, check_rows
from .database import Database, Habits, Table
from .incremental import run_incremental, run_window
from .lanes import Lane, Pace
from .reading import Position

MOST_STEPS = 3_000


def run(seed: int) -> None:
    """Run one schedule; a `ViolationError` names its seed."""
    random = Random(seed)
    how = random.random()
    try:
        if how < 0.8:
            run_initial(random)
        elif how < 0.9:
            run_incremental(random)
        else:
            run_window(random)
    except Exception as error:
        raise ViolationError(f"seed {seed}: {type(error).__name__}: {error}") from error


def run_block(seeds: tuple[int, int]) -> tuple[int, list[str]]:
    """Run the schedules from one seed to before another; how many those are, and the violations."""
    violations = []
    for seed in range(*seeds):
        try:
            run(seed)
        except ViolationError as violation:
            violations.append(str(violation))
    return seeds[1] - seeds[0], violations


def made(random: Random) -> Database:
    """A database that has been written to for a while."""
    chance = random.random
    habits = Habits(liveliness=random.choice((0.1, 0.3, 0.6)), lag=random.choice((0.0, 0.3, 0.9)))
    database = Database(random, habits, budget=0)
    for _ in range(random.randrange(2, 25)):
        database.write()
    habits.structures = 0.15 if chance() < 0.3 else 0.0
    habits.truncates = 0.5 if chance() < 0.4 else 0.0
    habits.incomplete = 0.3 if chance() < 0.2 else 0.0
    database.budget = random.randrange(0, 40)
    return database


def run_initial(random: Random) -> None:
    """An initial snapshot by one or more lanes, and the stream from P."""
    database = made(random)
    start, tables = position(database)
    at_start = {name: by_key(rows.values()) for name, rows in tables.items()}
    lanes = lanes_of(database, start)
    for _ in range(MOST_STEPS):
        active = [lane for lane in lanes if not lane.is_done]
        if not active:
            break
        random.choice(active).step()
        database.disturb()
    else:
        raise ViolationError("it does not end")
    delivered = [record for lane in lanes for record in lane.delivered]
    check_rows(database, start, at_start, delivered)
    check_fold(database, start, [(record.table, record.row) for record in delivered])
    for lane in lanes:
        check_lane(database, start, lane)


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
        limit=random.randrange(1, 4),
        commit=random.choice((0.2, 0.7, 1.0)),
        death=random.choice((0.0, 0.05, 0.2)),
        deaths=4,
    )
    parts = shares(plans, random.randrange(1, 4))
    return [Lane(database, start, beginning(plan, start.to_dict()), pace) for plan in parts]


def table_plan(random: Random, table: Table) -> TablePlan:
    """A table, cut at some keys, which need not be there."""
    cuts = sorted(random.sample(range(len(table.kind.of_rank)), random.randrange(0, 4)))
    splits = [table.kind.bounds[random.choice(table.kind.of_rank[rank])] for rank in cuts]
    return TablePlan(table.name, len(table.visible), splits)
