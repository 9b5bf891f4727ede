"""The toy database is snapshotted by the code that reads change tables of any database."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import pytest
from tests.connectors.change_tables.toy import FORM, NAME, Change, Toy, lsn, table_id
from tests.connectors.change_tables.toy_dialect import ToyDialect
from tests.connectors.change_tables.toy_planned import ToyPlanned
from tests.connectors.change_tables.toy_snapshots import KEY, ToyDatabase, ToyReads, ToyTable, opened_source
from tests.connectors.change_tables.toy_stream import Stream, changes_in, folded, row, written

from tailrace.connectors.base import Lane, Progress
from tailrace.connectors.change_tables.log_boundary import LogBoundary
from tailrace.connectors.change_tables.positions import DatabasePosition, Positions, restart_at
from tailrace.connectors.change_tables.snapshots import sections, source
from tailrace.connectors.change_tables.snapshots.incremental import ChangeTableIncrementalReader
from tailrace.connectors.change_tables.snapshots.lane_snapshot import ChangeTableSnapshot
from tailrace.connectors.change_tables.snapshots.pending_chunks import read_pending
from tailrace.connectors.change_tables.snapshots.planning import history_of, position_of
from tailrace.connectors.change_tables.snapshots.point import take
from tailrace.connectors.change_tables.snapshots.source import LSN, ChangeTableSource
from tailrace.connectors.shared.snapshots.chunks import ReadChunk
from tailrace.connectors.shared.snapshots.keys import stored
from tailrace.connectors.shared.snapshots.planning import whole_part
from tailrace.connectors.shared.snapshots.snapshot_reader import SnapshotReader
from tailrace.errors import RetriableError
from tailrace.events.shape import RowChanges
from tailrace.requested_work.work import TableWork, Work
from tailrace.schema.changes_topic import quoted_id
from tailrace.snapshot.first_changes import TableTouches
from tailrace.snapshot.segments import LanePlan, Segment
from tailrace.snapshot.source import Piece
from tailrace.snapshot.state import SnapshotState, start
from tailrace.snapshot.waves import SnapshotLane


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "SECTION_TRANSACTIONS", 3)
    monkeypatch.setattr(source, "HELD_BYTES", 1 << 10)
    monkeypatch.setattr("tailrace.connectors.change_tables.snapshots.capture.POLL_SECONDS", 0.0)


Source = ChangeTableSource[ToyDatabase, ToyTable]


def opened(toy: Toy, at: int, chosen: random.Random) -> Source:
    """The toy at a place of its log, with somebody who writes before each read."""

    def between() -> None:
        if len(toy.journal) < 150:
            written(toy, chosen, 2)

    keys = {quoted_id(table_id(name)): KEY.to_dict() for name in ("a", "b")}
    return opened_source(toy, lsn(at), keys, between)


def rows_of(piece: Piece) -> list[tuple[int, str]]:
    """The rows of a piece, of those that were read or of images before."""
    if isinstance(piece.of, ReadChunk):
        found = [(vector.to_arrow() for vector in block.columns if vector) for block in piece.of.blocks]
        whole = [pair for columns in found for pair in zip(*(each.to_pylist() for each in columns), strict=True)]
        return [whole[each] for each in piece.rows]
    assert isinstance(piece.of, TableTouches)
    images = piece.of.images
    columns = [vector.to_arrow().to_pylist() for vector in images.columns]
    return [(columns[0][images.before[each]], columns[1][images.before[each]]) for each in piece.rows]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(4))
def test_a_snapshot_is_the_tables_at_one_place_however_late_changes_are_captured_and_often_it_stops(
    either_toy: Toy, seed: int
) -> None:
    chosen = random.Random(seed)
    written(either_toy, chosen, 60)
    either_toy.capture()
    at, expected = either_toy.captured, {name: either_toy.rows(name) for name in ("a", "b")}
    names = {quoted_id(table_id(name)): name for name in ("a", "b")}
    plan = LanePlan(tuple(map(Segment, names)), opens=True, closes=True)
    state = start(plan, {LSN: {NAME: lsn(at).text}})
    found: list[tuple[str, int, str]] = []
    runs = 0
    while not state.done:
        runs += 1
        assert runs < 60
        pending: list[tuple[str, int, str]] = []
        before = len(found)
        for wave in SnapshotLane(opened(either_toy, at, chosen), state).waves():
            pending += [(names[piece.table], *each) for piece in wave.pieces for each in rows_of(piece)]
            if not wave.is_open:
                state = SnapshotState.from_dict(json.loads(json.dumps(wave.state.to_dict())))
                found, pending = found + pending, []
                if len(found) - before > 2 + 4 * seed:
                    break
    assert runs > 1
    assert len(either_toy.journal) > at + 10
    assert sorted(found) == sorted((name, *each) for name, rows in expected.items() for each in rows.items())


INSERTED, DELETED = ("a", None, row(9, "new")), ("a", row(9, "new"), None)
MOVED, MOVED_ON = ("a", row(1, "old"), row(9, "old")), ("a", row(9, "old"), row(8, "old"))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "transaction",
    [
        pytest.param([INSERTED, DELETED], id="inserted and deleted"),
        pytest.param([INSERTED, ("a", row(9, "new"), row(9, "newer")), ("a", row(9, "newer"), None)], id="updated between"),
        pytest.param([INSERTED, DELETED, INSERTED], id="inserted again"),
        pytest.param([("a", row(1, "old"), None), ("a", None, row(1, "new"))], id="deleted and inserted"),
        pytest.param([("a", row(1, "old"), None), ("a", None, row(1, "new")), ("a", row(1, "new"), None)], id="deleted twice"),
        pytest.param([MOVED, MOVED_ON], id="moved and moved on"),
    ],
)
def test_a_row_that_a_transaction_inserts_and_deletes_while_a_table_is_read_was_not_there_before(
    either_toy: Toy, transaction: list[Change]
) -> None:
    either_toy.commit(*(("a", None, row(key, "old")) for key in (1, 2, 3)))
    either_toy.capture()
    expected, waiting = either_toy.rows("a"), [transaction]

    def between() -> None:
        while waiting:
            either_toy.commit(*waiting.pop())

    name = quoted_id(table_id("a"))
    reading = opened_source(either_toy, lsn(either_toy.captured), {name: KEY.to_dict()}, between)
    state = start(LanePlan((Segment(name),), opens=True, closes=True), {LSN: {NAME: lsn(1).text}})
    found = [each for wave in SnapshotLane(reading, state).waves() for piece in wave.pieces for each in rows_of(piece)]
    assert not waiting
    assert sorted(found) == sorted(expected.items())


@pytest.mark.usefixtures("small")
def test_chunks_of_an_incremental_snapshot_wait_until_the_log_was_delivered_up_to_what_they_saw(toy: Toy) -> None:
    written(toy, random.Random(3), 20)
    toy.capture()
    reading = opened(toy, toy.captured, random.Random(4))
    gathered = read_pending(reading, Segment(quoted_id(table_id("a"))))
    database = reading.database(table_id("a"))
    assert sum(map(len, gathered.chunks)) > 4
    assert not gathered.is_behind(database, lsn(20))
    toy.capture()
    assert not gathered.is_behind(database, lsn(20))
    assert gathered.is_behind(database, lsn(len(toy.journal)))


@pytest.mark.usefixtures("small")
def test_an_incremental_snapshot_beside_the_log_leaves_the_table_as_it_is(toy: Toy) -> None:
    chosen = random.Random(6)
    written(toy, chosen, 20)
    toy.capture()

    def between() -> None:
        if len(toy.journal) < 60:
            written(toy, chosen, 2)

    reader = ChangeTableIncrementalReader(ToyDialect(toy), ToyPlanned(), ToyReads(toy, between))
    stream, found = Stream({NAME: DatabasePosition(lsn(toy.captured)).to_dict()}), dict[int, str]()
    work, reads = Work((TableWork(table_id("a")),)), 0
    with closing(reader):
        while work.tables:
            apply(stream, toy, found)
            step = reader.step(work, LogBoundary(Progress("", stream.restart), Positions(FORM)))
            if step is not None:
                work, reads = step.work, reads + step.rows
                found |= {key: v for event in step.events for _, _, (key, v) in changes_in(event)}
            toy.capture(chosen.randrange(3))
    toy.capture()
    apply(stream, toy, found)
    assert reads > 4
    assert len(toy.journal) > 25
    assert found == toy.rows("a")


def apply(stream: Stream, toy: Toy, found: dict[int, str]) -> None:
    """What the log says of the table a since it was asked last."""
    done = len(stream.events)
    stream.read(toy)
    for name, op, *images in stream.events[done:]:
        if name == "a" and op != "c":
            found.pop(images[0][0], None)
        if name == "a" and op != "d":
            found[images[-1][0]] = images[-1][1]


@pytest.mark.usefixtures("small")
def test_an_initial_snapshot_tells_structures_and_rows_and_the_log_goes_on_behind_it(toy: Toy) -> None:
    chosen = random.Random(9)
    written(toy, chosen, 30)
    toy.capture()
    dialect = ToyDialect(toy)
    point = take(dialect, toy, lambda *_: RetriableError("never"), lambda *_: None)
    restart = restart_at({NAME: point.lsn})
    history, keys = history_of(dialect, [point]), dict.fromkeys(point.tables, KEY)
    snapshot = whole_part(stored(keys), dict.fromkeys(keys, 10), position_of(restart))
    expected = {name: toy.rows(name) for name in ("a", "b")}

    def source_at(keys: Mapping[str, Any]) -> ChangeTableSnapshot:
        source = opened(toy, toy.captured, chosen)
        return ChangeTableSnapshot(dialect, source, history, restart, lambda: 5)

    progress = Progress("", restart.to_dict(), snapshot)
    found: list[tuple[Any, ...]] = []
    for batch in SnapshotReader(dialect.settings, Lane(0, 1), progress, restart.delivered, source_at).batches():
        found += [each for event in batch.events if isinstance(event, RowChanges) for each in changes_in(event)]
    assert sorted(found) == sorted((name, "r", pair) for name, rows in expected.items() for pair in rows.items())
    stream = Stream(restart.to_dict(), list(history))
    toy.capture()
    stream.read(toy)
    assert folded([(name, "c", pair) for name, _, pair in found] + stream.events) == {"a": toy.rows("a"), "b": toy.rows("b")}
    assert stream.history == history  # nothing is told again
