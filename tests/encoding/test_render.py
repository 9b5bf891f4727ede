"""Templates over columns."""

import base64
import json
import math
import re
import weakref

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.changes.vectors import Kind, Vector, from_arrow
from tailrace.encoding import buffers
from tailrace.encoding.buffers import keep_buffer, take_buffer
from tailrace.encoding.render import Op, Template, leaves, op_for

TEXT = st.text(st.characters(codec="utf-8"), max_size=40)


def one_role(n):
    return np.arange(n, dtype=np.int32).reshape(1, n)


def render_all(vector):
    template = Template()
    template.value(op_for(vector.kind), 0, 0)
    rendered = template.program().render(leaves(vector), one_role(vector.length))
    return [json.loads(rendered[i]) for i in range(vector.length)]


@given(st.lists(st.one_of(st.none(), TEXT), max_size=30))
def test_every_text_reads_back_as_it_was(values):
    assert render_all(from_arrow(pa.array(values, pa.string_view()))) == values


@given(st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), max_size=30))
def test_every_64_bit_integer_keeps_all_its_digits(values):
    assert render_all(from_arrow(pa.array(values, pa.int64()))) == values


@given(st.lists(st.one_of(st.none(), st.binary(max_size=40)), max_size=30))
def test_bytes_are_written_in_base64(values):
    decoded = [None if v is None else base64.b64decode(v) for v in render_all(from_arrow(pa.array(values, pa.binary_view())))]
    assert decoded == values


@given(st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), max_size=30))
def test_doubles_read_back_to_the_last_bit(values):
    rendered = render_all(from_arrow(pa.array(values, pa.float64())))
    assert [v if v is None else math.copysign(1, v) for v in rendered] == [v if v is None else math.copysign(1, v) for v in values]
    assert rendered == values


@given(st.lists(st.one_of(st.none(), st.booleans()), max_size=30))
def test_booleans_are_true_and_false(values):
    assert render_all(from_arrow(pa.array(values, pa.bool_()))) == values


def test_a_list_of_floats_is_an_array():
    vector = from_arrow(pa.array([[1.5, -2.0], None, []], pa.large_list(pa.float32())))
    assert render_all(vector) == [[1.5, -2.0], None, []]


def test_control_characters_are_escaped_as_jackson_does():
    rendered = Template()
    rendered.value(Op.TEXT, 0, 0)
    text = rendered.program().render([from_arrow(pa.array(['\x00\x1f\b\t\n\f\r"\\\x7f/é'], pa.string_view()))], one_role(1))[0]
    assert text.decode() == '"\\u0000\\u001F\\b\\t\\n\\f\\r\\"\\\\\x7f/é"'


@given(st.lists(st.text(st.sampled_from('a"\\\\\n\x1fé€\uffff😀\U0010ffff\U00010000'), max_size=20), min_size=1))
def test_characters_outside_the_basic_plane_are_two_escapes_as_jackson_writes_them(texts):
    rendered = Template()
    rendered.value(Op.TEXT, 0, 0)
    found = rendered.program().render([from_arrow(pa.array(texts, pa.string_view()))], one_role(len(texts)))
    for i, text in enumerate(texts):
        halves = [f"\\u{half:04X}" for half in np.frombuffer(text.encode("utf-16-le"), np.uint16)]
        assert json.loads(found[i]) == text
        astral = [half for half in halves if "\\uD800" <= half <= "\\uDFFF"]
        assert re.findall(r"\\u[D][89A-F]..", found[i].decode()) == astral


def test_a_block_without_a_row_is_null_and_nothing_inside_it_is_written():
    template = Template()
    template.const(b'{"a":')
    with template.block(0):
        template.const(b"[")
        template.value(Op.INT, 0, 0)
        template.const(b"]")
    template.const(b',"b":1}')
    roles = np.array([[0, -1, 1]], np.int32)
    rendered = template.program().render([from_arrow(pa.array([7, 8]))], roles)
    assert [rendered[i] for i in range(3)] == [b'{"a":[7],"b":1}', b'{"a":null,"b":1}', b'{"a":[8],"b":1}']


def test_a_null_may_be_written_as_a_default_value():
    template = Template()
    template.value(Op.INT, 0, 0, null=b"42")
    rendered = template.program().render([from_arrow(pa.array([1, None]))], one_role(2))
    assert [rendered[0], rendered[1]] == [b"1", b"42"]


def test_a_row_that_is_not_live_is_null_in_the_result():
    template = Template()
    template.value(Op.INT, 0, 0)
    rendered = template.program().render([from_arrow(pa.array([1, 2]))], one_role(2), np.array([False, True]))
    assert [rendered[0], rendered[1]] == [None, b"2"]


def test_padded_numbers_sort_as_text():
    template = Template()
    template.padded(0, 0, 6)
    values = [0, 9, 10, 999_999, 123]
    rendered = template.program().render([from_arrow(pa.array(values))], one_role(5))
    texts = [rendered[i] for i in range(5)]
    assert texts[0] == b"000000"
    assert [values[i] for i in sorted(range(5), key=lambda i: texts[i])] == sorted(values)


def test_a_row_larger_than_the_buffer_makes_the_buffer_grow():
    template = Template()
    template.value(Op.TEXT, 0, 0)
    values = ["x", "\n" * 3_000_000, "y" * 2_000_000]
    rendered = template.program().render([from_arrow(pa.array(values, pa.string_view()))], one_role(3))
    assert [json.loads(rendered[i]) for i in range(3)] == values


def taken(size):
    text = take_buffer(size)[:size]
    keep_buffer(size)
    return text


def test_a_buffer_is_not_handed_out_while_somebody_holds_it():
    template = Template()
    template.value(Op.INT, 0, 0)
    program = template.program()
    held = [program.render([from_arrow(pa.array([n] * 50_000))], one_role(50_000)) for n in range(100)]
    assert [(one[0], one[49_999]) for one in held] == [(b"%d" % n, b"%d" % n) for n in range(100)]


def test_a_buffer_that_nobody_holds_is_used_again():
    addresses = set()
    for _ in range(100):
        addresses.add(take_buffer(3_000_000).ctypes.data)
        keep_buffer(3_000_000)
    assert len(addresses) < 5


def test_as_many_buffers_as_batches_need_are_used_again():
    before, again = ({text.ctypes.data for text in [taken(3_000_000) for _ in range(40)]} for _ in range(2))
    assert before == again


def test_buffers_that_no_batch_needs_any_more_are_given_back(monkeypatch):
    blocks = [weakref.ref(text.base) for text in [taken(3_000_000) for _ in range(40)]]
    monkeypatch.setattr(buffers, "_REST", 0.0)
    taken(1_000)
    assert sum(block() is not None for block in blocks) <= 8


def test_short_text_does_not_hold_a_block_of_long_text():
    long, short = taken(6_000_000), taken(1_000)
    assert short.base is not long.base


def test_a_very_long_text_leaves_no_memory_behind():
    text = taken(1 << 28)
    block = weakref.ref(text.base)
    del text
    assert block() is None


def test_text_that_stays_the_same_for_many_rows_is_repeated_and_no_more():
    template = Template()
    for slot, (name, role) in enumerate([("event", 1), ("batch", 2), ("row", 0), ("other", 1)]):
        template.const(f"{name}=".encode())
        template.value(Op.INT, slot, role)
        template.const(b";")
    with template.block(3, 4):
        template.value(Op.INT, 0, 1)
        template.const(b"!")
    template.value(Op.TEXT, 5, 1)
    template.value(Op.TEXT, 5, 1)
    columns = [pa.array(v) for v in ([7, 8], [1], [0, 1, 2, 3], [5, None], [1, 2, None])]
    vectors = [*map(from_arrow, columns), from_arrow(pa.array(["a", "b"], pa.string_view()))]
    roles = np.array([[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0], [0, -1, 2, 1]], np.int32)
    plain = template.program().render(vectors, roles)
    repeated = template.program((1, 2)).render(vectors, roles)
    assert [repeated[i] for i in range(4)] == [plain[i] for i in range(4)]
    assert repeated[0] == b'event=7;batch=1;row=0;other=5;7!"a""a"'
    assert repeated[1] == b'event=7;batch=1;row=1;other=5;null"a""a"'
    assert repeated[3] == b'event=8;batch=1;row=3;other=null;8!"b""b"'


def test_slices_and_chunks_of_arrow_arrays_become_vectors():
    array = pa.chunked_array([pa.array(["a", "long enough not to be inline"]), pa.array([None, "c"])])
    assert from_arrow(array).to_arrow().to_pylist() == array.to_pylist()
    assert from_arrow(pa.array([1, 2, None, 4])[1:]).to_arrow().to_pylist() == [2, None, 4]


@pytest.mark.parametrize("kind", [Kind.INT, Kind.TEXT])
def test_an_empty_vector_renders_no_rows(kind):
    vector = from_arrow(pa.array([], pa.int64() if kind is Kind.INT else pa.string_view()))
    assert render_all(vector) == []


def test_structs_reach_polars_and_come_back():
    array = pa.array([{"x": 1.5, "wkb": b"abc"}, None], pa.struct([("x", pa.float64()), ("wkb", pa.binary_view())]))
    vector = from_arrow(array)
    assert pl.Series(vector.to_arrow()).to_list() == [{"x": 1.5, "wkb": b"abc"}, None]
    assert isinstance(vector, Vector)
