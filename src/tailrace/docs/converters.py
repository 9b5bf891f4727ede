"""Renders the reference page of converters from their tables of properties."""

from __future__ import annotations

from typing import Final

from tailrace.config.property import Family, Property, Status
from tailrace.converter_classes import JSON, SIMPLE_HEADERS, STRING
from tailrace.docs.tables import code, property_cells, table
from tailrace.encoding.converters import CONVERTERS, OwnConverter

_OWN: Final = "\n".join(f"| `{name}` | {own.writes} |" for name, own in CONVERTERS.items())
_INTRODUCTION: Final = f"""\
# Converters

<!-- Rendered from the property tables: python -m tailrace.docs -->

A converter makes bytes of keys and values. `key.converter` and `value.converter` are chosen apart, by the Java class names that
Kafka Connect has; a property of one is `key.converter.<property>` or `value.converter.<property>`. `--worker FILE` takes them
from the properties file of a Connect worker.

| Class | What it writes |
| --- | --- |
| `{JSON}` | JSON, with schemas (`schemas.enable`, the default) or without |
| `{STRING}` | what Java's `toString` makes of a key or value: a text as it is, `Struct{{id=1}}` |
{_OWN}

Headers are written by `header.converter`: `{SIMPLE_HEADERS}` (the default) writes texts as they are and
everything else as JSON without schemas, `{JSON}` writes JSON.
"""
_HEADER: Final = ("Property", "Type", "Default", "Allowed", "Status", "Meaning")


def converters_page() -> str:
    """The page of converters."""
    return "\n".join([_INTRODUCTION, *(_section(name, own) for name, own in CONVERTERS.items())])


def _section(name: str, own: OwnConverter) -> str:
    tables = own.reading().tables(name)
    known: tuple[Property | Family, ...] = (*tables.properties, *tables.families)
    lines = [f"## {own.title}", "", code(name), "", *table(_HEADER, map(_row, known))]
    return "\n".join(lines) + "\n"


def _row(prop: Property | Family) -> tuple[str, ...]:
    status = "refused" if prop.status is Status.REFUSED else "ignored" if prop.status is not Status.WORKS else "works"
    meaning = prop.doc if prop.status is Status.WORKS else f"{prop.reason[:1].upper()}{prop.reason[1:]}."
    cells = property_cells(prop) if isinstance(prop, Property) else (code(prop.name), prop.kind.value, "", "")
    return (*cells, status, meaning)
