"""Finding a connector's offset among others'."""

import pytest

from tailrace.connect_offsets.entries import find, key_for
from tailrace.errors import ProgressError

SHOP = b'["shop",{"server":"s"}]'
STORED = {
    SHOP: b'{"file":"b.000001","pos":4}',
    b'["other",{"server":"s"}]': b'{"pos":5}',
    b'["gone",{"server":"s"}]': None,
    b"not json": b"x",
    b'{"a":1}': b"{}",
    b'["files",{"filename":"/tmp/x"}]': b'{"position":1}',
}


def test_an_entry_is_found_by_name_and_partition():
    assert find(STORED, "shop", {"server": "s"}, "f").offset == {"file": "b.000001", "pos": 4}


def test_white_space_in_a_key_does_not_matter():
    spaced = {b'[ "shop", {"server": "s"} ]': b'{"pos": 4}'}
    assert find(spaced, "shop", {"server": "s"}, "f").offset == {"pos": 4}


@pytest.mark.parametrize(("name", "partition"), [("shop", {"server": "t"}), ("gone", {"server": "s"})])
def test_what_is_there_is_told_where_an_entry_is_not(name, partition):
    with pytest.raises(ProgressError, match=r'files \{"filename":"/tmp/x"\}, other \{"server":"s"\}, shop'):
        find(STORED, name, partition, "f")


def test_the_only_connector_with_the_prefix_is_proposed():
    with pytest.raises(ProgressError, match="--name shop"):
        find({SHOP: STORED[SHOP]}, "wrong", {"server": "s"}, "f")


def test_a_value_that_is_no_object_is_refused():
    with pytest.raises(ProgressError, match="not a JSON object"):
        find({SHOP: b"[1]"}, "shop", {"server": "s"}, "f")


def test_a_key_that_is_there_keeps_its_bytes():
    spaced = b'["shop", {"server": "s"}]'
    assert key_for({spaced: b"{}"}, "shop", {"server": "s"}) == spaced


def test_a_new_key_is_written_as_connect_writes_it():
    assert key_for({}, "läden", {"server": 'a"b'}) == '["läden",{"server":"a\\"b"}]'.encode()
