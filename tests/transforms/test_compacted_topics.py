"""What a compacted topic keeps of unwrapped rows, the last record of each key, is the table, for each way to write deletes."""

import json
import random

import pytest

from support.encoding import WITHOUT_SCHEMAS
from support.transforming import changes, properties
from support.unit_settings import unit_settings
from tailrace.events.pipeline import RecordPipeline, transforms_of

UNWRAP = "io.debezium.transforms.ExtractNewRecordState"
KEYS, CHANGES = 6, 200


class Table:
    """A table of numbers and texts; `events` are its changes, some of which change keys."""

    def __init__(self, seed):
        self.rows, self.once, self.events = {}, {}, []
        chance = random.Random(seed)
        while len(self.events) < CHANGES:
            self._change(chance.randrange(KEYS), f"v{len(self.events)}", chance)

    def _change(self, key, text, chance):
        before = self.rows.get(key)
        match "insert" if before is None else chance.choice(["update", "delete", "move", "delete and insert"]):
            case "insert":
                self._add("c", None, (key, text))
            case "update":
                self._add("u", before, (key, text))
            case "delete":
                self._add("d", before, None)
            case "move" if free := sorted(set(range(KEYS)) - set(self.rows)):
                self._add("u", before, (chance.choice(free), text))
            case "delete and insert":
                self._add("d", before, None)
                self._add("c", None, (key, text))

    def _add(self, operation, before, after):
        self.events.append((operation, before, after))
        if before is not None:
            self.once[before[0]] = self.rows.pop(before[0])
        if after is not None:
            self.rows[after[0]] = after


def compacted(table, mode):
    """The last values by key, as Kafka has them."""
    chain = (UNWRAP, {"delete.tombstone.handling.mode": mode, "add.fields": "op"})
    (made,) = RecordPipeline(WITHOUT_SCHEMAS, transforms_of(unit_settings(properties(chain)))).made_of(changes(table.events))
    return {json.loads(made.keys[i])["c0"]: made.values[i] for i in range(len(made))}


@pytest.fixture
def table():
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    return Table(seed)


@pytest.mark.parametrize("mode", ["tombstone", "rewrite-with-tombstone", "delete-to-tombstone", "rewrite", "drop"])
def test_the_last_record_of_each_key_is_its_row_and_tells_that_there_is_none(table, mode):
    found = compacted(table, mode)
    rows = {key: json.loads(found[key])["c1"] for key in table.rows}
    assert rows == {key: text for key, (_, text) in table.rows.items()}
    assert set(found) == set(table.rows) | set(table.once)
    gone = {found[key] for key in set(found) - set(table.rows)}
    if mode == "rewrite":
        assert all(json.loads(row)["__deleted"] == "true" for row in gone)
    elif mode == "drop":
        assert all(json.loads(row)["__op"] in "cu" for row in gone), "nothing tells of a delete: the row stays, as in Debezium"
    else:
        assert gone <= {b"null" if mode == "tombstone" else None}
