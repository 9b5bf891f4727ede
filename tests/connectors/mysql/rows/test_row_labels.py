"""ENUM and SET."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_events import values

from tailrace.connectors.mysql.plan import ColumnPlan, Out, Storage
from tailrace.errors import LogFormatError

LABELS = (b"small", "größer als zwölf Bytes".encode(), b"", b"a label of more than twelve bytes")


def test_an_enum_becomes_its_label_and_the_invalid_value_is_empty():
    plan = ColumnPlan(Storage.ENUM, 1, Out.TEXT, labels=LABELS)
    texts = [label.decode() for label in LABELS]
    assert values(plan, *(bytes([i]) for i in range(5)), None) == ["", *texts, None]


def test_an_enum_of_many_labels_takes_two_bytes():
    labels = tuple(f"label number {i}".encode() for i in range(300))
    plan = ColumnPlan(Storage.ENUM, 2, Out.TEXT, labels=labels)
    assert values(plan, (300).to_bytes(2, "little")) == ["label number 299"]


def test_an_enum_number_without_a_label_stops_with_its_place():
    with pytest.raises(LogFormatError, match=r"row event 0: column 1 holds a damaged ENUM"):
        values(ColumnPlan(Storage.ENUM, 1, Out.TEXT, labels=LABELS), b"\1", b"\5")


@given(st.lists(st.integers(0, (1 << 64) - 1), min_size=1))
def test_a_set_is_its_labels_with_commas_between(numbers):
    labels = tuple(f"{'long ' * (i % 4)}{i}".encode() for i in range(64))
    plan = ColumnPlan(Storage.SET, 8, Out.TEXT, labels=labels)
    expected = [",".join(labels[i].decode() for i in range(64) if n >> i & 1) for n in numbers]
    assert values(plan, *(n.to_bytes(8, "little") for n in numbers)) == expected


def test_a_set_with_a_bit_that_has_no_label_stops_with_its_place():
    with pytest.raises(LogFormatError, match="damaged SET"):
        values(ColumnPlan(Storage.SET, 1, Out.TEXT, labels=LABELS), b"\x10")


def test_numbers_can_be_had_too():
    assert values(ColumnPlan(Storage.ENUM, 1, Out.INT, labels=LABELS), b"\3") == [3]
    assert values(ColumnPlan(Storage.SET, 2, Out.INT), b"\1\2") == [0x201]
