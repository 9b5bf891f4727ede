"""What a batch of a DataFrame says, without Spark: for tests of captured tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from support.streaming_frames import next_batch
from tailrace.source.cdc_source import INITIAL


def values(rows: Sequence[dict[str, Any]], topic: str) -> list[Any]:
    """The values of the records whose topic ends so, in whatever case, in their order."""
    return [json.loads(row["value"]) for row in rows if row["topic"].lower().endswith(topic.lower()) and row["value"]]


def ids(rows: Sequence[dict[str, Any]], topic: str = ".t") -> list[int]:
    """The first columns of what was inserted."""
    return [next(iter(value["after"].values())) for value in values(rows, topic)]


def structures(rows: Sequence[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    """The schema-change events: what happened, and the columns then."""
    events = [json.loads(row["value"]) for row in rows if row["topic"] == "s"]
    changes = [event["tableChanges"][0] for event in events]
    columns = [[] if change["table"] is None else change["table"]["columns"] for change in changes]
    return [(change["type"], [each["name"] for each in of]) for change, of in zip(changes, columns, strict=True)]


def begun(options: dict[str, str]) -> Any:
    """The offset behind a stream's first batch."""
    return next_batch(options, INITIAL)
