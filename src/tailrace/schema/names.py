"""Names of topics, schemas and fields, and how characters are replaced that they must not have.

A topic is named after prefix, database, schema and table, as far as the database has them (`routing.py`). Characters that
Kafka does not allow in topic names become `_`. Schemas are named after the topic. For Avro (`schema.name.adjustment.mode`,
`field.name.adjustment.mode`) disallowed characters become `_` (`avro`), or `_u` and the character's number in hexadecimal
(`avro_unicode`), which loses nothing. Characters are UTF-16 units, as in Java: one beyond the basic plane counts as two. A
leading digit gets a `_` before it; in schema names of the older shapes it is replaced by one.

Different tables may get the same topic. `Names` warns about that, because consumers would see two tables as one.
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

LONGEST_TOPIC = 249  # Kafka's limit: a partition's directory, with a suffix, must be a valid file name
_LETTERS = frozenset(string.ascii_letters)
_DIGITS = frozenset(string.digits)
_TOPIC = _LETTERS | _DIGITS | frozenset("._-")
_INNER = _LETTERS | _DIGITS | frozenset("_")

Adjuster = Callable[[str], str]


def schema_name_adjuster(mode: str, shape: str = CURRENT) -> Adjuster:
    """The function that adjusts schema names in a mode (`none`, `avro`, `avro_unicode`); dots are kept."""
    if mode == "avro" and shape != CURRENT:
        return lambda name: _underscored(_without_first_digit(name), _INNER | {"."})
    return _adjuster(mode, dots=True)


def field_name_adjuster(mode: str) -> Adjuster:
    """The function that adjusts field names in a mode (`none`, `avro`, `avro_unicode`)."""
    return _adjuster(mode, dots=False)


def sanitized_topic(name: str) -> str:
    """The name with every character replaced that Kafka does not allow, cut to Kafka's maximum length."""
    clean = "".join(c if c in _TOPIC else "_" for c in _utf16(name))[:LONGEST_TOPIC]
    return "_" * len(clean) if clean in {".", ".."} else clean


class NameSettings(Protocol):
    """The settings that names depend on, each from the property of the same name."""

    @property
    def topic_prefix(self) -> str:
        """The first part of topic names."""

    @property
    def topic_transaction(self) -> str:
        """The last part of the transaction topic's name."""

    @property
    def topic_heartbeat_prefix(self) -> str:
        """The first part of the heartbeat topic's name."""

    @property
    def topic_heartbeat_name(self) -> str | None:
        """The heartbeat topic's whole name; None if it is made of the prefixes."""

    @property
    def schema_name_adjustment_mode(self) -> str:
        """How schema names are adjusted."""

    @property
    def field_name_adjustment_mode(self) -> str:
        """How field names are adjusted."""

    @property
    def tailrace_event_shape(self) -> str:
        """Whose fields the events have."""

    @property
    def routing(self) -> Routing:
        """The topic of each table's changes."""


class OwningLane(Protocol):
    """One of the parallel readers (`connectors/base.Lane`)."""

    @property
    def is_first(self) -> bool:
        """Whether it delivers what belongs to no table."""

    def owns(self, topic: str) -> bool:
        """Whether it delivers the topic."""


@dataclass(slots=True)
class Names:
    """The names in one configuration. It remembers topics, to notice when two tables share one."""

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

    def is_of(self, lane: OwningLane, table: TableId) -> bool:
        """Whether that lane delivers a table's changes: its topic behind the transforms decides."""
        routing = self.settings.routing
        topic = routing.delivered(sanitized_topic(routing.topic(self.settings.topic_prefix, table)))
        if routing.renames and topic in self._of_no_table():
            return lane.is_first
        return lane.owns(topic)

    def _of_no_table(self) -> frozenset[str]:
        """The topics of what belongs to no table, which the first lane delivers, behind the transforms."""
        own = (self.schema_change_topic, self.transaction_topic, self.heartbeat_topic)
        return frozenset(map(self.settings.routing.delivered, own))

    def _note(self, name: str, table: TableId) -> None:
        first = self._origins.setdefault(name, table)
        if first != table:
            log.warning(
                "the tables %s and %s share the topic %s: their names differ too little", first, table, name
            )

    def fields(self, table: TableId, columns: Sequence[str]) -> list[str]:
        """The field names of a table's columns.

        Raises:
            StructureError: two columns would become the same field.

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
        """The schema change topic."""
        return self.settings.topic_prefix

    @property
    def transaction_topic(self) -> str:
        """The topic of transaction markers, BEGIN and END."""
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
    inner = _INNER - {"_"}  # `_` introduces the numbers, so it is escaped itself
    return lambda name: _numbered(name, inner | {"."} if dots else inner)


def _without_first_digit(name: str) -> str:
    return "_" + name[1:] if name[:1] in _DIGITS else name


def _underscored(name: str, inner: frozenset[str]) -> str:
    if not name:
        return name
    first, rest = name[0], name[1:]
    head = first if first in _LETTERS or first == "_" else "".join("_" for _ in _utf16(first))
    if first in _DIGITS:
        head = "_" + first  # replacing the digit would give tables that differ only in it the same name
    return head + "".join(c if c in inner else "_" for c in _utf16(rest))


def _numbered(name: str, inner: frozenset[str]) -> str:
    units = _utf16(name)
    return "".join(c if c in (inner if i else _LETTERS) else _number(c) for i, c in enumerate(units))


def _number(unit: str) -> str:
    digits = f"{ord(unit):x}"
    return "_u" + ("00" + digits if len(digits) <= 2 else digits)


def _utf16(text: str) -> list[str]:
    """The UTF-16 code units of a text, each as a character."""
    if all(ord(c) < 0x10000 for c in text):
        return list(text)
    data = text.encode("utf-16-be", "surrogatepass")
    return [chr(data[i] << 8 | data[i + 1]) for i in range(0, len(data), 2)]
