"""Chunks that are read ahead: served where they are asked for, dropped where they are not."""

import numpy as np
import pytest

from tailrace.connectors.shared.snapshots.chunks import ReadChunk, Unread
from tailrace.connectors.sqlserver.snapshots.ahead import ReadAhead
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


def ahead_of(table, *segments):
    ahead = ReadAhead(table.read, lambda chunk: 0 if chunk is None else len(chunk))
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


def test_what_was_dropped_is_read_again():
    table = Table(8)
    ahead = ahead_of(table, Segment("t"))
    ahead.take(Segment("t"))
    ahead.step()
    ahead.drop()
    assert not ahead.step()
    assert keys_of(ahead.take(Segment("t", [2]))) == [3, 4, 5]
    assert table.reads == [None, [2], [2]]


@pytest.mark.parametrize("found", [None, Unread()])
def test_a_table_that_is_gone_or_altered_is_left_to_be_asked_for(found):
    table = Table(8)
    ahead = ahead_of(table, Segment("t"), Segment("u"))
    ahead.take(Segment("t"))
    real, ahead._read = ahead._read, lambda _: found
    assert not ahead.step()
    ahead._read = real
    assert not ahead.step()
    assert keys_of(ahead.take(Segment("t", [2]))) == [3, 4, 5]
