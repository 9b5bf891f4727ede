"""Renders the reference page of converters from their tables of properties."""

from __future__ import annotations

from typing import Final

from tailrace.config.property import Family, Property, PropertyTables, Status
from tailrace.converter_classes import JSON, OF_HEADERS, SIMPLE_HEADERS
from tailrace.docs.tables import code, property_cells, table
from tailrace.encoding.converters import CONVERTERS
from tailrace.encoding.json_properties import TABLES as JSON_TABLES

_OWN: Final = "\n".join(f"| `{name}` | {own.writes} | {own.compared} |" for name, own in CONVERTERS.items())
_OF_HEADERS: Final = ", ".join(f"`{name}`" for name in OF_HEADERS)
_INTRODUCTION: Final = f"""\
# Converters

<!-- Rendered from the property tables: python -m tailrace.docs -->

A converter makes bytes of keys and values. `key.converter` and `value.converter` are chosen apart, by the Java class names that
Kafka Connect has; a property of one is `key.converter.<property>` or `value.converter.<property>`. `--worker FILE` takes them
from the properties file of a Connect worker.

| Class | What it writes | Compared with |
| --- | --- | --- |
| `{JSON}` | JSON, with schemas (`schemas.enable`, the default) or without | Kafka Connect's class, 4.3.1 |
{_OWN}

Converters of single values (bytes, numbers) fail on structs, as in Kafka Connect, so that they are refused without transforms.

`header.converter` writes headers: `{SIMPLE_HEADERS}` (the default) writes texts as they are, bytes in
base64, moments as ISO 8601 has them and everything else as JSON without schemas; `{JSON}` writes JSON. So do
{_OF_HEADERS}, each in its own form.

Files and the console take JSON and CloudEvents in JSON, and headers in JSON; DataFrames take any text.
"""
_NONE: Final = "It has no properties."
_HEADER: Final = ("Property", "Type", "Default", "Allowed", "Status", "Meaning")


def converters_page() -> str:
    """The page of converters."""
    own = [_section(each.title, name, each.reading().tables(name)) for name, each in CONVERTERS.items()]
    return "\n".join([_INTRODUCTION, _section("JSON", JSON, JSON_TABLES), *own])


def _section(title: str, name: str, tables: PropertyTables) -> str:
    known: tuple[Property | Family, ...] = (*tables.properties, *tables.families)
    lines = [f"## {title}", "", code(name), "", *(table(_HEADER, map(_row, known)) if known else [_NONE])]
    return "\n".join(lines) + "\n"


def _row(prop: Property | Family) -> tuple[str, ...]:
    status = "refused" if prop.status is Status.REFUSED else "ignored" if prop.status is not Status.WORKS else "works"
    meaning = prop.doc if prop.status is Status.WORKS else f"{prop.reason[:1].upper()}{prop.reason[1:]}."
    cells = property_cells(prop) if isinstance(prop, Property) else (code(prop.name), prop.kind.value, "", "")
    return (*cells, status, meaning)
