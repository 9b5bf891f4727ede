"""Renames of topics that follow from the topic's name alone, by which transforms such as RegexRouter route.

They are part of the routing (`routing.py`): they decide the topic in which a table's changes arrive, before rows are decoded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import asdict, fields_dict, frozen

from tailrace.java_patterns import compile_java
from tailrace.java_replacements import whole_replaced


@frozen
class TopicRename:
    """One step: what becomes of a topic.

    Attributes:
        regex: Java's; a topic that it does not match as a whole stays as it is.
        replacement: Java's replacement of the match; an empty result leaves the topic as it is.
        only: a Java regex of the topics that the step is for; None: all.
        negate: it is for those that `only` does not match.

    """

    regex: str
    replacement: str
    only: str | None = None
    negate: bool = False

    def renamed(self, topic: str) -> str:
        """The topic behind this step."""
        return (whole_replaced(self.regex, self.replacement, topic) or topic) if self.applies_to(topic) else topic

    def applies_to(self, topic: str) -> bool:
        """Whether the step is for that topic."""
        if self.only is None:
            return True
        return (compile_java(self.only, ignore_case=False).fullmatch(topic) is not None) != self.negate

    def to_dict(self) -> dict[str, Any]:
        """The step as JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> TopicRename:
        """The step that `to_dict` gave.

        Raises:
            KeyError: it has a member that this version does not know; the error has its name.

        """
        for name in given:
            fields_dict(cls)[name]
        return cls(**given)
