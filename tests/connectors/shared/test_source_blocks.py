"""The common parts of all connectors' source blocks."""

from tailrace.connectors.shared.source_blocks import source_times


def test_a_source_block_has_one_time_in_three_units():
    assert source_times(1_700_000_000_123_456) == {
        "ts_ms": 1_700_000_000_123,
        "ts_us": 1_700_000_000_123_456,
        "ts_ns": 1_700_000_000_123_456_000,
    }
