"""Open queries: rows in blocks.

A block has whole rows, as many as fit the client's block size and at least one; large objects follow theirs.

Source: DRDA V5 volume 1, "Blocking" (limited block protocol, flexible blocking); volume 3, "QRYBLKSZ", "ENDQRYRM"
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from tailrace_standins.db2.drda.codepoints import Data, Reply
from tailrace_standins.db2.drda.communication_area import END
from tailrace_standins.db2.drda.replies import Answers, Severity
from tailrace_standins.db2.drda.writing import Row
from tailrace_standins.db2.session import EncodedRows, Rows

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
        self._waiting: _Waiting | None = None
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
        parts: list[bytes | memoryview] = []
        large: list[bytes] = []
        room = self._block_size - _HEADERS
        while True:
            if self._waiting is None:
                self._waiting = next(self._written, None)
                if self._waiting is None:
                    self.done = True
                    break
            if sum(map(len, large)) > _LARGE_AT_ONCE:
                break
            taken = self._waiting.take(room, at_least_one=not parts)
            if not taken:
                break
            parts.append(taken)
            room -= len(taken)
            large += self._waiting.behind
            if self._waiting.is_empty:
                self._waiting = None
        return b"".join(parts), large

    def _encoded(self) -> Iterator[_Waiting]:
        for piece in self._rows.pieces:
            if isinstance(piece, EncodedRows):
                yield _Waiting(piece.data, piece.begins, piece.first, piece.last)
            elif self._writer.has_large or not piece:
                for row in piece:
                    written = self._writer.written(row)
                    behind, self._writer.behind = self._writer.behind, []
                    yield _Waiting(written, (0, len(written)), 0, 1, behind)
            else:
                rows = self._writer.columns(list(zip(*piece, strict=True)), len(piece))
                yield _Waiting(b"".join(rows), list(accumulate(map(len, rows), initial=0)), 0, len(rows))


class _Waiting:
    """Rows that wait to be sent; `behind` are large objects that follow the only one."""

    def __init__(
        self, data: bytes, begins: Sequence[int], first: int, last: int, behind: Sequence[bytes] = ()
    ) -> None:
        self.behind = behind
        self._data = memoryview(data)
        self._begins = begins
        self._at = first
        self._last = last

    @property
    def is_empty(self) -> bool:
        """Whether all were taken."""
        return self._at >= self._last

    def take(self, room: int, *, at_least_one: bool) -> memoryview:
        """As many rows as fit into so many bytes."""
        begins, at = self._begins, self._at
        end = bisect_right(begins, begins[at] + room, at + 1, self._last + 1) - 1
        self._at = max(end, at + 1) if at_least_one else end
        return self._data[begins[at] : begins[self._at]]
