"""Layouts over columns as Avro: bytes that an independent reader (fastavro) reads back."""

import io
import json
import struct as packing
from decimal import Decimal

import fastavro
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.changes.layouts import Array, Column, Constant, Layout, Struct, Values
from tailrace.changes.source_records import Lists, Objects, every_record
from tailrace.changes.vectors import Kind, Vector, from_arrow, integers
from tailrace.changes.views import vector_of
from tailrace.encoding.avro.options import AvroOptions
from tailrace.encoding.avro.program import layout_program
from tailrace.encoding.avro.schema_text import avro_schema
from tailrace.encoding.avro.values import value_bytes
from tailrace.encoding.registered.nulls import NullError, whole_nulls
from tailrace.errors import DeliveryError
from tailrace.schema.connect import Field, Schema, Type

OPTIONS = AvroOptions()
LONG, TEXT, BYTES = Schema(Type.INT64), Schema(Type.STRING), Schema(Type.BYTES)
MAYBE = {
    each: each_schema.with_(optional=True) for each, each_schema in (("long", LONG), ("text", TEXT), ("bytes", BYTES))
}


def written(layout, columns, roles=None, options=OPTIONS, prefix=b"", live=None):
    roles = every_record(len(columns[0].data)) if roles is None else roles
    made = layout_program(layout, columns, options, prefix).render(columns, roles, live)
    return [made[i] for i in range(len(made))]


def read(schema, datum, options=OPTIONS):
    parsed = fastavro.parse_schema(json.loads(avro_schema(schema, options).text))
    stream = io.BytesIO(datum)
    found = fastavro.schemaless_reader(stream, parsed, None)
    assert stream.read() == b"", "bytes are left over"
    return found


def record_of(*schemas):
    return Schema(Type.STRUCT, name="a.R", fields=tuple(Field(f"f{i}", each) for i, each in enumerate(schemas)))


def columns_of(schema, role=0):
    return Layout(Struct(schema, tuple(Column(f.schema, i, role) for i, f in enumerate(schema.fields))))


def values_back(schema, arrays, options=OPTIONS):
    columns = [from_arrow(each) for each in arrays]
    return [
        read(schema, datum, options)
        for datum in written(columns_of(schema), columns, every_record(len(arrays[0])), options)
    ]


@given(st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), min_size=1, max_size=40))
def test_every_64_bit_integer_reads_back(values):
    schema = record_of(MAYBE["long"])
    assert [each["f0"] for each in values_back(schema, [pa.array(values, pa.int64())])] == values


@pytest.mark.parametrize("bits", range(64))
def test_varints_are_right_at_every_length(bits):
    edges = sorted({v for e in (2**bits - 1, 2**bits) for v in (e, -e, e - 1, -e - 1) if -(2**63) <= v < 2**63})
    schema = record_of(LONG)
    assert [each["f0"] for each in values_back(schema, [pa.array(edges, pa.int64())])] == edges


@given(st.lists(st.one_of(st.none(), st.text(st.characters(codec="utf-8"), max_size=90)), min_size=1, max_size=30))
def test_every_text_reads_back(values):
    schema = record_of(MAYBE["text"])
    assert [each["f0"] for each in values_back(schema, [pa.array(values, pa.string_view())])] == values


@pytest.mark.parametrize(
    "length", [0, 1, 11, 12, 13, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 8191, 8192, 100_000]
)
def test_bytes_of_every_length_read_back(length):
    value = np.random.default_rng(length).bytes(length)
    schema = record_of(BYTES, LONG)
    found = values_back(schema, [pa.array([value, b"x"], pa.binary_view()), pa.array([7, 8])])
    assert found == [{"f0": value, "f1": 7}, {"f0": b"x", "f1": 8}]


@given(st.lists(st.one_of(st.none(), st.floats(width=64)), min_size=1, max_size=20))
def test_doubles_keep_every_bit(values):
    schema = record_of(Schema(Type.FLOAT64, optional=True))
    found = written(columns_of(schema), [from_arrow(pa.array(values, pa.float64()))], every_record(len(values)))
    assert found == [b"\0" if v is None else b"\2" + packing.pack("<d", v) for v in values]


def test_floats_and_booleans_read_back():
    schema = record_of(Schema(Type.FLOAT32), Schema(Type.BOOLEAN, optional=True))
    found = values_back(schema, [pa.array([1.5, -2.0], pa.float32()), pa.array([True, None])])
    assert found == [{"f0": 1.5, "f1": True}, {"f0": -2.0, "f1": None}]


def test_numbers_of_another_width_are_converted():
    schema = record_of(Schema(Type.FLOAT64), Schema(Type.FLOAT32))
    assert values_back(schema, [pa.array([0.5], pa.float32()), pa.array([3])]) == [{"f0": 0.5, "f1": 3.0}]


def test_a_null_with_a_default_is_the_default_of_branch_0():
    schema = record_of(Schema(Type.STRING, optional=True, default="x"))
    column = vector_of([None, b"y"])
    assert written(columns_of(schema), [column]) == [b"\x00\x02x", b"\x00\x02y"]


def test_a_null_with_a_default_stays_null_where_defaults_are_ignored():
    schema, options = record_of(Schema(Type.STRING, optional=True, default="x")), AvroOptions(keep_nulls=True)
    assert written(columns_of(schema), [vector_of([None, b"y"])], options=options) == [b"\x02", b"\x00\x02y"]


def test_a_default_that_a_transform_has_put_in_is_a_value_where_defaults_are_ignored():
    """As of InsertField, which copies the other fields."""
    schema, options = record_of(Schema(Type.STRING, optional=True, default="x")), AvroOptions(keep_nulls=True)
    layout = Layout(Struct(schema, (Column(schema.fields[0].schema, 0, 0, filled=True),)))
    assert written(layout, [vector_of([None, b"y"])], options=options) == [b"\x00\x02x", b"\x00\x02y"]


def test_a_required_null_takes_its_default():
    assert written(columns_of(record_of(Schema(Type.STRING, default="x"))), [vector_of([None])]) == [b"\x02x"]


def test_a_required_null_without_a_default_is_an_error_that_names_the_field():
    inner = record_of(TEXT)
    layout = Layout(
        Struct(Schema(Type.STRUCT, name="a.Whole", fields=(Field("in", inner),)), (columns_of(inner).root,))
    )
    with pytest.raises(NullError, match=r"in\.f0 is null in record 1"):
        written(layout, [vector_of([b"a", None])])


def test_before_and_after_are_two_roles_over_the_same_columns():
    row = record_of(LONG, MAYBE["text"]).with_(optional=True)
    both = Schema(Type.STRUCT, name="a.Both", fields=(Field("before", row), Field("after", row)))
    image = [Struct(row, (Column(LONG, 0, role), Column(MAYBE["text"], 1, role)), role) for role in (0, 1)]
    columns = [integers(np.array([5, 6])), vector_of([b"a", None])]
    found = written(Layout(Struct(both, tuple(image))), columns, np.array([[0, -1, 1], [1, 0, -1]], np.int32))
    assert found == [b"\x02\x0a\x02\x02a\x02\x0c\x00", b"\x00\x02\x0a\x02\x02a", b"\x02\x0c\x00\x00"]


def test_a_required_struct_that_is_null_is_an_error():
    inner = record_of(LONG)
    whole = Schema(Type.STRUCT, name="a.Whole", fields=(Field("in", inner),))
    layout = Layout(Struct(whole, (Struct(inner, (Column(LONG, 0, 0),), 0),)))
    with pytest.raises(NullError, match="in is null in record 0"):
        written(layout, [integers(np.array([1]))], np.array([[-1]], np.int32))


def test_a_struct_is_null_where_its_own_column_is():
    inner = record_of(LONG).with_(optional=True)
    whole = Schema(Type.STRUCT, name="a.Whole", fields=(Field("in", inner),))
    there = Vector(Kind.STRUCT, 2, np.empty(0, np.int64), np.array([0b01], np.uint8))
    layout = Layout(Struct(whole, (Struct(inner, (Column(LONG, 1, 0),), 0, 0),)))
    assert written(layout, [there, integers(np.array([1, 2]))], every_record(2)) == [b"\x02\x02", b"\x00"]


def test_what_lasts_is_copied_and_reads_the_same():
    schema = record_of(LONG, TEXT, LONG, MAYBE["text"])
    nodes = (Column(LONG, 0, 0), Column(TEXT, 1, 1), Column(LONG, 2, 1), Column(MAYBE["text"], 3, 1))
    columns = [
        integers(np.arange(6)),
        vector_of([b"one", b"two"]),
        integers(np.array([2**40, -1])),
        vector_of([None, b"z" * 99]),
    ]
    roles = np.array([range(6), [0, 0, 0, 1, 1, 0]], np.int32)
    layouts = [Layout(Struct(schema, nodes), lasting) for lasting in ((), (1,))]
    plain, repeated = (written(each, columns, roles) for each in layouts)
    assert plain == repeated
    assert read(schema, plain[3]) == {"f0": 3, "f1": "two", "f2": -1, "f3": "z" * 99}


def test_many_records_outgrow_the_first_buffer():
    n = 3000
    schema = record_of(TEXT)
    texts = [b"%d" % i * 60 for i in range(n)]
    found = written(columns_of(schema), [vector_of(texts)])
    assert [read(schema, each)["f0"].encode() for each in found[::500]] == texts[::500]
    assert len(found) == n


def test_lists_of_structs_are_arrays():
    pair = record_of(LONG, MAYBE["text"]).with_(name="a.Pair", optional=True)
    items = Schema(Type.ARRAY, optional=True, items=pair)
    whole = Schema(Type.STRUCT, name="a.W", fields=(Field("items", items), Field("end", LONG)))
    lists = Lists(
        np.array([0, 2, 2, 3]),
        (integers(np.array([7, 8, 9])), vector_of([b"x", b"y" * 40])),
        np.array([[2, 0, 1], [0, 1, -1]], np.int32),
    )
    item = Struct(pair, (Column(LONG, 0, 0), Column(MAYBE["text"], 1, 1)), 0)
    layout = Layout(Struct(whole, (Array(items, 0, 0, item), Column(LONG, 1, 1))))
    roles = np.array([[0, 1, 2, -1], [0, 1, 2, 3]], np.int32)
    found = [read(whole, each) for each in written(layout, [lists, integers(np.arange(4))], roles)]
    assert [each["items"] for each in found] == [
        [{"f0": 9, "f1": "x"}, {"f0": 7, "f1": "y" * 40}],
        [],
        [{"f0": 8, "f1": None}],
        None,
    ]
    assert [each["end"] for each in found] == [0, 1, 2, 3]


def test_lists_without_any_item_are_empty_arrays():
    items = Schema(Type.ARRAY, items=LONG)
    lists = Lists(np.zeros(3, np.int64), (integers(np.zeros(0, np.int64)),), np.empty((1, 0), np.int32))
    layout = Layout(Struct(record_of(items), (Array(items, 0, 0, Column(LONG, 0, 0)),)))
    assert written(layout, [lists], every_record(2)) == [b"\0", b"\0"]


def test_vectors_of_numbers_are_arrays():
    schema = record_of(Schema(Type.ARRAY, optional=True, items=Schema(Type.FLOAT32)))
    values = [[1.5, -2.0], None, [], [3.0]]
    found = values_back(schema, [pa.array(values, pa.large_list(pa.float32()))])
    assert [each["f0"] for each in found] == values


def test_python_values_are_written_one_by_one():
    table = Schema(
        Type.STRUCT,
        name="a.T",
        optional=True,
        fields=(Field("n", MAYBE["long"]), Field("m", Schema(Type.MAP, keys=TEXT, items=LONG)), Field("d", BYTES)),
    )
    items = Schema(Type.ARRAY, items=table, name="a.L")
    whole = record_of(items, table)
    layout = Layout(Struct(whole, (Values(items, 0, 0), Values(table, 1, 0))))
    value = {"n": 3, "m": {"k": 1}, "d": b"\x01"}
    columns = [Objects([[value, value], []]), Objects([None, value])]
    found = [read(whole, each) for each in written(layout, columns, every_record(2))]
    assert found == [{"f0": [value, value], "f1": None}, {"f0": [], "f1": value}]


def test_constants_stand_in_every_record():
    whole = record_of(Schema(Type.STRING, optional=True, default="false"), MAYBE["long"], LONG)
    nodes = (Constant(whole.fields[0].schema, "true"), Constant(MAYBE["long"], None), Column(LONG, 0, 0))
    assert written(Layout(Struct(whole, nodes)), [integers(np.array([1, 2]))]) == [
        b"\0\x08true\0\x02",
        b"\0\x08true\0\x04",
    ]


def test_a_decimal_constant_has_connects_shortest_form():
    decimal = Schema(Type.BYTES, name="org.apache.kafka.connect.data.Decimal", parameters=(("scale", "2"),))
    assert value_bytes(decimal, Decimal("1.28"), OPTIONS) == b"\x04\x00\x80"
    assert value_bytes(decimal, Decimal("-0.01"), OPTIONS) == b"\x02\xff"


def test_an_enum_is_the_number_of_its_symbol():
    name = "io.confluent.connect.avro.Enum"
    schema = record_of(
        Schema(Type.STRING, optional=True, parameters=((name, "x.E"), (f"{name}.S", "S"), (f"{name}.L", "L")))
    )
    options = AvroOptions(enums=True)
    found = values_back(schema, [pa.array(["L", None, "S"], pa.string_view())], options)
    assert [each["f0"] for each in found] == ["L", None, "S"]
    with pytest.raises(DeliveryError, match="'M' is not among the symbols"):
        values_back(schema, [pa.array(["M"], pa.string_view())], options)


def test_a_whole_optional_struct_has_a_branch_and_its_null_is_no_datum():
    row = record_of(LONG).with_(optional=True)
    layout = Layout(Struct(row, (Column(LONG, 0, 0),), 0))
    roles = np.array([[0, -1]], np.int32)
    nulls = whole_nulls(layout, [integers(np.array([5]))], roles)
    assert nulls.tolist() == [False, True]
    assert written(layout, [integers(np.array([5]))], roles, live=~nulls) == [b"\x02\x0a", None]


def test_a_whole_column_is_null_where_its_value_is():
    layout = Layout(Column(MAYBE["text"], 0, 0))
    columns = [vector_of([b"a", None])]
    nulls = whole_nulls(layout, columns, every_record(2))
    assert written(layout, columns, live=~nulls) == [b"\x02\x02a", None]


def test_whole_bytes_have_no_length_with_confluents_converter_alone():
    layout = Layout(Column(BYTES, 0, 0))
    columns = [vector_of([b"abc", b"", b"x" * 50], Kind.BYTES)]
    assert written(layout, columns, prefix=b"\0\0\0\0\1") == [
        b"\0\0\0\0\1abc",
        b"\0\0\0\0\1",
        b"\0\0\0\0\1" + b"x" * 50,
    ]
    assert written(layout, columns, options=AvroOptions(bare_bytes=False))[:2] == [b"\x06abc", b"\x00"]


def test_fixed_types_have_their_size():
    decimal = Schema(
        Type.BYTES,
        name="org.apache.kafka.connect.data.Decimal",
        parameters=(("scale", "0"), ("connect.fixed.size", "4")),
    )
    assert written(columns_of(record_of(decimal)), [vector_of([b"\xff", b"\x01"], Kind.BYTES)]) == [
        b"\xff" * 4,
        b"\0\0\0\1",
    ]
    plain = Schema(Type.BYTES, name="a.F", parameters=(("connect.fixed.size", "2"),))
    with pytest.raises(DeliveryError, match="1 bytes can't be written"):
        written(columns_of(record_of(plain)), [vector_of([b"\xff"], Kind.BYTES)])


def test_a_column_of_the_wrong_kind_is_refused_by_the_name_of_its_field():
    with pytest.raises(TypeError, match="f0: a column of the kind TEXT"):
        written(columns_of(record_of(LONG)), [vector_of([b"a"])])
