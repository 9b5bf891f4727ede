"""Renames of topics that follow from the topic's name alone, by which transforms such as RegexRouter route.

They are part of the routing (`routing.py`): they decide the topic in which a table's changes arrive, before rows are decoded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attrs import asdict, fields_dict, frozen

from tailrace.java_patterns import compile_java
from tailrace.java_replacements import whole_replaced
from tailrace.schema.topic_cases import recased

_CASES: Final = frozenset({"from_case", "to_case"})


@frozen
class TopicRename:
    """One step: what becomes of a topic.

    Attributes:
        regex: Java's; a topic that it does not match as a whole stays as it is.
        replacement: Java's replacement of the match; an empty result leaves the topic as it is.
        only: a Java regex of the topics that the step is for; None: all.
        negate: it is for those that `only` does not match.
        from_case: how the words of topics are put together (`topic_cases`), where the step puts them together in another way;
            None: it goes by `regex`.
        to_case: that other way.

    """

    regex: str
    replacement: str
    only: str | None = None
    negate: bool = False
    from_case: str | None = None
    to_case: str | None = None

    def renamed(self, topic: str) -> str:
        """The topic behind this step."""
        if not self.applies_to(topic):
            return topic
        if self.from_case is not None and self.to_case is not None:
            return recased(topic, self.from_case, self.to_case)
        return whole_replaced(self.regex, self.replacement, topic) or topic

    def applies_to(self, topic: str) -> bool:
        """Whether the step is for that topic."""
        if self.only is None:
            return True
        return (compile_java(self.only, ignore_case=False).fullmatch(topic) is not None) != self.negate

    def to_dict(self) -> dict[str, Any]:
        """The step as JSON; versions that don't know of cases read it where it has none."""
        return asdict(self, filter=lambda member, value: value is not None or member.name not in _CASES)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> TopicRename:
        """The step that `to_dict` gave.

        Raises:
            KeyError: it has a member that this version does not know; the error has its name.

        """
        for name in given:
            fields_dict(cls)[name]
        return cls(**given)
