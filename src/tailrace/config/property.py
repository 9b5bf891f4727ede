"""Descriptions of configuration properties.

Each property of Debezium's connectors has one `Property` in a table. Validation, defaults, messages and the reference page
are all made from it. A property is data: nothing here reads a configuration.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

from attrs import evolve, field, frozen

from tailrace.config.effects import CHANGES_RECORDS, NO_EFFECTS, Effects


class Kind(enum.Enum):
    """How a value's text is parsed, and its type in `Settings`."""

    BOOL = "boolean"
    INT = "integer"
    MS = "milliseconds"
    SECONDS = "seconds"
    ENUM = "one of"
    CLASS = "class"
    STRING = "text"
    SECRET = "secret"  # noqa: S105 - the name of a type
    LIST = "list"
    REGEXES = "list of regexes"

    @property
    def is_number(self) -> bool:
        """Whether the value is a whole number."""
        return self in {Kind.INT, Kind.MS, Kind.SECONDS}

    @property
    def is_list(self) -> bool:
        """Whether the value is a tuple of texts."""
        return self in {Kind.LIST, Kind.REGEXES}


class Status(enum.Enum):
    """What tailrace does with a property."""

    WORKS = "works"
    REFUSED = "not yet: refused"  # leaving it out would change the records or lose something
    UNUSED = "not yet: a warning"  # it only tunes a feature that is not supported yet
    IGNORED = "ignored"  # it has no meaning outside the JVM, Kafka Connect or JDBC


@frozen(kw_only=True)
class Property:
    """One property.

    Attributes:
        name: as in Debezium 3.6; tailrace's own begin with `tailrace.`.
        doc: what it does, in one sentence.
        group: its heading on the reference page.
        kind: how the text is parsed.
        default: the value if the property is absent; None if it has no default.
        allowed: all values of an enumeration, or of a list's items; for a class those that are supported.
        other_spellings: further spellings of values in `allowed` (older names, short names).
        aliases: older names of the property, in the order in which Debezium tries them.
        minimum: of a number.
        maximum: of a number.
        required: its absence is an error.
        status: what tailrace does with it.
        reason: why it is ignored, or what to do instead; the second half of a message.
        harmless: values of an unsupported property that switch it off, and are therefore no error; items of a list that are
            ignored.
        not_yet: values of a supported property that are not supported yet.
        impossible: values that will not be supported, each with the reason or what to do instead.
        recognised: patterns of unsupported values, each with the text of the message; such values need not be in `not_yet`.
        pattern: which the whole text must match.
        pattern_says: the pattern in words.

    """

    name: str
    doc: str
    group: str = ""
    kind: Kind = Kind.STRING
    default: str | int | bool | tuple[str, ...] | None = None
    allowed: tuple[str, ...] = ()
    other_spellings: dict[str, str] = field(factory=dict)
    aliases: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    required: bool = False
    status: Status = Status.WORKS
    reason: str = ""
    harmless: tuple[str, ...] = ()
    not_yet: tuple[str, ...] = ()
    impossible: dict[str, str] = field(factory=dict)
    recognised: tuple[tuple[re.Pattern[str], str], ...] = ()
    pattern: re.Pattern[str] | None = None
    pattern_says: str = ""

    @property
    def attribute(self) -> str:
        """The name of its attribute in `Settings`."""
        return re.sub(r"[.\-]", "_", self.name).lower()

    @property
    def in_settings(self) -> bool:
        """Whether `Settings` has an attribute for it; ignored properties have none."""
        return self.status is not Status.IGNORED


@frozen(kw_only=True)
class Family:
    """Properties whose names are not fixed: `column.truncate.to.<n>.chars`, `driver.*`.

    Attributes:
        name: for people, with angle brackets or an asterisk for the variable part.
        doc: what they do, in one sentence.
        pattern: matches the whole name of such a property.
        group: their heading on the reference page.
        kind: how the text is parsed.
        status: what tailrace does with them.
        reason: why they are ignored, or what to do instead.
        aliases: older prefixes of the names.

    """

    name: str
    doc: str
    pattern: re.Pattern[str]
    group: str = ""
    kind: Kind = Kind.STRING
    status: Status = Status.WORKS
    reason: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether every name with the prefix belongs to it, so that a misspelt name of another property may look like one."""
        return self.name.endswith(("*", "<camelCase>"))


def prefixed(name: str, doc: str, status: Status, reason: str, *, aliases: tuple[str, ...] = ()) -> Family:
    """The family of all properties whose names begin with `name`, which ends with a dot."""
    pattern = re.compile(re.escape(name) + r".+")
    return Family(name=name + "*", doc=doc, pattern=pattern, status=status, reason=reason, aliases=aliases)


def varied(properties: Iterable[Property], name: str, **changes: Any) -> tuple[Property, ...]:
    """The properties, with `changes` to the one of that name: for a connector that differs from the others."""
    return tuple(evolve(each, **changes) if each.name == name else each for each in properties)


class PropertyTables:
    """All properties and families of one connector, with lookups.

    Attributes:
        properties: in the order of the reference page, each with its heading.
        families: likewise.
        effects: which of the connector's own properties change records.
        meant: patterns of names that belong to other databases or products, with what to write instead.

    """

    def __init__(
        self,
        groups: Sequence[tuple[str, Sequence[Property], Sequence[Family]]],
        effects: Effects = NO_EFFECTS,
        meant: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`groups` are headings with their properties and families, in the order of the reference page."""
        self.effects, self.meant = effects, meant
        self._changing = CHANGES_RECORDS | effects.changes
        self.properties = tuple(evolve(each, group=group) for group, table, _ in groups for each in table)
        self.families = tuple(evolve(each, group=group) for group, _, families in groups for each in families)

    @cached_property
    def by_name(self) -> Mapping[str, Property]:
        """Properties by their current names."""
        return {each.name: each for each in self.properties}

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """Older names, with the current one of each."""
        return {alias: each.name for each in self.properties for alias in each.aliases}

    def among(self, others: Iterable[PropertyTables], connector_class: Property) -> PropertyTables:
        """The same beside those of all connectors, with the property that says which one it is."""
        made = PropertyTables((), self.effects, self.meant)
        made.properties = tuple(
            evolve(connector_class, group=each.group) if each.name == connector_class.name else each for each in self.properties
        )
        made.families = self.families
        made._changing = frozenset().union(self._changing, *(other.effects.changes for other in others))
        return made

    def changes_records(self, name: str) -> bool:
        """Whether a property, or a family, of that name changes events, topics, or which rows are delivered."""
        key = name.split(maxsplit=1)[0].rstrip(",")  # of several names in a family's title the first
        return key in self._changing and key not in self.effects.none_here

    def family_of(self, name: str) -> Family | None:
        """The family of a name that has no `Property`; None if there is none."""
        return next((family for family in self.families if family.pattern.fullmatch(name)), None)

    def rank(self, name: str) -> int:
        """The precedence of a property's name: 0 is the current one, older ones follow in Debezium's order."""
        current = self.current_name(name)
        if name == current:
            return 0
        prop = self.by_name.get(current)
        return 1 + (prop.aliases.index(name) if prop and name in prop.aliases else 0)

    def current_name(self, name: str) -> str:
        """The current name of a property, or of a member of a family."""
        if name in self.by_name:
            return name
        if name in self.aliases:
            return self.aliases[name]
        for family in self.families:
            for old in family.aliases:
                if name.startswith(old):
                    return family.name.removesuffix("*") + name.removeprefix(old)
        return name
