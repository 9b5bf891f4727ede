"""Names of records, enums and fields in Avro, and what becomes of names that Avro forbids.

Java's library takes letters and decimal digits of all alphabets, as far as they are one UTF-16 unit. It does not look at
namespaces.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote_plus

from tailrace.encoding.registered.naming import Naming

_LAST_UNIT = "\uffff"  # what lies behind it is two units, neither of which is a letter to Java
NAMESPACE = "io.confluent.connect.avro"


def is_valid(name: str) -> bool:
    """Whether Java's Avro accepts it as the name of a field or of a type within its namespace."""
    return name != "" and _is_letter(name[0]) and all(_is_letter(c) or _is_digit(c) for c in name)


def _is_letter(c: str) -> bool:
    return c == "_" or (c.isalpha() and c <= _LAST_UNIT)


def _is_digit(c: str) -> bool:
    return c.isdecimal() and c <= _LAST_UNIT


def scrubbed(name: str) -> str:
    """The name with `_` for each character that is no letter of ASCII, digit or underscore, after URL encoding."""
    if not name:
        return name
    encoded = quote_plus(name, safe="*").replace("~", "%7E")
    if encoded[0].isdigit():
        encoded = "x" + encoded
    return "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in encoded)


NAMING: Final = Naming("Avro", "letters", is_valid, scrubbed)
split_name, field_names, checked = NAMING.split_name, NAMING.field_names, NAMING.checked
