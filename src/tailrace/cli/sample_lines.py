"""Sample events and what transforms make of them, as lines to read and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from tailrace.cli.sample_chain import ShownEvent, ShownStep, ShownTable, ShownTables
from tailrace.cli.sample_records import Shown

Hide = Callable[[str], str]
"""Puts placeholders in the place of values that they brought in."""
_INDENT: Final = "  "
_ALIAS: Final = 14
_PART: Final = 10


def lines_of(found: ShownTables, hide: Hide) -> Iterator[str]:
    """The lines: tables with all their events, those of which only an insert is shown, what is of no row, a line each."""
    yield _heading(found)
    for table in found.tables:
        if len(table.events) > 1:
            for event in table.events:
                yield from map(hide, _event_lines(table, event))
        else:
            yield hide(_short(f"{table.name}, ", table.events[0]))
    for event in found.others:
        yield hide(_short("", event))
    if found.more:
        yield f"… and {found.more} more tables: --samples all shows them"


def as_json(found: ShownTables, hide: Hide) -> Mapping[str, Any]:
    """For programs: the same as objects; keys, values and headers are JSON texts."""
    made: dict[str, Any] = {
        "tables": [_table_json(each) for each in found.tables],
        "others": [_event_json(each) for each in found.others],
        "more_tables": found.more,
    }
    hidden: dict[str, Any] = _hidden(made, hide)
    return hidden


def _heading(found: ShownTables) -> str:
    if found.why_made:
        return f"what the transforms do, with made-up tables, as there are no real ones ({found.why_made}):"
    is_made = any(table.is_made for table in found.tables)
    whose = "made-up tables and rows" if is_made else "the tables as they are now, and made-up rows"
    return f"what the transforms do, with {whose}:"


def _event_lines(table: ShownTable, event: ShownEvent) -> Iterator[str]:
    yield f"{table.name}, {event.what}"
    yield from _labelled("", _whole(event.before))
    before: tuple[Shown, ...] = (event.before,)
    for step in event.steps:
        yield from _labelled(step.alias, _changed(before, step))
        before = step.records
    if event.failure is None and event.sent:
        yield from _labelled("delivered", _delivered(before, event.sent))


def _labelled(label: str, parts: Sequence[str]) -> Iterator[str]:
    for number, part in enumerate(parts):
        yield f"{_INDENT}{'' if number else label:<{_ALIAS}} {part}"


def _changed(before: Sequence[Shown], step: ShownStep) -> list[str]:
    if step.failure is not None:
        return [f"fails: {step.failure}"]
    if not step.records:
        return ["dropped"]
    if len(before) != 1 or len(step.records) != 1:
        return [part for each in step.records for part in _whole(each)]
    old, new = dict(_parts(before[0])), dict(_parts(step.records[0]))
    gone = [_part(name, "(none)") for name in old if name not in new]
    changed = [_part(name, text) for name, text in new.items() if old.get(name) != text]
    return [*changed, *gone] or [_part("schema", "only schemas, or the time of the record, are changed")]


def _delivered(before: Sequence[Shown], sent: Sequence[Shown]) -> list[str]:
    found = []
    for old, each in zip(before, sent, strict=True):
        forms = f"key: {each.key_form or 'none'}; value: {each.value_form}"
        texts = [_part(name, text) for name, text in _parts(each) if dict(_parts(old)).get(name) != text]
        found += [*texts, forms]
    return found


def _whole(record: Shown) -> list[str]:
    return [_part(name, text) for name, text in _parts(record)]


def _parts(record: Shown) -> Iterator[tuple[str, str]]:
    yield "topic", record.topic
    if record.partition is not None:
        yield "partition", str(record.partition)
    yield "key", record.key
    yield "value", record.value
    for name, text in record.headers.items():
        yield f"header {name}", text


def _part(name: str, text: str) -> str:
    return f"{name:<{_PART}} {text}"


def _short(table: str, event: ShownEvent) -> str:
    """An event in one line; `table` is what stands before it."""
    begin = f"{table}{event.what}: {event.before.topic}"
    if event.failure is not None:
        return f"{begin} fails: {event.failure}"
    if not event.sent:
        return f"{begin} is dropped"
    sent = "; ".join(f"{each.topic}, key {each.key}" for each in event.sent)
    return f"{begin} → {sent}"


def _table_json(table: ShownTable) -> Mapping[str, Any]:
    return {"table": table.name, "made_up": table.is_made, "events": [_event_json(each) for each in table.events]}


def _event_json(event: ShownEvent) -> Mapping[str, Any]:
    return {
        "event": event.what,
        "before": event.before.as_json(),
        "steps": [
            {
                "transform": each.alias,
                "type": each.type,
                "failure": each.failure,
                "records": [record.as_json() for record in each.records],
            }
            for each in event.steps
        ],
        "delivered": [each.as_json() for each in event.sent],
    }


def _hidden(value: Any, hide: Hide) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, Mapping):
        return {name: _hidden_headers(each, hide) if name == "headers" else _hidden(each, hide) for name, each in value.items()}
    return [_hidden(each, hide) for each in value] if isinstance(value, list) else value


def _hidden_headers(headers: Mapping[str, str], hide: Hide) -> Mapping[str, str]:
    """Headers, whose names are the configuration's too."""
    return {hide(name): hide(text) for name, text in headers.items()}
