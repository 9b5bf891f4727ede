"""The buffer between the log's stream and the decoder."""

from tailrace.connectors.mysql.blocks import LARGEST, SMALLEST, SPARE, Blocks


class Source:
    """A stream of as many bytes as are asked for."""

    def read(self, view: memoryview, _wait_ms: int) -> int:
        return len(view)


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
