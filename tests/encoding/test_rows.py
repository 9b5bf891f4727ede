"""Typed rows as an encoder of records."""

import datetime as dt
from dataclasses import replace

import pyarrow as pa
import pytest

from support.row_changes import row_changes
from support.unit_settings import unit_settings
from tailrace.changes.layouts import Layout
from tailrace.encoding.rows import RowEncoder, RowSchema
from tailrace.errors import ConfigError, StructureError
from tailrace.events.heartbeats import HeartbeatLayouts

COLUMNS = pa.schema([("c0", pa.int64()), ("c1", pa.string())])
WHEN = dt.datetime(2023, 11, 14, 22, 13, 20, tzinfo=dt.UTC)


def rows(event, columns=COLUMNS, *, with_before=False):
    return RowEncoder(RowSchema(columns, with_before)).encode(event.source_records()).to_pylist()


def test_a_change_is_a_row_and_a_tombstone_is_none():
    found = rows(row_changes([("c", None, (1, "a")), ("d", (1, "a"), None)]), with_before=True)
    assert found == [
        {"c0": 1, "c1": "a", "_op": "c", "_sequence": "0001.000000", "_commit_time": WHEN, "_before": None},
        {
            "c0": 1,
            "c1": "a",
            "_op": "d",
            "_sequence": "0001.000001",
            "_commit_time": WHEN,
            "_before": {"c0": 1, "c1": "a"},
        },
    ]


def test_a_column_that_the_table_lacks_is_null_and_one_too_many_stops():
    event = row_changes([("c", None, (1, "a"))])
    assert rows(event, COLUMNS.append(pa.field("new", pa.int32())))[0]["new"] is None
    with pytest.raises(StructureError, match="the table has columns now that the DataFrame does not have: c1"):
        rows(event, pa.schema([("c0", pa.int64())]))


def test_a_truncated_table_stops_with_its_place():
    with pytest.raises(
        ConfigError, match=r"^binlog\.000001:5: shop\.t was truncated, which rows can't tell\. Empty the target"
    ):
        rows(row_changes([("c", None, (1, "a")), ("t", None, None)]))


def test_what_is_no_row_change_gives_no_row():
    assert rows(HeartbeatLayouts(unit_settings()).heartbeat(1, "", 0)) == []


def test_what_a_transform_has_unwrapped_is_refused():
    records = row_changes([("c", None, (1, "a"))]).source_records()
    flat = replace(records, value=Layout(records.value.root.field("after")))
    with pytest.raises(StructureError, match=r"typed rows are made of change events, and dbz\.shop\.t\.Value is none"):
        RowEncoder(RowSchema(COLUMNS)).encode(flat)
