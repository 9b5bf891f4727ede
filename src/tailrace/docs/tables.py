"""Tables of the reference pages, and what all of them say of a property."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tailrace.config.property import Property
from tailrace.config.values import allowed_in_words


def code(text: str) -> str:
    """A text as code."""
    return f"`{text}`"


def table(header: Sequence[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """The lines of a table."""
    return [_line(header), _line("---" for _ in header), *map(_line, rows)]


def property_cells(prop: Property) -> tuple[str, str, str, str]:
    """Name, kind, default and allowed values of a property of a transform or a converter."""
    shown = str(prop.default).lower() if isinstance(prop.default, bool) else prop.default
    shown = ",".join(shown) if isinstance(shown, tuple) else shown
    default = "required" if prop.required else code(str(shown)) if shown not in {None, ""} else ""
    allowed = ", ".join(map(code, prop.allowed)) or allowed_in_words(prop)
    return code(prop.name), prop.kind.value, default, allowed


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"
