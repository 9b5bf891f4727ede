"""What is known about one configuration property.

Every property of a connector of Debezium's has one `Property` in the tables under `properties/`; validation,
defaults, messages and the reference page all come from it. A property is data: nothing here reads a
configuration.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

from attrs import evolve, field, frozen

from tailrace.config.effects import CHANGES_RECORDS, NO_EFFECTS, Effects


class Kind(enum.Enum):
    """How the text of a value is read, and what it becomes in `Settings`."""

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
    UNUSED = "not yet: a warning"  # it only tunes what is not there yet
    IGNORED = "ignored"  # it has no meaning outside the JVM, Kafka Connect or JDBC


@frozen(kw_only=True)
class Property:
    """One property.

    Attributes:
        name: as Debezium 3.6 spells it; tailrace's own begin with `tailrace.`.
        doc: what it does, in one sentence.
        group: the heading of the reference page.
        kind: how the text is read.
        default: the value when the property is absent; None when there is none.
        allowed: all values of an enumeration, or of a list's items; for a class those that work.
        other_spellings: values that mean one of `allowed` (older names, short names).
        aliases: older names of the property.
        minimum: of a number.
        maximum: of a number.
        required: absence is an error.
        status: what tailrace does with it.
        reason: why it is ignored, or what is to be done instead; the second half of a message.
        harmless: values of a property that is not there yet which switch it off, and so are no error; items of a list that
            are passed over, with the reason.
        not_yet: values of a property that works which are not there yet.
        impossible: values that can't be had, each with the reason, or what to do instead.
        recognised: patterns of values that can't be had yet, each with what is said of them; `not_yet` need not list them.
        pattern: what a text must match as a whole.
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
        """The name of the attribute of `Settings`."""
        return re.sub(r"[.\-]", "_", self.name).lower()

    @property
    def in_settings(self) -> bool:
        """Whether `Settings` has an attribute for it: what is ignored has none."""
        return self.status is not Status.IGNORED


@frozen(kw_only=True)
class Family:
    """Properties whose names are not fixed: `column.truncate.to.<n>.chars`, `driver.*`.

    Attributes:
        name: for people, with the variable parts in angle brackets or a star.
        doc: what they do, in one sentence.
        pattern: matches the whole name of such a property.
        group: the heading of the reference page.
        kind: how the text is read.
        status: what tailrace does with them.
        reason: why they are ignored, or what is to be done instead.
        aliases: older beginnings of the names.

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
        """Whether any name with the prefix belongs to it, so that a misspelt name may hide in it."""
        return self.name.endswith(("*", "<camelCase>"))


def prefixed(name: str, doc: str, status: Status, reason: str, *, aliases: tuple[str, ...] = ()) -> Family:
    """A family of all properties that begin with `name`, which ends with a dot."""
    pattern = re.compile(re.escape(name) + r".+")
    return Family(name=name + "*", doc=doc, pattern=pattern, status=status, reason=reason, aliases=aliases)


def varied(properties: Iterable[Property], name: str, **changes: Any) -> tuple[Property, ...]:
    """The same properties, of which the one of that name is otherwise with one connector."""
    return tuple(evolve(each, **changes) if each.name == name else each for each in properties)


class PropertyTables:
    """All properties and families that one connector knows, with ways to find them.

    Attributes:
        properties: in the order of the reference page, each with the heading that it stands under.
        families: likewise.
        effects: what the connector's own properties are about.
        meant: what was meant by names that make sense with other databases, by patterns of them.

    """

    def __init__(
        self,
        groups: Sequence[tuple[str, Sequence[Property], Sequence[Family]]],
        effects: Effects = NO_EFFECTS,
        meant: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`groups`: heading, properties, families, in the order of the reference page."""
        self.effects, self.meant = effects, meant
        self._others: Callable[[], Iterable[PropertyTables]] = tuple
        self.properties = tuple(evolve(each, group=group) for group, table, _ in groups for each in table)
        self.families = tuple(evolve(each, group=group) for group, _, families in groups for each in families)

    @cached_property
    def by_name(self) -> Mapping[str, Property]:
        """Current names."""
        return {each.name: each for each in self.properties}

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """From older names to current ones."""
        return {alias: each.name for each in self.properties for alias in each.aliases}

    @cached_property
    def _changing(self) -> frozenset[str]:
        """The names of properties that change records with any connector."""
        return CHANGES_RECORDS.union(self.effects.changes, *(other.effects.changes for other in self._others()))

    def among(self, others: Callable[[], Iterable[PropertyTables]], connector_class: Property) -> PropertyTables:
        """The same tables beside those of the other connectors.

        `connector_class` replaces this connector's `connector.class`: its values are those of all connectors. A name that
        changes records with any connector counts as such with this one too; `others` is called when such a name is met.
        """
        made = PropertyTables((), self.effects, self.meant)
        made.properties = tuple(
            evolve(connector_class, group=each.group) if each.name == connector_class.name else each for each in self.properties
        )
        made.families = self.families
        made._others = others
        return made

    def changes_records(self, name: str) -> bool:
        """Whether a property, or a family, of that name changes events, topics, or which rows are delivered."""
        key = name.split(maxsplit=1)[0].rstrip(",")
        return key in self._changing and key not in self.effects.none_here

    def family_of(self, name: str) -> Family | None:
        """The family that a name without a `Property` belongs to, or None."""
        return next((family for family in self.families if family.pattern.fullmatch(name)), None)

    def rank(self, name: str) -> int:
        """Which of a property's names it is: 0 is the current one, and older ones follow as Debezium tries them."""
        current = self.current_name(name)
        if name == current:
            return 0
        prop = self.by_name.get(current)
        return 1 + (prop.aliases.index(name) if prop and name in prop.aliases else 0)

    def current_name(self, name: str) -> str:
        """The name that a property, or one of a family, has now."""
        if name in self.by_name:
            return name
        if name in self.aliases:
            return self.aliases[name]
        for family in self.families:
            for old in family.aliases:
                if name.startswith(old):
                    return family.name.removesuffix("*") + name.removeprefix(old)
        return name
