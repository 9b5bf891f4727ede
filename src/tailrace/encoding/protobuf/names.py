"""Names of messages and fields in Protobuf, and what becomes of names that Protobuf forbids."""

from __future__ import annotations

import re
from typing import Final

from tailrace.encoding.avro import names as avro_names
from tailrace.encoding.registered.naming import Naming

UNNAMED: Final = "ConnectDefault"
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_valid(name: str) -> bool:
    """Whether Protobuf takes it as a name."""
    return _IDENTIFIER.fullmatch(name) is not None


def scrubbed(name: str) -> str:
    """The name as Avro's converter replaces it, but with `x` before a leading underscore too."""
    return avro_names.scrubbed(f"x{name}" if name.startswith("_") else name)


def entry_name(name: str) -> str:
    """The name of the message of a map's entries: `a_map` becomes `AMapEntry`."""
    if "_" in name:
        name = "".join(word[:1].upper() + word[1:].lower() for word in name.split("_"))
    return f"{name}Entry"


NAMING: Final = Naming("Protobuf", "letters of ASCII", is_valid, scrubbed)
split_name, field_names, checked = NAMING.split_name, NAMING.field_names, NAMING.checked
