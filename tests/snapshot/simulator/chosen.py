"""Schedules in which a condition on the rows chooses what is read of some tables, as a statement of the user's own does.

No image of the log can be asked whether it would have been chosen. What must hold: a row that was delivered is the row at
P, and is chosen; a row that nobody touched since P is delivered if it is chosen; and what the stream from P makes of all
that was delivered has nothing older than the tables.
"""

from __future__ import annotations

from random import Random

from tailrace.snapshot.segments import Segment

from .checks import ViolationError, by_key, fold, replayed_by
from .database import UNKNOWN, Database, Row
from .lanes import Delivered, Lane
from .reading import BEYOND, Position, Rows, Source
from .schedule import delivered_by, lanes_of, made, position

CHOSEN = frozenset({"t0", "t2"})


def is_chosen(row: Row) -> bool:
    """The user's condition."""
    return row.values[0] % 2 == 0


class ChoosingSource(Source):
    """Reads the chosen rows of those tables."""

    def _scan(self, chunk: Rows, segment: Segment) -> None:
        if segment.table not in CHOSEN:
            super()._scan(chunk, segment)
            return
        kind, rows = chunk.table.kind, chunk.table.visible
        at, upto = kind.rank(segment.after, -1), kind.rank(segment.upto, BEYOND)
        while len(chunk) < self._limit:
            at = min((rank for rank, row in rows.items() if at < rank <= upto and is_chosen(row)), default=BEYOND)
            if at == BEYOND:
                chunk.is_last = True
                return
            chunk.rows.append(rows[at])
            self._database.disturb()


class ChoosingLane(Lane):
    """A lane over such a source."""

    chosen = CHOSEN

    def source(self, death: float) -> Source:
        return ChoosingSource(self._database, self._start, self._pace.limit, death)


def run_chosen(seed: int) -> None:
    """Run one schedule; a `ViolationError` names its seed."""
    with replayed_by(f"seed {seed}"):
        _run(Random(seed))


def _run(random: Random) -> None:
    database = made(random)
    start, tables = position(database)
    planned = lanes_of(database, start)
    lanes = [ChoosingLane(database, start, lane.plan, lane._pace) for lane in planned]
    delivered = delivered_by(lanes, database)
    for name in CHOSEN & database.tables.keys():
        rows = [record.row for record in delivered if record.table == name]
        _check(database, start, name, by_key(tables[name].values()), rows)
    for lane in lanes:
        if not lane.state.done:
            raise ViolationError(f"the lane ended, its state does not say so: {lane.state}")
    _check_images(delivered)


def _check(database: Database, start: Position, name: str, at_start: dict[int, Row], rows: list[Row]) -> None:
    table, numbers = database.tables[name], start.entries(len(database.log))
    found = by_key(rows)
    _require(len(found) == len(rows), f"{name}: a key was delivered twice: {rows}")
    entries = [database.log[number] for number in numbers]
    changes = [change for entry in entries for change in entry.changes if change.table == name]
    keys = [(change, row.key) for change in changes for row in (change.before, change.after) if row is not None]
    touched, unknown = {key for _, key in keys}, {key for change, key in keys if change.image == UNKNOWN}
    for key, row in found.items():
        held = at_start.get(key)
        as_it_was = held is not None and row.values[: len(held.values)] == held.values and is_chosen(row)
        _require(as_it_was or key in unknown, f"{name}: {row} was delivered, but was {held}")
    if not any(entry.kind in ("truncate", "drop") and entry.table == name for entry in entries):
        lacking = [row for key, row in at_start.items() if is_chosen(row) and key not in touched | found.keys()]
        _require(not lacking, f"{name}: {lacking} lack of {at_start}")
    folded: dict[str, dict[int, Row]] = {each: {} for each in database.tables}
    folded[name] = dict(found)
    fold(database, folded, numbers)
    latest = by_key(table.latest.values())
    for key, row in folded[name].items():
        now = latest.get(key)
        _require(now is not None and row.values == now.values[: len(row.values)], f"{name}: {row} is held, but is {now}")


def _check_images(delivered: list[Delivered]) -> None:
    images = [record for record in delivered if record.is_image and record.table in CHOSEN]
    _require(not images, f"rows were delivered from images: {images}")


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ViolationError(message)
