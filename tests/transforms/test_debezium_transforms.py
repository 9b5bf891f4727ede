"""Debezium's smaller transforms without the real ones beside them."""

import json
import struct

import numpy as np
import pytest

from support.row_changes import NOW_US, row_changes
from support.transforming import changes, records_behind, run
from support.unit_settings import unit_settings
from tailrace.errors import ConfigError, TransformError
from tailrace.schema.tables import TableId
from tailrace.transforms import java_hashes
from tailrace.transforms.geometry_bytes import GeometryError, is_extended, swapped, with_srid, without_srid
from tailrace.transforms.registry import refusal, transform_spec
from tailrace.transforms.timezone_offsets import Zone, offset_text
from tailrace.transforms.timezone_rules import rules_of

PACKAGE = "io.debezium.transforms."
UPDATES = [("r", None, (1, "a")), ("u", (1, "a"), (1, "b")), ("u", (1, "b"), (2, "b")), ("d", (2, "b"), None)]
CHANGED = (f"{PACKAGE}ExtractChangedRecordState", {"header.changed.name": "changed", "header.unchanged.name": "same"})


def settings_of(name, **options):
    return unit_settings({"transforms": "t", "transforms.t.type": name, **{f"transforms.t.{k}": v for k, v in options.items()}})


def test_a_logical_table_has_its_shards_names_in_the_keys():
    options = {"topic.regex": r"dbz\.(.*)\.t", "topic.replacement": "all.t", "key.field.name": "shard"}
    options |= {"key.field.regex": r"dbz\.(.*)\.t", "key.field.replacement": "$1"}
    found = records_behind(row_changes(UPDATES), (f"{PACKAGE}ByLogicalTableRouter", options))
    assert {topic for topic, *_ in found} == {"all.t"}
    assert {json.loads(key)["shard"] for _, _, _, key, _, _ in found} == {"shop"}


def test_tables_are_assigned_to_lanes_by_the_topic_of_their_logical_table():
    options = {"topic.regex": r"dbz\.(.*)\.t", "topic.replacement": "all.t"}
    routing = settings_of(f"{PACKAGE}ByLogicalTableRouter", **options).routing
    assert routing.delivered(routing.topic("dbz", TableId("shop", "", "t"))) == "all.t"


def test_an_update_names_its_columns_and_other_changes_name_none():
    found = records_behind(row_changes(UPDATES), CHANGED)
    names = [(json.loads(headers["changed"]), json.loads(headers["same"])) for *_, value, headers in found if value is not None]
    assert names == [([], []), (["c1"], ["c0"]), ([], []), ([], []), ([], [])]
    assert all("changed" not in headers for *_, value, headers in found if value is None)


def test_unchanged_columns_are_dropped_from_rows_that_have_them():
    unwrapped = (f"{PACKAGE}ExtractNewRecordState", {"drop.fields.header.name": "changed"})
    found = records_behind(row_changes(UPDATES), CHANGED, unwrapped)
    assert [value for *_, value, _ in found][:2] == [b'{"c0":1,"c1":"a"}', b'{"c0":1}']


@pytest.mark.parametrize(
    ("gone", "transform"),
    [
        ("before", ("io.debezium.transforms.ExtractNewRecordState", {})),
        ("after", ("io.debezium.transforms.ExtractNewRecordState", {})),
        ("op", ("io.debezium.transforms.ExtractNewRecordState", {})),
        ("after", ("io.debezium.transforms.ExtractChangedRecordState", {"header.changed.name": "h"})),
        ("before", ("io.debezium.transforms.ByLogicalTableRouter", {"topic.regex": ".*", "topic.replacement": "x"})),
    ],
)
def test_an_envelope_that_lacks_a_field_fails_and_is_not_lost(gone, transform):
    without = ("org.apache.kafka.connect.transforms.ReplaceField$Value", {"exclude": gone})
    deleted = row_changes([("d", (1, "a"), None), ("c", None, (2, "b"))])
    with pytest.raises(TransformError, match=f"its value has no field '{gone}'"):
        records_behind(deleted, without, transform)


def test_a_null_that_has_a_schema_is_a_tombstone_to_the_next_one():
    unwrap = "io.debezium.transforms.ExtractNewRecordState"
    deleted = row_changes([("d", (1, "a"), None)])
    assert [each[4] for each in records_behind(deleted, (unwrap, {}))] == [b"null"]
    assert records_behind(deleted, (unwrap, {}), (unwrap, {})) == []


def test_a_header_is_moved_into_the_value():
    options = {"headers": "changed", "fields": "source.changes", "operation": "move"}
    found = records_behind(row_changes(UPDATES[:2]), CHANGED, (f"{PACKAGE}HeaderToValue", options))
    assert [json.loads(value)["source"]["changes"] for *_, value, _ in found] == [[], ["c1"]]
    assert all("changed" not in headers and "same" in headers for *_, headers in found)


def test_reads_become_inserts():
    found = records_behind(row_changes(UPDATES[:2]), ("io.debezium.connector.mysql.transforms.ReadToInsertEvent", {}))
    assert [json.loads(value)["op"] for *_, value, _ in found] == ["c", "u"]


def test_partitions_split_the_records_of_a_topic():
    options = {"partition.payload.fields": "change.c0,change.c1", "partition.topic.num": "5"}
    rows = [("c", None, (1, "q")), ("c", None, (2, "r")), ("d", (1, "q"), None)]
    found = records_behind(row_changes(rows, tombstones=False), (f"{PACKAGE}partitions.PartitionRouting", options))
    assert [partition for _, partition, *_ in found] == [4, 1, 4]


def test_a_deleted_row_has_no_after_to_route_by():
    options = {"partition.payload.fields": "after.c0", "partition.topic.num": "5"}
    with pytest.raises(TransformError, match="the struct around a field is null"):
        records_behind(row_changes(UPDATES[3:]), (f"{PACKAGE}partitions.PartitionRouting", options))


def test_times_of_the_source_block_are_moved_if_they_are_named():
    options = {"converted.timezone": "+01:00", "include.list": "source:t:source.ts_ms"}
    (found,) = records_behind(row_changes(UPDATES[:1]), (f"{PACKAGE}TimezoneConverter", options))
    source = json.loads(found[4])["source"]
    assert (source["ts_ms"], source["ts_us"]) == (NOW_US // 1000 + 3_600_000, NOW_US)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("ByLogicalTableRouter", {"topic.regex": "a", "topic.replacement": "b", "key.field.regex": "c"}, "key.field.replacement"),
        ("HeaderToValue", {"headers": "a,b", "fields": "c", "operation": "copy"}, "same number"),
        ("SchemaChangeEventFilter", {"schema.change.event.exclude.list": "RENAME"}, "none of CREATE"),
        ("SwapGeometryCoordinates", {"srids": "x"}, "whole numbers"),
        ("TimezoneConverter", {"converted.timezone": "Mars/Base"}, "no time zone Mars/Base"),
        ("TimezoneConverter", {"converted.timezone": "Z", "include.list": "a"}, "include.list is not made of"),
        ("partitions.PartitionRouting", {"partition.payload.fields": "a", "partition.topic.num": "0"}, "whole number from 1"),
    ],
)
def test_a_wrong_option_is_named(name, options, message):
    with pytest.raises(ConfigError, match=message):
        settings_of(f"{PACKAGE}{name}", **options)


@pytest.mark.parametrize("name", ["tracing.ActivateTracingSpan", "openlineage.OpenLineage"])
def test_what_only_tells_other_servers_leaves_records_alone_with_a_warning(name):
    settings = settings_of(f"{PACKAGE}{name}")
    assert any("has no effect" in each and "records pass as they are" in each for each in settings.warnings)
    assert run(changes(), (f"{PACKAGE}{name}", {})) == run(changes())


@pytest.mark.parametrize(
    ("type_", "says"),
    [
        (f"{PACKAGE}UnwrapFromEnvelope", "write io.debezium.transforms.ExtractNewRecordState"),
        ("io.debezium.connector.jdbc.transforms.FieldNameTransformation", "or for a sink: leave it out"),
        ("io.debezium.ai.embeddings.FieldToEmbedding", "read the records as a DataFrame"),
        ("io.confluent.connect.transforms.MessageTimestampRouter", "write org.apache.kafka.connect.transforms.TimestampRouter"),
    ],
)
def test_classes_that_can_not_run_are_told_what_to_do(type_, says):
    with pytest.raises(ConfigError) as caught:
        settings_of(type_)
    assert says in str(caught.value)


EVERY = """
    ByLogicalTableRouter ContentBasedRouter EnforceRecordSize ExtractChangedRecordState ExtractNewRecordState ExtractSchemaToNewRecord
    Filter GeometryFormatTransformer HeaderToValue SchemaChangeEventFilter SwapGeometryCoordinates TimezoneConverter
    VectorToJsonConverter openlineage.OpenLineage outbox.EventRouter partitions.PartitionRouting tracing.ActivateTracingSpan
"""
OF_OTHERS = """
    jdbc.transforms.CollectionNameTransformation jdbc.transforms.FieldNameTransformation
    mongodb.transforms.ExtractNewDocumentState mongodb.transforms.outbox.MongoEventRouter
    postgresql.transforms.DecodeLogicalDecodingMessageContent postgresql.transforms.timescaledb.TimescaleDb
"""


def test_every_transform_of_debezium_3_6_runs_or_is_refused_by_name():
    assert [name for name in EVERY.split() if transform_spec(f"{PACKAGE}{name}") is None] == []
    assert transform_spec("io.debezium.connector.mysql.transforms.ReadToInsertEvent") is not None
    assert [name for name in OF_OTHERS.split() if refusal(f"io.debezium.connector.{name}") is None] == []


def test_texts_of_large_records_are_shortened_in_utf_16_units_and_others_left_alone():
    large = [("c", None, (1, "é" * 3000 + "😀" * 500)), ("u", (1, "x" * 10), (1, "y" * 5000)), ("c", None, (2, "z" * 20))]
    limit = {"max.bytes": "4000", "min.field.size": "100"}
    first, update, small = run(changes(large), (f"{PACKAGE}EnforceRecordSize", limit))
    assert first.value["after"]["c1"] != "é" * 3000 + "😀" * 500
    assert ("é" * 3000 + "😀" * 500).startswith(first.value["after"]["c1"])
    assert update.value["before"]["c1"] == "x" * 10
    assert 0 < len(update.value["after"]["c1"]) < 5000
    assert small.value["after"]["c1"] == "z" * 20


@pytest.mark.parametrize(("options", "says"), [({}, "max.bytes is missing"), ({"max.bytes": "0"}, "whole number from 1")])
def test_a_limit_of_the_size_must_be_given(options, says):
    with pytest.raises(ConfigError, match=says):
        settings_of(f"{PACKAGE}EnforceRecordSize", **options)


def test_a_ratio_that_is_no_number_is_told():
    with pytest.raises(ConfigError, match=r"compression\.ratio is 'half': it must be a number of more than 0"):
        settings_of(f"{PACKAGE}EnforceRecordSize", **{"max.bytes": "1", "compression.ratio": "half"})


def test_both_lists_of_times_are_too_many():
    with pytest.raises(ValueError, match="leave one of them out"):
        rules_of(["source:a"], ["source:b"])


def test_java_hashes_of_texts_count_units_of_utf_16():
    data = "aé😀".encode()
    assert java_hashes.of_strings(np.frombuffer(data, np.uint8), np.array([0, len(data)])).tolist() == [4886539]


def test_offsets_before_a_change_count_where_a_local_time_is_none_or_two():
    berlin = Zone("Europe/Berlin")
    assert berlin.at_local(np.array([1_711_852_200, 1_729_996_200])).tolist() == [3600, 7200]
    assert [offset_text(each) for each in (0, -5400, 19_800)] == ["Z", "-01:30", "+05:30"]


def test_coordinates_of_every_kind_of_geometry_are_swapped_twice_to_what_they_were():
    point = struct.pack("<BI2d", 1, 1, 1.0, 2.0)
    line = struct.pack("<BII4d", 1, 2, 2, 1.0, 2.0, 3.0, 4.0)
    polygon = struct.pack("<BIII4d", 1, 3, 1, 2, 1.0, 2.0, 3.0, 4.0)
    parts = {4: point, 5: line, 6: polygon, 7: line}
    for geometry in (point, line, polygon, *(struct.pack("<BII", 1, kind, 2) + 2 * part for kind, part in parts.items())):
        assert swapped(geometry) != geometry
        assert swapped(swapped(geometry)) == geometry
    assert swapped(point) == struct.pack("<BI2d", 1, 1, 2.0, 1.0)


def test_broken_geometries_are_errors():
    for broken in (b"", b"\x01", struct.pack("<BII", 1, 2, 9), struct.pack("<BI", 1, 99)):
        with pytest.raises(GeometryError):
            swapped(broken)


def test_a_geometry_gets_its_srid_and_loses_it_again():
    point = struct.pack(">BI2d", 0, 1, 1.0, 2.0)
    extended = with_srid(point, 4326)
    assert is_extended(extended)
    assert without_srid(extended) == point
    with pytest.raises(GeometryError):
        with_srid(point, None)
