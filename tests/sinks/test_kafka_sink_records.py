"""The progress record as text, and the names of what is ours; no broker is needed."""

import json
from dataclasses import replace

import pytest
from attrs import evolve

from support.unit_settings import unit_settings
from tailrace.connectors.base import Progress
from tailrace.errors import DeliveryError, ProgressError
from tailrace.schema.routing import Routing
from tailrace.sinks.kafka.names import names_of
from tailrace.sinks.kafka.owner import Owner
from tailrace.sinks.kafka.progress import ProgressRecord, from_json

RECORD = ProgressRecord(
    source="mysql shop",
    lanes=2,
    owner=Owner("run", "host", 4711, "task"),
    number=9,
    progress=Progress(
        "0001-ü",
        {"file": "binlog.000001", "pos": 2**63, "gtids": None},
        {"lanes": 2, "done": True},
        {"tables": [{"table": '"db"."ü"'}], "marks": {"kafka": 2**40}},
    ),
    history=3,
    committed_at_ms=1_795_000_000_000,
)


@pytest.mark.parametrize("record", [RECORD, RECORD.with_routing(Routing("_")), ProgressRecord(source="mysql shop", lanes=1, owner=RECORD.owner)])
def test_a_record_is_read_as_it_was_written(record):
    assert from_json(record.to_json(), "mysql shop", "the record") == record


def test_a_record_from_before_there_were_snapshots_names_none():
    fields = json.loads(RECORD.to_json())
    del fields["snapshot"]
    assert from_json(json.dumps(fields).encode(), "mysql shop", "the record").progress.snapshot is None


def test_a_record_from_before_there_were_signals_has_no_work_of_theirs():
    fields = json.loads(RECORD.to_json())
    del fields["signalled"]
    read = from_json(json.dumps(fields).encode(), "mysql shop", "the record").progress
    assert read == replace(RECORD.progress, signalled=None)


def test_lanes_stand_together_whatever_signals_asked_of_each():
    other = RECORD.with_signalled({"paused": True})
    assert (RECORD.signalled != other.signalled, RECORD.is_at_same_position(other)) == (True, True)
    assert not RECORD.is_at_same_position(evolve(RECORD, progress=replace(RECORD.progress, snapshot=None)))
    assert not RECORD.is_at_same_position(evolve(RECORD, progress=None))
    assert evolve(RECORD, progress=None).with_signalled({"paused": True}).progress is None


def test_lanes_that_are_through_with_a_snapshot_stand_together_whatever_each_had_of_it():
    def lane(**snapshot):
        return evolve(RECORD, progress=replace(RECORD.progress, snapshot={"lanes": 2, **snapshot}))

    assert lane(done=True, figures={"rows": 1}).is_at_same_position(lane(done=True, figures={"rows": 2}))
    assert lane(done=True, figures={"rows": 1}).is_at_same_position(RECORD)
    assert not lane(figures={"rows": 1}).is_at_same_position(lane(figures={"rows": 2})), "these are not through"


OF_LATER_VERSIONS = {"snapshot", "signalled", "history_start", "routing"}


@pytest.mark.parametrize("field", sorted(set(json.loads(RECORD.to_json())) - {"format", "source"} - OF_LATER_VERSIONS))
def test_a_record_that_lacks_something_is_damaged(field):
    fields = json.loads(RECORD.to_json())
    del fields[field]
    with pytest.raises(ProgressError, match=f"the record is damaged: .*{field}"):
        from_json(json.dumps(fields).encode(), "mysql shop", "the record")


def test_names_are_made_of_the_prefix():
    names = names_of(unit_settings({"topic.prefix": "shop"}))
    assert names.progress == "__tailrace-progress.shop"
    assert names.history == "__tailrace-history.shop"
    assert names.transactional_id(3) == "tailrace-shop-3"


def test_names_can_be_given():
    names = names_of(
        unit_settings(
            {
                "tailrace.progress.topic": "p",
                "tailrace.history.topic": "h",
                "tailrace.transactional.id.prefix": "ours.",
            }
        )
    )
    assert (names.progress, names.history, names.transactional_id(0)) == ("p", "h", "ours.0")


@pytest.mark.parametrize("properties", [{}, {"tailrace.progress.topic": "mine", "tailrace.history.topic": "structures"}])
def test_topics_where_progress_is_kept_are_not_for_records(properties):
    names = names_of(unit_settings(properties))
    for topic in (names.progress, names.history, names.lease, "__tailrace-progress.another"):
        with pytest.raises(DeliveryError, match="keeps its progress"):
            names.check_topic(topic)
    names.check_topic("dbz.shop.orders")
    names.check_topic("tailrace-progress")


@pytest.mark.parametrize("topic", ["", ".", "..", "a b", "größe", "a\0b", "a/b", "x" * 250])
def test_what_can_be_no_topic_is_refused_by_name(topic):
    with pytest.raises(DeliveryError, match="can't be the name of a topic") as error:
        names_of(unit_settings()).check_topic(topic)
    assert len(str(error.value)) < 600
