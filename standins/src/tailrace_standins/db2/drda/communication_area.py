"""SQLCARD: how a statement ended.

Source: DRDA V5 volume 1, "SQLCA: SQL communications area"; IBM Db2 documentation, "SQLCA"
"""

from __future__ import annotations

import struct
from typing import Final

from tailrace_standins.db2.session import SqlError

SUCCESS: Final = b"\xff"
"""The area of a statement that went well and has nothing to tell."""
_PROGRAM: Final = b"SQLRI01F"
_NO_WARNINGS: Final = b" " * 11
_SEPARATOR: Final = b"\xff"
_LONGEST_TOKENS: Final = 70


def area(code: int = 0, state: str = "00000", tokens: tuple[str, ...] = (), count: int = 0) -> bytes:
    """The area; `count` is the number of rows, its third number (SQLERRD3)."""
    if code == 0 and not count:
        return SUCCESS
    told = _SEPARATOR.join(token.encode() for token in tokens)
    if code < 0:
        told = told[:_LONGEST_TOKENS]
    return b"".join((
        b"\x00", struct.pack("<i", code), state.encode("ascii"), _PROGRAM,
        b"\x00", struct.pack("<6i", 0, 0, count, 0, 0, 0), _NO_WARNINGS,
        b"\x00\x00", struct.pack(">H", len(told)), told, b"\x00\x00",
        b"\xff",  # no diagnostics
    ))  # fmt: skip


def failure(error: SqlError) -> bytes:
    """The area of an error."""
    return area(error.code, error.state, error.tokens)


def affected(count: int | None) -> bytes:
    """The area of a statement without rows; one that found none to change ends with +100."""
    return area(100, "02000") if count == 0 else area(count=count or 0)


END: Final = area(100, "02000")
"""There are no more rows."""
