"""Chunks that are read ahead: delivered when they are requested, dropped when others are."""

import numpy as np
import pytest

from tailrace.connectors.change_tables.snapshots.read_ahead import ReadAhead
from tailrace.connectors.shared.snapshots.chunks import ReadChunk, Unread
from tailrace.errors import RetriableError
from tailrace.snapshot.segments import Segment


class Rows:
    """A block of keys."""

    def __init__(self, keys):
        self.keys = keys

    def __len__(self):
        return len(self.keys)


class Table:
    """A table of so many keys, read three at a time."""

    def __init__(self, keys):
        self.keys = range(keys)
        self.reads = []

    def read(self, segment):
        self.reads.append(segment.after)
        first = 0 if segment.after is None else segment.after[0] + 1
        last = len(self.keys) if segment.upto is None else segment.upto[0] + 1
        keys = list(self.keys)[first : min(first + 3, last)]
        return ReadChunk(None, [Rows(keys)], len(keys) < 3, 0, no_digests, lambda block, row: [block.keys[row]])


def no_digests(blocks):
    return np.zeros((sum(map(len, blocks)), 2), np.uint64)


def ahead_of(table, *segments, first_try=None):
    """`first_try` takes the place of the first chunk that is read ahead."""
    tries = iter([first_try] if first_try else [])

    def tried(segment):
        return next(tries, table.read)(segment)

    ahead = ReadAhead(table.read, lambda chunk: 0 if chunk is None else len(chunk), tried)
    ahead.expect(segments)
    return ahead


def keys_of(waiting):
    return waiting.chunk.blocks[0].keys


def test_what_was_read_ahead_is_not_read_again():
    table = Table(8)
    ahead = ahead_of(table, Segment("t"))
    assert keys_of(ahead.take(Segment("t"))) == [0, 1, 2]
    assert [ahead.step() for _ in range(3)] == [True, True, False]
    assert table.reads == [None, [2], [5]]
    assert ahead.bytes == 5
    assert keys_of(ahead.take(Segment("t", [2]))) == [3, 4, 5]
    assert keys_of(ahead.take(Segment("t", [5]))) == [6, 7]
    assert (table.reads, ahead.bytes) == ([None, [2], [5]], 0)


def test_what_was_read_ahead_has_its_moment():
    ahead = ahead_of(Table(8), Segment("t"))
    ahead.take(Segment("t"))
    ahead.step()
    (waiting,) = ahead.unsettled
    waiting.moment = 7
    ahead.step()
    assert (ahead.first.moment, len(ahead.unsettled)) == (7, 1)
    assert ahead.take(Segment("t", [2])).moment == 7
    assert ahead.take(Segment("t", [5])).moment is None


def test_behind_a_segment_the_next_one_is_read():
    """GIVEN segments of which two are in one table, WHEN what is expected is told anew meanwhile, THEN all go on in their order."""
    table = Table(5)
    expected = [Segment("a"), Segment("b", None, [2]), Segment("b", [2])]
    ahead = ahead_of(table, *expected)
    ahead.take(expected[0])
    ahead.step()
    ahead.expect([Segment("a", [2]), *expected[1:]])
    while ahead.step():
        pass
    assert table.reads == [None, [2], None, [2], [2]]
    assert keys_of(ahead.take(Segment("a", [2]))) == [3, 4]
    ahead.expect(expected[1:])
    assert not ahead.step()
    assert [ahead.take(each) is not None for each in (expected[1], Segment("b", [2], [2]), expected[2])] == [True] * 3
    assert table.reads == [None, [2], None, [2], [2]]


def test_nothing_is_read_ahead_behind_the_last_segment():
    table = Table(2)
    ahead = ahead_of(table, Segment("t"))
    ahead.take(Segment("t"))
    assert not ahead.step()
    assert table.reads == [None]


@pytest.mark.parametrize("asked", [Segment("t"), Segment("t", [2], [7]), Segment("u", [2])])
def test_where_something_else_is_asked_for_it_is_dropped(asked):
    table = Table(8)
    ahead = ahead_of(table, Segment("t"))
    ahead.take(Segment("t"))
    ahead.step()
    ahead.take(asked)
    assert table.reads == [None, [2], asked.after]
    assert ahead.bytes == 0


def test_of_an_altered_table_nothing_is_kept_nor_of_what_comes_behind_it():
    table = Table(2)
    segments = [Segment(name) for name in "abcd"]
    ahead = ahead_of(table, *segments)
    ahead.take(segments[0])
    while ahead.step():
        pass
    ahead.drop({"a", "x"})
    assert (ahead.bytes, len(table.reads)) == (6, 4)
    ahead.drop({"c"})
    assert (ahead.bytes, len(ahead.unsettled)) == (2, 1)
    ahead.expect(segments[1:])
    assert [ahead.step() for _ in range(3)] == [True, True, False]
    assert len(table.reads) == 6
    assert [keys_of(ahead.take(segment)) for segment in segments[1:]] == [[0, 1]] * 3
    assert (ahead.bytes, len(table.reads)) == (0, 6)


def test_a_table_that_is_altered_is_left_to_be_asked_for():
    """WHEN rows can't be read, THEN nothing is read ahead before the lane says anew what it will ask for."""
    table = Table(8)
    ahead = ahead_of(table, Segment("t"), Segment("u"), first_try=lambda _: Unread())
    ahead.take(Segment("t"))
    assert not ahead.step()
    assert not ahead.step()
    ahead.expect([Segment("t", [2]), Segment("u")])
    assert ahead.step()
    assert keys_of(ahead.take(Segment("t", [2]))) == [3, 4, 5]


def test_one_that_fails_is_tried_again_when_it_is_asked_for():
    table = Table(8)

    def fail(_):
        raise RetriableError("it is locked")

    ahead = ahead_of(table, Segment("t"), first_try=fail)
    ahead.take(Segment("t"))
    with pytest.raises(RetriableError):
        ahead.step()
    assert not ahead.step()
    ahead.expect([Segment("t", [2])])
    assert ahead.step()
    assert keys_of(ahead.take(Segment("t", [2]))) == [3, 4, 5]


def test_a_table_that_is_gone_has_its_turn():
    table = Table(2)
    segments = [Segment(name) for name in "abc"]
    ahead = ahead_of(table, *segments, first_try=lambda _: None)
    ahead.take(segments[0])
    assert ahead.step()
    assert ahead.step()
    assert ahead.take(segments[1]).chunk is None
    assert keys_of(ahead.take(segments[2])) == [0, 1]
    assert len(table.reads) == 2


def test_nothing_is_read_ahead_by_who_does_not_say_what_comes():
    table = Table(8)
    ahead = ReadAhead(table.read, len)
    ahead.take(Segment("t"))
    assert not ahead.step()
