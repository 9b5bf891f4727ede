"""Rules of TimezoneConverter: which fields of which tables and topics, `include.list` and `exclude.list`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

_WORD: Final = r"[\".\w\s]+"
_LIST: Final = re.compile(rf"\[{_WORD}:(?:{_WORD}(?::{_WORD})?(?:,|\]))+", re.ASCII)
_BEFORE, _AFTER, _SOURCE = "before", "after", "source"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which fields of an envelope are converted.

    Attributes:
        before: names in the old row; None: all.
        after: names in the new row; None: all.
        source: names in the source block.
        but: all but the names.

    """

    before: frozenset[str] | None = None
    after: frozenset[str] | None = None
    source: frozenset[str] = frozenset()
    but: bool = False

    def has(self, image: str, name: str) -> bool:
        """Whether a field is converted."""
        if image == _SOURCE and not self.source:
            return False
        names = {_BEFORE: self.before, _AFTER: self.after, _SOURCE: self.source}[image]
        return True if names is None else (name in names) != self.but


ALL: Final = Wanted()
_Fields = dict[str, set[str]]


@dataclass(slots=True)
class Rules:
    """The rules of one of the lists."""

    excludes: bool
    topics: _Fields = field(default_factory=dict)
    tables: _Fields = field(default_factory=dict)
    either: _Fields = field(default_factory=dict)

    def wanted(self, topic: str, table: str | None) -> Wanted | None:
        """The fields to convert in records of a topic and a table; None: none."""
        fields = self._found(topic, table)
        if fields is None:
            return ALL if self.excludes or not (self.topics or self.tables or self.either) else None
        if not fields:
            return None if self.excludes else ALL
        of = {image: frozenset(each[len(image) + 1 :] for each in fields if each.startswith(f"{image}.")) for image in _IMAGES}
        plain = frozenset(each for each in fields if not each.startswith(tuple(f"{image}." for image in _IMAGES)))
        return Wanted(of[_BEFORE] | plain, of[_AFTER] | plain, of[_SOURCE], self.excludes)

    def _found(self, topic: str, table: str | None) -> set[str] | None:
        lookups: Sequence[tuple[Mapping[str, set[str]], str | None]] = (
            (self.topics, topic),
            (self.tables, table),
            (self.either, topic),
            (self.either, table),
        )
        return next((fields[name] for fields, name in lookups if name is not None and name in fields), None)


_IMAGES: Final = (_BEFORE, _AFTER, _SOURCE)


def rules_of(include: Sequence[str], exclude: Sequence[str]) -> Rules:
    """The rules of the list that is given; without any everything is converted.

    Raises:
        ValueError: both are given, or one is not a list of rules.

    """
    for name, items in (("include.list", include), ("exclude.list", exclude)):
        if items and _LIST.fullmatch(f"[{', '.join(items)}]") is None:
            raise ValueError(f"{name} is not made of source:<table>[:<field>], topic:<topic>[:<field>] and <name>:<field>")
    if include and exclude:
        raise ValueError("include.list and exclude.list are both given; leave one of them out")
    rules, prefix = Rules(excludes=bool(exclude)), ""
    for item in (*include, *exclude):
        parts = item.split(":")
        if len(parts) > 1 and parts[0].lower() in {"source", "topic"}:
            prefix, parts = parts[0], parts[1:]
        fields = {"topic": rules.topics, "source": rules.tables}.get(prefix, rules.either).setdefault(parts[0], set())
        fields.update(parts[1:2])
    return rules
