"""Character sets and the collations that imply them.

Source: MySQL Reference Manual, "Character Set and Collation Names": a collation's name begins with its
    character set's.
"""

from __future__ import annotations

from tailrace.connectors.mysql.ddl.reader import Reader


def charset_of(collation: str) -> str:
    """The character set that a collation belongs to."""
    return collation.lower().partition("_")[0]


def read_charset(reader: Reader) -> str | None:
    """The name after CHARACTER SET, CHARSET or CHAR SET ("default" for DEFAULT); None where none is next."""
    if not (reader.accept("CHARACTER", "SET") or reader.accept("CHAR", "SET") or reader.accept("CHARSET")):
        return None
    reader.accept("=")
    return reader.text_or_name().lower()


def read_collation(reader: Reader) -> str | None:
    """The name after COLLATE; None where that does not come next."""
    if not reader.accept("COLLATE"):
        return None
    reader.accept("=")
    return reader.text_or_name().lower()


def read_default_charset(reader: Reader) -> str | None:
    """The character set of CHARACTER SET … [COLLATE …] in any order; "default" for DEFAULT. Steps over all other options."""
    found: str | None = None
    while not reader.done:
        charset = read_charset(reader)
        collation = None if charset else read_collation(reader)
        if charset and not (charset == "default" and found):
            found = charset
        elif collation and found in {None, "default"}:
            found = collation if collation == "default" else charset_of(collation)
        elif not charset and not collation:
            reader.next()
    return found
