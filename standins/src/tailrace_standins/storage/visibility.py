"""Visibility of row versions, as SQL conditions over `b` (begin) and `e` (end).

Both are commit numbers, or the negative mark of an open transaction. A reader has two parameters: `:s`, the last commit that
it sees, and `:t`, the mark of its own transaction (0 without one).
"""

# the texts are built of names of our own
from __future__ import annotations

from typing import Final

COLUMNS: Final = "rid INTEGER PRIMARY KEY, r INTEGER, b INTEGER, e INTEGER"  # of each table; `r` is the row, `rid` the version
LIVE: Final = 9_000_000_000_000_000_000  # `e` of a version that nobody has ended
LATEST: Final = LIVE - 1  # `:s` of a reader that sees all that is committed
VISIBLE: Final = "b<=:s AND (b>0 OR b=:t) AND (e>:s OR (e<0 AND e<>:t))"
UNLOCKED: Final = "b<=:s AND (b>0 OR b=:t) AND e>:s"  # without the rows that others are ending: they are not waited for
DIRTY: Final = f"e={LIVE}"
