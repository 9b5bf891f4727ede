"""How topics are created: Kafka Connect's `topic.creation.*`.

Groups are tried in the order of `topic.creation.groups`. A group takes the topics whose whole name matches one of its
`include` expressions and none of its `exclude` expressions. `topic.creation.default.*` applies to all other topics and is
required as soon as any of these properties is set. Without them, topics get the brokers' defaults.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import field, frozen

from tailrace.config.entries import Entry
from tailrace.config.expression_lists import read_expressions
from tailrace.config.problems import Problems
from tailrace.config.spelling import ALIKE, nearest
from tailrace.java_patterns import compile_java, matches_any

PREFIX = "topic.creation."
DEFAULT = "default"
BROKERS_CHOICE = -1
_OWN = ("enable", "groups")
_NUMBERS = ("replication.factor", "partitions")
_REGEXES = ("include", "exclude")
_EVERY = {"include": ".*", "exclude": ""}
_MOST = {"replication.factor": 2**15 - 1, "partitions": 2**31 - 1}

Group = Mapping[str, Entry]  # the properties of a group, by the rest of their names
Given = Mapping[str, Group]


@frozen
class TopicRule:
    """How a topic is created; -1 leaves a number to the brokers."""

    partitions: int
    replication_factor: int
    configs: Mapping[str, str] = field(factory=dict, hash=False)


@frozen
class TopicGroup:
    """A group: which topics it takes, and how they are created. Expressions match whole names, case-sensitively."""

    name: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    rule: TopicRule

    def takes(self, topic: str) -> bool:
        """Whether the group takes a topic."""
        return _matches(self.include, topic) and not _matches(self.exclude, topic)


@frozen
class TopicCreation:
    """Whether topics are created, and how.

    Attributes:
        enabled: `topic.creation.enable`: whether missing topics are created at all.
        groups: in the order in which they are tried.
        default: for topics that no group takes; None leaves everything to the brokers.

    """

    enabled: bool = True
    groups: tuple[TopicGroup, ...] = ()
    default: TopicRule | None = None

    def rule_for(self, topic: str) -> TopicRule | None:
        """How a topic is created; None means with the brokers' defaults."""
        return next((group.rule for group in self.groups if group.takes(topic)), self.default)


def read_topic_creation(
    entries: Mapping[str, Entry], names: Sequence[str], enabled: bool, problems: Problems
) -> TopicCreation:
    """The rules of a configuration; errors are added to `problems`."""
    groups = tuple(dict.fromkeys(name for name in names if name != DEFAULT))
    given = _by_group(entries, groups, problems)
    if not given and not groups:
        return TopicCreation(enabled)
    default = _default_rule(given.get(DEFAULT, {}), problems)
    made = tuple(_group(name, given.get(name, {}), default, problems) for name in groups)
    return TopicCreation(enabled, made, default)


def _by_group(entries: Mapping[str, Entry], groups: Sequence[str], problems: Problems) -> Given:
    """The properties of each group, by its name. Group names may have dots, so the longest one that matches counts."""
    found: dict[str, dict[str, Entry]] = {}
    known = sorted((DEFAULT, *groups), key=len, reverse=True)  # `a.b` before `a`: its property is `topic.creation.a.b.…`
    for name, entry in entries.items():
        rest = name.removeprefix(PREFIX)
        if rest == name or rest in _OWN:
            continue
        group = next((group for group in known if rest.startswith(f"{group}.")), None)
        if group is None:
            _report_unknown_group(entry, rest, known, problems)
        else:
            found.setdefault(group, {})[rest[len(group) + 1 :]] = entry
    return found


def _report_unknown_group(entry: Entry, rest: str, known: Sequence[str], problems: Problems) -> None:
    """Report a property of an unlisted group. Connect ignores it; if a group was misspelt, topics would differ: an error."""
    near = nearest(rest.partition(".")[0], known, ALIKE)
    if near:
        problems.add(f"{entry.shown_name} belongs to no group of topic.creation.groups; did you mean {PREFIX}{near}?")
    else:
        problems.pass_over(
            f"{entry.shown_name} has no effect: it belongs to no group, as topic.creation.groups does not name it"
        )


def _default_rule(given: Group, problems: Problems) -> TopicRule:
    for name in _NUMBERS:
        if not _text(given, name):
            problems.add(
                f"{PREFIX}{DEFAULT}.{name} is missing: it is needed where topic.creation is used (-1: the brokers' default)"
            )
    for name in _REGEXES:
        if _text(given, name) not in {"", _EVERY[name]}:
            problems.add(
                f"{PREFIX}{DEFAULT}.{name}: the default group takes every topic that no other group takes; leave it out"
            )
    return _rule(given, TopicRule(BROKERS_CHOICE, BROKERS_CHOICE), problems)


def _group(name: str, given: Group, default: TopicRule, problems: Problems) -> TopicGroup:
    include, exclude = (read_expressions(given.get(which), problems) for which in _REGEXES)
    if not include:
        problems.warn(f"{PREFIX}{name}.include is missing, so that the group takes no topic")
    return TopicGroup(name, include, exclude, _rule(given, default, problems))


def _rule(given: Group, default: TopicRule, problems: Problems) -> TopicRule:
    factor = _number("replication.factor", given, default.replication_factor, problems)
    partitions = _number("partitions", given, default.partitions, problems)
    configs = {name: entry.text for name, entry in given.items() if name not in (*_NUMBERS, *_REGEXES)}
    return TopicRule(partitions, factor, configs)


def _number(name: str, given: Group, default: int, problems: Problems) -> int:
    text = _text(given, name)
    if not text:
        return default
    number = int(text) if re.fullmatch(r"-?[0-9]{1,10}", text) else 0
    if number != BROKERS_CHOICE and not 1 <= number <= _MOST[name]:
        problems.add(f"{given[name].label}: it must be a whole number from 1, or -1 for the brokers' default")
        return default
    return number


def _text(given: Group, name: str) -> str:
    return given[name].text.strip() if name in given else ""


def _matches(expressions: tuple[str, ...], topic: str) -> bool:
    return matches_any([compile_java(expression, ignore_case=False) for expression in expressions], topic)
