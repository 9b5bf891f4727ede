"""A toy database is streamed, gone on with and snapshotted by the code that reads change tables of any database."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import pytest
from tests.connectors.change_tables.toy import (
    FORM,
    KEY,
    NAME,
    Toy,
    ToyDatabase,
    ToyDialect,
    ToyIncremental,
    ToyTable,
    lsn,
    parts,
    table_id,
)

from support.encoding import records_of
from tailrace.connectors.base import Lane, LogRange, Progress
from tailrace.connectors.change_tables.beginning import heads, history_at
from tailrace.connectors.change_tables.cutting import cut
from tailrace.connectors.change_tables.log_boundary import LogBoundary
from tailrace.connectors.change_tables.meeting import is_boundary
from tailrace.connectors.change_tables.planned_structures import new_structures
from tailrace.connectors.change_tables.positions import DatabasePosition, Positions, RestartPosition, restart_at
from tailrace.connectors.change_tables.ranges import Ranges
from tailrace.connectors.change_tables.reach import require_within_reach
from tailrace.connectors.change_tables.snapshots import sections, source
from tailrace.connectors.change_tables.snapshots.gathered import gather
from tailrace.connectors.change_tables.snapshots.incremental import ChangeTableIncrementalReader
from tailrace.connectors.change_tables.snapshots.planning import history_of, place_of
from tailrace.connectors.change_tables.snapshots.point import take
from tailrace.connectors.change_tables.snapshots.reading import ChangeTableSnapshot
from tailrace.connectors.change_tables.snapshots.source import LSN, ChangeTableSource
from tailrace.connectors.change_tables.streaming import LogReader
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.snapshots.chunks import ReadChunk
from tailrace.connectors.shared.snapshots.keys import stored
from tailrace.connectors.shared.snapshots.planning import whole_part
from tailrace.connectors.shared.snapshots.reading import SnapshotReader
from tailrace.errors import PositionLostError, RetriableError
from tailrace.events.shape import RowChanges
from tailrace.schema.changes_topic import quoted_id
from tailrace.signalled.work import TableWork, Work
from tailrace.snapshot.first_changes import TableTouches
from tailrace.snapshot.segments import LanePlan, Segment
from tailrace.snapshot.source import Piece
from tailrace.snapshot.state import SnapshotState, start
from tailrace.snapshot.waves import SnapshotLane

BEGINNING = {NAME: DatabasePosition(FORM.zero).to_dict()}


@dataclass
class Stream:
    """What a reader keeps between its runs, as JSON."""

    restart: Mapping[str, Any] = field(default_factory=lambda: BEGINNING)
    history: list[dict[str, Any]] = field(default_factory=list)
    events: list[tuple[Any, ...]] = field(default_factory=list)
    values: list[dict[str, Any]] = field(default_factory=list)

    def read(self, toy: Toy, most: int = 1 << 30, **properties: str) -> None:
        """Read on up to what is captured now, at most so many batches."""
        using = parts(toy, **properties)
        until = RestartPosition({NAME: DatabasePosition(using.dialect.head(toy))}).to_dict()
        reader = LogReader(using, LogRange(self.restart, until, now_us=0), Progress("", self.restart), self.history)
        with closing(reader.batches()) as batches:
            for batch in islice(batches, most):
                self.values += [json.loads(each) for some in records_of(batch) for each in some.values if each is not None]
                self.events += [found for event in batch.events if isinstance(event, RowChanges) for found in changes_in(event)]
                self.restart = json.loads(json.dumps(batch.progress.restart))
                self.history += json.loads(json.dumps(batch.history))


def changes_in(event: RowChanges) -> Iterator[tuple[Any, ...]]:
    """Table, operation and images of changes."""
    changes, name = event.changes, event.shape.schemas.topic.rpartition(".")[2]
    values = [column.to_arrow().to_pylist() for column in changes.columns if column is not None]
    for op, *images in zip(changes.op, changes.before, changes.after, strict=True):
        yield name, chr(op), *(tuple(column[at] for column in values) for at in images if at >= 0)


@pytest.fixture
def toy() -> Toy:
    made = Toy()
    made.create("a", "v TEXT")
    made.create("b", "v TEXT")
    return made


def row(key: int, value: str) -> dict[str, Any]:
    return {"k": key, "v": value}


def written(toy: Toy, chosen: random.Random, count: int) -> None:
    """So many transactions that insert, update, delete and move rows of both tables."""
    for number in range(count):
        changes = []
        for name in ("a", "b"):
            there = toy.rows(name)
            key, other, value = chosen.randrange(60), chosen.randrange(60), f"{name}{number}"
            before = row(key, there[key]) if key in there else None
            free = key if other in there else other
            after = row(key, value) if before is None else chosen.choice([None, row(key, value), row(free, value)])
            changes.append((name, before, after))
        toy.commit(*changes)


def folded(events: list[tuple[Any, ...]]) -> dict[str, dict[int, str]]:
    """The tables that events make."""
    found: dict[str, dict[int, str]] = {"a": {}, "b": {}}
    for name, op, *images in events:
        if op != "c":
            del found[name][images[0][0]]
        if op != "d":
            found[name][images[-1][0]] = images[-1][1]
    return found


def test_changes_come_in_the_order_of_the_log_and_make_the_tables(toy: Toy) -> None:
    stream = Stream()
    for seed in range(3):
        written(toy, random.Random(seed), 30)
        toy.capture()
        stream.read(toy)
    assert folded(stream.events) == {"a": toy.rows("a"), "b": toy.rows("b")}
    assert {op for _, op, *_ in stream.events} == {"c", "u", "d"}
    assert is_boundary(Positions(FORM), Progress("", stream.restart))
    assert stream.restart == {NAME: {"lsn": lsn(90).text}}


def test_who_is_stopped_after_any_batch_goes_on_behind_it(toy: Toy) -> None:
    whole, stopped = Stream(), Stream()
    written(toy, random.Random(7), 40)
    toy.capture()
    whole.read(toy)
    while stopped.restart != whole.restart:
        stopped.read(toy, most=1)
        written(toy, random.Random(8), 1)  # is not read: a window's end stands in the position
    assert stopped.events == whole.events
    assert stopped.history == whole.history


def test_who_follows_the_log_hears_when_nothing_comes_and_goes_on_with_what_comes_then(toy: Toy) -> None:
    using = parts(toy, poll_interval_ms="1")
    reader = LogReader(using, LogRange(BEGINNING), Progress("", BEGINNING), ())
    counts: list[int] = []
    with closing(reader.batches()) as batches:
        for batch in batches:
            if batch.idle:
                assert batch.at_head
                if toy.journal:
                    break
                written(toy, random.Random(5), 20)
                toy.capture()
            counts.append(batch.changes)
    assert sum(counts) == sum(map(len, toy.journal))


def test_transactions_are_told_with_what_they_have_of_all_tables(toy: Toy) -> None:
    toy.commit(("b", None, row(1, "x")), ("a", None, row(1, "x")), ("b", None, row(2, "y")))
    toy.commit()
    toy.commit(("a", row(1, "x"), row(5, "z")))
    toy.capture()
    stream = Stream()
    stream.read(toy, provide_transaction_metadata="true")
    told = {each["id"]: each for each in stream.values if each.get("status") == "END"}
    assert [each["event_count"] for each in told.values()] == [3, 2]  # a row that moves is deleted and created
    assert list(told) == [lsn(1).text, lsn(3).text]
    orders = [
        (each["source"]["table"], each["transaction"]["total_order"], each["transaction"]["data_collection_order"])
        for each in stream.values
        if each.get("transaction") is not None
    ]
    assert orders == [("a", 2, 1), ("a", 1, 1), ("a", 2, 2), ("b", 1, 1), ("b", 3, 2)]  # table by table


def test_a_second_instance_is_gone_over_to_where_it_begins(toy: Toy) -> None:
    toy.commit(("a", None, row(1, "x")))
    toy.db.execute("ALTER TABLE a ADD COLUMN more TEXT")
    toy.commit(("a", None, {"k": 2, "v": "x", "more": "not captured"}))
    toy.enable("a")
    toy.commit(("a", None, {"k": 3, "v": "x", "more": "captured"}))
    toy.capture()
    stream = Stream()
    stream.read(toy, most=1)
    stream.read(toy)
    assert [event[2] for event in stream.events] == [(1, "x"), (2, "x"), (3, "x", "captured")]
    told = [record["tableChanges"][0] for record in stream.history]
    assert [(change["type"], len(change["table"]["columns"])) for change in told if '"a"' in change["id"]] == [
        ("CREATE", 2),
        ("ALTER", 3),
    ]


def test_what_was_cleaned_up_before_it_was_read_is_not_passed_over(toy: Toy) -> None:
    written(toy, random.Random(1), 4)
    toy.capture(2)
    stream = Stream()
    stream.read(toy)
    toy.capture()
    toy.clean_up(3)
    require_within_reach(ToyDialect(toy), Progress("", stream.restart), lambda: stream.history, Lane(0, 1))
    toy.clean_up(4)
    with pytest.raises(PositionLostError, match=r"main\.a: changes are lost.*keep changes for longer \(keep them\)"):
        stream.read(toy)
    with pytest.raises(PositionLostError, match="changes are lost"):
        require_within_reach(ToyDialect(toy), Progress("", stream.restart), lambda: stream.history, Lane(0, 1))


def test_a_log_that_ends_before_the_position_is_another_one(toy: Toy) -> None:
    written(toy, random.Random(1), 2)
    toy.capture()
    stream = Stream({NAME: DatabasePosition(lsn(9)).to_dict()})
    with pytest.raises(PositionLostError, match="the database was restored"):
        stream.read(toy)


def test_ranges_are_cut_and_their_structures_found_without_reading_them(toy: Toy) -> None:
    written(toy, random.Random(2), 300)
    toy.capture()
    dialect, window = ToyDialect(toy), Window(FORM.zero, lsn(300))
    end = cut(dialect, toy, window, 1000)
    assert 0 < sum(dialect.row_counts(toy, dialect.instances(toy), Window(FORM.zero, end))) * 10 <= 2000
    planned = new_structures(dialect, (), {NAME: window}, 0)
    assert [record["tableChanges"][0]["type"] for record in planned] == ["CREATE", "CREATE"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "SECTION_TRANSACTIONS", 3)
    monkeypatch.setattr(source, "HELD_BYTES", 1 << 10)
    monkeypatch.setattr("tailrace.connectors.change_tables.snapshots.capture.POLL_SECONDS", 0.0)


Source = ChangeTableSource[ToyDatabase, ToyTable]


def opened(toy: Toy, at: int, chosen: random.Random) -> Source:
    """The toy at a place of its log, with somebody who writes before each read."""
    dialect = ToyDialect(toy)

    def between() -> None:
        if len(toy.journal) < 150:
            written(toy, chosen, 2)

    database = ToyDatabase(toy, dialect, lsn(at), between)
    keys = {quoted_id(table_id(name)): {"columns": [{"name": "k"}]} for name in ("a", "b")}
    return ChangeTableSource(FORM, keys, {NAME: database}, rows_at_most=4)


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
    toy: Toy, seed: int
) -> None:
    chosen = random.Random(seed)
    written(toy, chosen, 60)
    toy.capture()
    at, expected = toy.captured, {name: toy.rows(name) for name in ("a", "b")}
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
        for wave in SnapshotLane(opened(toy, at, chosen), state).waves():
            pending += [(names[piece.table], *each) for piece in wave.pieces for each in rows_of(piece)]
            if not wave.is_open:
                state = SnapshotState.from_dict(json.loads(json.dumps(wave.state.to_dict())))
                found, pending = found + pending, []
                if len(found) - before > 2 + 4 * seed:
                    break
    assert runs > 1
    assert len(toy.journal) > at + 10
    assert sorted(found) == sorted((name, *each) for name, rows in expected.items() for each in rows.items())


@pytest.mark.usefixtures("small")
def test_chunks_of_an_incremental_snapshot_wait_until_the_log_was_delivered_up_to_what_they_saw(toy: Toy) -> None:
    written(toy, random.Random(3), 20)
    toy.capture()
    reading = opened(toy, toy.captured, random.Random(4))
    gathered = gather(reading, Segment(quoted_id(table_id("a"))))
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

    reader = ChangeTableIncrementalReader(ToyDialect(toy), ToyIncremental(toy, between))
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
    snapshot = whole_part(stored(keys), dict.fromkeys(keys, 10), place_of(restart))
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


def test_ranges_end_where_the_log_is_captured_or_after_so_many_bytes(toy: Toy) -> None:
    written(toy, random.Random(2), 300)
    toy.capture()
    dialect = ToyDialect(toy)
    ranges, begin = Ranges(dialect), restart_at({NAME: FORM.zero}).to_dict()
    assert heads(dialect) == {NAME: lsn(300)}
    whole, part = ranges.head_after(begin, None), ranges.head_after(begin, 1000)
    assert whole == {NAME: {"lsn": lsn(300).text, "filled": ["a", "b"]}}
    assert lsn(0) < Positions(FORM).restart(part)[NAME].lsn < lsn(300)
    planned = ranges.history_after((), begin, whole, 0) or ()
    assert [record["tableChanges"][0]["table"]["columns"][0]["name"] for record in planned] == ["k", "k"]
    assert ranges.history_at(planned, whole) == planned
    assert ranges.progress_at(whole).restart == {NAME: {"lsn": lsn(300).text}}
    assert len(history_at(dialect, heads(dialect))) == 2
