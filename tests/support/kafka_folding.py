"""Checks Kafka records against a journal: each committed change once and in order, and folded they give the table.

`Folding` gets the records of each partition in order, as a read-committed consumer does, while the writer continues. It
detects four faults: a record that the journal does not expect for its key (duplicated, rolled back, altered, or after a
lost one), one that is before its predecessor of the same partition in the source's log, a tombstone that does not follow its
delete, and, at the end, a missing record. It takes a few microseconds for a record, so it can check millions.
"""

from dataclasses import dataclass
from typing import NamedTuple

import orjson

from support.journal import TOMBSTONE, Expected

NEW_KEY, OLD_KEY = "__debezium.newkey", "__debezium.oldkey"
MOST_FAULTS = 20


class Fault(NamedTuple):
    """What is wrong with a record, and where it stands; the offset is -1 for one that is missing."""

    what: str
    topic: str
    partition: int = -1
    offset: int = -1

    def __str__(self):
        return f"{self.topic}[{self.partition}]@{self.offset}: {self.what}"


@dataclass
class Place:
    """How far a partition was read."""

    position: tuple = ("", -1, -1)
    tombstone_due: int | None = None
    moved_to: int | None = None  # by the delete that came last
    offset: int = -1


class Folding:
    """Folds records into tables and compares each with the journal."""

    def __init__(self, journal, prefix, database):
        self.faults = []
        self.taken = 0
        self.tables = {}
        self._journal = journal
        self._prefix = prefix
        self._database = database
        self._of_tables = f"{prefix}.{database}."
        self._places = {}

    def take(self, records):
        """Records as (topic, partition, offset, key, value, headers); `headers` is called for when it is needed."""
        with self._journal.lock:
            for topic, partition, offset, key, value, headers in records:
                place = self._places.setdefault((topic, partition), Place())
                if offset <= place.offset:
                    continue  # the consumer went back, not the broker
                place.offset = offset
                if topic.startswith(self._of_tables):
                    what = self._change(place, topic.removeprefix(self._of_tables), key, value, headers)
                    self.taken += 1
                elif topic == self._prefix:
                    what = self._statement(value)
                else:
                    what = None
                if what and len(self.faults) < MOST_FAULTS:
                    self.faults.append(Fault(what, topic, partition, offset))

    @property
    def missing(self):
        """How many records were told and did not come yet; below 0 when there are too many."""
        return self._journal.told - self.taken

    def missing_faults(self):
        """A fault for each key and table of which something never came."""
        faults = []
        with self._journal.lock:
            for table, keys in self._journal.pending.items():
                lost = [(key, waiting[0], len(waiting)) for key, waiting in keys.items() if waiting]
                faults += [Fault(f"key {k}: {n} records never came, first {shown(first)}", self._of_tables + table) for k, first, n in lost]
            for table, statements in self._journal.statements.items():
                faults += [Fault(f"{table}: never told of {statement}", self._prefix) for statement in statements]
        return faults

    def _change(self, place, table, raw_key, value, headers):
        key = orjson.loads(raw_key)["id"]
        waiting = self._journal.pending[table].get(key)
        if not waiting:
            return f"key {key}: nothing was to come (doubled, or rolled back): {short(value)}"
        expected = waiting.popleft()
        if not waiting:
            del self._journal.pending[table][key]
        if value is None:
            return self._tombstone(place, key, expected)
        if place.tombstone_due is not None:
            place.tombstone_due, due = None, place.tombstone_due
            return f"key {key}: the tombstone of key {due} should stand here"
        event = orjson.loads(value)
        self._fold(table, key, event)
        return (
            self._difference(key, expected, event)
            or self._disorder(place, key, expected, event)
            or self._wrong_headers(key, expected, event["op"], headers)
        )

    def _tombstone(self, place, key, expected):
        due, place.tombstone_due = place.tombstone_due, None
        if expected.op != TOMBSTONE:
            return f"key {key}: a tombstone instead of {shown(expected)}"
        if due != key:
            return f"key {key}: a tombstone that does not follow its delete"
        return None

    def _fold(self, table, key, event):
        rows = self.tables.setdefault(table, {})
        if event["op"] == "d":
            rows.pop(key, None)
        else:
            rows[key] = event["after"]

    def _difference(self, key, expected, event):
        got = event["op"], event["before"], event["after"]
        if got == expected[:3]:
            return None
        return f"key {key}: expected {shown(expected)}, got {shown(Expected(*got))}"

    def _disorder(self, place, key, expected, event):
        source = event["source"]
        before, place.position = place.position, (source["file"], source["pos"], source["row"])
        moved_here, place.moved_to = place.moved_to == key, expected.other if expected.op == "d" else None
        place.tombstone_due = key if expected.op == "d" else None
        second_half = expected.op == "c" and expected.other is not None and moved_here
        if place.position > before or (place.position == before and second_half):
            return None
        return f"key {key}: {place.position} comes behind {before}"

    def _wrong_headers(self, key, expected, op, headers):
        if expected.other is None:
            return None
        name = NEW_KEY if op == "d" else OLD_KEY
        found = dict(headers() or ()).get(name)
        if found is not None and orjson.loads(found).get("payload", orjson.loads(found)) == {"id": expected.other}:
            return None
        return f"key {key}: the header {name} is {found!r}, not the key {expected.other}"

    def _statement(self, value):
        event = orjson.loads(value)
        statement, table = event["ddl"], event["source"]["table"]
        if event["source"]["db"] != self._database or table not in self._journal.altered:
            return None  # not the writers' doing
        waiting = self._journal.statements[table]
        if waiting and waiting[0] == statement:
            waiting.popleft()
            return None
        return f"{statement!r} is told, {waiting[0] if waiting else 'nothing'!r} was to come"


def differences(folding, shop, rows_of):
    """Folded events, the journal's tables and the server's (`rows_of(table)`, by key) are the same; else what differs."""
    found = []
    for name, table in shop.tables.items():
        real, told = rows_of(name), folding.tables.get(name, {})
        found += [f"{name}: the journal says otherwise than the server of key {key}" for key in unlike(table.rows, real)]
        # a column that was added or dropped since a row's last event is not in that event
        folded = {key: {**row, **{c: v for c, v in told.get(key, row).items() if c in row}} for key, row in real.items()}
        gone = sorted(told.keys() ^ real.keys())
        found += [f"{name}: folded events are not the table's row of key {key}" for key in [*gone, *unlike(folded, real)]]
    return found


def unlike(left, right):
    """The keys whose rows are not the same."""
    return sorted(key for key in left.keys() | right.keys() if left.get(key) != right.get(key))


def shown(expected):
    return short(orjson.dumps(expected._asdict()).decode())


def short(value, longest=400):
    text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
    return text if len(text) <= longest else f"{text[:longest]}…"
