"""Signals of the signal table for readers that poll the table itself, not its inserts in the log.

A row is a signal if its id did not exist at the last poll. A digest of each id is kept as long as
the row exists: so an id may be used again once its row was deleted and a poll has come in between. Rows that exist at
the first poll of a table were meant for an earlier reader, and count as seen.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tailrace.errors import ProgressError
from tailrace.signals.model import Channel, Signal, Unreadable
from tailrace.signals.parsing import parse_signal
from tailrace.signals.table import COLUMNS

SIZE: Final = 8  # bytes of a digest: among 4,000 rows, one new row in 10^15 is mistaken for a seen one


@dataclass(frozen=True, slots=True)
class SignalRow:
    """A row of a signal table; `values` are its columns, in order."""

    table: str
    values: Sequence[object]

    @property
    def digest(self) -> bytes:
        """Of the table and the id."""
        id_ = self.values[0] if self.values else None
        return _digest(self.table, "no id") if id_ is None else _digest(self.table, "id", str(id_))

    @property
    def signal(self) -> Signal:
        """The typed signal."""
        if len(self.values) != len(COLUMNS):
            reason = f"the signal table {self.table} should have three columns (id, type, data), not {len(self.values)}"
            return Unreadable(id=None, channel=Channel.SOURCE, reason=reason)
        if any(not (value is None or isinstance(value, str)) for value in self.values):
            reason = f"the columns of the signal table {self.table} should be text (VARCHAR, TEXT)"
            return Unreadable(id=None, channel=Channel.SOURCE, reason=reason)
        id_, type_, data = (None if value is None else str(value) for value in self.values)
        return parse_signal(id_, type_, data, Channel.SOURCE)


def packed(rows: Iterable[SignalRow], tables: Iterable[str], also: str = "") -> str:
    """The rows seen so far, as a text to store: some ten bytes for each row.

    Args:
        rows: of the tables.
        tables: the polled ones, by name, whether they exist or not.
        also: rows seen before, if they are to be kept.

    """
    found = {*_unpacked(also), *map(_digest, tables), *(row.digest for row in rows)}
    return base64.b64encode(b"".join(sorted(found))).decode()


def new_rows(rows: Iterable[SignalRow], seen: str) -> list[SignalRow]:
    """The rows that are new since the result of `packed` at the last poll, in their order.

    A table that was not polled then has none.

    Raises:
        ProgressError: it is damaged.

    """
    known = _unpacked(seen)
    return [row for row in rows if row.digest not in known and _digest(row.table) in known]


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=SIZE).digest()


def _unpacked(seen: str) -> frozenset[bytes]:
    try:
        found = base64.b64decode(seen, validate=True)
    except ValueError as error:
        raise ProgressError(f"the signals that were seen, in Spark's checkpoint, are damaged: {error}") from error
    if len(found) % SIZE:
        raise ProgressError("the signals that were seen, in Spark's checkpoint, are damaged: some bytes are missing")
    return frozenset(found[at : at + SIZE] for at in range(0, len(found), SIZE))
