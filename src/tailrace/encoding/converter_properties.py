"""Reads the properties of a converter by its tables: values, what is refused, what has no effect, what is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from tailrace.config.passthrough import PassThrough
from tailrace.config.problems import Problems
from tailrace.config.property import Family, Property, PropertyTables, Status
from tailrace.config.secret import Secret
from tailrace.config.spelling import ALIKE, nearest
from tailrace.config.values import NotYetError, Value, read


@dataclass(frozen=True, slots=True)
class ConverterProperties:
    """The values of a converter's properties, by their names without the prefix.

    Attributes:
        prefix: `key.converter.` or `value.converter.`.
        values: of all properties that have an effect; the default, or None, where one is absent.
        given: the names that are set.
        families: the members of families that have an effect, by their whole names.

    """

    prefix: str
    values: Mapping[str, Value]
    given: frozenset[str]
    families: PassThrough

    def text(self, name: str) -> str:
        """A text; "" if there is none."""
        return str(self.values[name] or "")

    def number(self, name: str) -> int:
        """A number."""
        return cast("int", self.values[name])

    def flag(self, name: str) -> bool:
        """A boolean."""
        return bool(self.values[name])

    def items(self, name: str) -> tuple[str, ...]:
        """A list."""
        return cast("tuple[str, ...]", self.values[name] or ())

    def secret(self, name: str) -> Secret | None:
        """A secret."""
        return cast("Secret | None", self.values[name])

    def family(self, prefix: str) -> PassThrough:
        """The members of a family, without its prefix."""
        return PassThrough(
            {name.removeprefix(prefix): text for name, text in self.families.items() if name.startswith(prefix)}
        )


def read_properties(
    tables: PropertyTables, prefix: str, given: Mapping[str, str], problems: Problems
) -> ConverterProperties:
    """The properties of a converter.

    Args:
        tables: what it has.
        prefix: `key.converter.` or `value.converter.`, for messages.
        given: what is set, by names without the prefix.
        problems: where errors and warnings go.

    """
    known = {
        tables.current_name(name): (name, text)
        for name, text in sorted(given.items(), key=lambda each: -tables.rank(each[0]))
    }
    values: dict[str, Value] = {}
    for prop in tables.properties:
        if prop.status is Status.WORKS:
            values[prop.name] = _value(prop, known.get(prop.name), prefix, problems)
        elif prop.name in known:
            _judge(prop, *known[prop.name], prefix, problems)
    others = {name: text for name, (_, text) in known.items() if name not in tables.by_name}
    families = {name: text for name, text in others.items() if _is_used(tables, name, prefix, problems)}
    return ConverterProperties(prefix, values, frozenset(known), PassThrough(families))


def _value(prop: Property, found: tuple[str, str] | None, prefix: str, problems: Problems) -> Value:
    default: Value = prop.default
    if found is None or (not found[1].strip() and prop.kind.is_list):
        if prop.required:
            problems.add(f"{prefix}{prop.name} is missing: {prop.doc}")
        return default
    name, text = found
    try:
        return read(prop, text)
    except NotYetError as error:
        problems.add_not_yet(f"{prefix}{name}={text}: {error}")
    except ValueError as error:
        problems.add(f"{prefix}{name}={text}: {error}")
    return default


def _judge(prop: Property | Family, name: str, text: str, prefix: str, problems: Problems) -> None:
    """A property that is not read: it is refused, or has no effect."""
    harmless = prop.harmless if isinstance(prop, Property) else ()
    if prop.status is not Status.REFUSED:
        problems.warn(f"{prefix}{name} has no effect: {prop.reason}")
    elif text.strip() not in harmless:
        problems.add_not_yet(f"{prefix}{name} is not supported: {prop.reason}")


def _is_used(tables: PropertyTables, name: str, prefix: str, problems: Problems) -> bool:
    """Whether a name belongs to a family that has an effect; a name that belongs to nothing is told."""
    family = tables.family_of(name)
    if family is None:
        near = nearest(name, tables.by_name, ALIKE)
        unknown = f"{prefix}{name} is no property of this converter"
        if near:  # a schema, or whether one is registered, may depend on it
            problems.add(f"{unknown}; did you mean {prefix}{near}?")
        else:
            problems.pass_over(unknown)
        return False
    if family.status is Status.WORKS:
        return True
    _judge(family, name, "", prefix, problems)
    return False
