"""Transforms between reading and encoding: what they see, and what they may do."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from support.counting_log import SETTINGS, counting_job, delivered
from support.encoding import WITHOUT_SCHEMAS
from support.row_changes import NOW_US, row_changes
from support.unit_settings import unit_settings
from tailrace.changes.layouts import Layout
from tailrace.changes.records import binary_of
from tailrace.changes.skipped_records import SkippedRecords
from tailrace.changes.source_records import EventKind
from tailrace.connectors.base import Lane
from tailrace.connectors.mysql import source_block
from tailrace.encoding.json import JsonEncoder, JsonFormat
from tailrace.events.heartbeats import HeartbeatLayouts
from tailrace.events.ordering import TransactionCounter
from tailrace.events.pipeline import RecordPipeline, encoder_of, pipeline_of
from tailrace.events.schema_changes import SchemaChangeLayouts, SchemaChanges
from tailrace.events.transactions import Boundaries, Counts, TransactionLayouts
from tailrace.notifications.event import Notifications
from tailrace.notifications.model import Notification
from tailrace.schema.changes_topic import SchemaEvent
from tailrace.source import task
from tailrace.source.job import Job
from tailrace.source.slices import Turn
from tailrace.transforms.failures import Failures

TO_300 = Turn(Lane(), True, "", {"n": 300})


def renamed(records):
    """All tables of the counting log in one topic."""
    return [replace(records, topic=re.sub(r"^count\.t\d$", "count.all", records.topic))]


def dropped(_records):
    return []


def of_even_numbers(records):
    numbers = [int(records.positions[i].rpartition(b".")[2]) for i in range(len(records))]
    return [records.where(np.array(numbers) % 2 == 0)]


def audited(records):
    return [records, replace(records, topic="audit")]


def unwrapped(records):
    """The row after a change alone; tombstones stay, deletes go."""
    if records.kind is not EventKind.ROWS:
        return [records]
    after = records.value.root.field("after")
    if after not in unwrapped.layouts:
        unwrapped.layouts[after] = Layout(after)
    flat = replace(records, value=unwrapped.layouts[after])
    gone = records.roles[after.role] < 0
    return [flat if records.has_value is None else flat.where(~gone | ~records.has_value)]


unwrapped.layouts = {}


def done(tmp_path, monkeypatch, *transforms):
    """What a task made of the log's first 300 changes, with these transforms."""
    job = counting_job(tmp_path, 300)
    monkeypatch.setattr(Job, "new_pipeline", lambda _: RecordPipeline(encoder_of(SETTINGS), transforms))
    return job, task.deliver(job, TO_300)


def lines(tmp_path, topic):
    files = sorted((tmp_path / "out").glob(f"{topic}/*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def encode(events, *transforms, interleaved=True):
    return RecordPipeline(WITHOUT_SCHEMAS, transforms).records(list(events), interleaved=interleaved)


def values(records):
    return [None if value is None else json.loads(value) for value in (records.values[i] for i in range(len(records)))]


def test_topics_that_become_one_have_their_records_in_log_order(tmp_path, monkeypatch):
    done(tmp_path, monkeypatch, renamed)
    assert [line["key"]["id"] for line in lines(tmp_path, "count.all")] == list(range(300))
    assert list((tmp_path / "out").glob("count.t*")) == []


def test_records_that_fail_and_are_tolerated_are_counted(tmp_path, monkeypatch):
    skipped = SkippedRecords()
    failures = Failures("a", "Fails", tolerant=True, skipped=skipped)

    def fails_on_a_third(records):
        return [failures.without(records, np.full(len(records), records.topic == "count.t1"), "it is of t1")]

    pipeline = RecordPipeline(encoder_of(SETTINGS), [fails_on_a_third], skipped)
    monkeypatch.setattr(Job, "new_pipeline", lambda _: pipeline)
    figures = task.deliver(counting_job(tmp_path, 300), TO_300)
    assert (figures.changes, figures.records, figures.skipped) == (300, 200, 100)
    assert pipeline.take_skipped() == 0


def test_a_configurations_transforms_count_together(caplog):
    properties = {"errors.tolerance": "all", "transforms": "a,b"}
    for name, field in (("a", "c0"), ("b", "nowhere")):
        properties[f"transforms.{name}.type"] = "org.apache.kafka.connect.transforms.ExtractField$Key"
        properties[f"transforms.{name}.field"] = field
    pipeline = pipeline_of(unit_settings(properties))
    assert pipeline.records([row_changes([("c", None, (1, "a")), ("c", None, (2, "b"))])], interleaved=False) == []
    assert (pipeline.take_skipped(), pipeline.take_skipped()) == (2, 0)
    assert "2 dropped, as errors.tolerance is all" in caplog.text


def test_a_batch_that_is_dropped_whole_commits_its_progress(tmp_path, monkeypatch):
    job, figures = done(tmp_path, monkeypatch, dropped)
    assert (figures.records, figures.changes, figures.delivered) == (0, 300, f"{299:012d}")
    assert delivered(tmp_path) == []
    monkeypatch.undo()
    assert task.deliver(job, TO_300).records == 0, "nothing is read again"


def test_records_may_be_dropped_and_added_one_transform_after_the_other(tmp_path, monkeypatch):
    done(tmp_path, monkeypatch, of_even_numbers, audited)
    assert delivered(tmp_path) == list(range(0, 300, 2))
    assert sorted(line["key"]["id"] for line in lines(tmp_path, "audit")) == list(range(0, 300, 2))
    third = lines(tmp_path, "count.t0")[2]
    assert third["value"] == {"op": "c", "after": {"id": 12, "text": 'row 12 "ü"'}}
    assert third["position"] == f"{12:012d}"


def test_an_unwrapped_row_is_the_image_after_over_the_same_columns():
    event = row_changes(
        [("c", None, (1, "a")), ("u", (1, "a"), (1, None)), ("u", (1, None), (2, "b")), ("d", (2, "b"), None)]
    )
    (records,) = encode([event], unwrapped)
    assert values(records) == [
        {"c0": 1, "c1": "a"},
        {"c0": 1, "c1": None},
        None,  # the tombstone of the key that went
        {"c0": 2, "c1": "b"},
        None,
    ]
    assert [json.loads(records.keys[i])["c0"] for i in range(5)] == [1, 1, 1, 2, 2]
    assert {header.name for header in records.headers} == {"__debezium.newkey", "__debezium.oldkey"}
    assert records.positions[3] == b"0001.000002"
    assert records.values.valid.tolist() == [True, True, False, True, False]


def test_a_null_with_a_schema_is_not_a_tombstone():
    event = row_changes([("c", None, (1, "a")), ("d", (1, "a"), None)])

    def after(records):
        return [replace(records, value=Layout(records.value.root.field("after")))]

    with_schemas = JsonEncoder(*[JsonFormat(schemas=True)] * 3)
    (records,) = RecordPipeline(with_schemas, [after]).records([event], interleaved=False)
    _, deleted, tombstone = (records.values[i] for i in range(3))
    assert json.loads(deleted)["payload"] is None
    assert json.loads(deleted)["schema"]["fields"]
    assert tombstone is None


def test_transactions_are_counted_before():
    rows = row_changes([("c", None, (n, "x")) for n in range(4)])
    TransactionCounter().number([("shop.t", rows)], 1, last_open=False)
    (records,) = encode([rows], of_even_numbers)
    assert [value["transaction"]["total_order"] for value in values(records)] == [1, 3]


def test_they_see_all_kinds_of_events():
    seen = []

    def spy(records):
        seen.append((records.kind, len(records)))
        return [records]

    settings = unit_settings()
    source = source_block.schema(settings)
    one, none = np.zeros(1, np.int64), np.zeros(0, np.int64)
    ids = row_changes([("c", None, (1, "a"))]).changes.transaction_id.vector
    boundary = Boundaries(
        "tx", TransactionLayouts(), NOW_US, ids, one, one - 1, Counts(none, none, none, []), one, binary_of([b""]), one
    )
    change = SchemaChanges(
        SchemaChangeLayouts(settings, source, "mysql", {}), [SchemaEvent("d", "DROP", (), "")], [{}], [""], 0, NOW_US
    )
    events = [
        row_changes([("d", (1, "a"), None)]),
        boundary,
        change,
        HeartbeatLayouts(settings).heartbeat(1, "", 0),
        Notifications("notes", [Notification("Initial Snapshot", "STARTED", {}, "1", 1)], "", 0),
    ]
    made = encode(events, spy)
    assert seen == [
        (EventKind.ROWS, 2),
        (EventKind.TRANSACTION, 1),
        (EventKind.SCHEMA_CHANGE, 1),
        (EventKind.HEARTBEAT, 1),
        (EventKind.NOTIFICATION, 1),
    ]
    assert [len(each) for each in made] == [2, 1, 1, 1, 1]


def test_events_are_let_go_one_by_one():
    events = [row_changes([("c", None, (1, "a"))]), row_changes([("c", None, (2, "b"))])]
    left = []

    def spy(records):
        left.append(len(events))
        return [records]

    RecordPipeline(encoder_of(SETTINGS), [spy]).records(events, interleaved=False)
    assert left == [1, 0]


@pytest.mark.parametrize("chosen", [[], [2, 0]])
def test_some_records_of_many_have_all_that_belongs_to_them(chosen):
    rows = [("c", None, (1, "a")), ("u", (1, "a"), (2, "b")), ("c", None, (3, "c"))]
    records = row_changes(rows).source_records()
    whole, some = WITHOUT_SCHEMAS.encode(records), WITHOUT_SCHEMAS.encode(records.take(np.array(chosen, np.int64)))

    def shown(of, i):
        headers = {header.name: header.values[i] for header in of.headers}
        return of.keys[i], of.values[i], headers, of.positions[i], of.timestamps[i], of.log_order[i]

    assert [shown(some, i) for i in range(len(some))] == [shown(whole, i) for i in chosen]
