"""The buffer between the log's stream and the decoder."""

from tailrace.connectors.mysql.blocks import (
    AIMED_BATCH,
    FEWEST,
    LARGE_BATCH,
    LARGEST,
    LARGEST_BATCH,
    LONGEST_PAUSES,
    PATIENCE_MS,
    PORTION,
    SMALLEST,
    SPARE,
    TABLES_A_BLOCK,
    Blocks,
)


class Source:
    """A stream of as many bytes as are asked for."""

    def read(self, view: memoryview, _wait_ms: int) -> int:
        return len(view)


class Portions:
    """A stream that has nothing at once between two portions."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._has_some = True
        self.waits = []

    def read(self, view: memoryview, wait_ms: int) -> int:
        self.waits.append(wait_ms)
        came = self._has_some or wait_ms > 0
        self._has_some = not came
        return min(self._size, len(view)) if came else 0


def test_a_block_of_many_tables_waits_until_three_quarters_are_full():
    stream = Portions(SMALLEST // 2)
    blocks = Blocks(stream)
    assert blocks.fill(0)
    assert blocks.end == SMALLEST // 2
    blocks.used(blocks.end, 20)
    blocks.resize(4 * SMALLEST)
    assert blocks.fill(1)
    assert blocks.end == 3 * SMALLEST
    assert max(stream.waits) == PATIENCE_MS


def test_a_block_of_many_tables_does_not_wait_where_the_log_ends():
    """There little comes at a time, and often: waiting for the next change each time would delay them all."""
    stream = Portions(PORTION - 1)
    blocks = Blocks(stream)
    blocks.resize(4 * SMALLEST)
    assert blocks.fill(0)
    assert blocks.end == PORTION - 1
    assert max(stream.waits) == 0


def test_a_block_of_many_tables_does_not_wait_for_long(monkeypatch):
    stream = Portions(PORTION)
    blocks = Blocks(stream)
    blocks.resize(4 * SMALLEST)
    clock = iter([0.0, LONGEST_PAUSES / 2, 1.0, 1.0 + LONGEST_PAUSES / 2])
    monkeypatch.setattr("tailrace.connectors.mysql.blocks.monotonic", lambda: next(clock))
    assert blocks.fill(0)
    assert blocks.end == 3 * PORTION
    assert stream.waits == [0, 0, PATIENCE_MS, 0, PATIENCE_MS, 0]


def test_each_filling_may_wait_anew(monkeypatch):
    stream = Portions(PORTION)
    blocks = Blocks(stream)
    blocks.resize(4 * SMALLEST)
    clock = iter([0.0, LONGEST_PAUSES, 1.0, 1.0 + LONGEST_PAUSES])
    monkeypatch.setattr("tailrace.connectors.mysql.blocks.monotonic", lambda: next(clock))
    for _ in range(2):
        stream._has_some = True
        assert blocks.fill(0)
        assert blocks.end == 2 * PORTION
        blocks.used(blocks.end, 20)


def test_an_event_longer_than_the_buffer_gets_a_longer_one():
    blocks = Blocks(Source())
    blocks.fill(0)
    blocks.used(100, 50_000_000)
    assert len(blocks.data) == 50_000_000 + SPARE
    assert (blocks.start, blocks.end) == (0, SMALLEST - 100)


def test_the_buffer_is_short_again_once_the_long_event_is_used():
    blocks = Blocks(Source())
    blocks.fill(0)
    blocks.used(0, 50_000_000)
    blocks.fill(0)
    blocks.used(len(blocks.data) - 7, 20)
    assert len(blocks.data) == SMALLEST
    assert (blocks.start, blocks.end) == (0, 7)


def test_what_was_left_over_is_kept_when_the_buffer_gets_short():
    blocks = Blocks(Source())
    blocks.fill(0)
    blocks.used(0, 4 * SMALLEST)
    blocks.fill(0)
    blocks.data[-5:] = range(5)
    blocks.used(len(blocks.data) - 3 * SMALLEST, 20)
    assert len(blocks.data) == 3 * SMALLEST
    assert blocks.data[-5:].tolist() == [0, 1, 2, 3, 4]


def test_many_tables_get_a_longer_buffer_within_limits():
    blocks = Blocks(Source())
    blocks.resize(100 * LARGEST)
    assert len(blocks.data) == LARGEST
    blocks.resize(10)
    assert len(blocks.data) == LARGEST


def test_a_filling_ends_at_the_limit():
    blocks = Blocks(Source())
    blocks.limit(SMALLEST // 2)
    blocks.fill(0)
    assert blocks.end == SMALLEST // 2
    assert blocks.full
    blocks.used(blocks.end - 7, 20)
    blocks.fill(0)
    assert (blocks.start, blocks.end) == (0, SMALLEST // 2 + 7)
    assert blocks.full
    assert len(blocks.data) == SMALLEST


def test_an_event_beyond_the_limit_is_read_whole():
    blocks = Blocks(Source())
    blocks.limit(1)
    blocks.fill(0)
    assert blocks.end == FEWEST
    blocks.used(5, 2 * FEWEST)
    blocks.fill(0)
    assert blocks.end == 2 * FEWEST
    blocks.used(0, 3 * SMALLEST)
    blocks.fill(0)
    assert blocks.end == 3 * SMALLEST


def test_a_block_at_its_limit_is_not_at_the_head():
    blocks = Blocks(Source())
    blocks.limit(FEWEST)
    blocks.fill(0)
    blocks.used(blocks.end, 19)
    assert not blocks.at_head


def test_a_limit_that_is_lifted_leaves_the_whole_buffer():
    blocks = Blocks(Source())
    blocks.limit(FEWEST)
    blocks.fill(0)
    blocks.limit(LARGEST)
    blocks.used(blocks.end, 19)
    blocks.fill(0)
    assert blocks.end == SMALLEST


def filled(blocks):
    """How long the next block is."""
    blocks.used(blocks.end, 19)
    blocks.fill(0)
    return blocks.end


def test_a_block_whose_records_are_long_is_followed_by_a_shorter_one():
    blocks = Blocks(Source())
    blocks.fit(SMALLEST, 2 * AIMED_BATCH, 1)
    assert filled(blocks) == SMALLEST // 2
    blocks.fit(SMALLEST // 2, AIMED_BATCH // 8, 1)
    assert filled(blocks) == SMALLEST


def test_a_block_of_many_tables_is_longer_up_to_the_largest_batch():
    blocks = Blocks(Source())
    blocks.fit(SMALLEST, LARGE_BATCH, 4 * TABLES_A_BLOCK)
    assert filled(blocks) == 4 * SMALLEST
    blocks.fit(4 * SMALLEST, 2 * LARGEST_BATCH, 4 * TABLES_A_BLOCK)
    assert filled(blocks) == 2 * SMALLEST


def test_few_bytes_at_the_head_tell_nothing():
    blocks = Blocks(Source())
    blocks.fit(PORTION - 1, 100 * LARGE_BATCH, 1)
    assert filled(blocks) == SMALLEST
