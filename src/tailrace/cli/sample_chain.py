"""What a configuration's chain of transforms does to sample events of its tables.

With a server the tables are the captured ones; without one those that `table.include.list` names, or one that is made. Their
rows are made up (`events/samples.py`), all else is as it is with real rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from attrs import evolve

from tailrace.changes.source_records import SourceRecords
from tailrace.cli.sample_records import Shown, same, shown, shown_as_sent
from tailrace.config.settings import Settings
from tailrace.connectors import samples_of
from tailrace.errors import TailraceError
from tailrace.events.other_samples import other_events
from tailrace.events.samples import SampledTable, sample_event
from tailrace.schema.tables import Table
from tailrace.transforms.named_columns import NUMBER, NamedColumn, named_columns
from tailrace.transforms.steps import Step, steps

OPERATIONS: Final = {"c": "an insert", "u": "an update", "d": "a delete", "r": "a row of the snapshot"}
TOMBSTONE: Final = "the tombstone behind it"
PREFIX: Final = "prefix"
MOST: Final = 20
"""How many tables are shown in short."""
_LITERAL: Final = re.compile(r"[\w\-]+")


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A transform that changed a record; `records` are what there is behind it."""

    alias: str
    type: str
    records: tuple[Shown, ...]
    failure: str | None


@dataclass(frozen=True, slots=True)
class ShownEvent:
    """A sample event.

    Attributes:
        what: an insert, an update, …
        before: the record before the chain.
        steps: the transforms that change it.
        sent: what is delivered, and in which form.

    """

    what: str
    before: Shown
    steps: tuple[ShownStep, ...]
    sent: tuple[Shown, ...]

    @property
    def failure(self) -> str | None:
        """Why a transform fails; None if none does."""
        return next((each.failure for each in self.steps if each.failure), None)

    @property
    def is_changed(self) -> bool:
        """Whether the chain does anything to it."""
        return bool(self.steps)


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table and its sample events; `is_made`: its structure is made up."""

    name: str
    is_made: bool
    events: tuple[ShownEvent, ...]


@dataclass(frozen=True, slots=True)
class ShownTables:
    """What is shown.

    Attributes:
        tables: those with their events.
        others: events that are of no row, where the chain changes them.
        more: how many tables there are besides.
        why_made: why there are no real ones, "" if there are.

    """

    tables: tuple[ShownTable, ...]
    others: tuple[ShownEvent, ...] = ()
    more: int = 0
    why_made: str = ""


def sample_tables(settings: Settings, *, offline: bool, everything: bool) -> ShownTables:
    """What the chain does: whole of one table, of the others of an insert; `everything`: whole of all tables."""
    settings = _known(settings)
    tables, why = _tables(settings, offline=offline)
    chosen = tables if everything else tables[:MOST]
    sampled = [_sampled(settings, table) for table in chosen]
    whole = set(range(len(sampled))) if everything else {_most_telling(settings, sampled)}
    found = [
        ShownTable(str(table.id), offline or bool(why), tuple(_events(settings, each, OPERATIONS if i in whole else "c")))
        for i, (table, each) in enumerate(zip(chosen, sampled, strict=True))
    ]
    found.sort(key=lambda table: len(table.events) == 1)  # the whole ones first
    others = (_event(settings, what, each.source_records()) for what, each in other_events(settings, sampled[0], chosen[0]))
    return ShownTables(tuple(found), tuple(each for each in others if each.is_changed), len(tables) - len(chosen), why)


def made_samples(settings: Settings) -> list[SampledTable]:
    """Tables as `table.include.list` names them, or one, with columns that the transforms name; nothing connects."""
    known = _known(settings)
    return [_sampled(known, table) for table in _made_tables(known)]


def _known(settings: Settings) -> Settings:
    """The settings with a prefix of topics: where a check does not know it, there is none."""
    return settings if settings.topic_prefix else evolve(settings, topic_prefix=PREFIX)


def _tables(settings: Settings, *, offline: bool) -> tuple[Sequence[Table], str]:
    if offline:
        return _made_tables(settings), ""
    try:
        real = samples_of(settings).structures(settings)
    except TailraceError as error:
        return _made_tables(settings), str(error)
    found = [table for _, table in sorted(real.items())]
    return (found, "") if found else (_made_tables(settings), "no table is captured")


def _made_tables(settings: Settings) -> list[Table]:
    """Tables as `table.include.list` names them, as far as its expressions are names; else one."""
    columns = named_columns(settings.transform_chain)
    names = [_parts(each) for each in settings.table_include_list]
    named = [each for each in names if each] or [["orders"]]
    return list(dict.fromkeys(samples_of(settings).made(settings, each, columns) for each in named))


def _parts(expression: str) -> list[str]:
    """The parts of a table's name; none if the expression is more than a name."""
    parts = expression.replace("\\.", ".").split(".")
    return parts if all(map(_LITERAL.fullmatch, parts)) else []


def _sampled(settings: Settings, table: Table) -> SampledTable:
    found = samples_of(settings).sampled(settings, table)
    given = {each.name: _pair(each) for each in named_columns(settings.transform_chain) if each.value is not None}
    taken = {name: pair for name, pair in given.items() if _takes(found, name, pair[0])}
    return replace(found, values={**found.values, **taken})


def _pair(column: NamedColumn) -> tuple[Any, Any]:
    """Values of a column that a condition compares: the one that it names, before and after."""
    return (column.value, column.value + 1) if column.kind == NUMBER else (column.value, column.value)


def _takes(table: SampledTable, name: str, value: Any) -> bool:
    """Whether a column of the table can have such a value: a real one may have another type."""
    fields = dict(zip(table.names, table.fields, strict=True))
    if name not in fields or fields[name].name is not None:
        return False
    return {str: "STRING", bool: "BOOLEAN"}.get(type(value), "INT") in fields[name].type.name


def _most_telling(settings: Settings, tables: Sequence[SampledTable]) -> int:
    """The first table whose inserts the chain changes without failing; else the first."""
    for number, table in enumerate(tables):
        (event,) = _events(settings, table, "c")
        if event.is_changed and event.sent and event.failure is None:
            return number
    return 0


def _events(settings: Settings, table: SampledTable, operations: Sequence[str] | dict[str, str]) -> Iterator[ShownEvent]:
    for operation in operations:
        records = sample_event(table, operation).source_records()
        for i in range(len(records)):
            yield _event(settings, TOMBSTONE if i else OPERATIONS[operation], records.where(_only(i, len(records))))


def _only(i: int, n: int) -> Any:
    import numpy as np

    return np.arange(n) == i


def _event(settings: Settings, what: str, record: SourceRecords) -> ShownEvent:
    before = shown(settings, record)
    last: tuple[SourceRecords, ...] = (record,)
    found, failed = [], False
    for step in steps(record, settings.transform_chain):
        if step.failure is not None or not same(last, step.records):
            found.append(_shown_step(settings, step))
        last, failed = step.records, step.failure is not None
    sent = () if failed else tuple(shown_as_sent(settings, each) for each in last)
    return ShownEvent(what, before, tuple(found), sent)


def _shown_step(settings: Settings, step: Step) -> ShownStep:
    return ShownStep(step.alias, step.type, tuple(shown(settings, each) for each in step.records), step.failure)
