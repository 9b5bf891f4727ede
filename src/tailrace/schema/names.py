"""Names: of topics, of schemas and of their fields, and what happens to characters that they must not hold.

A topic is named after prefix, database, schema and table, as far as the database has them (`routing.py`); what Kafka does not
allow in a topic's name becomes `_`.
Schemas are named after the topic. Where the names must suit Avro as well (`schema.name.adjustment.mode`,
`field.name.adjustment.mode`), whatever Avro does not allow becomes `_`, or, without loss, `_u` and the
character's number. Names are taken apart as Java does it, in UTF-16 units: a character beyond the basic plane
becomes two. A digit that a name begins with has a `_` before it; in names of schemas of the older shapes it is replaced.

Different names may become the same one: `Names` says so once, since consumers would see two tables as one.
"""

from __future__ import annotations

import logging
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tailrace.errors import StructureError
from tailrace.schema.event_shapes import CURRENT
from tailrace.schema.routing import Routing
from tailrace.schema.tables import TableId

log = logging.getLogger(__name__)

LONGEST_TOPIC = 249
_LETTERS = frozenset(string.ascii_letters)
_DIGITS = frozenset(string.digits)
_TOPIC = _LETTERS | _DIGITS | frozenset("._-")
_INNER = _LETTERS | _DIGITS | frozenset("_")

Adjuster = Callable[[str], str]


def schema_name_adjuster(mode: str, shape: str = CURRENT) -> Adjuster:
    """How names of schemas are adjusted in a mode (`none`, `avro`, `avro_unicode`); they keep their dots."""
    if mode == "avro" and shape != CURRENT:
        return lambda name: _underscored(_without_first_digit(name), _INNER | {"."})
    return _adjuster(mode, dots=True)


def field_name_adjuster(mode: str) -> Adjuster:
    """How names of fields are adjusted in a mode (`none`, `avro`, `avro_unicode`)."""
    return _adjuster(mode, dots=False)


def sanitized_topic(name: str) -> str:
    """The name with every character that Kafka does not allow replaced, and not too long for it."""
    clean = "".join(c if c in _TOPIC else "_" for c in _utf16(name))[:LONGEST_TOPIC]
    return "_" * len(clean) if clean in {".", ".."} else clean


class NameSettings(Protocol):
    """What names go by: the settings have it, from the properties of the same names."""

    @property
    def topic_prefix(self) -> str:
        """What topics begin with."""

    @property
    def topic_transaction(self) -> str:
        """What the topic of transactions ends with."""

    @property
    def topic_heartbeat_prefix(self) -> str:
        """What the topic of heartbeats begins with."""

    @property
    def topic_heartbeat_name(self) -> str | None:
        """The whole name of that topic; None: it is made of the prefixes."""

    @property
    def schema_name_adjustment_mode(self) -> str:
        """How names of schemas are adjusted."""

    @property
    def field_name_adjustment_mode(self) -> str:
        """How names of fields are adjusted."""

    @property
    def tailrace_event_shape(self) -> str:
        """Which field set the events have."""

    @property
    def routing(self) -> Routing:
        """Which topic a table's changes go to."""


@dataclass(slots=True)
class Names:
    """The names that one configuration gives; remembers them, to notice when two tables get the same."""

    settings: NameSettings
    schema_name: Adjuster = field(init=False)
    field_name: Adjuster = field(init=False)
    _origins: dict[str, TableId] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        mode, shape = self.settings.schema_name_adjustment_mode, self.settings.tailrace_event_shape
        self.schema_name = schema_name_adjuster(mode, shape)
        self.field_name = field_name_adjuster(self.settings.field_name_adjustment_mode)

    def topic(self, table: TableId) -> str:
        """The topic of a table's changes."""
        wanted = self.settings.routing.topic(self.settings.topic_prefix, table)
        name = sanitized_topic(wanted)
        if name != wanted:
            log.warning(
                "the changes of %s go to the topic %s: %r can't be a topic's name", table, name, wanted
            )
        self._note(name, table)
        return name

    def _note(self, name: str, table: TableId) -> None:
        first = self._origins.setdefault(name, table)
        if first != table:
            log.warning(
                "the tables %s and %s share the topic %s: their names differ too little", first, table, name
            )

    def fields(self, table: TableId, columns: Sequence[str]) -> list[str]:
        """The names of a table's fields.

        Raises:
            StructureError: two columns would become one field.

        """
        names = [self.field_name(column) for column in columns]
        seen: dict[str, str] = {}
        for column, name in zip(columns, names, strict=True):
            if name in seen:
                raise StructureError(
                    f"the columns {seen[name]!r} and {column!r} of {table} both become the field {name!r}: "
                    "exclude one (column.exclude.list) or set field.name.adjustment.mode=avro_unicode"
                )
            seen[name] = column
        return names

    @property
    def schema_change_topic(self) -> str:
        """The topic of changes of structure."""
        return self.settings.topic_prefix

    @property
    def transaction_topic(self) -> str:
        """The topic of transactions' beginnings and ends."""
        parts = (self.settings.topic_prefix, self.settings.topic_transaction)
        return self.settings.routing.delimiter.join(parts)

    @property
    def heartbeat_topic(self) -> str:
        """The topic of heartbeats."""
        if self.settings.topic_heartbeat_name:
            return self.settings.topic_heartbeat_name
        parts = (self.settings.topic_heartbeat_prefix, self.settings.topic_prefix)
        return self.settings.routing.delimiter.join(parts)


def _adjuster(mode: str, *, dots: bool) -> Adjuster:
    if mode == "none":
        return str
    if mode == "avro":
        return lambda name: _underscored(name, _INNER | {"."} if dots else _INNER)
    inner = _INNER - {"_"}  # it marks the numbers, so that it can't stand for itself
    return lambda name: _numbered(name, inner | {"."} if dots else inner)


def _without_first_digit(name: str) -> str:
    return "_" + name[1:] if name[:1] in _DIGITS else name


def _underscored(name: str, inner: frozenset[str]) -> str:
    if not name:
        return name
    first, rest = name[0], name[1:]
    head = first if first in _LETTERS or first == "_" else "".join("_" for _ in _utf16(first))
    if first in _DIGITS:
        head = "_" + first  # else tables that differ only in this digit would share a name
    return head + "".join(c if c in inner else "_" for c in _utf16(rest))


def _numbered(name: str, inner: frozenset[str]) -> str:
    units = _utf16(name)
    return "".join(c if c in (inner if i else _LETTERS) else _number(c) for i, c in enumerate(units))


def _number(unit: str) -> str:
    digits = f"{ord(unit):x}"
    return "_u" + ("00" + digits if len(digits) <= 2 else digits)


def _utf16(text: str) -> list[str]:
    """The UTF-16 units of a text, each as a character."""
    if all(ord(c) < 0x10000 for c in text):
        return list(text)
    data = text.encode("utf-16-be", "surrogatepass")
    return [chr(data[i] << 8 | data[i + 1]) for i in range(0, len(data), 2)]
