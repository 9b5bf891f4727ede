"""Records as Arrow batches for Spark."""

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    IntegerType,
    StringType,
    StructType,
    TimestampType,
)

from support.counting_log import binary, records_of
from tailrace.changes.records import Header
from tailrace.source import arrow
from tailrace.source.arrow import ARROW_SCHEMA, SPARK_SCHEMA, record_batches

HEADER = StructType().add("key", StringType()).add("value", BinaryType())
SPARK = (
    StructType()
    .add("topic", StringType())
    .add("partition", IntegerType())
    .add("key", StringType())
    .add("value", StringType())
    .add("headers", ArrayType(HEADER))
    .add("timestamp", TimestampType())
    .add("position", StringType())
)


def test_batches_have_exactly_the_types_that_spark_derives():
    (batch,) = record_batches(records_of("t", [1, 2], header=True))
    assert batch.schema == ARROW_SCHEMA
    assert batch.schema.equals(to_arrow_schema(SPARK, timezone="UTC"))


def test_the_schema_in_spark_words_is_the_same():
    assert ", ".join(f"{field.name} {field.dataType.simpleString()}" for field in SPARK) == SPARK_SCHEMA


def test_a_row_holds_the_record():
    (batch,) = record_batches(records_of("t", [9, 11], header=True))
    first, second = batch.to_pylist()
    assert first["value"] is None
    assert second == {
        "topic": "t",
        "partition": None,
        "key": '{"id":11}',
        "value": '{"op":"c","after":{"id":11,"text":"row 11 \\"ü\\""}}',
        "headers": [{"key": "odd", "value": b"true"}, {"key": "n", "value": b"11"}],
        "timestamp": second["timestamp"],
        "position": "000000000011",
    }
    assert second["timestamp"].isoformat() == "2023-11-14T22:13:20.011000+00:00"


def test_a_record_lists_only_the_headers_that_it_has():
    records = records_of("t", [1, 2, 3])
    records.headers = (Header("a", binary([None, b"1", None])), Header("b", binary([b"2", b"3", None])))
    (batch,) = record_batches(records)
    assert [[(h["key"], h["value"]) for h in row] for row in batch["headers"].to_pylist()] == [
        [("b", b"2")],
        [("a", b"1"), ("b", b"3")],
        [],
    ]


def test_a_header_that_a_record_has_with_null_is_listed():
    records = records_of("t", [1, 2])
    records.headers = (Header("a", binary([None, None]), np.array([False, True])),)
    (batch,) = record_batches(records)
    assert [[(h["key"], h["value"]) for h in row] for row in batch["headers"].to_pylist()] == [[], [("a", None)]]


@pytest.mark.parametrize(("most_rows", "most_bytes"), [(7, 1 << 20), (1000, 300), (1, 1), (10**6, 1 << 30)])
def test_large_batches_are_cut_without_loss(monkeypatch, most_rows, most_bytes):
    monkeypatch.setattr(arrow, "MOST_ROWS", most_rows)
    monkeypatch.setattr(arrow, "MOST_BYTES", most_bytes)
    batches = list(record_batches(records_of("t", list(range(100)), header=True)))
    assert all(batch.num_rows <= most_rows for batch in batches)
    assert all(batch.num_rows == 1 or _size(batch) <= most_bytes for batch in batches)
    assert pa.Table.from_batches(batches)["position"].to_pylist() == [f"{n:012d}" for n in range(100)]


def test_no_records_make_no_batch():
    assert list(record_batches(records_of("t", []))) == []


def _size(batch):
    return sum(len(text or "") for name in ("key", "value") for text in batch[name].to_pylist())
