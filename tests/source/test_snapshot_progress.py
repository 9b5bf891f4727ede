"""How far a snapshot is over all lanes."""

import json

import pytest

from tailrace.source.snapshot_progress import SnapshotProgress, Speed, percent, seconds_left


def part(rows, about, *, done=False, number=0, parts=1, chunks=1):
    return {"rows": rows, "about": about, "chunks": chunks, "part": number, "parts": parts, "done": done}


def figures(tables, *, lanes=1, before=0, waiting=0, waiting_rows=0, ended=False):
    """Of a lane that has these tables, and some that wait."""
    counts = tables.values()
    return {
        "lanes": lanes,
        "before": before,
        "rows": sum(each["rows"] for each in counts),
        "chunks": sum(each["chunks"] for each in counts),
        "about": sum(each["about"] for each in counts) + waiting_rows,
        "tables": len(tables) + waiting,
        "done": sum(each["done"] for each in counts),
        "ended": ended,
        "of": tables,
    }


def test_lanes_are_summed_by_table():
    snapshot = SnapshotProgress()
    snapshot.add(0, figures({"a": part(10, 50, parts=2), "b": part(5, 5, done=True)}, lanes=2), 0.0)
    assert snapshot.about is None, "the other lane's part is not known"
    snapshot.add(1, figures({"a": part(20, 60, parts=2, number=1)}, lanes=2, waiting=1, waiting_rows=100), 0.0)
    assert (snapshot.tables["a"].rows, snapshot.tables["a"].about, snapshot.tables["a"].done) == (30, 110, False)
    assert (snapshot.rows, snapshot.about) == (35, 215)
    assert snapshot.tables_done == (1, 3)
    assert [name for name, _ in snapshot.at_work] == ["a"]


def test_a_table_is_done_when_all_of_its_parts_are():
    snapshot = SnapshotProgress()
    snapshot.add(0, figures({"a": part(10, 10, parts=2, done=True)}, lanes=2, ended=True), 0.0)
    assert not snapshot.tables["a"].done
    snapshot.add(1, figures({"a": part(3, 10, parts=2, number=1)}, lanes=2), 0.0)
    assert (snapshot.tables_done, snapshot.lanes, snapshot.done) == ((0, 1), (1, 2), False)
    snapshot.add(1, figures({"a": part(7, 7, parts=2, number=1, done=True)}, lanes=2, ended=True), 0.0)
    assert (snapshot.tables_done, snapshot.lanes, snapshot.done) == ((1, 1), (2, 2), True)
    assert percent(snapshot) == 100


def test_rows_of_before_count_as_done_and_not_as_speed():
    snapshot = SnapshotProgress()
    snapshot.add(0, figures({"a": part(1000, 3000)}, before=900), 10.0)
    snapshot.add(0, figures({"a": part(1200, 3000)}, before=900), 12.0)
    assert (snapshot.rows, snapshot.speed.recent, snapshot.speed.overall) == (1200, 100.0, 100.0)
    assert seconds_left(snapshot) == 18.0


def test_a_task_that_begins_again_does_not_count_twice():
    snapshot = SnapshotProgress()
    snapshot.add(0, figures({"a": part(100, 1000)}), 0.0)
    snapshot.add(0, figures({"a": part(200, 1000)}), 1.0)
    snapshot.add(0, figures({"a": part(300, 1000)}, before=200), 2.0)
    assert (snapshot.rows, snapshot.speed.overall) == (300, 100.0)


def test_the_recent_speed_is_that_of_the_last_seconds():
    snapshot = SnapshotProgress()
    for second in range(31):
        rows = 1000 * min(second, 20) + 10 * max(second - 20, 0)
        snapshot.add(0, figures({"a": part(rows, 10**6)}), float(second))
    assert snapshot.speed.recent == pytest.approx(10, rel=0.01)
    assert snapshot.speed.overall == pytest.approx(20_100 / 30)
    assert snapshot.tables["a"].speed.recent == pytest.approx(10, rel=0.01)


def test_a_table_that_stands_still_slows_down_while_others_go_on():
    snapshot = SnapshotProgress()
    for second in range(31):
        snapshot.add(0, figures({"a": part(min(second, 5) * 100, 10**6), "b": part(second, 1000)}), float(second))
    assert snapshot.tables["a"].speed.recent == 0
    assert seconds_left(snapshot.tables["a"]) is None


def test_there_are_not_more_than_a_hundred_percent_and_a_hundred_only_at_the_end():
    snapshot = SnapshotProgress()
    snapshot.add(0, figures({"a": part(500, 500)}), 0.0)
    assert (percent(snapshot), percent(snapshot.tables["a"])) == (99, 99)
    snapshot.add(0, figures({"a": part(500, 500, done=True)}, ended=True), 0.0)
    assert (percent(snapshot), percent(snapshot.tables["a"])) == (100, 100)


def test_a_table_of_which_only_the_log_has_told_rows_is_not_at_work():
    snapshot = SnapshotProgress()
    snapshot.add(0, figures({"a": part(1, 10, chunks=0)}), 0.0)
    assert snapshot.at_work == []


def test_all_of_it_goes_into_json():
    snapshot = SnapshotProgress()
    assert json.loads(json.dumps(snapshot.to_dict()))["rows"] == 0
    snapshot.add(0, figures({"a": part(5, 10)}, lanes=2), 0.0)
    snapshot.add(0, figures({"a": part(7, 10)}, lanes=2), 2.0)
    told = json.loads(json.dumps(snapshot.to_dict()))
    assert (told["rows"], told["about"], told["rows_per_second"], told["seconds_left"]) == (7, None, 1.0, None)
    assert told["tables"]["a"] == {
        "rows": 7,
        "about": 10,
        "chunks": 1,
        "done": False,
        "rows_per_second": 1.0,
        "rows_per_second_overall": 1.0,
        "seconds_left": 3.0,
    }


def test_a_report_costs_as_much_as_it_tells_of(monkeypatch):
    """Thousands of tables may be open in parts, and lanes report a hundred times a second."""
    snapshot, noted = SnapshotProgress(), []
    snapshot.add(0, figures({f"t{n}": part(1, 10, parts=2) for n in range(50)}, lanes=2), 0.0)
    note = Speed.note
    monkeypatch.setattr(Speed, "note", lambda speed, now, rows: noted.append(speed) or note(speed, now, rows))
    snapshot.add(0, figures({"t7": part(5, 10, parts=2)}, lanes=2), 1.0)
    assert noted == [snapshot.tables["t7"].speed, snapshot.speed]


def test_a_table_of_which_nothing_comes_is_shown_to_stand_still():
    snapshot = SnapshotProgress()
    for second in range(3):
        snapshot.add(0, figures({"a": part(100 * second, 1000)}), float(second))
    for second in range(3, 40):
        snapshot.add(1, figures({"b": part(second, 1000)}), float(second))
        assert next(name for name, _ in snapshot.at_work) in "ab"
    assert snapshot.tables["a"].speed.recent == 0.0
