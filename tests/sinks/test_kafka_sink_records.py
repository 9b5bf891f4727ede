"""The progress record as text, and the names of what is ours; no broker is needed."""

import json

import pytest

from support.unit_settings import unit_settings
from tailrace.connectors.base import Progress
from tailrace.errors import ProgressError
from tailrace.sinks.kafka.names import names_of
from tailrace.sinks.kafka.owner import Owner
from tailrace.sinks.kafka.progress import ProgressRecord, from_json

RECORD = ProgressRecord(
    source="mysql shop",
    lanes=2,
    owner=Owner("run", "host", 4711, "task"),
    number=9,
    progress=Progress("0001-ü", {"file": "binlog.000001", "pos": 2**63, "gtids": None}, {"lanes": 2, "done": True}),
    history=3,
    committed_at_ms=1_795_000_000_000,
)


@pytest.mark.parametrize("record", [RECORD, ProgressRecord(source="mysql shop", lanes=1, owner=RECORD.owner)])
def test_a_record_is_read_as_it_was_written(record):
    assert from_json(record.to_json(), "mysql shop", "the record") == record


def test_a_record_from_before_there_were_snapshots_names_none():
    fields = json.loads(RECORD.to_json())
    del fields["snapshot"]
    assert from_json(json.dumps(fields).encode(), "mysql shop", "the record").progress.snapshot is None


@pytest.mark.parametrize("field", sorted(set(json.loads(RECORD.to_json())) - {"format", "source", "snapshot"}))
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
