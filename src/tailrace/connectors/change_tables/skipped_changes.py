"""Rows whose values can't be converted, and `event.processing.failure.handling.mode`.

With `fail`, the rows before the first such row are delivered, and reading ends with an error that names it. With `warn`
and `skip` these rows are left out. A batch is converted as a whole; only one that fails is halved, again and again,
until the rows are found. So the common case costs nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.model import INT32
from tailrace.changes.vectors import Vector
from tailrace.connectors.change_tables.captured import Captured
from tailrace.connectors.change_tables.rows import AFTER, BEFORE, ChangeRows
from tailrace.errors import LogFormatError, StructureError

FAIL: Final = "fail"
_LEVELS: Final = {"warn": logging.WARNING, "skip": logging.DEBUG}
_ADVICE: Final = (
    "event.processing.failure.handling.mode=warn leaves such rows out, of the log where provide.transaction.metadata is off"
)

_NONE: Final = np.empty(0, np.intp)

Indices = npt.NDArray[np.intp]
Columns = list[Vector | None]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Converted:
    """The rows of a change table that can be converted.

    Attributes:
        rows: these rows.
        kept: their indices among the given rows; None: all.
        columns: their values.
        fault: why no later row can be delivered; None: nothing prevents it.

    """

    rows: ChangeRows
    kept: Indices | None
    columns: Columns
    fault: Exception | None = None


def converted(captured: Captured[Any], rows: ChangeRows, mode: str) -> Converted:
    """Convert rows, as far as that is possible.

    Raises:
        LogFormatError: a column can't be converted at all.
        StructureError: likewise: it has another type than is known.

    """
    try:
        return Converted(rows, None, captured.columns(rows))
    except (LogFormatError, StructureError) as error:
        if not len(rows):
            raise
        captured.columns(rows.take(_NONE))  # raises if the fault is the column's type, and not a value
        first = np.flatnonzero(rows.operation != AFTER)
        found = faults(first, lambda some: captured.columns(rows.take(_with_second_rows(rows, some))), error)

        def named(row: int) -> str:
            return f"{captured.name}: the change at {rows.position(row)}"

        fault, kept = None, first
        if mode == FAIL:
            row, cause = next(found, (int(first[0]), error))
            fault, kept = fault_of(named(row), cause), first[first < row]
        else:
            kept = np.setdiff1d(first, skipped(found, mode, named))
        kept = _with_second_rows(rows, kept)
        rows = rows.take(kept)
        return Converted(rows, kept, captured.columns(rows), fault)


def convertible_values(
    convert: Callable[[Sequence[pa.Array]], Columns],
    arrays: Sequence[pa.Array],
    count: int,
    mode: str,
    named: Callable[[int], str],
) -> tuple[Columns, INT32]:
    """The values of the rows that can be converted, and the index of each row in them; -1: it is left out.

    Args:
        convert: turns arrays into values.
        arrays: the rows, as they were read.
        count: the number of rows.
        mode: as in `event.processing.failure.handling.mode`.
        named: names a row in messages.

    Raises:
        LogFormatError: a value can't be converted, and `mode` is `fail`.
        StructureError: likewise.

    """
    try:
        return convert(arrays), np.arange(count, dtype=np.int32)
    except (LogFormatError, StructureError) as error:
        if not count:
            raise
        convert(_taken(arrays, _NONE))  # raises if it is the column's type, as in `converted`
        found = faults(np.arange(count), lambda some: convert(_taken(arrays, some)), error)
        if mode == FAIL:
            row, cause = next(found, (0, error))
            raise fault_of(named(row), cause) from cause
        kept = np.setdiff1d(np.arange(count), skipped(found, mode, named))
        places = np.full(count, -1, np.int32)
        places[kept] = np.arange(len(kept))
        return convert(_taken(arrays, kept)), places


def faults(rows: Indices, convert: Callable[[Indices], object], error: Exception) -> Iterator[tuple[int, Exception]]:
    """Find the rows that can't be converted, in order, each with its error; `error` is that of all of them together."""
    if len(rows) == 1:
        yield int(rows[0]), error
        return
    for half in np.array_split(rows, 2):
        try:
            convert(half)
        except (LogFormatError, StructureError) as cause:
            yield from faults(half, convert, cause)


def skipped(found: Iterator[tuple[int, Exception]], mode: str, named: Callable[[int], str]) -> list[int]:
    """The rows found, after a line in the log for each."""
    rows = []
    for row, cause in found:
        log.log(_LEVELS[mode], "left out, as the configuration wants: %s: %s", named(row), cause)
        rows.append(row)
    return rows


def fault_of(name: str, cause: Exception) -> Exception:
    """The error for a row that ends reading."""
    return type(cause)(f"{name}: {cause}; {_ADVICE}")


def _with_second_rows(rows: ChangeRows, first: Indices) -> Indices:
    """The rows of changes, both rows of an update."""
    return np.sort(np.concatenate([first, first[rows.operation[first] == BEFORE] + 1]))


def _taken(arrays: Sequence[pa.Array], rows: Indices) -> list[pa.Array]:
    places = pa.array(rows)
    return [array.take(places) for array in arrays]
