"""Changes whose values can't be shown as their fields' types: left out where `event.processing.failure.handling.mode` wants it.

A batch is converted as a whole. Only one that can't be is halved, and halved again, until the changes are found.
"""

from __future__ import annotations

import logging
from typing import Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Vector
from tailrace.connectors.sqlserver.captured import Captured
from tailrace.connectors.sqlserver.change_tables import AFTER, BEFORE, ChangeRows
from tailrace.errors import LogFormatError, StructureError

FAIL: Final = "fail"
_LEVELS: Final = {"warn": logging.WARNING, "skip": logging.DEBUG}

Indices = npt.NDArray[np.intp]

log = logging.getLogger(__name__)


def converted(
    captured: Captured, rows: ChangeRows, mode: str
) -> tuple[ChangeRows, Indices | None, list[Vector | None]]:
    """The rows that can be converted, which they are (None: all), and what they hold.

    Raises:
        LogFormatError: a value can't be converted, and `mode` is `fail`.
        StructureError: a column came as another type than is known, likewise.

    """
    try:
        return rows, None, captured.columns(rows)
    except (LogFormatError, StructureError) as error:
        if mode == FAIL or not len(rows):
            raise
        first = np.flatnonzero(rows.operation != AFTER)
        wanted = _convertible(captured, rows, first, error, _LEVELS[mode])
        kept = _with_second_rows(rows, wanted)
        rows = rows.take(kept)
        return rows, kept, captured.columns(rows)


def _convertible(captured: Captured, rows: ChangeRows, first: Indices, error: Exception, level: int) -> Indices:
    """Of changes, which together can't be converted for that reason, those that can; each as the index of its first row."""
    if len(first) == 1:
        log.log(level, "left out, as the configuration wants: %s: %s", rows.position(int(first[0])), error)
        return first[:0]
    middle = len(first) // 2
    found: list[Indices] = []
    for half in (first[:middle], first[middle:]):
        try:
            captured.columns(rows.take(_with_second_rows(rows, half)))
            found.append(half)
        except (LogFormatError, StructureError) as cause:
            found.append(_convertible(captured, rows, half, cause, level))
    return np.concatenate(found)


def _with_second_rows(rows: ChangeRows, first: Indices) -> Indices:
    """The rows of changes: of an update both."""
    return np.sort(np.concatenate([first, first[rows.operation[first] == BEFORE] + 1]))
