"""Names of messages and fields in Protobuf, and what becomes of names that Protobuf forbids."""

from __future__ import annotations

import re
from typing import Final

from tailrace.encoding.avro import names as avro_names
from tailrace.errors import ConfigError

UNNAMED: Final = "ConnectDefault"
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def split_name(name: str, *, scrub: bool) -> tuple[str, str]:
    """The package ("" if there is none) and the short name of a schema's name.

    Raises:
        ConfigError: Protobuf forbids the short name.

    """
    parts = name.rstrip(".").split(".")
    if scrub:
        parts = [scrubbed(part) for part in parts]
    return ".".join(parts[:-1]), checked(parts[-1], f"the schema name {name}", "schema.name.adjustment.mode")


def field_names(names: list[str], schema: str | None, *, scrub: bool) -> list[str]:
    """The names of the fields of a schema of that name.

    Raises:
        ConfigError: Protobuf forbids one, or two of them become the same.

    """
    whole = schema or "a struct without a name"
    made: dict[str, str] = {}
    for name in names:
        what = f"the field {name!r} of {whole}"
        new = checked(scrubbed(name) if scrub else name, what, "field.name.adjustment.mode")
        if new in made:
            raise ConfigError(
                f"the fields {made[new]!r} and {name!r} of {whole} would both be {new} in Protobuf: leave one out "
                "(column.exclude.list), rename one, or set field.name.adjustment.mode=avro_unicode"
            )
        made[new] = name
    return list(made)


def checked(name: str, what: str, adjustment: str) -> str:
    """The name; `what` it names, and the property that adjusts such names, are for the message.

    Raises:
        ConfigError: Protobuf forbids it.

    """
    if _IDENTIFIER.fullmatch(name):
        return name
    raise ConfigError(
        f"{what} can't be a name in Protobuf: names consist of letters of ASCII, digits and underscores and don't begin with "
        f"a digit. Set {adjustment}=avro (it changes the name in all formats) or scrub.invalid.names=true of the converter"
    )


def scrubbed(name: str) -> str:
    """The name as Avro's converter replaces it, but with `x` before a leading underscore too."""
    return f"x{name}" if name.startswith("_") else avro_names.scrubbed(name)


def entry_name(name: str) -> str:
    """The name of the message of a map's entries: `a_map` becomes `AMapEntry`."""
    if "_" in name:
        name = "".join(word[:1].upper() + word[1:].lower() for word in name.split("_"))
    return f"{name}Entry"
