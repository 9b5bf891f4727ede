"""MySQL's character sets, as the row decoder treats them.

Tables and codecs follow the server's own conversion, which is not always the one that a set's name suggests:
`latin1` is Windows' code page 1252 plus its five unused bytes, `euckr` has the letters of code
page 949.
"""

from __future__ import annotations

import codecs
from functools import cache
from typing import Final

import numpy as np

from tailrace.changes.vectors import Bytes
from tailrace.connectors.mysql.rows.charset_tables import EUCJPMS_EXTENSION, UPPER_HALVES
from tailrace.connectors.mysql.rows.strings import UTF16_BIG, UTF16_LITTLE, UTF32

AS_IT_IS: Final = frozenset({None, "utf8mb4", "utf8mb3", "utf8", "ascii"})
"""Their bytes are UTF-8 already."""

TABLES: Final = {**UPPER_HALVES, "binary": "".join(map(chr, range(128, 256)))}
"""Sets with a table; bytes that are shown as text are ISO 8859-1, as Java reads them."""

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

_EXTENDED_UNIX: Final = ("ujis", "eucjpms")
_CELLS: Final = 94  # characters in a row of a JIS set, and rows in the set
_FIRST_PRIVATE_ROW: Final = 84
_PRIVATE_USE: Final = (
    0xE000  # where the ten private rows after JIS X 0208 and then those after JIS X 0212 begin
)


@cache
def single_byte_table(charset: str) -> Bytes | None:
    """Four bytes a character: the length of its UTF-8 and up to three bytes; None for another kind of set."""
    upper = TABLES.get(charset)
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
    return len(TABLES[charset]) < 256


def decode_text(charset: str, text: bytes) -> bytes:
    """One value of a multi-byte set as UTF-8: the fallback for a value that is not ASCII."""
    if charset == "eucjpms":
        return _decode_eucjpms(text).encode()
    decoded = text.decode(CODECS[charset], f"tailrace.{charset}")
    return (decoded.translate(_GB18030_SWAP) if charset == "gb18030" else decoded).encode()


_GB18030_SWAP: Final = {0xE7C7: 0x1E3F, 0x1E3F: 0xE7C7}
"""Two characters that changed places in the standard of 2005, which Python's codec does not follow."""


def _decode_eucjpms(text: bytes) -> str:
    """Windows' form of EUC: what takes two bytes is code page 932 at other places."""
    characters = []
    o = 0
    while o < len(text):
        first = text[o]
        width = 1 if first < 0x80 else 3 if first == 0x8F else 2
        characters.append(_eucjpms_character(text[o : o + width]))
        o += width
    return "".join(characters)


def _eucjpms_character(sequence: bytes) -> str:
    row, cell = (sequence[-2] - 0xA1, sequence[-1] - 0xA1) if len(sequence) > 1 else (0, 0)
    if len(sequence) == 1 or sequence[0] == 0x8E or row >= _FIRST_PRIVATE_ROW or not 0 <= cell < _CELLS:
        return sequence.decode("euc_jp", "tailrace.eucjpms")
    if len(sequence) == 2:
        trail = cell + (0x9F if row % 2 else 0x40 if cell < 63 else 0x41)
        return bytes([row // 2 + (0x81 if row < 62 else 0xC1), trail]).decode("cp932", "replace")
    place = (row - 82) * _CELLS + cell - 82
    if 0 <= place < len(EUCJPMS_EXTENSION):
        return EUCJPMS_EXTENSION[place]
    return _EUCJPMS_OTHERS.get(sequence) or sequence.decode("euc_jp", "replace")


_EUCJPMS_OTHERS: Final = {b"\x8f\xa2\xb7": "\uff5e", b"\x8f\xa2\xc3": "\uffe4"}


def _repair(charset: str) -> None:
    """Registers what to do with characters that Python's codec lacks."""

    def repair(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeDecodeError):
            raise error
        width = 3 if error.object[error.start] == 0x8F and charset in _EXTENDED_UNIX else 2
        sequence = error.object[error.start : error.start + width]
        return _character(charset, sequence), min(error.start + width, len(error.object))

    codecs.register_error(f"tailrace.{charset}", repair)


def _character(charset: str, sequence: bytes) -> str:
    """A character that Python's codec for the set does not know; U+FFFD if no table has it."""
    if charset == "big5":
        return sequence.decode("cp950", "replace")
    if charset not in _EXTENDED_UNIX or len(sequence) < 2:
        return "\ufffd"
    row, cell = sequence[-2] - 0xA1, sequence[-1] - 0xA1
    if _FIRST_PRIVATE_ROW <= row < _CELLS and 0 <= cell < _CELLS:
        plane = 10 * _CELLS if len(sequence) == 3 else 0
        return chr(_PRIVATE_USE + plane + (row - _FIRST_PRIVATE_ROW) * _CELLS + cell)
    return "\ufffd"


for _charset in CODECS:
    _repair(_charset)
