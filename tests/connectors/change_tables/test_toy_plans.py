"""Snapshots of a toy database are planned by the code that plans those of change tables of any database."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pytest
from tests.connectors.change_tables.toy import NAME, Toy, lsn, table_id
from tests.connectors.change_tables.toy_dialect import ToyDialect
from tests.connectors.change_tables.toy_planned import ToyPlanned
from tests.connectors.change_tables.toy_snapshots import ToyDatabase, ToyTable, opened_source
from tests.connectors.change_tables.toy_stream import changes_in, written

from tailrace.connectors.base import Lane, LogBatch, Progress, SnapshotPart, StartPoint
from tailrace.connectors.change_tables.positions import Positions
from tailrace.connectors.change_tables.snapshots import capture, splitting
from tailrace.connectors.change_tables.snapshots.key_proofs import KeyProofs
from tailrace.connectors.change_tables.snapshots.lane_snapshot import ChangeTableSnapshot
from tailrace.connectors.change_tables.snapshots.part_reading import ChangeTablePart
from tailrace.connectors.change_tables.snapshots.parts import next_parts
from tailrace.connectors.change_tables.snapshots.planning import delivered, planned, require_behind
from tailrace.connectors.change_tables.snapshots.requested_parts import requested_step
from tailrace.connectors.change_tables.snapshots.source import ChangeTableSource
from tailrace.connectors.shared.snapshots import part_assembly
from tailrace.connectors.shared.snapshots.part_reading import PartReader
from tailrace.connectors.shared.snapshots.parts import tables_of
from tailrace.connectors.shared.snapshots.snapshot_reader import SnapshotReader
from tailrace.connectors.sqlserver.signal_sql import T_SQL
from tailrace.errors import PositionLostError
from tailrace.events.shape import RowChanges
from tailrace.requested_work.work import BlockingWork, TableWork, Work

A, B = table_id("a"), table_id("b")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "POLL_SECONDS", 0.0)
    monkeypatch.setattr(splitting, "LEAST_ROWS", 10)
    monkeypatch.setattr(part_assembly, "ROWS_OF_A_PART", 7)


@pytest.fixture
def dialect(toy: Toy) -> ToyDialect:
    """Of a toy with some rows, all captured."""
    written(toy, random.Random(1), 60)
    toy.capture()
    return ToyDialect(toy)


def source_at(
    toy: Toy, restart: Mapping[str, Any], keys: Mapping[str, Any], writes: int = 1
) -> ChangeTableSource[ToyDatabase, ToyTable]:
    """Somebody writes before each read."""
    place = Positions(ToyDialect(toy).lsns).restart(restart)[NAME].lsn
    return opened_source(toy, place, keys, partial(written, toy, random.Random(len(toy.journal)), writes))


def of_lane(toy: Toy, dialect: ToyDialect, lane: Lane, point: StartPoint) -> Iterator[LogBatch]:
    """What a lane delivers of a snapshot that was planned."""
    restart = Positions(dialect.lsns).restart(point.restart)

    def opened(keys: Mapping[str, Any]) -> ChangeTableSnapshot:
        return ChangeTableSnapshot(dialect, source_at(toy, point.restart, keys), point.history, restart, lambda: 5)

    return SnapshotReader(dialect.settings, lane, point.progress, restart.delivered, opened).batches()


def of_part(
    toy: Toy, dialect: ToyDialect, point: StartPoint, content: Mapping[str, Any], writes: int = 1
) -> Iterator[LogBatch]:
    """What is delivered of a part."""
    part, progress = SnapshotPart(content, 0, 0), Progress("", point.restart)

    def opened(restart: Mapping[str, Any]) -> ChangeTableSource[ToyDatabase, ToyTable]:
        return source_at(toy, restart, content["keys"], writes)

    return PartReader(ChangeTablePart(dialect, part, progress, point.history, opened), part, progress).batches()


def rows_in(batches: Iterator[LogBatch]) -> list[tuple[Any, ...]]:
    """Table and row of each read event."""
    events = [event for batch in batches for event in batch.events if isinstance(event, RowChanges)]
    return [(name, image) for event in events for name, op, image in changes_in(event) if op == "r"]


def rows_of(toy: Toy) -> list[tuple[Any, ...]]:
    """Those of the toy now."""
    return sorted((name, pair) for name in ("a", "b") for pair in toy.rows(name).items())


@pytest.mark.parametrize("lanes", [1, 3])
def test_lanes_read_all_tables_as_of_one_place(toy: Toy, dialect: ToyDialect, lanes: int) -> None:
    expected, point = rows_of(toy), planned(dialect, ToyPlanned(), lanes)
    parts: Sequence[Any] = (point.snapshot or {})["parts"]
    found = [rows_in(of_lane(toy, dialect, Lane(number, lanes), point)) for number in range(lanes)]
    assert len(parts) == lanes
    assert all(found)
    assert sorted(row for each in found for row in each) == expected


def test_parts_give_all_tables_as_of_one_place_a_few_at_a_time(toy: Toy, dialect: ToyDialect) -> None:
    expected, point = rows_of(toy), planned(dialect, ToyPlanned(), 1)
    point = StartPoint(point.restart, point.history, tables_of(point))
    found, reached, steps = list[tuple[Any, ...]](), None, 0
    while steps == 0 or reached is not None:
        step = next_parts(dialect, ToyPlanned(), point, reached, 2, None)
        for content in step.parts:
            found += rows_in(of_part(toy, dialect, point, content))
        reached, steps = step.reached, steps + 1
    assert steps > 2
    assert sorted(found) == expected


def test_what_signals_ask_for_is_planned_in_parts_too(toy: Toy, dialect: ToyDialect) -> None:
    start, work = {NAME: {"lsn": lsn(toy.captured).text}}, Work((TableWork(A), TableWork(B))).to_dict()
    seen, proofs = list[tuple[Any, ...]](), KeyProofs(dialect, ToyPlanned())
    while work is not None and Work.from_dict(work).tables:
        step = requested_step(dialect, ToyPlanned(), T_SQL, start, work, 2, None, proofs)
        assert step is not None
        point = step.point or StartPoint(start)
        for content in step.parts:
            seen += rows_in(of_part(toy, dialect, point, content, writes=0))
        work, start = step.signalled, dict(point.restart)
    assert sorted(seen) == rows_of(toy)
    blocking = Work(blocking=BlockingWork({A: None, B: None})).to_dict()
    step = requested_step(dialect, ToyPlanned(), T_SQL, start, blocking, 2, None, proofs)
    assert step is not None
    assert step.point is not None
    assert [name for name, _ in (step.point.snapshot or {})["tables"]] == ['"toydb"."main"."a"', '"toydb"."main"."b"']


def test_a_snapshot_whose_changes_were_cleaned_up_or_whose_log_is_another_one_is_not_gone_on_with(
    toy: Toy, dialect: ToyDialect
) -> None:
    point = planned(dialect, ToyPlanned(), 1)
    written(toy, random.Random(2), 4)
    toy.capture()
    toy.clean_up(toy.captured)
    with pytest.raises(PositionLostError, match=r"main\.a: changes behind .* are lost"):
        rows_in(of_lane(toy, dialect, Lane(0, 1), point))
    after = [Progress("", {NAME: {"lsn": lsn(99).text}})]
    with pytest.raises(PositionLostError, match="the database was restored from a backup"):
        planned(dialect, ToyPlanned(), 1, after)
    require_behind({NAME: lsn(99)}, delivered(Positions(dialect.lsns), after))
