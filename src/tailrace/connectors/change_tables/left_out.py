"""Rows whose values can't be shown as their fields' types, and what `event.processing.failure.handling.mode` makes of them.

By `fail` the rows before the first of them are delivered, and reading ends with an error that names it; by `warn` and `skip`
they are left out. A batch is converted as a whole. Only one that can't be is halved, and halved again, until they are found.
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
    """Rows of a change table that can be shown.

    Attributes:
        rows: these.
        kept: which of the given rows they are; None: all.
        columns: what they hold.
        fault: why no row behind them can be delivered; None: nothing is in the way.

    """

    rows: ChangeRows
    kept: Indices | None
    columns: Columns
    fault: Exception | None = None


def converted(captured: Captured[Any], rows: ChangeRows, mode: str) -> Converted:
    """What of some rows can be delivered.

    Raises:
        LogFormatError: no value of a column can be converted.
        StructureError: likewise; it came as another type than is known.

    """
    try:
        return Converted(rows, None, captured.columns(rows))
    except (LogFormatError, StructureError) as error:
        if not len(rows):
            raise
        captured.columns(rows.take(_NONE))  # raises where it is the column, and no value, that can't be shown
        first = np.flatnonzero(rows.operation != AFTER)
        found = faults(first, lambda some: captured.columns(rows.take(_with_second_rows(rows, some))), error)

        def named(row: int) -> str:
            return f"{captured.name}: the change at {rows.position(row)}"

        fault, kept = None, first
        if mode == FAIL:
            row, cause = next(found, (int(first[0]), error))
            fault, kept = fault_of(named(row), cause), first[first < row]
        else:
            kept = np.setdiff1d(first, left_out(found, mode, named))
        kept = _with_second_rows(rows, kept)
        rows = rows.take(kept)
        return Converted(rows, kept, captured.columns(rows), fault)


def shown(
    convert: Callable[[Sequence[pa.Array]], Columns],
    arrays: Sequence[pa.Array],
    count: int,
    mode: str,
    named: Callable[[int], str],
) -> tuple[Columns, INT32]:
    """What rows hold that can be shown, and where in it each of all rows is; -1: it is left out.

    Args:
        convert: makes values of what was read.
        arrays: what was read.
        count: how many rows.
        mode: as `event.processing.failure.handling.mode` says it.
        named: what to call a row.

    Raises:
        LogFormatError: a value can't be converted, and `mode` is `fail`.
        StructureError: likewise.

    """
    try:
        return convert(arrays), np.arange(count, dtype=np.int32)
    except (LogFormatError, StructureError) as error:
        if not count:
            raise
        convert(_taken(arrays, _NONE))  # as above
        found = faults(np.arange(count), lambda some: convert(_taken(arrays, some)), error)
        if mode == FAIL:
            row, cause = next(found, (0, error))
            raise fault_of(named(row), cause) from cause
        kept = np.setdiff1d(np.arange(count), left_out(found, mode, named))
        places = np.full(count, -1, np.int32)
        places[kept] = np.arange(len(kept))
        return convert(_taken(arrays, kept)), places


def faults(rows: Indices, convert: Callable[[Indices], object], error: Exception) -> Iterator[tuple[int, Exception]]:
    """Of rows, which together can't be converted for that reason, those that can't, in their order, each with its reason."""
    if len(rows) == 1:
        yield int(rows[0]), error
        return
    for half in np.array_split(rows, 2):
        try:
            convert(half)
        except (LogFormatError, StructureError) as cause:
            yield from faults(half, convert, cause)


def left_out(found: Iterator[tuple[int, Exception]], mode: str, named: Callable[[int], str]) -> list[int]:
    """These rows, after it was said that they are left out."""
    rows = []
    for row, cause in found:
        log.log(_LEVELS[mode], "left out, as the configuration wants: %s: %s", named(row), cause)
        rows.append(row)
    return rows


def fault_of(name: str, cause: Exception) -> Exception:
    """What to say of a row that ends reading."""
    return type(cause)(f"{name}: {cause}; {_ADVICE}")


def _with_second_rows(rows: ChangeRows, first: Indices) -> Indices:
    """The rows of changes: of an update both."""
    return np.sort(np.concatenate([first, first[rows.operation[first] == BEFORE] + 1]))


def _taken(arrays: Sequence[pa.Array], rows: Indices) -> list[pa.Array]:
    places = pa.array(rows)
    return [array.take(places) for array in arrays]
