"""What is told of snapshots: the payloads that Debezium documents and sends."""

import uuid

import pytest

from tailrace.notifications.snapshots import IncrementalSnapshot, InitialSnapshot, Status, key_text
from tailrace.schema.tables import TableId

T1, T2 = TableId("db1", "", "table1"), TableId("db1", "", "table2")
BOTH = "db1.table1,db1.table2"


def initial():
    return InitialSnapshot("my-connector", lambda: 1695817046353)


def incremental(signal_id="ad-hoc-1"):
    return IncrementalSnapshot("my-connector", signal_id, lambda: 1695817046353)


def data(notification):
    """Without the connector's name, which is always there."""
    found = dict(notification.additional_data)
    assert found.pop("connector_name") == "my-connector"
    return found


def bucket(name, buckets):
    """Of a Java HashMap with so many."""
    found = 0
    for character in name:
        found = (31 * found + ord(character)) & 0xFFFFFFFF
    return (found ^ found >> 16) & buckets - 1


def capacity(size):
    """Of a copy of a map of so many entries, after one more was put into it."""
    found = 16 if size == 0 else 1 << (int(size / 0.75) + 1 - 1).bit_length()
    return found * 2 if size + 1 > found * 0.75 else found


INITIAL = [
    (initial().started(), "STARTED", {}),
    (
        initial().table_in_progress(T1, [T1, T2]),
        "IN_PROGRESS",
        {"data_collections": BOTH, "current_collection_in_progress": "db1.table1"},
    ),
    (
        initial().table_completed(T1, 100, [T1, T2]),
        "TABLE_SCAN_COMPLETED",
        {
            "data_collections": BOTH,
            "scanned_collection": "db1.table1",
            "total_rows_scanned": "100",
            "status": "SUCCEEDED",
        },
    ),
    (
        initial().table_failed(T1),
        "TABLE_SCAN_COMPLETED",
        {"scanned_collection": "db1.table1", "status": "SQL_EXCEPTION"},
    ),
    (
        initial().chunk_in_progress(T1, 2, 8, 2000),
        "TABLE_CHUNK_IN_PROGRESS",
        {
            "current_collection_in_progress": "db1.table1",
            "chunk_index": "2",
            "total_chunks": "8",
            "total_rows_scanned": "2000",
        },
    ),
    (
        initial().chunk_completed(T1, 2, 8, [T1, T2]),
        "TABLE_CHUNK_COMPLETED",
        {
            "scanned_collection": "db1.table1",
            "data_collections": BOTH,
            "chunk_index": "2",
            "total_chunks": "8",
            "status": "SUCCEEDED",
        },
    ),
    (initial().completed(), "COMPLETED", {}),
    (initial().aborted(), "ABORTED", {}),
    (initial().skipped(), "SKIPPED", {}),
]
INCREMENTAL = [
    (incremental().started([T1, T2]), "STARTED", {"data_collections": BOTH}),
    (incremental().paused([T1, T2]), "PAUSED", {"data_collections": BOTH}),
    (incremental().resumed([T1, T2]), "RESUMED", {"data_collections": BOTH}),
    (incremental().aborted([T2]), "ABORTED", {"data_collections": "db1.table2"}),
    (
        incremental().in_progress(T1, [T1, T2], [100], [50]),
        "IN_PROGRESS",
        {
            "data_collections": BOTH,
            "current_collection_in_progress": "db1.table1",
            "maximum_key": "100",
            "last_processed_key": "50",
        },
    ),
    (
        incremental().table_completed(T1, [T1, T2], 100, Status.SUCCEEDED),
        "TABLE_SCAN_COMPLETED",
        {
            "data_collections": BOTH,
            "scanned_collection": "db1.table1",
            "total_rows_scanned": "100",
            "status": "SUCCEEDED",
        },
    ),
    (incremental().completed(), "COMPLETED", {}),
]


@pytest.mark.parametrize(("notification", "type_", "additional"), INITIAL)
def test_an_initial_snapshot_tells(notification, type_, additional):
    assert (notification.aggregate_type, notification.type) == ("Initial Snapshot", type_)
    assert notification.timestamp == 1695817046353
    assert data(notification) == additional


@pytest.mark.parametrize(("notification", "type_", "additional"), INCREMENTAL)
def test_an_incremental_snapshot_tells(notification, type_, additional):
    assert (notification.aggregate_type, notification.type) == ("Incremental Snapshot", type_)
    assert (notification.id, notification.timestamp) == ("ad-hoc-1", 1695817046353)
    assert data(notification) == additional


@pytest.mark.parametrize("notification", [row[0] for row in INITIAL + INCREMENTAL], ids=lambda found: found.type)
def test_data_stands_in_the_order_of_debezium(notification):
    names = list(notification.additional_data)
    size = capacity(len(names) - 1)
    assert names == sorted(names, key=lambda name: bucket(name, size))
    others = [name for name in names if name != "connector_name"]  # it is put in last, so it is last in its bucket
    assert names == sorted([*others, "connector_name"], key=lambda name: bucket(name, size))
    assert all(type(text) is str for text in notification.additional_data.values())


def test_each_notification_of_an_initial_snapshot_has_an_id_of_its_own():
    first, second = initial().started(), initial().completed()
    assert uuid.UUID(first.id) != uuid.UUID(second.id)


def test_without_a_signals_id_each_one_of_an_incremental_snapshot_has_its_own():
    told = incremental(None)
    assert uuid.UUID(told.completed().id) != uuid.UUID(told.completed().id)


def test_the_time_is_now_in_milliseconds():
    assert 1_700_000_000_000 < InitialSnapshot("c").started().timestamp < 10_000_000_000_000


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ([7], "7"),
        ([7, "a,b"], "7,a,b"),
        ([None, 1], "<null>,1"),
        ([True], "true"),
        ([b"\x0a\xff"], "0aff"),
        ([], ""),
        (None, '"<null>"'),
    ],
)
def test_keys_are_values_with_commas_between(key, text):
    assert key_text(key) == text
