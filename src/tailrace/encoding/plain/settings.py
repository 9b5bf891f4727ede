"""The properties of Kafka's converters of single values.

Source: Kafka's documentation of Connect, "Converters"; the Javadoc of `org.apache.kafka.connect.converters`.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tailrace.config.problems import Problems
from tailrace.config.property import Property, PropertyTables
from tailrace.converter_classes import NUMBERS, STRING, UTF_8
from tailrace.encoding.converter_properties import read_properties
from tailrace.errors import ConfigError
from tailrace.schema.connect import Type

WITH_MARK: Final = "utf-16"
"""Java's UTF-16 is big-endian with a mark at the beginning."""

_ENCODINGS: Final = re.compile(
    r"utf-?(8|16|16be|16le|32be|32le)|us-?ascii|(iso-?8859-?|windows-|cp-?)\d+|latin-?1|gbk|gb18030|gb2312|big5|shift[-_]jis"
    r"|euc-(jp|kr)|koi8-[ru]"
)
TABLES: Final = PropertyTables(())
STRING_TABLES: Final = PropertyTables(
    (
        (
            "Text",
            (
                Property(
                    name="converter.encoding",
                    default="UTF-8",
                    doc="The character set of the bytes, by Java's name. What it has no character for becomes `?`.",
                ),
            ),
            (),
        ),
    )
)


@dataclass(frozen=True, slots=True)
class PlainSettings:
    """The settings of a converter of single values.

    Attributes:
        part: `key`, `value` or `header`.
        type: of the values that it takes; None: every type (text).
        encoding: of text, by Python's name.

    """

    part: str
    type: Type | None
    encoding: str = UTF_8


def tables_of(name: str) -> PropertyTables:
    """The properties of a converter's class."""
    return STRING_TABLES if name == STRING else TABLES


def plain_settings(converter: str, part: str, properties: Mapping[str, str], problems: Problems) -> PlainSettings:
    """The settings of a converter. Raises `ConfigError`; what is wrong is among `problems`, too."""
    read = read_properties(tables_of(converter), f"{part}.converter.", properties, problems)
    if converter != STRING:
        return PlainSettings(part, NUMBERS.get(converter, Type.BYTES))
    given = read.text("converter.encoding")
    encoding = _encoding(given)
    if encoding is None:
        message = f"{part}.converter.converter.encoding={given} is no character set that is known here; UTF-8 is one"
        problems.add(message)
        raise ConfigError(message)
    return PlainSettings(part, None, encoding)


def _encoding(name: str) -> str | None:
    """Python's name of a character set of Java; None if it is not known."""
    given = name.strip().lower()
    if not _ENCODINGS.fullmatch(given):
        return None
    try:
        return codecs.lookup(given).name
    except LookupError:
        return None
