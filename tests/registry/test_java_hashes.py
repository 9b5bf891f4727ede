"""The order of Java's hash sets."""

import pytest

from tailrace.registry.java_hashes import in_hash_order, object_hash, string_hash


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("a", 97), ("hello", 99162322), ("polygenelubricants", 0x80000000), ("😀", 55357 * 31 + 56832), (None, 43)],
)
def test_texts_have_javas_hashes(text, expected):
    assert string_hash(text) == expected


def test_an_object_has_the_hash_that_lombok_gives_it():
    assert object_hash("a", None) == (59 + 97) * 59 + 43


def test_references_of_an_envelope_stand_as_the_real_converter_lists_them():
    names = ["dbz.d_formats.outbox.Value", "io.debezium.connector.mysql.Source", "event.block"]
    by_name = in_hash_order(names, [string_hash(name) for name in names])  # it collects them in a map by name first
    hashes = [object_hash(name, None, name, "1") for name in by_name]
    assert in_hash_order(by_name, hashes) == ["event.block", "io.debezium.connector.mysql.Source", "dbz.d_formats.outbox.Value"]


def test_things_in_one_bucket_stay_in_their_order_and_many_things_have_more_buckets():
    assert in_hash_order(["x", "y", "z"], [17, 1, 0]) == ["z", "x", "y"]
    many = list(range(13, 0, -1))
    assert in_hash_order(many, [k + 16 * (k % 2) for k in many]) == [2, 4, 6, 8, 10, 12, 1, 3, 5, 7, 9, 11, 13]
