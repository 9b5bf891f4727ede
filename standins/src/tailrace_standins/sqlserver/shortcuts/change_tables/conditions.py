"""Evaluates comparisons of a change table's keys for whole blocks of rows.

A change table is sorted by start_lsn, so a block's first and last one often decide for the whole block. In a large table only
the blocks at the ends of a range are evaluated row by row.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace_standins.sqlserver.cdc import lsn
from tailrace_standins.sqlserver.cdc.shapes import SEQVAL, START_LSN
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.shortcuts.change_tables.columns import KEYS, Block
from tailrace_standins.sqlserver.shortcuts.conditions import COMPARED, Mask, Test, UnreadableError

_BYTES: Final = frozenset((START_LSN, SEQVAL))


def key_name(name: str) -> str | None:
    """The key of that name, ignoring case; None if it is no key."""
    return next((key for key in KEYS if key == name.lower()), None)


def comparison(key: str, sign: str, value: Stored) -> Test[Block]:
    """The test that compares a key with a value; raises `UnreadableError`."""
    if key in _BYTES:
        number = _binary(value)
        return _of_start(sign, number) if key == START_LSN else _of_rows(key, sign, np.bytes_(number))
    if type(value) is not int:
        raise UnreadableError
    return _of_rows(key, sign, value)


def _binary(value: Stored) -> bytes:
    """Bytes for a comparison with binary(10), which ignores trailing zeros."""
    if not isinstance(value, bytes):
        raise UnreadableError
    cut = value.rstrip(b"\0")
    if len(cut) > lsn.SIZE:
        raise UnreadableError
    return cut.ljust(lsn.SIZE, b"\0")


def _of_rows(key: str, sign: str, value: Any) -> Test[Block]:
    compared = COMPARED[sign]
    return lambda block: compared(block.keys[key], value)


def _of_start(sign: str, value: bytes) -> Test[Block]:
    compared, by_rows = COMPARED[sign], _of_rows(START_LSN, sign, np.bytes_(value))

    def test(block: Block) -> Mask:
        if block.first == block.last or not block.first <= value <= block.last:
            return bool(compared(block.first, value))
        return by_rows(block)

    return test
