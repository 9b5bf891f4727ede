"""Golden lines as tailrace's source records, laid out as the events of a connector are.

Lines of one topic with the same schemas become one `SourceRecords`; tombstones go to those of their topic. An envelope's
`before` and `after` are two structs over the same columns, what is the same in all records is constant, and schema changes and
notifications are Python values. A record's rank in `log_order` is the number of its line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from tests.formats.golden_layouts import OF_EVENT, Laid
from tests.formats.golden_schemas import schema_of, value_of

from tailrace.changes.layouts import Constant, Layout
from tailrace.changes.records import binary_of
from tailrace.changes.source_records import EventKind, SourceRecords
from tailrace.schema.connect import Schema, Type

Line = Mapping[str, Any]
_KINDS: Final = {
    "TransactionMetadataValue": EventKind.TRANSACTION,
    "SchemaChangeValue": EventKind.SCHEMA_CHANGE,
    "Heartbeat": EventKind.HEARTBEAT,
    "Notification": EventKind.NOTIFICATION,
}
_NO_VALUE: Final = Layout(Constant(Schema(Type.STRING, optional=True), None))


@dataclass
class Group:
    """Lines that become one `SourceRecords`; a schema is None while all lines lack that part."""

    topic: str
    partition: int | None
    key: str | None
    value: str | None
    numbers: list[int] = field(default_factory=list)

    def takes(self, topic: str, partition: int | None, key: str | None, value: str | None) -> bool:
        """Whether a line with these schemas belongs to it: what is missing is a null."""
        return (
            (self.topic, self.partition) == (topic, partition)
            and (key in (None, self.key))
            and (value in (None, self.value))
            and (key, value) != (None, None)
        )


def golden_records(lines: Sequence[Line]) -> list[SourceRecords]:
    """The source records of lines, in the order of their first lines."""
    return [_records(group, lines) for group in sorted(groups_of(lines), key=lambda group: group.numbers)]


def groups_of(lines: Sequence[Line]) -> list[Group]:
    """Which lines go together; those that lack a key or value are put where the others of their topic are."""
    looks = [(line["topic"], line.get("partition"), _text(line["key"]), _text(line["value"])) for line in lines]
    groups: list[Group] = []
    for whole in (True, False):
        for number, look in enumerate(looks):
            if (None not in look[2:]) is whole:
                _put(groups, number, look)
    for group in groups:
        group.numbers.sort()
    return groups


def _put(groups: list[Group], number: int, look: tuple[Any, ...]) -> None:
    fitting = [group for group in groups if group.takes(*look)]
    before = [group for group in fitting if group.numbers[0] < number]
    if not fitting:
        groups.append(Group(*look))
    (before or fitting or groups)[-1].numbers.append(number)


def _text(message: Any) -> str | None:
    return None if message is None else json.dumps(message["schema"])


def _records(group: Group, lines: Sequence[Line]) -> SourceRecords:
    mine = [lines[number] for number in group.numbers]
    n, laid = len(mine), Laid(len(mine))
    keys, values = [_payload(line["key"]) for line in mine], [_payload(line["value"]) for line in mine]
    value = _NO_VALUE if group.value is None else _value_layout(laid, schema_of(json.loads(group.value)), values)
    key = None if group.key is None else laid.key(schema_of(json.loads(group.key)), keys)
    headers = laid.headers([line.get("headers") or () for line in mine])
    return SourceRecords(
        kind=kind_of(group.value),
        topic=group.topic,
        key=key,
        value=value,
        columns=laid.columns,
        roles=laid.roles(),
        timestamps=np.array([line["timestamp"] for line in mine], np.int64),
        positions=binary_of([b"%020d" % number for number in group.numbers]),
        log_order=np.array(group.numbers, np.int64),
        has_key=_present([line["key"] for line in mine]) if n and key is not None else None,
        has_value=_present([line["value"] for line in mine]),
        headers=headers,
        partition=group.partition,
    )


def kind_of(schema: str | None) -> EventKind:
    """The kind of records whose value has that schema."""
    name = None if schema is None else json.loads(schema).get("name")
    return _KINDS.get((name or "").rpartition(".")[2], EventKind.ROWS)


def _value_layout(laid: Laid, schema: Schema, payloads: Sequence[Any]) -> Layout:
    values = [value_of(schema, payload) for payload in payloads]
    kind = kind_of(json.dumps({"name": schema.name}))
    if kind in (EventKind.SCHEMA_CHANGE, EventKind.NOTIFICATION):
        return laid.objects(schema, values)
    if {"before", "after"} <= {each.name for each in schema.fields}:
        return laid.envelope(schema, values)
    return laid.plain(schema, values, OF_EVENT)


def _payload(message: Any) -> Any:
    return None if message is None else message["payload"]


def _present(messages: Sequence[Any]) -> Any:
    there = np.array([message is not None for message in messages])
    return None if there.all() else there
