"""Text in a SELECT list, as bytes of UTF-8.

The driver reads the bytes of character columns as EBCDIC where they have few Latin letters, and so loses them. It leaves bytes
alone that are selected FOR BIT DATA; in a database of LUW with the code page 1208 they are UTF-8.

On z/OS each table has an encoding scheme of its own, often EBCDIC. There the server converts: CAST with `CCSID UNICODE` gives
UTF-8, of a length that counts after the conversion, and what becomes FOR BIT DATA is not converted again.

Sources: IBM Db2 for z/OS documentation, "CAST specification", "Conversion rules for string assignment", "Conversion rules for
comparisons" (the CCSID of a CAST), "Unicode CCSIDs"
"""

from __future__ import annotations

from typing import Final

LONGEST_VARCHAR: Final = 32672
_BYTES_OF_A_LETTER: Final = 3  # of UTF-8, at most, of a letter that takes one byte in EBCDIC


def as_utf_8(text: str, size: int, *, is_zos: bool = False) -> str:
    """A text's bytes; `size` is the greatest number of them (`utf_8_size`)."""
    return f"CAST({converted(text, f'VARCHAR({size})', is_zos=is_zos)} AS VARCHAR({size}) FOR BIT DATA)"


def as_large_utf_8(text: str, size: int, *, is_zos: bool = False) -> str:
    """The same of a text that is too long for VARCHAR."""
    if is_zos:
        return f"BLOB({converted(text, f'CLOB({size})', is_zos=True)})"
    return f"CAST({text} AS BLOB({size}))"


def converted(text: str, type_: str, *, is_zos: bool) -> str:
    """A text that is Unicode; it is already on LUW."""
    return f"CAST({text} AS {type_} CCSID UNICODE)" if is_zos else text


def utf_8_size(length: int, *, is_zos: bool = False) -> int:
    """The greatest number of bytes that a text takes of a column with so many bytes."""
    return length * _BYTES_OF_A_LETTER if is_zos else length
