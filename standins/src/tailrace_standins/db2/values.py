"""Db2's types, and their Python values between wire and engine.

| types | value |
| --- | --- |
| smallint, integer, bigint | int |
| decimal | Decimal, with the type's scale |
| decfloat (precision 16 or 34) | Decimal, also NaN, sNaN and Infinity |
| real, double | float |
| boolean | bool |
| char, varchar, long varchar, clob, xml | str |
| graphic, vargraphic, long vargraphic, dbclob | str |
| char, varchar, long varchar with `bit_data`; binary, varbinary, blob | bytes |
| date | str, `2024-02-29` |
| time | str, `12:34:56` |
| timestamp(n) | str, `2024-02-29 12:34:56.123456`, with n (0-12) fractional digits, none for 0 |
| all | None for NULL |

Dates and times are text, because Python's types have neither twelve fractional digits nor the hour 24 that Db2 allows.

Source: IBM Db2 documentation, "SQL data types" (SQL reference)
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

Value: TypeAlias = int | float | bool | Decimal | str | bytes | None


@dataclass(frozen=True, slots=True)
class SqlType:
    """A type with its facets.

    Attributes:
        name: in lower case, from the table above.
        length: of character, graphic and binary types and large objects: bytes, or double-byte characters of graphic types.
        precision: digits of decimal; 16 or 34 of decfloat.
        scale: of decimal; fractional digits of timestamp.
        bit_data: FOR BIT DATA, of char, varchar and long varchar.

    """

    name: str
    length: int = 0
    precision: int = 0
    scale: int = 0
    bit_data: bool = False
