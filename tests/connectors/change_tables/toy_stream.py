"""A stream of the toy's changes, read by the loop for change tables of any database, and a writer to the toy."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from tests.connectors.change_tables.toy import FORM, NAME, Toy
from tests.connectors.change_tables.toy_dialect import parts

from support.encoding import records_of
from tailrace.connectors.base import LogRange, Progress
from tailrace.connectors.change_tables.positions import DatabasePosition, RestartPosition
from tailrace.connectors.change_tables.streaming import LogReader
from tailrace.events.shape import RowChanges

BEGINNING = {NAME: DatabasePosition(FORM.zero).to_dict()}


@dataclass
class Stream:
    """What a reader keeps between its runs, as JSON."""

    restart: Mapping[str, Any] = field(default_factory=lambda: BEGINNING)
    history: list[dict[str, Any]] = field(default_factory=list)
    events: list[tuple[Any, ...]] = field(default_factory=list)
    values: list[dict[str, Any]] = field(default_factory=list)
    positions: list[str] = field(default_factory=list)

    def read(self, toy: Toy, most: int = 1 << 30, **properties: str) -> None:
        """Read on up to what is captured now, at most so many batches."""
        using = parts(toy, **properties)
        until = RestartPosition({NAME: DatabasePosition(using.dialect.head(toy))}).to_dict()
        reader = LogReader(using, LogRange(self.restart, until, now_us=0), Progress("", self.restart), self.history)
        with closing(reader.batches()) as batches:
            for batch in islice(batches, most):
                self.values += [json.loads(each) for some in records_of(batch) for each in some.values if each is not None]
                self.positions += [(each or b"").decode() for some in records_of(batch) for each in some.positions]
                self.events += [found for event in batch.events if isinstance(event, RowChanges) for found in changes_in(event)]
                self.restart = json.loads(json.dumps(batch.progress.restart))
                self.history += json.loads(json.dumps(batch.history))


def changes_in(event: RowChanges) -> Iterator[tuple[Any, ...]]:
    """Table, operation and images of changes."""
    changes, name = event.changes, event.shape.schemas.topic.rpartition(".")[2]
    values = [column.to_arrow().to_pylist() for column in changes.columns if column is not None]
    for op, *images in zip(changes.op, changes.before, changes.after, strict=True):
        yield name, chr(op), *(tuple(column[at] for column in values) for at in images if at >= 0)


def row(key: int, value: str) -> dict[str, Any]:
    return {"k": key, "v": value}


def written(toy: Toy, chosen: random.Random, count: int) -> None:
    """So many transactions that insert, update, delete and move rows of both tables."""
    for number in range(count):
        changes = []
        for name in ("a", "b"):
            there = toy.rows(name)
            key, other, value = chosen.randrange(60), chosen.randrange(60), f"{name}{number}"
            before = row(key, there[key]) if key in there else None
            free = key if other in there else other
            after = row(key, value) if before is None else chosen.choice([None, row(key, value), row(free, value)])
            changes.append((name, before, after))
        toy.commit(*changes)


def folded(events: list[tuple[Any, ...]]) -> dict[str, dict[int, str]]:
    """The tables that events make."""
    found: dict[str, dict[int, str]] = {"a": {}, "b": {}}
    for name, op, *images in events:
        if op != "c":
            del found[name][images[0][0]]
        if op != "d":
            found[name][images[-1][0]] = images[-1][1]
    return found
