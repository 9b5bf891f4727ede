"""Events as fixtures have them, and what all of them together must be: each change once, in order."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from stored_state.own_topics import told
from support.folding import committed_lines
from support.kafka_reading import read_topics

Events = dict[str, list[list[Any]]]  # by table: operation, row before, row after


def in_kafka(address: str) -> Events:
    """What a read-committed consumer sees."""
    return _events((read.topic, json.loads(read.value)) for read in read_topics(address, told) if read.value)


def in_files(folder: Path) -> Events:
    """What a reader of the files sees."""
    lines = committed_lines(folder)
    return _events((topic, line["value"]) for topic in lines for line in lines[topic])


def in_rows(rows: Iterable[Mapping[str, Any]]) -> Events:
    """What a batch of a DataFrame has, in any order: records have their position."""
    return _events((row["topic"], json.loads(row["value"])) for row in sorted(rows, key=_place) if row["value"])


def joined(*some: Events) -> Events:
    """Some events and then others."""
    found: Events = {}
    for events in some:
        for table, its_events in events.items():
            found.setdefault(table, []).extend(its_events)
    return found


def check(events: Events, expected: Mapping[str, Any]) -> None:
    """Each change once and in order, each row read that was to be read, and in the end the rows that are there."""
    for table, wanted in expected.items():
        found = events.get(table, [])
        changes = [event for event in found if event[0] != "r"]
        assert changes == wanted["changes"], f"the changes of {table}"
        reads = [event[2] for event in found if event[0] == "r"]
        if wanted["read"] is None:
            assert reads == [], f"{table} was not to be read"
        elif wanted.get("beside"):
            assert len(reads) == len({row["id"] for row in reads}), f"a row of {table} was read twice"
        else:
            assert _counted(reads) == _counted(wanted["read"]), f"the rows of {table} that were read"
        if wanted.get("whole", wanted["read"] is not None):
            assert _counted(_consumed(table, found)) == _counted(wanted["final"]), f"what a consumer has of {table}"


def _consumed(table: str, events: Iterable[list[Any]]) -> list[Any]:
    """The rows that a consumer has in the end; each event has to fit what it knows."""
    known: dict[int, Any] = {}
    for op, before, after in events:
        id_ = (after or before)["id"]
        if op == "r":
            assert known.get(id_, after) == after, f"{table}: a row was read as it was before: {after}"
        elif op == "c":
            assert known.get(id_) is None, f"{table}: {after} was there"
        else:
            assert known.get(id_, before) == before, f"{table}: {before} does not fit {known.get(id_)}"
        known[id_] = after
    return [row for row in known.values() if row is not None]


def _counted(rows: Iterable[Any]) -> Counter[str]:
    return Counter(json.dumps(row, sort_keys=True) for row in rows)


def _events(values: Iterable[tuple[str, Any]]) -> Events:
    found: Events = {}
    for topic, value in values:
        if "op" in value:
            table = topic.rpartition(".")[2]
            found.setdefault(table, []).append([value["op"], value["before"], value["after"]])
    return found


def _place(row: Mapping[str, Any]) -> str:
    return str(row["position"])
