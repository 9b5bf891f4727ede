"""Collations: their five bytes on the wire, and the code page of their varchar.

The bytes are 20 bits of locale (LCID), flags of what comparisons ignore, a flag for UTF-8, four bits of version, and a byte
with the sort id of the SQL collations.

Sources: [MS-TDS] 2.2.5.1.2 Collation Rule Definition;
"Windows collation name", https://learn.microsoft.com/sql/t-sql/statements/windows-collation-name-transact-sql;
"SQL Server collation name", https://learn.microsoft.com/sql/t-sql/statements/sql-server-collation-name-transact-sql
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache
from typing import Final

from tailrace_standins.sqlserver.session import SqlError
from tailrace_standins.sqlserver.values import DEFAULT_COLLATION

_CASE, _ACCENT, _KANA, _WIDTH, _BINARY, _BINARY2, _UTF8 = (1 << bit for bit in range(20, 27))
_LOCALE: Final = 0xFFFFF
_UNKNOWN_COLLATION: Final = 448
_UTF8_PAGE: Final = 65001
_SQL_ORDERS: Final = {
    "SQL_Latin1_General_CP1_CI_AS": 52,
    "SQL_Latin1_General_CP1_CS_AS": 51,
    "SQL_Latin1_General_CP1_CI_AI": 54,
}
_LOCALES: Final = {
    "SQL_Latin1_General_CP1": (0x0409, "cp1252"),
    "Latin1_General": (0x0409, "cp1252"),
    "French": (0x040C, "cp1252"),
    "Finnish_Swedish": (0x040B, "cp1252"),
    "Danish_Norwegian": (0x0406, "cp1252"),
    "Modern_Spanish": (0x0C0A, "cp1252"),
    "Czech": (0x0405, "cp1250"),
    "Polish": (0x0415, "cp1250"),
    "Hungarian": (0x040E, "cp1250"),
    "Cyrillic_General": (0x0419, "cp1251"),
    "Greek": (0x0408, "cp1253"),
    "Turkish": (0x041F, "cp1254"),
    "Hebrew": (0x040D, "cp1255"),
    "Arabic": (0x0401, "cp1256"),
    "Japanese": (0x0411, "cp932"),
    "Korean_Wansung": (0x0412, "cp949"),
    "Chinese_PRC": (0x0804, "cp936"),
    "Chinese_Taiwan_Stroke": (0x0404, "cp950"),
}
_VERSIONS: Final = {"90": 1, "100": 2, "140": 3}
_MARKS: Final = frozenset({"CI", "CS", "AI", "AS", "KS", "WS", "SC", "VSS", "BIN", "BIN2", "UTF8", *_VERSIONS})


@dataclass(frozen=True, slots=True)
class Collation:
    """A collation's bytes on the wire, and Python's name of the encoding of its varchar."""

    data: bytes
    encoding: str


@cache
def collation(name: str | None) -> Collation:
    """The collation of that name; None means the server's. Raises `SqlError` 448 for an unknown one."""
    whole = name or DEFAULT_COLLATION
    words = whole.split("_")
    marks = {word.upper() for word in words if word.upper() in _MARKS}
    base = "_".join(word for word in words if word.upper() not in _MARKS)
    found = next((found for known, found in _LOCALES.items() if known.lower() == base.lower()), None)
    if found is None or not marks:
        raise SqlError(_UNKNOWN_COLLATION, f"Invalid collation '{whole}'.")
    locale, encoding = found
    order = next((order for known, order in _SQL_ORDERS.items() if known.lower() == whole.lower()), 0)
    number = locale | _flags(marks) | next((v << 28 for word, v in _VERSIONS.items() if word in marks), 0)
    return Collation(struct.pack("<IB", number, order), "utf-8" if "UTF8" in marks else encoding)


def properties(name: str) -> dict[str, int]:
    """The properties of the collation of that name, as COLLATIONPROPERTY tells them. Raises as `collation` does.

    Source: https://learn.microsoft.com/sql/t-sql/functions/collation-functions-collationproperty-transact-sql
    """
    found = collation(name)
    number = int.from_bytes(found.data[:4], "little")
    styles = {_CASE: 1, _ACCENT: 2, _KANA: 0x10000, _WIDTH: 0x20000}
    return {
        "codepage": _UTF8_PAGE if found.encoding == "utf-8" else int(found.encoding.removeprefix("cp")),
        "lcid": number & _LOCALE,
        "comparisonstyle": sum(style for bit, style in styles.items() if number & bit),
        "version": number >> 28,
    }


@cache
def encoding_of(data: bytes) -> str:
    """Python's name of the varchar encoding of a collation, given as a client's five bytes."""
    number = int.from_bytes(data[:4], "little")
    if number & _UTF8:
        return "utf-8"
    locale = number & _LOCALE
    return next((encoding for known, encoding in _LOCALES.values() if known == locale), "cp1252")


def _flags(marks: set[str]) -> int:
    utf8 = _UTF8 if "UTF8" in marks else 0
    if "BIN2" in marks:
        return utf8 | _BINARY2
    if "BIN" in marks:
        return utf8 | _BINARY
    ignored = {"CI": _CASE, "AI": _ACCENT}
    flags = sum(bit for word, bit in ignored.items() if word in marks)
    return utf8 | flags | (0 if "KS" in marks else _KANA) | (0 if "WS" in marks else _WIDTH)
