"""The notifications of a lane between one state and the next."""

import json
from dataclasses import replace

import pytest

from support.encoding import records_of_event
from support.unit_settings import unit_settings
from tailrace.connectors.base import Lane, Progress
from tailrace.connectors.shared.snapshots import monitoring
from tailrace.connectors.shared.snapshots.monitoring import SnapshotMonitor
from tailrace.connectors.shared.snapshots.notifications import MOST_NAMES, SnapshotNotifications
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Segment
from tailrace.snapshot.state import SnapshotState, TableState

NO_SCHEMAS = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}
TABLES = [TableId("shop", "", name) for name in "abc"]
A, B, C = '"shop"."a"', '"shop"."b"', '"shop"."c"'
WHOLE = TableState(has_first=True, has_last=True)


def settings(channel=None):
    told = {"notification.enabled.channels": channel, "notification.sink.topic.name": "notes"}
    return unit_settings(NO_SCHEMAS | (told if channel else {}))


@pytest.fixture
def telling():
    made = SnapshotNotifications(settings("sink"), "0000.1")
    made.note_tables(TABLES)
    return made


def told(events):
    """Each notification's type, its table and what is counted, in their order."""
    found = []
    for some in (records_of_event(event, schemas=False) for event in events):
        assert some.topic == "notes"
        for i in range(len(some)):
            value = json.loads(some.values[i])
            data = value["additional_data"]
            table = data.get("current_collection_in_progress") or data.get("scanned_collection")
            counts = {
                name: data[name] for name in ("total_rows_scanned", "chunk_index", "total_chunks") if name in data
            }
            found.append((value["type"], table, counts) if table else (value["type"],))
    return found


def state(left, tables, held=()):
    return SnapshotState(tuple(map(Segment, left)), {}, tables, dict.fromkeys(held, "00" * 16))


def rows(count):
    return replace(WHOLE, rows=count)


def test_a_table_begins_when_it_is_the_next_one_and_ends_with_its_last_row(telling):
    tables = {A: WHOLE, B: WHOLE, C: WHOLE}
    first = state([A, B, C], tables)
    assert told(telling.at_start(first)) == [("IN_PROGRESS", "shop.a", {})]
    on_the_way = state([A, B, C], {**tables, A: rows(5)})
    assert told(telling.between(first, on_the_way)) == []
    assert told(telling.between(on_the_way, state([B, C], {**tables, A: rows(6)}))) == [
        ("TABLE_SCAN_COMPLETED", "shop.a", {"total_rows_scanned": "6"}),
        ("IN_PROGRESS", "shop.b", {}),
    ]


def test_a_table_without_rows_begins_and_ends_at_once(telling):
    tables = {A: rows(2), B: WHOLE, C: WHOLE}
    assert told(telling.between(state([A, B, C], tables), state([A, C], tables))) == [
        ("IN_PROGRESS", "shop.b", {}),
        ("TABLE_SCAN_COMPLETED", "shop.b", {"total_rows_scanned": "0"}),
    ]
    assert told(telling.between(state([A, C], tables), state([C], tables))) == [
        ("TABLE_SCAN_COMPLETED", "shop.a", {"total_rows_scanned": "2"}),
        ("IN_PROGRESS", "shop.c", {}),
    ]


def test_a_table_of_which_only_a_row_is_held_is_not_completed(telling):
    tables = {A: rows(2), B: WHOLE}
    held = state([B], tables, held=[A])
    assert told(telling.between(state([A, B], tables), held)) == [("IN_PROGRESS", "shop.b", {})]
    assert told(telling.between(held, state([B], {**tables, A: rows(3)}))) == [
        ("TABLE_SCAN_COMPLETED", "shop.a", {"total_rows_scanned": "3"})
    ]


def test_a_row_that_the_log_tells_early_does_not_begin_a_table(telling):
    tables = {A: WHOLE, B: rows(1)}
    assert told(telling.between(state([A, B], tables), state([A, B], tables, held=[B]))) == []


def test_a_part_of_a_table_is_told_of_as_one(telling):
    part = replace(WHOLE, part=1, parts=3, rows=4)
    begun = state([A], {A: part})
    assert told(telling.at_start(begun)) == [
        ("TABLE_CHUNK_IN_PROGRESS", "shop.a", {"total_rows_scanned": "4", "chunk_index": "1", "total_chunks": "3"})
    ]
    assert [kind for kind, *_ in told(telling.at_start(state([A], {A: replace(part, part=0)})))] == [
        "IN_PROGRESS",
        "TABLE_CHUNK_IN_PROGRESS",
    ]
    assert told(telling.between(begun, state([], {A: part}))) == [
        ("TABLE_CHUNK_COMPLETED", "shop.a", {"chunk_index": "1", "total_chunks": "3"})
    ]


def lane(number, tables, others=tuple, channel=None):
    """A lane of two that is through with these tables."""
    made = SnapshotMonitor(settings(channel), Lane(number, 2), "0000.1", others)
    made.begin(state([], tables), is_first_time=False, tables=lambda: TABLES)
    return made


def test_at_the_end_the_first_lane_tells_how_many_rows_a_table_in_parts_had():
    second = lane(1, {A: replace(WHOLE, part=1, parts=2, rows=30), B: rows(5)}, tuple, "sink")
    assert told(second.ended()) == []
    others = [Progress("", {}, {"lanes": 2, **second.done})]
    first = lane(0, {A: replace(WHOLE, part=0, parts=2, rows=20), C: rows(1)}, lambda: others, "sink")
    assert first.may_end()
    assert told(first.ended()) == [("TABLE_SCAN_COMPLETED", "shop.a", {"total_rows_scanned": "50"}), ("COMPLETED",)]
    assert list(second.done["figures"]["of"]) == [A], "a table that one lane had whole takes no room in its progress"


@pytest.mark.parametrize("other", [None, Progress("", {}, {"lanes": 2, "state": {}})])
def test_the_first_lane_does_not_end_before_the_others(other):
    assert not lane(0, {}, lambda: [other], "log").may_end()
    assert lane(1, {}, lambda: [other], "log").may_end()


def test_it_waits_a_while_for_them_and_lets_its_task_go_then(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(monitoring.time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    left = [Progress("", {}, {"lanes": 2, "state": {}})] * 3 + [Progress("", {}, {"lanes": 2, "done": True})] * 2
    waiting = SnapshotMonitor(settings("log"), Lane(0, 2), "0000.1", lambda: [left.pop(0)], lambda: now[0])
    assert len(list(waiting.wait())) == 3
    assert waiting.may_end()
    for_ever = SnapshotMonitor(settings("log"), Lane(0, 2), "0000.1", lambda: [None], lambda: now[0])
    assert len(list(for_ever.wait())) == pytest.approx(monitoring.WAIT_SECONDS / monitoring.POLL_SECONDS, abs=2)


def test_where_nobody_is_told_nobody_waits():
    quiet = lane(0, {A: rows(1)}, lambda: [None])
    assert quiet.may_end()
    assert [*quiet.started(), *quiet.ended()] == []


def test_what_a_lane_begins_with_is_told_once_by_whoever_begins():
    made = SnapshotMonitor(settings("sink"), Lane(), "0000.1", tuple)
    made.begin(state([A], {A: WHOLE}), is_first_time=True, tables=lambda: TABLES)
    assert [kind for kind, *_ in told(made.started())] == ["STARTED", "IN_PROGRESS"]
    assert told(made.advanced(state([], {A: rows(2)}))) == [
        ("TABLE_SCAN_COMPLETED", "shop.a", {"total_rows_scanned": "2"})
    ]
    again = SnapshotMonitor(settings("sink"), Lane(), "0000.1", tuple)
    again.begin(state([A], {A: WHOLE}), is_first_time=False, tables=lambda: TABLES)
    assert told(again.advanced(state([A], {A: rows(1)}))) == []


def test_thousands_of_names_do_not_make_a_notification_too_large_for_a_message():
    many = SnapshotNotifications(settings("sink"), "")
    many.note_tables(TableId("shop", "", f"table_{n:05d}") for n in range(20_000))
    (event,) = many.at_start(state(['"shop"."table_00000"'], {'"shop"."table_00000"': WHOLE}))
    names = json.loads(records_of_event(event, schemas=False).values[0])["additional_data"]["data_collections"]
    assert MOST_NAMES - 100 < len(names) <= MOST_NAMES
    assert names.startswith("shop.table_00000,shop.table_00001,")
