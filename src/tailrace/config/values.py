"""Parses the text of a property into its typed value."""

from __future__ import annotations

import re

from tailrace.config.property import Kind, Property
from tailrace.config.secret import Secret
from tailrace.java_patterns import compile_java, split_list, split_regexes

Value = str | int | bool | tuple[str, ...] | Secret | None


class NotYetError(ValueError):
    """A valid value that is not supported yet."""


def read(prop: Property, text: str) -> Value:
    """The typed value of a property.

    Raises:
        NotYetError: the value is valid and not supported yet.
        ValueError: the value is invalid; the message says what it must be.

    """
    if prop.kind is Kind.SECRET:
        return Secret(text)
    text = text.strip()
    if prop.kind is Kind.BOOL:
        return _boolean(text)
    if prop.kind.is_number:
        return _number(prop, text)
    if prop.kind.is_list:
        return _list(prop, text)
    if prop.kind in {Kind.ENUM, Kind.CLASS} and (prop.allowed or prop.not_yet):
        return _choice(prop, text)
    return _text(prop, text)


def allowed_in_words(prop: Property) -> str:
    """The values that a property may have, for messages and the reference page."""
    if prop.allowed:
        return "one of " + ", ".join(prop.allowed) if len(prop.allowed) > 1 else prop.allowed[0]
    if prop.kind is Kind.BOOL:
        return "true or false"
    if prop.kind.is_number:
        return _range_in_words(prop)
    return prop.pattern_says


def _range_in_words(prop: Property) -> str:
    if prop.minimum is not None and prop.maximum is not None:
        return f"a whole number from {prop.minimum} to {prop.maximum}"
    if prop.minimum is not None:
        return f"a whole number from {prop.minimum}"
    return "a whole number"


def _boolean(text: str) -> bool:
    if text.lower() not in {"true", "false"}:
        raise ValueError("it must be true or false")
    return text.lower() == "true"


def _number(prop: Property, text: str) -> int:
    if re.fullmatch(r"[+-]?[0-9]{1,19}", text) is None:
        raise ValueError(f"it must be {_range_in_words(prop)}")
    number = int(text)
    too_small = prop.minimum is not None and number < prop.minimum
    too_large = prop.maximum is not None and number > prop.maximum
    if too_small or too_large:
        raise ValueError(f"it must be {_range_in_words(prop)}")
    return number


def _list(prop: Property, text: str) -> tuple[str, ...]:
    if prop.kind is Kind.REGEXES:
        expressions = split_regexes(text)
        for expression in expressions:
            compile_java(expression)
        return expressions
    items = tuple(item for item in split_list(text) if item not in prop.harmless)
    for item in items:
        if prop.allowed and item not in prop.allowed:
            raise ValueError(f"{item!r} is not among its values: {', '.join(prop.allowed)}")
    return items


def _choice(prop: Property, text: str) -> str | None:
    spellings = {name.lower(): name for name in (*prop.allowed, *prop.not_yet, *prop.impossible, *prop.harmless)}
    spellings |= {old.lower(): new for old, new in prop.other_spellings.items()}
    value = spellings.get(text.lower())
    if value is None:
        raise _unknown(prop, text)
    if value in prop.not_yet:
        raise NotYetError(_recognised(prop, value) or f"that is not supported yet; it must be {allowed_in_words(prop)}")
    if value in prop.impossible:
        raise ValueError(f"that is not supported: {prop.impossible[value]}")
    # a harmless value means that the feature is off, as if the property were absent
    return None if value in prop.harmless and value not in prop.allowed else value


def _unknown(prop: Property, text: str) -> ValueError:
    if words := _recognised(prop, text):
        return NotYetError(words)
    nobody = "no such class is known; " if prop.kind is Kind.CLASS else ""
    return ValueError(f"{nobody}it must be {allowed_in_words(prop)}")


def _recognised(prop: Property, text: str) -> str:
    return next((words for pattern, words in prop.recognised if pattern.fullmatch(text)), "")


def _text(prop: Property, text: str) -> str:
    if prop.pattern is not None and prop.pattern.fullmatch(text) is None:
        raise ValueError(f"it must be {prop.pattern_says}")
    return text
