"""Placeholders that no config provider replaces: `${NAME}`, `{{ name }}`, `<your-password>`, `$NAME`, `%NAME%`.

They belong to the tools of the file's author (envsubst, Docker Compose, Jinja, a person), which have not been run. One
message names all properties that have such a placeholder. Kafka Connect passes the text on unchanged, so where it may be
meant literally, as in a password, there is only a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from attrs import evolve

from tailrace.config.entries import HIDDEN, Entry
from tailrace.config.passthrough import CLIENTS
from tailrace.config.placeholders import left_as_it_is
from tailrace.config.problems import Problems
from tailrace.config.property import Property, PropertyTables, Status
from tailrace.config.values import NotYetError, read

_BRACED: Final = "${…}"
_NEVER_MEANT: Final = {
    "{{…}}": re.compile(r"\{\{[^{}]*\}\}"),
    "#{…}": re.compile(r"#\{\s*[A-Za-z_][\w.\- ]*\}#?"),
}
_PERHAPS_MEANT: Final = {
    "<…>": re.compile(r"(?<!\?)<[A-Za-z][\w .\-]*>"),  # `(?<name>…)` is a group of a regular expression
    "$NAME": re.compile(r"^\$[A-Za-z_]\w*$"),
    "%NAME%": re.compile(r"^%[A-Za-z_]\w*%$"),
}
_FAMILIES: Final = ("topic.creation.", *(each.prefix for each in CLIENTS))
_CONVERTERS: Final = ("key.converter.", "value.converter.")
_OF_PARTS: Final = (*_CONVERTERS, "transforms.", "predicates.")
"""Properties of converters and transforms, of which only a placeholder that is the whole value counts, and `{{…}}`."""
_ANY_TEXT: Final = frozenset({"database.user", "database.initial.statements", "heartbeat.action.query"})


def without_unreplaced(
    entries: Mapping[str, Entry], flat: Mapping[str, str], tables: PropertyTables, problems: Problems
) -> dict[str, Entry]:
    """The entries; those whose placeholder can't be meant literally are marked as broken.

    `flat` is the configuration before placeholders were replaced: a secret that a provider brought in may look like a
    placeholder, and is none.
    """
    wrong: dict[str, list[str]] = {}
    literal: dict[str, list[str]] = {}
    for name, entry in entries.items():
        prop = tables.by_name.get(name)
        if entry.broken or not _matters(name, prop):
            continue
        raw = flat.get(entry.given_name, entry.text)
        is_of_part = prop is None and name.startswith(_OF_PARTS)
        if not (styles := _of_part(name, raw) if is_of_part else _styles(raw)):
            continue
        is_free = _is_free(entry) and not (is_of_part and problems.offline)  # a login's user and password may be one text
        if is_free or (not is_of_part and _can_be(entry, prop, raw)):
            literal[entry.shown_name] = _worth_reporting(entry, raw, styles)
        else:
            wrong[entry.shown_name] = styles
    _report(wrong, literal, problems)
    unfilled = {name for name, entry in entries.items() if entry.shown_name in wrong}
    problems.unknown.update(unfilled)
    return {name: evolve(entry, text="", broken=True) if name in unfilled else entry for name, entry in entries.items()}


def _matters(name: str, prop: Property | None) -> bool:
    return name.startswith((*_FAMILIES, *_OF_PARTS)) if prop is None else prop.status is not Status.IGNORED


def _styles(raw: str) -> list[str]:
    braced = [_BRACED] if left_as_it_is(raw) else []
    others = {**_NEVER_MEANT, **_PERHAPS_MEANT}
    return braced + [style for style, pattern in others.items() if pattern.search(raw)]


def _of_part(name: str, raw: str) -> list[str]:
    """The styles that count in a property of a converter or a transform, where `$1` and `${name}` have a meaning."""
    braced = [_BRACED] if name.startswith(_CONVERTERS) and left_as_it_is(raw) else []
    jinja = [style for style in ("{{…}}",) if _NEVER_MEANT[style].search(raw)]
    return braced + jinja + [style for style in ("$NAME", "%NAME%") if _fills(style, raw)]


def _can_be(entry: Entry, prop: Property | None, raw: str) -> bool:
    """Whether the text can be meant literally, where not every text can."""
    if left_as_it_is(raw) or any(pattern.search(raw) for pattern in _NEVER_MEANT.values()):
        return False
    try:
        if prop is not None:
            read(prop, entry.text)
    except NotYetError:
        return True  # the value gets a message of its own
    except ValueError:
        return False
    return True


def _is_free(entry: Entry) -> bool:
    """Whether the property can have any text: a password, a user, SQL."""
    return entry.shown_value == HIDDEN or entry.name in _ANY_TEXT


def _worth_reporting(entry: Entry, raw: str, styles: list[str]) -> list[str]:
    """The styles to warn about. In a free text, such as a password, only a placeholder that is the whole text, or `${…}`."""
    if not _is_free(entry):
        return styles
    return [style for style in styles if style == _BRACED or _fills(style, raw)]


def _fills(style: str, raw: str) -> bool:
    pattern = _NEVER_MEANT.get(style) or _PERHAPS_MEANT[style]
    return pattern.fullmatch(raw) is not None


def _report(wrong: Mapping[str, list[str]], literal: Mapping[str, list[str]], problems: Problems) -> None:
    reported = {name: styles for name, styles in literal.items() if styles}
    if wrong:
        both = {**wrong, **reported}  # the tool has not been run at all, so the doubtful ones are unreplaced too
        problems.add_unknown((), f"{_contain(both)} that nothing fills: {_remedy(_all(both))}")
    elif reported:
        problems.warn(f"{_contain(reported)}, as a placeholder has that nothing has filled: it is taken as it stands")


def _contain(found: Mapping[str, list[str]]) -> str:
    return f"{', '.join(found)} contain{'s' if len(found) == 1 else ''} {' and '.join(_all(found))}"


def _all(found: Mapping[str, Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(style for styles in found.values() for style in styles))


def _remedy(styles: Iterable[str]) -> str:
    if _BRACED not in styles:
        return "put the values there first"
    return "no config provider is named; fill them before, e.g. with envsubst, or write ${env:NAME}, which tailrace fills"
