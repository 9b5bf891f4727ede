"""The properties and settings of Debezium's BinaryDataConverter, which was named ByteArrayConverter before.

Source: Debezium's documentation, "Outbox Event Router", and the converter's list of properties (3.6).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tailrace.config.problems import Problems
from tailrace.config.property import Property, PropertyTables, Status, prefixed
from tailrace.encoding.converter_properties import read_properties
from tailrace.encoding.nested import Nested, known_inside, nested_settings, within
from tailrace.errors import ConfigError

DELEGATE: Final = "delegate.converter.type"
TABLES: Final = PropertyTables(
    (
        (
            "Delegate",
            (
                Property(
                    name=DELEGATE,
                    doc="The class of the converter for what is not bytes; without it such records fail.",
                ),
            ),
            (prefixed(f"{DELEGATE}.", "Properties of that converter.", Status.WORKS, ""),),
        ),
    )
)


@dataclass(frozen=True, slots=True)
class BinaryDataSettings:
    """The settings of a converter.

    Attributes:
        part: `key`, `value` or `header`.
        delegate: the converter for what is not bytes; None: there is none.

    """

    part: str
    delegate: Nested | None


def tables_of(_name: str) -> PropertyTables:
    """The properties of the converter."""
    return TABLES


def binary_data_settings(
    converter: str, part: str, properties: Mapping[str, str], problems: Problems
) -> BinaryDataSettings:
    """The settings of the converter. Raises `ConfigError`; what is wrong is among `problems`, too."""
    prefix = f"{part}.converter."
    read = read_properties(TABLES, prefix, properties, problems)
    delegate = read.text(DELEGATE).strip()
    if not delegate:
        return BinaryDataSettings(part, None)
    if part == "header":
        problems.warn(f"{prefix}{DELEGATE} has no effect: the converter reads it for keys and values only, as in Debezium")
        return BinaryDataSettings(part, None)
    if delegate == converter or not known_inside(delegate):
        message = f"{prefix}{DELEGATE}={delegate} is no converter that is known here"
        problems.add(message)
        raise ConfigError(message)
    nested = nested_settings(delegate, part, f"{DELEGATE}.", within(f"{DELEGATE}.", properties), problems)
    if nested is None:
        raise ConfigError(f"{prefix}{DELEGATE} can't be made")  # what is wrong is among the problems
    return BinaryDataSettings(part, nested)
