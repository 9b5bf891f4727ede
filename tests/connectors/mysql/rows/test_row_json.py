"""MySQL's binary JSON as text, and the doubles in it."""

import base64
import json
import re
import struct
from decimal import Decimal, localcontext

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonb import Opaque, document
from row_events import prefixed, values
from test_row_decimals import encoded as decimal_bytes

from tailrace.connectors.mysql.plan import ColumnPlan, Out, Storage
from tailrace.errors import LogFormatError

PLAN = ColumnPlan(Storage.JSON, 4, Out.TEXT)
NO_SURROGATES = st.characters(exclude_categories=("Cs",))
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(1 << 63), (1 << 64) - 1), st.text(NO_SURROGATES, max_size=200),
    st.floats(1e-3, 9_999_999.0, exclude_max=True),
)  # fmt: skip
TREES = st.recursive(
    SCALARS,
    lambda c: st.lists(c, max_size=5) | st.dictionaries(st.text(NO_SURROGATES, max_size=12), c, max_size=5),
    max_leaves=25,
)


def texts(*documents):
    return values(PLAN, *(None if d is None else prefixed(d, 4) for d in documents))


def text(value, **options):
    return texts(document(value, **options))[0]


@given(TREES, st.booleans())
def test_a_tree_of_any_values_reads_back(tree, large):
    assert json.loads(text(tree, large=large)) == tree


@given(TREES)
def test_text_is_compact_and_escapes_only_what_it_must(tree):
    expected = json.dumps(_sorted(tree), ensure_ascii=False, separators=(",", ":"))
    assert re.sub(r"\\u00..", lambda m: m[0].lower(), text(tree)) == expected


def _sorted(tree):
    if isinstance(tree, dict):
        return {k: _sorted(tree[k]) for k in sorted(tree, key=lambda k: (len(k.encode()), k.encode()))}
    return [_sorted(v) for v in tree] if isinstance(tree, list) else tree


def test_control_characters_are_escaped_in_upper_case():
    assert text('\x00\x1f\x0b\b\t\n\f\r"\\/é\x7f') == '"\\u0000\\u001F\\u000B\\b\\t\\n\\f\\r\\"\\\\/é\x7f"'


@given(st.floats(1e-3, 1e7, exclude_max=True), st.booleans())
@example(0.1 + 0.2, False)
@example(0.001, True)
@example(9999999.999999998, False)
@example(123.0, False)
@example(2.0**-9, False)
def test_doubles_of_middle_size_have_the_shortest_digits_that_read_back(number, negative):
    number = -number if negative else number
    assert text(number) == repr(number)


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(5e-324)
@example(2.2250738585072014e-308)
@example(1.7976931348623157e308)
@example(1e7)
@example(9.9e-4)
@example(12345678.9)
@example(1e22)
def test_doubles_that_java_writes_with_an_exponent_are_expanded_exactly(number):
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return
    with localcontext() as context:
        context.prec = 1100
        assert text(number) == f"{Decimal(number):f}"


def test_zero_keeps_its_sign():
    assert (text(0.0), text(-0.0)) == ("0.0", "-0.0")


def test_an_infinity_is_a_damaged_document():
    with pytest.raises(LogFormatError, match="damaged JSON"):
        text(float("inf"))


@given(st.integers(-(10**30), 10**30), st.integers(0, 20))
def test_decimals_are_numbers_in_plain_notation(unscaled, scale):
    opaque = Opaque(246, bytes([45, scale]) + decimal_bytes(unscaled, 45, scale))
    with localcontext() as context:
        context.prec = 80
        assert text([opaque]) == f"[{Decimal(unscaled).scaleb(-scale):f}]"


def packed(date=0, hour=0, minute=0, second=0, micros=0, *, negative=False):
    raw = ((date << 17 | hour << 12 | minute << 6 | second) << 24) + micros
    return struct.pack("<q", -raw if negative else raw)


def test_dates_and_times_are_text():
    day = (2024 * 13 + 2) << 5 | 29
    assert text(Opaque(10, packed(day))) == '"2024-02-29"'
    assert text(Opaque(12, packed(day, 1, 2, 3))) == '"2024-02-29 01:02:03"'
    assert text(Opaque(7, packed(day, 23, 59, 58, 120_000))) == '"2024-02-29 23:59:58.12"'
    assert text(Opaque(11, packed(0, 12, 0, 0, 1))) == '"12:00:00.000001"'
    assert text(Opaque(11, packed(0, 838, 59, 59, 500_000, negative=True))) == '"-838:59:59.5"'


@given(st.binary(max_size=50))
def test_values_of_other_types_are_base64(value):
    assert text({"a": Opaque(252, value)}) == f'{{"a":"{base64.b64encode(value).decode()}"}}'


def test_a_document_of_no_bytes_is_null_or_what_the_plan_says():
    assert texts(b"", None) == [None, None]
    assert values(ColumnPlan(Storage.JSON, 4, Out.TEXT, zero="{}"), prefixed(b"", 4)) == ["{}"]


def test_text_in_a_json_column_as_mariadb_stores_it_stays_text():
    assert texts(b'{"a": 1}') == ['{"a": 1}']


def test_a_large_document_of_large_parts():
    tree = {f"key{i}": ["x" * i, i * 1.5, None, {"n": i}] for i in range(3000)}
    assert json.loads(text(tree, large=True)) == tree


def test_a_document_as_deep_as_mysql_allows():
    tree = []
    for _ in range(99):
        tree = [tree]
    assert text(tree) == "[" * 100 + "]" * 100


def test_a_container_that_holds_itself_is_a_damaged_document():
    loop = b"\x02\x02\x00\x0a\x00\x02\x00\x00\x02\x00\x00"  # an array of two values, both the array itself
    with pytest.raises(LogFormatError, match="damaged JSON"):
        texts(loop)


@given(st.binary(max_size=60), st.integers(0, 15))
def test_random_bytes_are_read_or_refused(noise, type_):
    try:
        texts(bytes([type_]) + noise)
    except (LogFormatError, UnicodeDecodeError):
        return


@given(TREES, st.data())
def test_a_document_with_bytes_changed_is_read_or_refused(tree, data):
    raw = bytearray(document(tree))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        texts(bytes(raw))
    except (LogFormatError, UnicodeDecodeError):
        return
