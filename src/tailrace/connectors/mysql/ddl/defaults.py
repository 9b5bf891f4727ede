"""The DEFAULT of a column as Debezium keeps it: a text, or None.

None stands for NULL and for what only the server can compute. A string keeps its escapes, a bit or
hexadecimal literal its digits, the current time is the epoch. Debezium cuts the last digit off a hexadecimal
number without quotes (0x1F becomes 1); so does this, since consumers see that text.
"""

from __future__ import annotations

from tailrace.connectors.mysql.ddl.reader import Reader
from tailrace.connectors.mysql.ddl.tokens import Kind

EPOCH = "1970-01-01 00:00:00"
_NOW = ("CURRENT_TIMESTAMP", "NOW", "LOCALTIMESTAMP", "LOCALTIME")
_TEMPORAL = ("DATE", "TIME", "TIMESTAMP")


def read_default(reader: Reader) -> str | None:
    """What comes after DEFAULT."""
    if reader.is_("("):
        reader.skip_parens()
        return None
    if reader.accept("NULL"):
        return None
    if read_now(reader):
        return EPOCH
    return _read_literal(reader)


def read_now(reader: Reader) -> bool:
    """Steps over CURRENT_TIMESTAMP, NOW(3) and their like; False where none comes next."""
    if not reader.accept_any(*_NOW):
        return False
    if reader.is_("("):
        reader.skip_parens()
    return True


def _read_literal(reader: Reader) -> str | None:
    sign = reader.accept_any("-", "+") or ""
    if reader.peek().raw.startswith("_") and reader.peek(1).kind in {Kind.STRING, Kind.BITS}:
        reader.next()
    if reader.peek().kind is Kind.STRING:
        return sign + reader.raw_string()
    token = reader.next()
    if token.kind is Kind.BITS:
        return token.raw[2:-1]
    if token.upper in _TEMPORAL and reader.peek().kind is Kind.STRING:
        return reader.raw_string()
    if token.raw == "{":
        return _read_braced(reader)
    if token.raw == ".":  # .5
        return f"{sign}.{reader.next().raw}"
    if reader.is_("(") and token.kind is Kind.WORD:  # a function without parentheses around it (MariaDB)
        reader.skip_parens()
        return None
    return sign + token.raw


def _read_braced(reader: Reader) -> str:
    reader.name()
    value = reader.raw_string()
    reader.expect("}")
    return value
