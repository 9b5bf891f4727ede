"""Avro's schemas as trees, and their text as Avro's Java library writes it.

A named type is written out where it comes first, and by its name wherever the same object comes again: by its short name
within its namespace, else by its full name. Properties stand in the order in which they were given.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tailrace.encoding.registered import json_text
from tailrace.encoding.registered.json_text import Member
from tailrace.errors import ConfigError


@dataclass(frozen=True, slots=True, eq=False)
class Primitive:
    """`int`, `string` and so on."""

    name: str
    properties: tuple[Member, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ArrayOf:
    """An array."""

    items: AvroType
    properties: tuple[Member, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class MapOf:
    """A map; its keys are text."""

    values: AvroType
    properties: tuple[Member, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Union:
    """A union."""

    branches: tuple[AvroType, ...]


@dataclass(frozen=True, slots=True, eq=False)
class AvroField:
    """A field of a record; `default` is the text of the default, if it has one."""

    name: str
    type: AvroType
    doc: str | None = None
    default: str | None = None
    properties: tuple[Member, ...] = ()


@dataclass(slots=True, eq=False)
class Record:
    """A record; its fields are set when they are known, since they may refer to it."""

    name: str
    namespace: str
    doc: str | None = None
    fields: tuple[AvroField, ...] = ()
    properties: tuple[Member, ...] = ()

    @property
    def full_name(self) -> str:
        """The name with the namespace."""
        return f"{self.namespace}.{self.name}" if self.namespace else self.name


@dataclass(slots=True, eq=False)
class Named:
    """An enum, with `symbols`, or a fixed type, with a `size`."""

    name: str
    namespace: str
    doc: str | None = None
    symbols: tuple[str, ...] = ()
    default: str | None = None
    size: int | None = None
    properties: tuple[Member, ...] = field(default=())

    @property
    def full_name(self) -> str:
        """The name with the namespace."""
        return f"{self.namespace}.{self.name}" if self.namespace else self.name


AvroType = Primitive | ArrayOf | MapOf | Union | Record | Named


def type_text(type_: AvroType, known: Iterable[Record | Named] = ()) -> str:
    """The text of a schema; types that are `known` elsewhere are written as their names.

    Raises:
        ConfigError: two types that differ have one name.

    """
    return _Writer({each.full_name: each for each in known if each is not type_}).write(type_, "")


class _Writer:
    """Writes one schema; `seen` are the named types that were written already."""

    def __init__(self, seen: dict[str, Record | Named]) -> None:
        self._seen = seen

    def write(self, type_: AvroType, space: str) -> str:
        """The text of a type where `space` is the namespace."""
        if isinstance(type_, Union):
            return json_text.items(self.write(each, space) for each in type_.branches)
        if isinstance(type_, Primitive):
            name = json_text.text(type_.name)
            return json_text.members((("type", name), *type_.properties)) if type_.properties else name
        if isinstance(type_, ArrayOf):
            return json_text.members(
                (("type", '"array"'), ("items", self.write(type_.items, space)), *type_.properties)
            )
        if isinstance(type_, MapOf):
            return json_text.members(
                (("type", '"map"'), ("values", self.write(type_.values, space)), *type_.properties)
            )
        return self._named(type_, space)

    def _named(self, type_: Record | Named, space: str) -> str:
        found = self._seen.get(type_.full_name)
        if found is type_:
            return json_text.text(type_.name if type_.namespace in {"", space} else type_.full_name)
        if found is not None:
            raise ConfigError(
                f"the schema has two types of the name {type_.full_name} that differ, which Avro does not allow: "
                "give one of the columns another type or leave it out, or rename its schema with a transform"
            )
        self._seen[type_.full_name] = type_
        parts: list[Member] = [("type", '"record"' if isinstance(type_, Record) else _kind(type_))]
        parts.append(("name", json_text.text(type_.name)))
        if type_.namespace != space:
            parts.append(("namespace", json_text.text(type_.namespace)))
        if type_.doc is not None:
            parts.append(("doc", json_text.text(type_.doc)))
        parts += self._fields(type_) if isinstance(type_, Record) else _contents(type_)
        return json_text.members((*parts, *type_.properties))

    def _fields(self, record: Record) -> list[Member]:
        return [("fields", json_text.items(self._field(each, record.namespace) for each in record.fields))]

    def _field(self, each: AvroField, space: str) -> str:
        parts = [("name", json_text.text(each.name)), ("type", self.write(each.type, space))]
        if each.doc is not None:
            parts.append(("doc", json_text.text(each.doc)))
        if each.default is not None:
            parts.append(("default", each.default))
        return json_text.members((*parts, *each.properties))


def _kind(type_: Named) -> str:
    return '"enum"' if type_.size is None else '"fixed"'


def _contents(type_: Named) -> list[Member]:
    if type_.size is not None:
        return [("size", str(type_.size))]
    parts = [("symbols", json_text.items(map(json_text.text, type_.symbols)))]
    return parts if type_.default is None else [*parts, ("default", json_text.text(type_.default))]
