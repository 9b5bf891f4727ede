"""Keys by their digests: a hash that is the published one, and a set that holds what was put in."""

import random

import numpy as np
import pytest

from tailrace.changes.records import Binary
from tailrace.snapshot.digests import digests_of
from tailrace.snapshot.key_set import KeySet

DIGESTS = [  # of the strings in the test below
    "76f4071fbe0eefc55d51e67bc3ce080e",
    "faf702b4bfda5a71e9298f717da9a2bd",
    "89ba05ca9ffdd22bf6a690c4e7602921",
    "8f586cf34994b92b5f8fe31c74f83108",
    "adfb2fea5d10a3cb7983f6d5f27b0e04",
]


def binary(strings):
    offsets = np.zeros(len(strings) + 1, np.int64)
    np.cumsum([len(s) for s in strings], out=offsets[1:])
    return Binary(np.frombuffer(b"".join(strings), np.uint8), offsets)


@pytest.mark.parametrize(
    ("length", "expected"),
    [(0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45")],
)
def test_the_digest_is_the_reference_implementations(length, expected):
    digests = digests_of(binary([bytes(range(length))]), bytes(range(16)))
    assert digests.tobytes().hex() == expected


def test_the_digests_that_a_progress_may_hold_never_change():
    found = digests_of(binary([b"", b"1", b"12345678", b"123456789abcdef!", b"x" * 300]))
    assert [digest.tobytes().hex() for digest in found] == DIGESTS


def test_a_digest_follows_from_the_bytes_of_its_string_alone():
    chance = random.Random(5)
    strings = [chance.randbytes(chance.randrange(40)) for _ in range(2_000)]
    together = digests_of(binary(strings))
    alone = np.concatenate([digests_of(binary([s])) for s in strings])
    assert (together == alone).all()
    assert len({digest.tobytes() for digest in together}) == len(set(strings))


def test_strings_that_differ_in_one_bit_or_in_length_share_no_half():
    base = bytes(24)
    strings = [base[:n] for n in range(25)] + [
        bytes(1 << (bit & 7) if i == bit >> 3 else 0 for i in range(24)) for bit in range(192)
    ]
    found = digests_of(binary(strings))
    assert all(len(set(found[:, half].tolist())) == len(strings) for half in (0, 1))


def test_each_bit_of_a_digest_is_set_in_half_of_them():
    found = digests_of(binary([n.to_bytes(8, "little") for n in range(20_000)]))
    bits = np.unpackbits(found.view(np.uint8), axis=1).mean(axis=0)
    assert (abs(bits - 0.5) < 0.02).all()


def test_no_strings_have_no_digests():
    assert digests_of(binary([])).shape == (0, 2)


def test_the_first_of_equal_keys_is_the_new_one():
    a, b = digests_of(binary([b"a", b"b"]))
    keys = KeySet()
    assert keys.add(np.array([a, b, a, b, a])).tolist() == [True, True, False, False, False]
    assert keys.add(np.array([b])).tolist() == [False]
    assert len(keys) == 2
    assert keys.contains(digests_of(binary([b"c", b"a"]))).tolist() == [False, True]


def test_a_set_holds_what_a_plain_set_does_while_it_grows():
    chance = random.Random(11)
    keys, plain = KeySet(), set()
    for _ in range(60):
        some = [b"%d" % chance.randrange(30_000) for _ in range(chance.choice([0, 1, 7, 2_000]))]
        expected = [one not in plain and one not in some[:i] for i, one in enumerate(some)] if len(some) < 10 else None
        new = keys.add(digests_of(binary(some)))
        assert expected is None or new.tolist() == expected
        assert new.sum() == len(set(some) - plain)
        plain |= set(some)
        asked = [b"%d" % n for n in range(0, 30_000, 501)]
        assert keys.contains(digests_of(binary(asked))).tolist() == [one in plain for one in asked]
    assert len(keys) == len(plain)


def test_a_million_keys_take_less_than_fifty_bytes_each():
    keys = KeySet()
    digests = np.random.default_rng(1).integers(0, 2**64, (1_000_000, 2), np.uint64)
    keys.add(digests)
    assert len(keys) == 1_000_000
    assert keys.slots.nbytes / len(keys) < 50
    assert keys.contains(digests).all()


def test_the_digest_of_all_zeros_is_a_key_as_any_other():
    keys = KeySet()
    zero = np.zeros((1, 2), np.uint64)
    assert not keys.contains(zero)[0]
    assert keys.add(zero)[0]
    assert keys.contains(zero)[0]
    assert not keys.add(zero)[0]


def test_keys_that_begin_at_the_same_slot_do_not_hide_each_other():
    digests = np.array([[63, n] for n in range(1, 40)], np.uint64)
    keys = KeySet()
    assert keys.add(digests).all()
    assert keys.contains(digests).all()
    assert not keys.contains(np.array([[63, 99], [62, 1]], np.uint64)).any()
