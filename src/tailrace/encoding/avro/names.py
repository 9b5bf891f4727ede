"""Names of records, enums and fields in Avro, and what becomes of names that Avro forbids.

Java's library takes letters and decimal digits of all alphabets, as far as they are one UTF-16 unit. It does not look at
namespaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote_plus

from tailrace.errors import ConfigError

_LAST_UNIT = "\uffff"  # what lies behind it is two units, neither of which is a letter to Java
NAMESPACE = "io.confluent.connect.avro"


def split_name(name: str, *, scrub: bool) -> tuple[str, str]:
    """The namespace ("" if there is none) and the short name of a schema's name.

    Raises:
        ConfigError: Avro forbids the short name.

    """
    parts = name.rstrip(".").split(".")
    if scrub:
        parts = [scrubbed(part) for part in parts]
    return ".".join(parts[:-1]), checked(parts[-1], f"the schema name {name}", "schema.name.adjustment.mode")


def field_names(names: Sequence[str], schema: str | None, *, scrub: bool) -> list[str]:
    """The names of the fields of a schema of that name.

    Raises:
        ConfigError: Avro forbids one, or two of them become the same.

    """
    whole = schema or "a struct without a name"
    made: dict[str, str] = {}
    for name in names:
        new = checked(scrubbed(name) if scrub else name, f"the field {name!r} of {whole}", "field.name.adjustment.mode")
        if new in made:
            raise ConfigError(
                f"the fields {made[new]!r} and {name!r} of {whole} would both be {new} in Avro: leave one out "
                "(column.exclude.list), rename one, or set field.name.adjustment.mode=avro_unicode"
            )
        made[new] = name
    return list(made)


def checked(name: str, what: str, adjustment: str) -> str:
    """The name; `what` it names, and the property that adjusts such names, are for the message.

    Raises:
        ConfigError: Avro forbids it.

    """
    if is_valid(name):
        return name
    raise ConfigError(
        f"{what} can't be a name in Avro: names consist of letters, digits and underscores and don't begin with a digit. "
        f"Set {adjustment}=avro (it changes the name in all formats) or scrub.invalid.names=true of the converter"
    )


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
