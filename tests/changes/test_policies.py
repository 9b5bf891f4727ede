"""Column policies; the hashes are those that real Debezium gave for the same values."""

import hashlib

import pytest

from tailrace.changes.digests import digest_of, md2, modified_utf8, serialized
from tailrace.changes.policies import policy_of
from tailrace.changes.vectors import Kind
from tailrace.changes.views import vector_of
from tailrace.config.filters import Hash, Mask, SourceTypes, Truncate
from tailrace.config.policies import ALGORITHMS


def applied(rule, *values, is_text=True, length=None, kind=Kind.TEXT, may_be_cut=True):
    policy = policy_of(rule, is_text=is_text, length=length, may_be_cut=may_be_cut)
    encoded = [v.encode() if isinstance(v, str) else v for v in values]
    vector = vector_of(encoded, kind)
    return (vector if policy is None else policy(vector)).to_arrow().to_pylist()


def test_a_mask_hides_null_as_well():
    assert applied(Mask((), 5), "secret", None, "") == ["*****"] * 3
    assert applied(Mask((), 0), "secret", None) == ["", ""]
    assert applied(Mask((), 20), "secret", None) == ["*" * 20] * 2


def test_masks_and_hashes_are_for_text_columns_alone():
    assert applied(Mask((), 5), "2024-01-01Z", is_text=False) == ["2024-01-01Z"]
    assert applied(Hash((), "MD5", "s", 1), "1.5", is_text=False) == ["1.5"]


@pytest.mark.parametrize(
    ("value", "length", "cut"),
    [
        ("abcdef", 3, "abc"),
        ("ab", 3, "ab"),
        ("日本語日本語", 5, "日本語日本"),
        ("😀😀😀", 5, "😀😀"),
        (None, 3, None),
    ],
)
def test_text_is_cut_to_characters_as_java_counts_them(value, length, cut):
    assert applied(Truncate((), length), value) == [cut]


def test_one_long_character_does_not_change_how_its_neighbours_are_cut():
    assert applied(Truncate((), 3), "abcdef", "a😀bc", None, "日本語日") == ["abc", "a😀", None, "日本語"]


def test_bytes_are_cut_and_numbers_in_bytes_are_not():
    long = bytes(range(40))
    assert applied(Truncate((), 14), long, None, b"x", kind=Kind.BYTES) == [long[:14], None, b"x"]
    assert applied(Truncate((), 1), b"\x01\x02", kind=Kind.BYTES, may_be_cut=False) == [b"\x01\x02"]


def test_a_column_that_is_short_enough_is_not_cut():
    assert policy_of(Truncate((), 5), is_text=True, length=5) is None
    assert policy_of(Truncate((), 5), is_text=True, length=6) is not None


def test_no_rule_and_told_types_change_no_values():
    assert policy_of(None, is_text=True, length=None) is None
    assert policy_of(SourceTypes(), is_text=True, length=None) is None


@pytest.mark.parametrize(
    ("algorithm", "salt", "version", "length", "value", "hashed"),
    [
        ("SHA-256", "CzQMA0cB5K", 1, 20, "secret", "122e56d6f15256f7a553"),
        ("SHA-256", "CzQMA0cB5K", 1, 10, "ch", "a69ee2b8fa"),
        ("SHA-256", "CzQMA0cB5K", 1, 20, "", "7b061bc77caec9afdc6b"),
        ("MD5", "s", 1, 64, "secret", "bb3cf017bea3f2be0e0d045051fccc93"),
        ("MD5", "s", 1, 64, "", "0a7a61c3da1d33f0987e30ae4932b1b3"),
        (
            "SHA-512", "salt", 2, None, "secret",
            "9901847ff8c76bd5fb473b7bd2e4f4ddd110332a52a888fd69deb276613885ddf382e5cf1210ed0decdb8010ae3994331a9e0639c3ca7e9e8b110dd50978ce76",
        ),
        ("SHA-512", "salt", 2, None, None, None),
    ],
)  # fmt: skip
def test_hashes_are_those_of_debezium(
    algorithm, salt, version, length, value, hashed
):
    assert applied(Hash((), algorithm, salt, version), value, length=length) == [hashed]


def test_each_value_of_a_column_gets_its_own_hash():
    rule = Hash((), "MD5", "s", 2)
    values = [f"v{i % 7}" for i in range(50)]
    expected = [hashlib.md5(f"s{v}".encode(), usedforsecurity=False).hexdigest() for v in values]
    assert applied(rule, *values) == expected


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_that_the_configuration_takes_is_there(algorithm):
    assert len(digest_of(algorithm)(b"x")) >= 16


@pytest.mark.parametrize(
    ("text", "digest"),
    [
        (b"", "8350e5a3e24c153df2275c9f80692773"),
        (b"a", "32ec01ec4a6dac72c0ab96fb34c0b5d1"),
        (b"abcdefghijklmnopqrstuvwxyz", "4e8ddff3650292ab5a4108c3aa47940b"),
        (b"1234567890" * 8, "d5976f79d83d3a0dc9806c3c66f3efd8"),
    ],
)
def test_md2_gives_the_digests_of_rfc_1319(text, digest):
    assert md2(text).hex() == digest


def test_texts_are_serialized_as_java_does():
    assert serialized("ab").hex() == "aced0005740002" + "6162"
    assert serialized("x" * 70_000)[:13].hex() == "aced00057c" + (70_000).to_bytes(8, "big").hex()
    assert modified_utf8("\0é😀").hex() == "c080" + "c3a9" + "eda0bdedb880"
