"""FOR BIT DATA as the driver hands it over: bytes of one width, without a copy, and what is not."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tailrace.connectors.db2.bit_data import of_width
from tailrace.connectors.db2.lsn import raw_of
from tailrace.errors import LogFormatError

NUMBERS = [bytes([0xFF, *range(14), last]) for last in range(5)]


def of_driver(values: list[bytes | None]) -> pa.Array:
    """Text that need not be UTF-8."""
    return pa.array(values, pa.binary()).view(pa.string())


@pytest.mark.parametrize("first", [0, 2, 5])
def test_values_of_one_width_are_rows_of_bytes_from_wherever_a_batch_is_cut(first: int) -> None:
    array = of_driver(NUMBERS)
    found = of_width(array.slice(first), 16)
    assert found is not None
    assert [row.tobytes() for row in found] == NUMBERS[first:]
    assert first == len(NUMBERS) or np.shares_memory(found, np.frombuffer(array.buffers()[2], np.uint8))


@pytest.mark.parametrize("other", [None, b"", b"\xff" * 15, b"\xff" * 17])
def test_a_value_of_another_width_is_seen(other: bytes | None) -> None:
    assert of_width(of_driver([*NUMBERS, other]), 16) is None


def test_shorter_numbers_are_filled_up_and_longer_ones_refused() -> None:
    found = raw_of(of_driver([*NUMBERS, b"\xff" * 10]), "IBMSNAP_COMMITSEQ", 16)
    assert [row.tobytes() for row in found] == [*NUMBERS, b"\xff" * 10 + bytes(6)]
    for wrong in (None, b"\xff" * 17):
        with pytest.raises(LogFormatError, match="IBMSNAP_COMMITSEQ is NULL or no LSN of 16 bytes"):
            raw_of(of_driver([*NUMBERS, wrong]), "IBMSNAP_COMMITSEQ", 16)
