"""Open queries: rows in blocks.

A block has whole rows, as many as fit the client's block size and at least one; large objects follow theirs.

Source: DRDA V5 volume 1, "Blocking" (limited block protocol, flexible blocking); volume 3, "QRYBLKSZ", "ENDQRYRM"
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tailrace_standins.db2.drda.codepoints import Data, Reply
from tailrace_standins.db2.drda.communication_area import END
from tailrace_standins.db2.drda.replies import Answers, Severity
from tailrace_standins.db2.drda.writing import Row
from tailrace_standins.db2.session import Rows

_SMALLEST_BLOCK, _LARGEST_BLOCK = 512, 10 << 20
_HEADERS: Final = 32
_LARGE_AT_ONCE: Final = 8 << 20


class Query:
    """A cursor.

    Args:
        rows: its result set, which is closed with it.
        held: whether it stays open after a commit.
        in_row: bytes up to which the client takes large objects in rows.
        block_size: of the client, in bytes; later requests may bring others.

    Attributes:
        held: as given.
        done: all rows were sent.

    """

    def __init__(self, rows: Rows, *, held: bool, in_row: int, block_size: int) -> None:
        self.held = held
        self.done = False
        self._rows = rows
        self._writer = Row(rows.columns, in_row=in_row)
        self._written = self._encoded()
        self._waiting: bytes | None = None
        self._large: list[bytes] = []
        self.resize(block_size)

    def resize(self, block_size: int) -> None:
        """Take another block size."""
        self._block_size = min(max(block_size, _SMALLEST_BLOCK), _LARGEST_BLOCK)

    def send(self, answers: Answers) -> None:
        """Send a block, and the end if there are no more rows; may raise `SqlError`."""
        block, large = self._block()
        if block:
            answers.data(Data.QRYDTA, block)
        for each in large:
            answers.data(Data.EXTDTA, b"\x00", each)
        if self.done:
            self.close()
            answers.message(Reply.ENDQRYRM, Severity.WARNING)
            answers.data(Data.SQLCARD, END)

    def close(self) -> None:
        """Close the result set."""
        self.done = True
        self._rows.pieces.close()

    def _block(self) -> tuple[bytes, list[bytes]]:
        """The next rows with their large objects; one that does not fit waits, so the end is known with the last block."""
        parts: list[bytes] = []
        large: list[bytes] = []
        size = 0
        while True:
            if self._waiting is None:
                self._waiting = next(self._written, None)
                if self._waiting is None:
                    self.done = True
                    break
                self._large, self._writer.behind = self._writer.behind, []
            full = size + len(self._waiting) > self._block_size - _HEADERS
            if parts and (full or sum(map(len, large)) > _LARGE_AT_ONCE):
                break
            parts.append(self._waiting)
            size += len(self._waiting)
            large += self._large
            self._waiting, self._large = None, []
        return b"".join(parts), large

    def _encoded(self) -> Iterator[bytes]:
        for piece in self._rows.pieces:
            for row in piece:
                yield self._writer.written(row)
