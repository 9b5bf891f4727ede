"""MySQL's character sets, as the row decoder treats them.

Tables and codecs follow the server's own conversion, which is not always the one that a set's name suggests:
`latin1` is Windows' code page 1252 with the five bytes that this leaves out, `euckr` has the letters of code page 949.
"""

from __future__ import annotations

import codecs
from functools import cache
from typing import Final

import numpy as np

from tailrace.changes.vectors import Bytes
from tailrace.connectors.mysql.rows.charset_tables import UPPER_HALVES
from tailrace.connectors.mysql.rows.strings import UTF16_BIG, UTF16_LITTLE, UTF32

AS_IT_IS: Final = frozenset({None, "utf8mb4", "utf8mb3", "utf8", "ascii", "binary"})
"""Their bytes are UTF-8 already, or no text at all."""

WIDE: Final = {"ucs2": UTF16_BIG, "utf16": UTF16_BIG, "utf16le": UTF16_LITTLE, "utf32": UTF32}
"""How `strings.wide_texts` reads them."""

CODECS: Final = {
    "gbk": "gbk",
    "gb2312": "gb2312",
    "gb18030": "gb18030",
    "big5": "big5",
    "sjis": "shift_jis",
    "cp932": "cp932",
    "ujis": "euc_jp",
    "eucjpms": "euc_jp",
    "euckr": "cp949",
}
"""Multi-byte sets, and the Python codec that reads (nearly) all of one."""

_PRIVATE_USE: Final = 0xE000  # two blocks of 10 rows of 94 characters, after JIS X 0208 and after JIS X 0212
_ROWS: Final = 94


@cache
def single_byte_table(charset: str) -> Bytes | None:
    """Four bytes a character: the length of its UTF-8 and up to three bytes; None for another kind of set."""
    upper = UPPER_HALVES.get(charset)
    if upper is None:
        return None
    characters = upper if len(upper) == 256 else "".join(map(chr, range(128))) + upper
    table = np.zeros((256, 4), np.uint8)
    for byte, character in enumerate(characters):
        utf8 = character.encode()
        table[byte, 0] = len(utf8)
        table[byte, 1 : 1 + len(utf8)] = list(utf8)
    return table.reshape(-1)


def keeps_ascii(charset: str) -> bool:
    """Whether the bytes below 128 of a set with a table are ASCII."""
    return len(UPPER_HALVES[charset]) < 256


def decode_text(charset: str, text: bytes) -> bytes:
    """One value of a multi-byte set as UTF-8: the fallback for a value that is not ASCII."""
    return text.decode(CODECS[charset], f"tailrace.{charset}").encode()


def _patched(charset: str) -> None:
    """Registers what to do with the characters that Python's codec lacks."""

    def repair(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeDecodeError):
            raise error
        width = 3 if error.object[error.start] == 0x8F and charset in ("ujis", "eucjpms") else 2
        sequence = error.object[error.start : error.start + width]
        return _character(charset, sequence), min(error.start + width, len(error.object))

    codecs.register_error(f"tailrace.{charset}", repair)


def _character(charset: str, sequence: bytes) -> str:
    """A character that Python's codec for the set does not know; U+FFFD if nobody does."""
    if charset == "big5":
        return sequence.decode("cp950", "replace")
    if charset not in ("ujis", "eucjpms") or len(sequence) < 2:
        return "\ufffd"
    row, cell = sequence[-2] - 0xA1, sequence[-1] - 0xA1
    if 84 <= row < _ROWS and 0 <= cell < _ROWS:
        plane = 940 if len(sequence) == 3 else 0
        return chr(_PRIVATE_USE + plane + (row - 84) * _ROWS + cell)
    return "\ufffd"


for _charset in CODECS:
    _patched(_charset)
