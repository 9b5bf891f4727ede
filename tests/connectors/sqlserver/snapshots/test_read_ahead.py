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
        keys = list(self.keys)[first : first + 3]
        return ReadChunk(None, [Rows(keys)], len(keys) < 3, 0, no_digests, lambda block, row: [block.keys[row]])


def no_digests(blocks):
    return np.zeros((sum(map(len, blocks)), 2), np.uint64)


def keys_of(chunk):
    return chunk.blocks[0].keys


def test_what_was_read_ahead_is_not_read_again():
    table = Table(8)
    ahead = ReadAhead(table.read)
    assert keys_of(ahead.read(Segment("t"))) == [0, 1, 2]
    ahead.step()
    ahead.step()
    ahead.step()
    assert table.reads == [None, [2], [5]]
    assert keys_of(ahead.read(Segment("t", [2]))) == [3, 4, 5]
    assert keys_of(ahead.read(Segment("t", [5]))) == [6, 7]
    assert table.reads == [None, [2], [5]]


def test_nothing_is_read_ahead_before_a_segment_was_begun_or_behind_its_end():
    table = Table(2)
    ahead = ReadAhead(table.read)
    assert ahead.step() == 0
    ahead.read(Segment("t"))
    assert ahead.step() == 0
    assert table.reads == [None]


@pytest.mark.parametrize("asked", [Segment("t"), Segment("t", [2], [7]), Segment("u", [2])])
def test_where_something_else_is_asked_for_it_is_dropped(asked):
    table = Table(8)
    ahead = ReadAhead(table.read)
    ahead.read(Segment("t"))
    ahead.step()
    ahead.read(asked)
    assert table.reads == [None, [2], asked.after]


def test_what_was_dropped_is_read_again():
    table = Table(8)
    ahead = ReadAhead(table.read)
    ahead.read(Segment("t"))
    ahead.step()
    ahead.drop()
    assert keys_of(ahead.read(Segment("t", [2]))) == [3, 4, 5]
    assert table.reads == [None, [2], [2]]


@pytest.mark.parametrize("found", [None, Unread()])
def test_a_table_that_is_gone_or_altered_is_left_to_be_asked_for(found):
    table = Table(8)
    ahead = ReadAhead(table.read)
    ahead.read(Segment("t"))
    real, ahead._read = ahead._read, lambda _: found
    assert ahead.step() == 0
    ahead._read = real
    assert keys_of(ahead.read(Segment("t", [2]))) == [3, 4, 5]
