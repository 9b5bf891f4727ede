"""Reads the post processors of a configuration: `post.processors=a`, `post.processors.a.type=…`; in older ones `a.type=…`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tailrace.config.entries import Entry
from tailrace.config.expression_lists import read_expressions
from tailrace.config.problems import Problems
from tailrace.config.reselection import RESELECT, RESELECT_PROPERTIES, Reselection
from tailrace.config.spelling import ALIKE, nearest
from tailrace.config.values import Value, read

LIST: Final = "post.processors"
_TYPE: Final = "type"
_PROPERTIES: Final = {prop.name: prop for prop in RESELECT_PROPERTIES}
_EXPRESSIONS: Final = ("reselect.columns.include.list", "reselect.columns.exclude.list")


def read_post_processors(
    aliases: Sequence[str], entries: Mapping[str, Entry], problems: Problems
) -> tuple[Reselection, ...]:
    """The post processors in order; errors and warnings are added to `problems`."""
    found = [_read(alias, entries, problems) for alias in dict.fromkeys(aliases)]
    return tuple(each for each in found if each is not None)


def _read(alias: str, entries: Mapping[str, Entry], problems: Problems) -> Reselection | None:
    part = _part(f"{LIST}.{alias}.", entries) or _part(f"{alias}.", entries)
    type_ = part.get(_TYPE)
    if type_ is None or not (type_.broken or type_.text.strip()):
        problems.add(f"{LIST}.{alias}.type is missing: {LIST} names {alias}")
        return None
    if type_.broken:
        return None
    if type_.text.strip() != RESELECT:
        near = f"did you mean {RESELECT}? Otherwise: " if nearest(type_.text.strip(), (RESELECT,), ALIKE) else ""
        problems.add_not_yet(f"{type_.label}: {near}classes in Java can't be run; write a transform in Python, or leave it out")
        return None
    _report_unknown(part, problems)
    values = {name: _value(name, part, problems) for name in _PROPERTIES}
    made = Reselection(
        alias=alias,
        includes=_expressions(_EXPRESSIONS[0], part, problems),
        excludes=_expressions(_EXPRESSIONS[1], part, problems),
        unavailable=bool(values["reselect.unavailable.values"]),
        nulls=bool(values["reselect.null.values"]),
        by_event_key=bool(values["reselect.use.event.key"]),
        fails=values["reselect.error.handling.mode"] == "FAIL",
    )
    if made.includes and made.excludes:
        problems.pass_over(f"{part[_EXPRESSIONS[1]].shown_name} has no effect beside {_EXPRESSIONS[0]}")
    if not (made.unavailable or made.nulls):
        problems.warn(f"{type_.label}: it has no effect, as reselect.unavailable.values and reselect.null.values are false")
    return made


def _part(beginning: str, entries: Mapping[str, Entry]) -> Mapping[str, Entry]:
    return {name.removeprefix(beginning): each for name, each in entries.items() if name.startswith(beginning)}


def _value(name: str, part: Mapping[str, Entry], problems: Problems) -> Value:
    entry, prop = part.get(name), _PROPERTIES[name]
    if entry is None or entry.broken or not entry.text.strip():
        return prop.default
    try:
        return read(prop, entry.text)
    except ValueError as error:
        problems.add(f"{entry.label}: {entry.shown(str(error))}")
        return prop.default


def _expressions(name: str, part: Mapping[str, Entry], problems: Problems) -> tuple[str, ...]:
    entry = part.get(name)
    return read_expressions(None if entry is None or entry.broken else entry, problems)


def _report_unknown(part: Mapping[str, Entry], problems: Problems) -> None:
    """A misspelt name would change records: an error. Debezium ignores other names."""
    for name, entry in part.items():
        if name == _TYPE or name in _PROPERTIES:
            continue
        if near := nearest(name, tuple(_PROPERTIES), ALIKE):
            problems.add(f"{entry.shown_name} is no property of ReselectColumnsPostProcessor; did you mean {near}?")
        else:
            problems.pass_over(f"{entry.shown_name} has no effect: ReselectColumnsPostProcessor has no such property")
