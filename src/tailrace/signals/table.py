"""Signals of the signal table: rows that are inserted into it.

`signal.data.collection` names the table; its three columns are id, type and
data, in this order, whatever their names. Updates, deletes and rows that a snapshot reads are ignored.

Source: Debezium documentation, "Structure of a signaling data collection", and the behaviour of 3.6.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from typing import Final

import numpy as np

from tailrace.changes.model import CREATE, INT32, Changes
from tailrace.changes.vectors import Kind, Vector
from tailrace.signals.model import Channel, Signal, Unreadable
from tailrace.signals.parsing import parse_signal

COLUMNS: Final = ("id", "type", "data")


@dataclass(frozen=True, slots=True)
class Inserted:
    """A signal, and the index of its change."""

    change: int
    signal: Signal


def signals_in(changes: Changes) -> list[Inserted]:
    """The signals among changes of the signal table, in log order."""
    inserts = np.flatnonzero(changes.op == CREATE)
    if not len(inserts):
        return []
    columns = [column for column in changes.columns if column is not None]
    if problem := _problem(columns):
        return [Inserted(int(at), Unreadable(id=None, channel=Channel.SOURCE, reason=problem)) for at in inserts]
    ids, types, data = (_texts(column, changes.after[inserts]) for column in columns)
    signals = map(parse_signal, ids, types, data, repeat(Channel.SOURCE))
    return [Inserted(int(at), signal) for at, signal in zip(inserts, signals, strict=True)]


def _problem(columns: list[Vector]) -> str | None:
    if len(columns) != len(COLUMNS):
        return f"the signal table should have three columns (id, type, data), but {len(columns)} of it are captured"
    wrong = [name for name, column in zip(COLUMNS, columns, strict=True) if column.kind is not Kind.TEXT]
    return f"of the signal table's columns {', '.join(wrong)} should be text (VARCHAR, TEXT)" if wrong else None


def _texts(column: Vector, images: INT32) -> list[str | None]:
    """The texts, value by value, since signals are rare."""
    array = column.to_arrow()
    return [array[int(image)].as_py() for image in images]
