"""Records of either system as one thing: the parsed JSON of key, value and headers, with every digit kept."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Record:
    """One record; a converter's text is parsed, so that white space does not count and everything else does."""

    topic: str
    key: Any
    value: Any
    headers: Any

    def parts(self) -> dict[str, Any]:
        """What is compared, by name."""
        return {"topic": self.topic, "key": self.key, "value": self.value, "headers": self.headers}


def read(path: Path) -> list[Record]:
    """The records of a file of JSON lines."""
    with path.open(encoding="utf-8") as lines:
        return [parse(line) for line in lines]


def parse(line: str | bytes) -> Record:
    """One JSON line."""
    parsed = loads(line)
    return Record(parsed["topic"], parsed["key"], parsed["value"], parsed["headers"])


def loads(text: str | bytes) -> Any:
    """JSON whose integers keep all bits; a number with a point or an exponent is the double it stands for."""
    return json.loads(text)


def by_topic(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Records topic by topic, in order."""
    topics: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        topics[record.topic].append(record)
    return dict(topics)
