"""Golden lines as source records: laid out as the shape of a table lays out its events."""

import numpy as np
import pytest
from tests.formats.golden_layouts import in_common_order
from tests.formats.golden_lines import golden_lines
from tests.formats.golden_records import golden_records
from tests.formats.made_lines import INT, TEXT, made_lines, message, rows, struct

from tailrace.changes import expand as roles
from tailrace.changes.layouts import Array, ColumnFields, Constant, Struct, Values
from tailrace.changes.source_records import EventKind
from tailrace.changes.vectors import Kind
from tailrace.schema.connect import Type


def of(source, topic):
    """The first records of a topic."""
    return next(records for records in golden_records(golden_lines(source)) if records.topic == topic)


def customers():
    return of("db2: changes-with-schemas", "dbz.DB2INST1.CUSTOMERS")


def test_before_and_after_are_structs_over_the_same_columns():
    value = customers().value.root
    before, after = value.field("before"), value.field("after")
    assert (before.role, after.role) == (roles.BEFORE, roles.AFTER)
    assert [node.slot for node in before.fields] == [node.slot for node in after.fields]
    assert isinstance(before.fields, ColumnFields)
    assert before.schema is after.schema


def test_roles_have_no_row_where_there_is_no_image():
    records = customers()
    op = records.columns[records.value.root.field("op").slot].to_arrow().cast("string").to_pylist()
    for i, letter in enumerate(op):
        images = [int(records.roles[role, i]) for role in (roles.BEFORE, roles.AFTER)]
        live = records.has_value is None or records.has_value[i]
        assert [image >= 0 for image in images] == [live and letter in "ud", live and letter in "cru"]


def test_tombstones_are_among_the_records_of_their_topic():
    records = customers()
    assert records.has_value is not None
    assert 0 < (~records.has_value).sum() < len(records)
    assert (np.diff(records.log_order) > 0).all()


def test_what_is_the_same_in_all_sources_is_constant():
    source = customers().value.root.field("source")
    assert source.role is None
    assert isinstance(source.field("connector"), Constant)
    assert source.field("commit_lsn").role == roles.EVENT


def test_without_transaction_metadata_the_block_is_a_constant_null():
    records = of("mysql: defaults", "dbz.d_formats.customers")
    assert records.value.root.field("transaction").value is None
    with_it = of("mysql: transactions", "dbz.d_formats.customers").value.root.field("transaction")
    assert isinstance(with_it, Struct)
    assert with_it.role == roles.TRANSACTION


def test_headers_with_the_other_key_have_their_roles_and_their_records():
    headers = {header.name: header for header in of("mysql: transactions", "dbz.d_formats.customers").headers}
    new = headers["__debezium.newkey"]
    assert {node.role for node in new.layout.root.fields} == {roles.NEW_KEY}
    assert 0 < new.present.sum() < len(new.present)
    assert isinstance(headers["__debezium.context.taskId"].layout.root, Constant)
    assert list(headers)[-4:] == [name for name in headers if "context" in name]


@pytest.mark.parametrize(
    ("topic", "kind"),
    [
        ("dbz", EventKind.SCHEMA_CHANGE),
        ("dbz.transaction", EventKind.TRANSACTION),
        ("__debezium-heartbeat.dbz", EventKind.HEARTBEAT),
        ("dbz.d_keys.pk", EventKind.ROWS),
    ],
)
def test_records_have_their_kind(topic, kind):
    assert of("mysql: transactions", topic).kind is kind


def test_schema_changes_are_python_values_in_partition_0():
    records = of("mysql: transactions", "dbz")
    assert all(isinstance(node, Values) for node in records.value.root.fields)
    assert records.partition == 0


def test_nested_structs_are_columns_and_lists_of_structs_are_lists():
    geos = of("mysql: defaults", "dbz.d_types.geos")
    point = geos.value.root.field("after").field("p")
    assert geos.columns[point.slot].kind is Kind.STRUCT
    assert point.schema.type is Type.STRUCT
    end = of("mysql: transactions", "dbz.transaction").value.root.field("data_collections")
    assert isinstance(end, Array)


def test_a_topic_may_have_records_with_and_without_a_key():
    (records,) = [each for each in golden_records(made_lines()) if each.topic == "some without key"]
    assert records.has_key.tolist() == [False, False, True, True, True]
    assert records.has_value.tolist() == [True, True, True, True, False]


def test_a_null_with_a_schema_is_a_value_and_a_tombstone_is_none():
    (records,) = [each for each in golden_records(made_lines()) if each.topic == "optional"]
    assert records.roles[records.value.root.role].tolist()[:3] == [0, 1, -1]
    assert records.has_value.tolist() == [True, True, True, False]


def test_lines_of_another_structure_are_other_records_of_the_topic():
    lines = [*rows("t", {"a": (INT, [1, 2])}, message(TEXT, "k")), *rows("t", {"b": (INT, [1, 2])}, message(TEXT, "k"))]
    lines = [{**line, "timestamp": 0} for line in (lines[0], lines[2], lines[1], lines[3])]
    assert [records.log_order.tolist() for records in golden_records(lines)] == [[0, 2], [1, 3]]
    assert struct({"a": INT})["type"] == "struct"


def test_names_of_headers_keep_the_order_in_which_records_have_them():
    assert in_common_order([["c", "d"], ["a", "c", "d"], ["a", "b", "c"], ["d", "e"]]) == ["a", "b", "c", "d", "e"]
