"""What the log's changes since P say of the rows at P."""

import random

import numpy as np
import pytest

from tailrace.changes.records import Binary
from tailrace.snapshot.digests import digests_of
from tailrace.snapshot.first_changes import Rewinder, TableTouches, outside_window, rewound


def digests(keys):
    strings = [b"" if key is None else key.encode() for key in keys]
    offsets = np.zeros(len(strings) + 1, np.int64)
    np.cumsum([len(s) for s in strings], out=offsets[1:])
    return digests_of(Binary(np.frombuffer(b"".join(strings), np.uint8), offsets))


def touches(*changes):
    """Changes as (key before, key after), or with a third item that says whether the image before is complete."""
    before, after = [change[0] for change in changes], [change[1] for change in changes]
    complete = [change[2] if len(change) > 2 else True for change in changes]
    known = [np.array([key is not None for key in keys], bool) for keys in (before, after)]
    return TableTouches("t", digests(before), known[0], digests(after), known[1], np.array(complete, bool))


def noted(*changes):
    rewinder = Rewinder()
    return rewinder, rewinder.note(touches(*changes))


def untouched(rewinder, keys):
    return [keys[i] for i in rewinder.untouched(digests(keys))]


def test_the_first_image_before_is_the_row_at_p_and_later_ones_are_not():
    rewinder, first = noted(("a", "a"), ("a", "a"), ("a", None))
    assert first.rows.tolist() == [0]
    assert untouched(rewinder, ["a", "b"]) == ["b"]


def test_a_row_that_was_inserted_first_was_absent_whatever_becomes_of_it():
    rewinder, first = noted((None, "a"), ("a", "a"), ("a", None), (None, "a"))
    assert first.rows.tolist() == []
    assert untouched(rewinder, ["a"]) == []


def test_a_row_that_was_deleted_and_inserted_again_is_told_by_the_delete():
    _, first = noted(("a", None), (None, "a"), ("a", "a"))
    assert first.rows.tolist() == [0]


def test_a_key_move_tells_the_old_row_and_that_the_new_key_was_absent():
    rewinder, first = noted(("a", "b"), ("b", "c"), (None, "a"))
    assert first.rows.tolist() == [0]
    assert untouched(rewinder, ["a", "b", "c", "d"]) == ["d"]


def test_rows_that_change_places_are_both_told():
    _, first = noted(("a", "x"), ("b", "a"), ("x", "b"))
    assert first.rows.tolist() == [0, 1]


def test_keys_that_differ_in_bytes_are_different_keys():
    rewinder, first = noted(("a", "A"))
    assert first.rows.tolist() == [0]
    assert untouched(rewinder, ["a", "A", "á"]) == ["á"]


def test_the_row_of_an_incomplete_image_is_left_as_it_is_read():
    rewinder, first = noted(("a", "a", False), ("b", None, False))
    assert (first.rows.tolist(), first.incomplete) == ([], 2)
    assert untouched(rewinder, ["a", "b"]) == ["a", "b"]


def test_an_incomplete_image_after_a_complete_one_is_not_missed():
    rewinder, first = noted(("a", "a"), ("a", "a", False))
    assert (first.rows.tolist(), first.incomplete) == ([0], 0)
    assert untouched(rewinder, ["a"]) == []


def test_a_key_moved_to_by_an_incomplete_change_was_absent_all_the_same():
    rewinder, first = noted(("a", "b", False))
    assert (first.rows.tolist(), first.incomplete) == ([], 1)
    assert untouched(rewinder, ["a", "b"]) == ["a"]


def test_nothing_follows_from_a_change_of_which_the_key_before_is_unknown():
    rewinder, first = noted((None, "a", False))
    assert (first.rows.tolist(), first.incomplete) == ([], 1)
    assert untouched(rewinder, ["a"]) == ["a"]


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_same_however_the_changes_are_cut_and_as_a_plain_loop_says(seed):
    chance = random.Random(seed)
    changes = []
    for _ in range(chance.choice([5, 300])):
        before, after = (chance.choice([None, f"k{chance.randrange(80)}"]) for _ in range(2))
        changes.append((before, after, before is None or chance.random() < 0.9))
    expected, seen = plainly_noted(changes)
    rewinder, rows, at = Rewinder(), [], 0
    while at < len(changes):
        n = chance.randrange(1, 40)
        rows += [at + row for row in rewinder.note(touches(*changes[at : at + n])).rows.tolist()]
        at += n
    keys = [f"k{n}" for n in range(80)]
    assert rows == expected, f"seed {seed}"
    assert untouched(rewinder, keys) == [key for key in keys if key not in seen], f"seed {seed}"


def plainly_noted(changes):
    rows, seen = [], set()
    for i, (before, after, complete) in enumerate(changes):
        if complete and before is not None and before not in seen:
            rows.append(i)
        seen |= {before} if complete else set()
        seen |= {after} if complete or (before is not None and after != before) else set()
    return rows, seen


def test_more_changes_than_the_set_had_room_for():
    changes = [(f"{n}", f"{n}") for n in range(5_000)]
    rewinder, first = noted(*changes, *changes)
    assert first.rows.tolist() == list(range(5_000))
    assert len(rewinder.touched) == 5_000


def test_one_chunk_is_brought_back_to_a_position_of_its_own():
    read = ["b", "c", "d"]
    log = [touches(("a", "a"), ("b", "b")), touches((None, "d"), ("x", None)), touches(("c2", None), ("b", None))]
    inside = {"b", "c2"}

    def is_inside(some, rows):
        wanted = digests(sorted(inside))
        return np.array([(wanted == some.before[row]).all(axis=1).any() for row in rows], bool)

    found = rewound(digests(read), log, is_inside)
    assert [read[row] for row in found.rows] == ["c"]
    assert [rows.tolist() for _, rows in found.images] == [[1], [0]]


def test_a_change_within_the_window_wins_over_the_row_that_was_read():
    log = [touches(("a", "a", False), (None, "b")), touches(("c", "d"))]
    read = ["a", "b", "c", "d", "e"]
    assert outside_window(digests(read), log).tolist() == [False, False, False, False, True]
    assert outside_window(digests(read), []).all()
