"""Rows that can't be told apart: what changes say of the multiset that a table was at P."""

import random
from collections import Counter

import numpy as np
import pytest

from tailrace.changes.records import Binary
from tailrace.snapshot.digests import digests_of
from tailrace.snapshot.first_changes import Break, TableTouches
from tailrace.snapshot.multiset import RowCounts

SEED = random.SystemRandom().randrange(1 << 30)


def digests(rows):
    texts = [(row or "-").encode() for row in rows]
    return digests_of(Binary(np.frombuffer(b"".join(texts), np.uint8), np.cumsum([0, *map(len, texts)])))


def touches(*changes, complete=True, broken=None):
    before = [change[0] for change in changes]
    after = [change[1] for change in changes]
    return TableTouches(
        "t",
        digests(before),
        np.array([row is not None for row in before], bool),
        digests(after),
        np.array([row is not None for row in after], bool),
        np.full(len(changes), complete),
        before,
        broken,
    )


def told(counts, *changes, **options):
    some = touches(*changes, **options)
    return [some.images[i] for i in counts.note(some).rows]


def kept(counts, rows):
    return [rows[i] for i in counts.untouched(digests(rows))]


def test_a_row_that_goes_was_there():
    counts = RowCounts()
    assert told(counts, ("a", None), ("a", None), ("b", "c")) == ["a", "a", "b"]
    assert kept(counts, ["c", "a"]) == ["a"]
    assert counts.left == 0


def test_of_equal_rows_one_that_came_goes_first():
    counts = RowCounts()
    assert told(counts, (None, "a"), ("a", None), ("a", None)) == ["a"]
    assert kept(counts, ["a"]) == ["a"]


def test_as_many_as_came_are_left_out():
    counts = RowCounts()
    assert told(counts, (None, "a"), (None, "a")) == []
    assert kept(counts, ["a", "b", "a", "a"]) == ["b", "a"]


def test_a_row_that_is_updated_to_itself_was_there_once():
    counts = RowCounts()
    assert told(counts, ("a", "a"), ("a", "a")) == ["a"]
    assert kept(counts, ["a"]) == []


def test_rows_that_came_and_are_not_there_are_doubted():
    counts = RowCounts()
    told(counts, (None, "a"))
    assert kept(counts, ["b"]) == ["b"]
    assert counts.left == 1
    (doubt,) = counts.doubts(is_whole=True)
    assert doubt.startswith("1 rows that came meanwhile")
    assert list(counts.doubts(is_whole=False)) == []


def test_an_incomplete_image_says_nothing_and_is_doubted():
    counts = RowCounts()
    assert told(counts, ("a", "b"), (None, "c"), complete=False) == []
    assert kept(counts, ["b", "c"]) == ["b", "c"]
    (doubt,) = counts.doubts(is_whole=True)
    assert doubt.startswith("2 changes lack columns")


def test_nothing_that_came_after_a_truncation_was_there():
    counts = RowCounts()
    assert told(counts, ("a", None), (None, "b")) == ["a"]
    assert told(counts, (None, "b"), (None, "d"), broken=Break.EMPTIED) == []
    assert told(counts, ("d", None)) == []
    assert kept(counts, ["b"]) == []
    assert list(counts.doubts(is_whole=True)) == []


def test_another_table_under_the_name_is_doubted():
    counts = RowCounts()
    told(counts, (None, "a"))
    told(counts, broken=Break.REPLACED)
    assert kept(counts, ["a"]) == ["a"]
    (doubt,) = counts.doubts(is_whole=True)
    assert "another table" in doubt


def test_a_chosen_row_that_is_gone_is_delivered_as_one_that_equals_it():
    counts = RowCounts(is_chosen=True)
    told(counts, ("a", "a"), ("a", "a"), ("b", None), ("c", None))
    assert kept(counts, ["a", "d", "b"]) == ["a", "d", "b", "b"]
    assert kept(counts, ["a", "b"]) == ["a", "b"]
    assert counts.left == 0


@pytest.mark.parametrize("number", range(10))
def test_chosen_rows_are_those_at_p_as_far_as_the_read_has_their_like(number):
    chance = random.Random(SEED + number)
    names = [f"r{n}" for n in range(chance.choice([2, 5, 200]))]
    at_p = Counter(chance.choices(names, k=chance.randrange(600)))
    now, changes = at_p.copy(), []
    for _ in range(chance.randrange(600)):
        before, after = chance.choice([None, *now]), chance.choice([None, *names])
        before = before if before is None or now[before] else None
        if before is not None or after is not None:
            now[before] -= before is not None
            now[after] += after is not None
            changes.append((before, after))
    counts = RowCounts(is_chosen=True)
    told(counts, *changes)
    rows = list((now - Counter([None] * now[None])).elements())
    chance.shuffle(rows)
    found = Counter(each for at in range(0, len(rows), 100) for each in kept(counts, rows[at : at + 100]))
    assert found == Counter({name: n for name, n in at_p.items() if now[name]}), f"seed {SEED}"


@pytest.mark.parametrize("number", range(30))
def test_any_history_is_taken_back(number):
    chance = random.Random(SEED + number)
    names = [f"r{n}" for n in range(chance.choice([2, 5, 2_000]))]
    at_p = Counter(chance.choices(names, k=chance.randrange(3_000)))
    now, changes = at_p.copy(), []
    for _ in range(chance.randrange(3_000)):
        before = chance.choice([None, *names[:20], *now])
        before = before if before is None or now[before] else None
        after = chance.choice([None, chance.choice(names), *([before] if before else [])])
        if before is None and after is None:
            continue
        now[before] -= before is not None
        now[after] += after is not None
        now -= Counter([None] * now[None])
        changes.append((before, after))
    counts, found = RowCounts(), []
    while changes:
        n = chance.choice([1, 7, 500])
        found += told(counts, *changes[:n])
        changes = changes[n:]
    rows = list(now.elements())
    chance.shuffle(rows)
    for at in range(0, len(rows), 100):
        found += kept(counts, rows[at : at + 100])
    assert Counter(found) == at_p, f"seed {SEED}"
    assert counts.left == 0
