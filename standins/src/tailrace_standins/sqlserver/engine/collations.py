"""Collations for SQLite: case- and accent-sensitive or not, or by code points; trailing spaces are always ignored.

Source: "Collation and Unicode support",
https://learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support
"""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from tailrace_standins.sqlserver.engine.types import family
from tailrace_standins.sqlserver.values import SqlType

# Signs sort before digits, digits before letters.
_SIGNS: Final = {code: chr(1 + code // 8) + chr(code) for code in range(33, 127) if not chr(code).isalnum()}


def suffix(of: SqlType) -> str:
    """` COLLATE name` for a comparison of that type, or nothing."""
    kind = family(of)
    if kind == "text":
        return f" COLLATE {name(of.collation or '')}"
    return " COLLATE t_offset" if kind == "offset" else ""


def name(collation: str) -> str:
    """SQLite's name for a collation of SQL Server, by the parts of its name."""
    parts = collation.upper().split("_")
    if "BIN2" in parts or "BIN" in parts:
        return "t_bin"
    if "CS" in parts:
        return "t_cs"
    return "t_ai" if "AI" in parts else "t_ci"


@lru_cache(maxsize=65536)
def _insensitive(text: str) -> tuple[str, str]:
    folded = text.rstrip(" ").casefold()
    if folded.isascii():
        return folded.translate(_SIGNS), ""
    decomposed = unicodedata.normalize("NFD", folded)
    base = "".join(c for c in decomposed if not unicodedata.combining(c))
    return base.translate(_SIGNS), "".join(c for c in decomposed if unicodedata.combining(c)) and folded


@lru_cache(maxsize=65536)
def _sensitive(text: str) -> tuple[str, str, str]:
    return (*_insensitive(text), text.rstrip(" ").swapcase())


def _ci(a: str, b: str) -> int:
    if a == b:
        return 0
    x, y = _insensitive(a), _insensitive(b)
    return (x > y) - (x < y)


def _cs(a: str, b: str) -> int:
    x, y = _sensitive(a), _sensitive(b)
    return (x > y) - (x < y)


def _ai(a: str, b: str) -> int:
    x, y = _insensitive(a)[0], _insensitive(b)[0]
    return (x > y) - (x < y)


def _bin(a: str, b: str) -> int:
    x, y = a.rstrip(" "), b.rstrip(" ")
    return (x > y) - (x < y)


def _offset(a: str, b: str) -> int:
    return (a[:27] > b[:27]) - (a[:27] < b[:27])


_COLLATIONS: Final[dict[str, Callable[[str, str], int]]] = {
    "t_ci": _ci,
    "t_cs": _cs,
    "t_ai": _ai,
    "t_bin": _bin,
    "t_offset": _offset,
}


def register(connection: sqlite3.Connection) -> None:
    """Make the collations known to a connection."""
    for known, compare in _COLLATIONS.items():
        connection.create_collation(known, compare)
