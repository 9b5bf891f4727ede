"""The records of transactions' beginnings and ends."""

import json

import numpy as np
import pytest

from support.boundaries import TransactionRecords
from tailrace.changes.views import vector_of
from tailrace.encoding.connect_json import schema_json
from tailrace.events.transactions import TRANSACTION_KEY, TRANSACTION_VALUE, Counts

PLAIN = TransactionRecords()


def counts(pairs, names):
    rows = np.array(pairs, np.int64).reshape(-1, 3)
    return Counts(rows[:, 0].copy(), rows[:, 1].copy(), rows[:, 2].copy(), names)


def ends(ids, pairs, names):
    found = PLAIN.ends(vector_of(ids), np.arange(len(ids)), counts(pairs, names))
    return [json.loads(found[i]) for i in range(len(ids))]


def test_keys_and_beginnings_name_the_transaction():
    ids = vector_of([b"u:1", b"u:2"])
    assert [PLAIN.keys(ids)[i] for i in (0, 1)] == [b'{"id":"u:1"}', b'{"id":"u:2"}']
    assert PLAIN.begins(ids, np.array([5, 6]))[1] == (
        b'{"status":"BEGIN","id":"u:2","event_count":null,"data_collections":null,"ts_ms":6}'
    )


def test_an_end_counts_events_by_table():
    first, second, third = ends([b"a", b"b", b"c"], [(2, 0, 7), (0, 1, 2), (0, 0, 3)], ["d.t1", "d.t2"])
    assert first["event_count"] == 5
    assert {c["data_collection"]: c["event_count"] for c in first["data_collections"]} == {
        "d.t1": 3,
        "d.t2": 2,
    }
    assert (second["event_count"], second["data_collections"]) == (0, [])
    assert third["data_collections"] == [{"data_collection": "d.t1", "event_count": 7}]
    assert third["status"] == "END"


def test_without_any_events_lists_are_empty():
    (end,) = ends([b"a"], [], [])
    assert end["data_collections"] == []


@pytest.mark.parametrize(
    "in_order",
    [
        ["d_keys.tx1", "d_keys.tx2"],
        ["d_keys.tx1", "d_keys.no_key"],
        ["d_keys.parent", "d_keys.child"],
        ["d_keys.audit", "d_keys.triggered"],
    ],
)
def test_tables_are_listed_in_the_order_of_debezium(in_order):
    for names in (in_order, in_order[::-1]):
        (end,) = ends([b"a"], [(0, 0, 1), (0, 1, 1)], names)
        assert [c["data_collection"] for c in end["data_collections"]] == in_order


def test_names_that_share_a_bucket_stay_in_the_order_of_their_first_events():
    names = ["d.AaAa", "d.BBBB", "d.AaBB"]  # three texts with one hash
    (end,) = ends([b"a"], [(0, 2, 1), (0, 0, 1), (0, 1, 1)], names)
    assert [c["data_collection"] for c in end["data_collections"]] == ["d.AaBB", "d.AaAa", "d.BBBB"]


def test_records_carry_their_schemas_when_asked_to():
    encoder = TransactionRecords(schemas=True)
    ids = vector_of([b"a"])
    key = json.loads(encoder.keys(ids)[0])
    assert key == {"schema": json.loads(schema_json(TRANSACTION_KEY)), "payload": {"id": "a"}}
    value = json.loads(encoder.begins(ids, np.array([1]))[0])
    assert value["schema"] == json.loads(schema_json(TRANSACTION_VALUE))
    assert value["schema"]["name"] == "io.debezium.connector.common.TransactionMetadataValue"
    assert [f["field"] for f in value["schema"]["fields"]] == list(value["payload"])
