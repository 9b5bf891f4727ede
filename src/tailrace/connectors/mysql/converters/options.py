"""What the options of MySQL's custom converters have in common: column selectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tailrace.config.property import Kind, Property
from tailrace.config.values import read
from tailrace.java_patterns import compile_java, matches_any
from tailrace.schema.tables import TableId

Selector = Callable[[TableId, str], bool]
"""Whether a column of a table is selected."""


def selector_property(name: str, doc: str) -> Property:
    """A property that is a list of regular expressions for `database.table.column`."""
    return Property(name=name, kind=Kind.REGEXES, doc=f"{doc}: regexes for `database.table.column`.")


def typed(properties: Sequence[Property], texts: Mapping[str, str]) -> dict[str, Any]:
    """The values of properties by attribute, with defaults.

    Raises:
        ValueError: one is wrong; the text begins with its name.

    """
    found: dict[str, Any] = {}
    for prop in properties:
        text = texts.get(prop.name, "").strip()
        try:
            found[prop.attribute] = read(prop, text) if text else prop.default
        except ValueError as error:
            raise ValueError(f"{prop.name} is {text!r}: {error}") from error
    return found


def selector_of(expressions: Sequence[str] | None, *, without: bool) -> Selector:
    """The selector of a property's value; `without` is its answer where there is none."""
    if not expressions:
        return lambda _table, _column: without
    patterns = [compile_java(each) for each in expressions]
    return lambda table, column: matches_any(patterns, f"{table}.{column}")
