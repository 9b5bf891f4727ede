"""The settings of Kafka's JsonConverter where another converter has one inside."""

from __future__ import annotations

from typing import Final

from tailrace.config.properties.json_converter import NUMERIC, json_properties
from tailrace.config.property import PropertyTables
from tailrace.encoding.converter_properties import ConverterProperties
from tailrace.encoding.json_format import JsonFormat

TABLES: Final = PropertyTables((("JSON", json_properties("value"), ()),))


def json_format_of(read: ConverterProperties, beginning: str = "") -> JsonFormat:
    """The format that properties ask for; their names begin with `beginning`."""
    return JsonFormat(
        read.flag(f"{beginning}schemas.enable"),
        read.flag(f"{beginning}replace.null.with.default"),
        read.text(f"{beginning}decimal.format") == NUMERIC,
    )
