"""Files of Connect's file store: as Java writes them (`data/connect_offsets`), damaged, and as we write them."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailrace.connect_offsets.serialized_map import read_map, write_map
from tailrace.errors import ProgressError

WRITTEN_BY_JAVA = Path(__file__).parents[1] / "data" / "connect_offsets"  # ObjectOutputStream of a HashMap, Java 17
entries = st.dictionaries(st.binary(max_size=40), st.none() | st.binary(max_size=400), max_size=60)


def written(name):
    return (WRITTEN_BY_JAVA / f"{name}.dat").read_bytes()


def key(number):
    return f'["c{number}",{{"server":"p{number}"}}]'.encode()


def value(number):
    return f'{{"file":"b.{number}","pos":{number}}}'.encode()


def test_an_empty_map_has_no_entries():
    assert read_map(written("empty"), "f") == {}


def test_an_empty_file_has_none_either():
    assert read_map(b"", "f") == {}


def test_all_entries_of_a_map_are_read():
    assert read_map(written("forty"), "f") == {key(n): value(n) for n in range(40)}


def test_a_value_that_was_taken_away_is_none():
    assert read_map(written("one_removed"), "f") == {key(0): value(0), key(1): None}


def test_one_array_that_stands_at_several_places_is_read_at_each():
    assert read_map(written("shared_value"), "f") == {key(n): b"same" for n in range(3)}


@pytest.mark.parametrize("name", ["forty", "one_removed"])
def test_what_is_written_is_what_java_writes(name):
    assert write_map(read_map(written(name), "f")) == written(name)


@given(entries)
def test_what_is_written_is_read(some):
    assert read_map(write_map(some), "f") == some


@given(st.data())
def test_a_file_that_is_cut_off_is_refused(data):
    whole = written("one_removed")
    length = data.draw(st.integers(1, len(whole) - 1))
    with pytest.raises(ProgressError, match=r"offsets\.dat is not a file of Kafka Connect's offsets"):
        read_map(whole[:length], "offsets.dat")


@given(st.data())
def test_a_damaged_file_is_read_as_a_map_or_refused(data):
    whole = bytearray(written("forty"))
    whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    with suppress(ProgressError):
        assert isinstance(read_map(bytes(whole), "f"), dict)


@pytest.mark.parametrize(
    "other",
    [
        b"\x80\x04\x95",  # a pickle
        b'{"file": "b.000001"}',
        b"\xac\xed\x00\x05sr\x00\x11java.util.TreeMap",
        written("forty").replace(b"java.util.HashMap", b"java.util.Hashmap"),
    ],
)
def test_nothing_but_a_hash_map_is_read(other):
    with pytest.raises(ProgressError, match="at byte 0"):
        read_map(other, "f")


def test_two_objects_in_a_file_are_refused():
    with pytest.raises(ProgressError, match="more than one object"):
        read_map(written("one_removed") + b"\x70", "f")
