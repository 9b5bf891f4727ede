"""Kafka Connect's schemas, as trees: they describe the keys and values of change events.

An encoder takes such a schema and columns. JSON, Avro and CloudEvents can therefore be encoders of the same events, instead of
pipelines of their own. Names are from the documentation of `org.apache.kafka.connect.data.Schema`.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, replace
from typing import Any, Final


class Type(enum.StrEnum):
    """Kafka Connect's types, with the names that its JsonConverter writes."""

    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    FLOAT32 = "float"
    FLOAT64 = "double"
    BOOLEAN = "boolean"
    STRING = "string"
    BYTES = "bytes"
    STRUCT = "struct"
    ARRAY = "array"
    MAP = "map"


class _NoDefault(enum.Enum):
    NO_DEFAULT = enum.auto()


NO_DEFAULT: Final = _NoDefault.NO_DEFAULT


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema: one node of the tree.

    `default` is the value as the JsonConverter writes it (bytes as `bytes`), or `NO_DEFAULT`. `None` is not used: Kafka
    Connect does not distinguish a default of null from no default.
    """

    type: Type
    optional: bool = False
    name: str | None = None
    version: int | None = None
    doc: str | None = None
    parameters: tuple[tuple[str, str], ...] = ()
    default: Any = NO_DEFAULT
    fields: tuple[Field, ...] = ()  # of a struct
    items: Schema | None = None  # of an array, or a map's values
    keys: Schema | None = None  # of a map

    def with_(self, **changes: Any) -> Schema:
        """A copy with changed attributes."""
        return replace(self, **changes)

    def without(self, *names: str) -> Schema:
        """A copy without any versions and without fields of these names, at every depth."""
        fields = tuple(Field(each.name, each.schema.without(*names)) for each in self.fields if each.name not in names)
        items = None if self.items is None else self.items.without(*names)
        return replace(self, version=None, fields=fields, items=items)

    def field(self, name: str) -> Field:
        """The field of that name.

        Raises:
            KeyError: the struct has none.

        """
        for candidate in self.fields:
            if candidate.name == name:
                return candidate
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a struct."""

    name: str
    schema: Schema = field(repr=False)
