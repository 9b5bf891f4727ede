"""Records as JSON out of layouts over columns."""

import json

import numpy as np

from tailrace.changes.layouts import Array, Column, Constant, Layout, Struct, Values
from tailrace.changes.records import binary_of
from tailrace.changes.source_records import EventKind, Lists, Objects, SourceHeader, SourceRecords, every_record
from tailrace.changes.vectors import Kind, Vector, integers
from tailrace.changes.views import vector_of
from tailrace.encoding.json import JsonEncoder, JsonFormat
from tailrace.schema.connect import Field, Schema, Type

LONG, TEXT = Schema(Type.INT64), Schema(Type.STRING, optional=True)
WITH_DEFAULT = Schema(Type.STRING, optional=True, default="nothing")
PAIR = Schema(Type.STRUCT, optional=True, fields=(Field("n", LONG), Field("t", TEXT)))


def records(value, columns, roles, **more):
    n = roles.shape[1]
    order = np.arange(n)
    return SourceRecords(EventKind.ROWS, "t", None, value, columns, roles, order, binary_of([b""] * n), order, **more)


def encoded(given, *, schemas=False, defaults=True):
    plain = JsonFormat(schemas=schemas, defaults=defaults)
    return JsonEncoder(plain, plain, plain).encode(given)


def texts(binary):
    return [binary[i] for i in range(len(binary))]


def test_two_structs_may_be_over_the_same_columns():
    both = Schema(Type.STRUCT, fields=(Field("before", PAIR), Field("after", PAIR)))
    image = [Struct(PAIR, (Column(LONG, 0, role), Column(TEXT, 1, role)), role) for role in (0, 1)]
    roles = np.array([[0, -1, 1], [1, 0, -1]], np.int32)
    columns = [integers(np.array([5, 6])), vector_of([b"a", None])]
    assert texts(encoded(records(Layout(Struct(both, tuple(image))), columns, roles)).values) == [
        b'{"before":{"n":5,"t":"a"},"after":{"n":6,"t":null}}',
        b'{"before":null,"after":{"n":5,"t":"a"}}',
        b'{"before":{"n":6,"t":null},"after":null}',
    ]


def test_a_struct_is_null_where_its_own_column_is():
    struct = Vector(Kind.STRUCT, 2, np.empty(0, np.int64), np.array([0b01], np.uint8))
    layout = Layout(Struct(PAIR, (Column(LONG, 1, 0), Column(TEXT, 2, 0)), 0, 0))
    given = records(layout, [struct, integers(np.array([1, 2])), vector_of([b"a", b"b"])], every_record(2))
    assert texts(encoded(given).values) == [b'{"n":1,"t":"a"}', b"null"]


def test_lists_of_structs_are_slices_of_columns():
    items = Schema(Type.ARRAY, optional=True, items=PAIR)
    whole = Schema(Type.STRUCT, fields=(Field("items", items), Field("end", LONG)))
    lists = Lists(
        np.array([0, 2, 2, 3]),
        (integers(np.array([7, 8, 9])), vector_of([b"x", b"y"])),
        np.array([[2, 0, 1], [0, 1, -1]], np.int32),
    )
    layout = Layout(
        Struct(whole, (Array(items, 0, 0, Struct(PAIR, (Column(LONG, 0, 0), Column(TEXT, 1, 1)))), Constant(LONG, 3)))
    )
    found = texts(encoded(records(layout, [lists], np.array([[0, 1, 2, -1]], np.int32))).values)
    assert [json.loads(each)["items"] for each in found] == [
        [{"n": 9, "t": "x"}, {"n": 7, "t": "y"}],
        [],
        [{"n": 8, "t": None}],
        None,
    ]
    assert found[1] == b'{"items":[],"end":3}'


def test_plain_values_may_be_of_any_schema():
    schema = Schema(Type.MAP, keys=Schema(Type.STRING), items=LONG)
    given = records(Layout(Values(schema, 0, 0)), [Objects([{"a": 1}, {}])], every_record(2))
    assert texts(encoded(given).values) == [b'{"a":1}', b"{}"]


def test_numbers_with_a_fraction_are_those_that_read_back_the_same():
    column = Vector(Kind.FLOAT64, 2, np.array([0.1, np.inf]))
    given = records(Layout(Column(Schema(Type.FLOAT64), 0, 0)), [column], every_record(2))
    assert texts(encoded(given).values) == [b"0.1", b'"Infinity"']


def test_a_null_is_the_default_where_that_is_wanted():
    given = records(Layout(Column(WITH_DEFAULT, 0, 0)), [vector_of([None])], every_record(1))
    assert encoded(given).values[0] == b'"nothing"'
    assert encoded(given, defaults=False).values[0] == b"null"


def test_what_has_no_schema_is_null_itself():
    text = Layout(Column(TEXT, 0, 0))
    masks = np.array([True, False])
    headers = (SourceHeader("h", Layout(Constant(TEXT, "all"))), SourceHeader("some", text, ~masks))
    given = records(text, [vector_of([b"a", b"b"])], every_record(2), has_value=masks, headers=headers)
    found = encoded(given, schemas=True)
    assert json.loads(found.values[0])["payload"] == "a"
    assert (found.values[1], texts(found.keys)) == (None, [None, None])
    assert [json.loads(each)["payload"] for each in texts(found.headers[0].values)] == ["all", "all"]
    assert texts(found.headers[1].values)[0] is None


def test_a_layout_comes_again_with_other_columns():
    layout, encoder = Layout(Column(LONG, 0, 0)), JsonEncoder(*[JsonFormat(schemas=False)] * 3)
    first = encoder.encode(records(layout, [integers(np.array([1, 2]))], every_record(2)))
    again = encoder.encode(records(layout, [integers(np.array([3]))], every_record(1)))
    assert (texts(first.values), texts(again.values)) == ([b"1", b"2"], [b"3"])
