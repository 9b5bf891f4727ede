"""Rows of a change table come as whole changes, even if an update is written as a delete and an insert."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pytest

from tailrace.connectors.change_tables.positions import RowPosition
from tailrace.connectors.change_tables.rows import AFTER, BEFORE, DELETE, INSERT, ChangeRows, whole_changes
from tailrace.errors import LogFormatError

SIZE = 16
Written = tuple[str, int]  # D or I, number in the log: those of an update follow each other in it


class Pairs:
    """A `RowQuery` of a database that writes an update as D and I with neighbouring numbers."""

    def __init__(self, written: Sequence[Written], at_once: int, limit: int) -> None:
        self._written, self._at_once, self.limit = written, at_once, limit

    def batches(self, after: RowPosition | None) -> Iterator[pa.RecordBatch]:
        start = 0 if after is None else int.from_bytes(after.change.raw, "big")
        rows = [each for each in self._written if each[1] > start][: self.limit or None]
        for i in range(0, len(rows), self._at_once):
            kinds, numbers = zip(*rows[i : i + self._at_once], strict=True)
            yield pa.record_batch({"kind": pa.array(kinds), "number": pa.array(numbers, pa.int64())})

    def operation(self, batch: pa.RecordBatch, row: int) -> int | None:
        return BEFORE if batch.column(0)[row].as_py() == "D" else INSERT

    def rows(self, batch: pa.RecordBatch) -> ChangeRows:
        number = batch.column(1).to_numpy()
        is_delete = np.array(batch.column(0).to_pylist()) == "D"
        is_first = is_delete & np.append(~is_delete[1:] & (np.diff(number) == 1), [False])
        operation = np.where(is_delete, DELETE, INSERT)
        operation[is_first] = BEFORE
        operation[1:][is_first[:-1]] = AFTER
        change = np.zeros((len(number), SIZE), np.uint8)
        change[:, 8:] = number.astype(">i8").view(np.uint8).reshape(-1, 8)
        commit, command = np.zeros_like(change), np.zeros(len(number), np.int64)
        return ChangeRows(commit, change, command, operation, None, [], batch.nbytes)

    def incomplete_update(self, at: RowPosition) -> LogFormatError:
        return LogFormatError(f"the update at {at} is torn")


class Torn(Pairs):
    """One of which the last delete is the first row of an update."""

    def rows(self, batch: pa.RecordBatch) -> ChangeRows:
        found = super().rows(batch)
        found.operation[-1] = BEFORE
        return found


def operations(query: Pairs) -> list[int]:
    """Of all rows; each part has whole changes."""
    return [int(each) for rows in whole_changes(query, None) for each in rows.operation]


WRITTEN = [("I", 1), ("D", 3), ("I", 4), ("D", 6), ("D", 8), ("I", 9), ("D", 11)]
EXPECTED = [INSERT, BEFORE, AFTER, DELETE, BEFORE, AFTER, DELETE]


@pytest.mark.parametrize("at_once", [1, 2, 3, 7])
@pytest.mark.parametrize("limit", [0, 1, 2, 3, 7])
@pytest.mark.parametrize("count", range(len(WRITTEN)))
def test_a_delete_that_may_begin_an_update_waits_for_the_next_row_and_is_one_where_there_is_none(
    at_once: int, limit: int, count: int
) -> None:
    whole = [each for each in range(count) if each + 1 < count or EXPECTED[each] != BEFORE]
    if len(whole) == count:
        assert operations(Pairs(WRITTEN[:count], at_once, limit)) == EXPECTED[:count]
    else:
        assert operations(Pairs(WRITTEN[:count], at_once, limit)) == [*EXPECTED[: count - 1], DELETE]


def test_an_update_without_its_second_row_is_torn() -> None:
    with pytest.raises(LogFormatError, match="is torn"):
        operations(Torn([("D", 1)], 1, 0))
