"""Records in Protobuf, read back by Google's library: types, nulls, nested messages, lists, buffers that grow."""

from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.encoding.protobuf.reading import message_class

from tailrace.changes.layouts import Array, Column, Constant, Layout, Struct, Values
from tailrace.changes.source_records import Lists, Objects, every_record
from tailrace.changes.vectors import Kind, Vector, from_arrow, integers
from tailrace.changes.views import vector_of
from tailrace.encoding.protobuf.options import ProtobufOptions
from tailrace.encoding.protobuf.program import layout_program
from tailrace.encoding.protobuf.schema_text import protobuf_schema
from tailrace.encoding.protobuf.values import whole_bytes
from tailrace.errors import DeliveryError
from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.decimals import DECIMAL

PLAIN, OPTIONAL = ProtobufOptions(), ProtobufOptions(optional_fields=True)
WRAPPED = ProtobufOptions(wrappers=True)
CONNECT = "org.apache.kafka.connect.data."
LONG, TEXT = Schema(Type.INT64), Schema(Type.STRING)
NULLABLE = Schema(Type.INT64, optional=True)
ITEM = Schema(Type.STRUCT, name="a.Item", fields=(Field("n", LONG), Field("t", TEXT)))


def record_of(*schemas):
    return Schema(Type.STRUCT, name="t.Row", fields=tuple(Field(f"f{i}", each) for i, each in enumerate(schemas)))


def columns_of(schema, role=0):
    return tuple(Column(field.schema, i, role) for i, field in enumerate(schema.fields))


def written(layout, columns, roles=None, options=PLAIN, live=None):
    roles = every_record(columns[0].length) if roles is None else np.array(roles, np.int32)
    found = layout_program(layout, columns, options, b"").render(columns, roles, live)
    return [found[i] for i in range(len(found))]


def read(schema, data, options=PLAIN):
    return [message_class(protobuf_schema(schema, options)).FromString(each) for each in data]


def values_back(schema, arrays, options=PLAIN):
    """The values of all columns as Google's library reads them; None where a field is missing that tells."""
    columns = [from_arrow(pa.array(values, type_)) for values, type_ in arrays]
    data = written(Layout(Struct(schema, columns_of(schema))), columns, options=options)
    found = read(schema, data, options)
    return [[value(message, field.name) for message in found] for field in schema.fields]


def value(message, name):
    descriptor = message.DESCRIPTOR.fields_by_name[name]
    if descriptor.has_presence and not message.HasField(name):
        return None
    made = getattr(message, name)
    return made.value if options_are_wrapped(descriptor) else made


def options_are_wrapped(descriptor):
    return descriptor.message_type is not None and descriptor.message_type.full_name.startswith("google.protobuf.")


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.none(), min_size=1, max_size=40))
@pytest.mark.parametrize("options", [OPTIONAL, WRAPPED])
def test_every_64_bit_integer_and_null_reads_back(options, values):
    assert values_back(record_of(NULLABLE), [(values, pa.int64())], options) == [values]


@pytest.mark.parametrize("bits", range(64))
def test_varints_are_right_at_every_length(bits):
    values = [2**bits - 1, 2**bits if bits < 63 else -(2**63), -(2**bits)]
    assert values_back(record_of(LONG), [(values, pa.int64())]) == [values]


@given(st.lists(st.text(max_size=300) | st.none(), min_size=1, max_size=10))
@pytest.mark.parametrize("options", [OPTIONAL, WRAPPED])
def test_every_text_and_null_reads_back(options, values):
    schema = record_of(TEXT.with_(optional=True))
    assert values_back(schema, [(values, pa.string_view())], options) == [values]


def test_zero_and_null_are_one_where_nothing_tells_them_apart():
    assert values_back(record_of(NULLABLE), [([0, None, 5], pa.int64())]) == [[0, 0, 5]]
    columns = [integers(np.array([0]))]
    assert written(Layout(Struct(record_of(LONG), (Column(LONG, 0, 0),))), columns) == [b""]


@given(st.lists(st.floats(), min_size=1))
def test_doubles_keep_every_bit(values):
    schema = record_of(Schema(Type.FLOAT64))
    (found,) = values_back(schema, [(values, pa.float64())])
    assert np.array(found).tobytes() == np.array(values).tobytes()


@pytest.mark.parametrize("options", [PLAIN, OPTIONAL, WRAPPED])
def test_floats_booleans_and_bytes_read_back(options):
    schema = record_of(*(Schema(each, optional=True) for each in (Type.FLOAT32, Type.BOOLEAN, Type.BYTES)))
    arrays = [([1.5, -0.0], pa.float32()), ([True, False], pa.bool_()), ([b"\x00\xff" * 40, b""], pa.binary_view())]
    assert values_back(schema, arrays, options) == [[1.5, -0.0], [True, False], [b"\x00\xff" * 40, b""]]


def test_a_null_with_a_default_is_the_default_unless_defaults_are_ignored():
    schema = record_of(Schema(Type.INT64, optional=True, default=7))
    assert values_back(schema, [([None, 3], pa.int64())]) == [[7, 3]]
    kept = ProtobufOptions(keep_nulls=True, optional_fields=True)
    assert values_back(schema, [([None, 3], pa.int64())], kept) == [[None, 3]]


def test_before_and_after_are_two_roles_over_the_same_columns():
    row = record_of(LONG, TEXT).with_(optional=True)
    schema = Schema(Type.STRUCT, name="t.Envelope", fields=(Field("before", row), Field("after", row)))
    columns = [integers(np.array([1, 2])), vector_of([b"one", b"two"])]
    layout = Layout(Struct(schema, (Struct(row, columns_of(row, 0), role=0), Struct(row, columns_of(row, 1), role=1))))
    first, second = read(schema, written(layout, columns, [[-1, 0], [0, 1]]))
    assert (first.HasField("before"), first.after.f1) == (False, "one")
    assert (second.before.f0, second.after.f1) == (1, "two")


@given(st.lists(st.integers(0, 20_000), min_size=1, max_size=30))
def test_messages_of_every_length_stand_behind_their_length(lengths):
    """What is copied (`lasting`) lies in messages whose lengths need more and fewer bytes from row to row."""
    inner = record_of(TEXT, LONG, TEXT)
    schema = Schema(Type.STRUCT, name="t.Outer", fields=(Field("m", Schema(Type.STRUCT, name="t.M", fields=(Field("r", inner),))),))
    columns = [vector_of([b"x" * each for each in lengths]), vector_of([b"same" * 40]), integers(np.array([7]))]
    fields = (Column(TEXT, 1, 1), Column(LONG, 2, 1), Column(TEXT, 0, 0))
    middle = Struct(schema.fields[0].schema, (Struct(inner, fields),))
    n = len(lengths)
    data = written(Layout(Struct(schema, (middle,)), lasting=(1,)), columns, [range(n), [0] * n])
    found = [(each.m.r.f0, each.m.r.f1, len(each.m.r.f2)) for each in read(schema, data)]
    assert found == [("same" * 40, 7, each) for each in lengths]


def test_many_records_outgrow_the_first_buffer():
    columns = [vector_of([b"x" * (i % 4000) for i in range(3000)])]
    schema = record_of(TEXT)
    data = written(Layout(Struct(schema, columns_of(schema))), columns)
    assert [len(each.f0) for each in read(schema, data)] == [i % 4000 for i in range(3000)]


def test_lists_of_structs_are_repeated_messages():
    schema = record_of(Schema(Type.ARRAY, items=ITEM), LONG)
    lists = Lists(np.array([0, 2, 2, 3]), (integers(np.array([1, 0, 3])), vector_of([b"a", b"", b"c"])), every_record(3))
    fields = (Array(schema.fields[0].schema, 0, 0, Struct(ITEM, columns_of(ITEM))), Column(LONG, 1, 0))
    layout, columns = Layout(Struct(schema, fields)), [lists, integers(np.array([7, 8, 9]))]
    data = written(layout, columns, every_record(3))
    assert [[(item.n, item.t) for item in each.f0] for each in read(schema, data)] == [[(1, "a"), (0, "")], [], [(3, "c")]]


def test_lists_of_numbers_are_packed_and_lists_of_texts_are_not():
    schema = record_of(Schema(Type.ARRAY, items=LONG), Schema(Type.ARRAY, items=TEXT))
    numbers = Lists(np.array([0, 3, 3]), (integers(np.array([0, 300, -1])),), every_record(3))
    texts = Lists(np.array([0, 1, 3]), (vector_of([b"", b"b", b"c"]),), every_record(3))
    fields = tuple(Array(each.schema, i, 0, Column(each.schema.items, 0, 0)) for i, each in enumerate(schema.fields))
    data = written(Layout(Struct(schema, fields)), [numbers, texts], every_record(2))
    assert [(list(each.f0), list(each.f1)) for each in read(schema, data)] == [([0, 300, -1], [""]), ([], ["b", "c"])]


def test_a_null_in_a_list_is_an_error():
    schema = record_of(Schema(Type.ARRAY, items=TEXT))
    lists = Lists(np.array([0, 1]), (vector_of([None]),), every_record(1))
    layout = Layout(Struct(schema, (Array(schema.fields[0].schema, 0, 0, Column(TEXT, 0, 0)),)))
    with pytest.raises(DeliveryError, match=r"f0\[\] is null"):
        written(layout, [lists], every_record(1))


def test_a_null_among_structs_is_an_error_too():
    schema = record_of(Schema(Type.ARRAY, items=ITEM.with_(optional=True)))
    lists = Lists(np.array([0, 2]), (integers(np.array([1])), vector_of([b"a"])), np.array([[0, -1]], np.int32))
    item = Struct(schema.fields[0].schema.items, columns_of(ITEM), role=0)
    with pytest.raises(DeliveryError, match=r"f0\[\] is null"):
        written(Layout(Struct(schema, (Array(schema.fields[0].schema, 0, 0, item),))), [lists], every_record(1))


def test_python_values_and_constants_are_what_columns_are():
    schema = record_of(LONG, TEXT.with_(optional=True), Schema(Type.ARRAY, items=ITEM), Schema(Type.MAP, keys=TEXT, items=LONG))
    payload = {"f0": 5, "f1": None, "f2": [{"n": 1, "t": "é"}], "f3": {"a": 1, "b": 0}}
    values = tuple(Values(each.schema, i, 0) for i, each in enumerate(schema.fields))
    columns = [Objects([payload[each.name]]) for each in schema.fields]
    constants = tuple(Constant(each.schema, payload[each.name]) for each in schema.fields)
    made = written(Layout(Struct(schema, values)), columns, every_record(1))
    assert made == written(Layout(Struct(schema, constants)), [], every_record(1)) == [whole_bytes(schema, payload, PLAIN)]
    (found,) = read(schema, made)
    assert (found.f0, found.f1, found.f2[0].t) == (5, "", "é")
    assert [(each.key, each.value) for each in found.f3] == [("a", 1), ("b", 0)]


@given(st.lists(st.integers(-(10**76) + 1, 10**76 - 1) | st.none(), min_size=1, max_size=20), st.integers(0, 30))
def test_every_decimal_reads_back_with_its_digits(numbers, scale):
    schema = record_of(Schema(Type.BYTES, name=DECIMAL, parameters=(("scale", str(scale)),)))
    column = vector_of([None if n is None else n.to_bytes(33, "big", signed=True) for n in numbers], Kind.BYTES)
    found = read(schema, written(Layout(Struct(schema, columns_of(schema))), [column]))
    for number, message in zip(numbers, found, strict=True):
        assert message.HasField("f0") is (number is not None)
        if number is not None:
            assert int.from_bytes(message.f0.value, "big", signed=True) == number
            assert len(message.f0.value) == (number if number >= 0 else ~number).bit_length() // 8 + 1
            assert (message.f0.precision, message.f0.scale) == (len(str(abs(number))), scale)


@given(st.lists(st.integers(-100_000, 2_900_000), min_size=1))
def test_every_date_of_the_gregorian_calendar_reads_back(days):
    schema = record_of(Schema(Type.INT32, name=f"{CONNECT}Date"))
    found = read(schema, written(Layout(Struct(schema, columns_of(schema))), [integers(np.array(days))]))
    wanted = [date(1970, 1, 1) + timedelta(days=each) for each in days]
    assert [(each.f0.year, each.f0.month, each.f0.day) for each in found] == [(d.year, d.month, d.day) for d in wanted]


def test_dates_before_15_october_1582_are_julian_as_in_java():
    schema = record_of(Schema(Type.INT32, name=f"{CONNECT}Date"))
    columns = [integers(np.array([-141_427, -141_428, -719_164, -719_165]))]
    found = read(schema, written(Layout(Struct(schema, columns_of(schema))), columns))
    days = [(each.f0.year, each.f0.month, each.f0.day) for each in found]
    assert days == [(1582, 10, 15), (1582, 10, 4), (1, 1, 1), (1, 12, 31)]


def test_times_and_timestamps_read_back():
    schema = record_of(Schema(Type.INT32, name=f"{CONNECT}Time"), Schema(Type.INT64, name=f"{CONNECT}Timestamp"))
    columns = [integers(np.array([3_723_004, 86_400_000])), integers(np.array([-1, 1_500]))]
    first, second = read(schema, written(Layout(Struct(schema, columns_of(schema))), columns))
    assert [getattr(first.f0, name) for name in ("hours", "minutes", "seconds", "nanos")] == [1, 2, 3, 4_000_000]
    assert second.f0.ByteSize() == 0
    assert [(each.f1.seconds, each.f1.nanos) for each in (first, second)] == [(-1, 999_000_000), (1, 500_000_000)]


@pytest.mark.parametrize(("name", "value"), [("Time", -1), ("Time", 86_400_001), ("Timestamp", 10**15), ("Timestamp", -(10**15))])
def test_what_is_no_time_is_an_error(name, value):
    schema = record_of(Schema(Type.INT64, name=f"{CONNECT}{name}"))
    with pytest.raises(DeliveryError, match=f"f0: a {name} {value} is"):
        written(Layout(Struct(schema, columns_of(schema))), [integers(np.array([value]))])


def test_a_whole_scalar_is_a_wrapper():
    for schema, vector in ((TEXT, vector_of([b"x", b""])), (LONG, integers(np.array([5, 0])))):
        data = written(Layout(Column(schema, 0, 0)), [vector])
        assert [each.value for each in read(schema, data)] == vector.to_arrow().to_pylist()


def test_vectors_of_numbers_are_packed():
    schema = record_of(Schema(Type.ARRAY, items=Schema(Type.FLOAT32)))
    column = from_arrow(pa.array([[1.5, 0.0], []], pa.list_(pa.float32())))
    assert isinstance(column, Vector)
    data = written(Layout(Struct(schema, columns_of(schema))), [column])
    assert [list(each.f0) for each in read(schema, data)] == [[1.5, 0.0], []]
