"""What a lane's progress record has of its part: little, however many tables there are, and all that another process needs."""

import json
import random
from dataclasses import replace

import pytest

from tailrace.errors import ProgressError
from tailrace.snapshot.lane_part import BUNDLE, WAITING, LanePart
from tailrace.snapshot.segments import Segment, TablePlan, shares
from tailrace.snapshot.state import SnapshotState, start

SEED = random.SystemRandom().randrange(1 << 30)
MESSAGE = 1 << 20  # bytes that a message of Kafka may have


def begun(count):
    """A part of so many tables, and keys as MySQL's are."""
    words = ["order", "item", "customer", "invoice", "stock", "session", "event"]
    chance = random.Random(SEED)
    names = [f'"shop_{n % 7}"."{chance.choice(words)}_{chance.choice(words)}_{n}"' for n in range(count)]
    (plan,) = shares([TablePlan(name, chance.randrange(100_000)) for name in names], 1)
    text = {"name": "code", "kind": "text", "charset": "utf8mb4", "collation": "utf8mb4_0900_ai_ci"}
    number = {"name": "id", "kind": "int", "unsigned": True}
    keys = {name: {"index": "PRIMARY", "columns": chance.choice([[text, number], [number]])} for name in names}
    return LanePart(keys, start(plan, {"file": "mysql-bin.000001", "pos": 4}))


def again(part, state):
    """As another process finds it."""
    return LanePart.from_dict(json.loads(json.dumps(part.to_dict(state))))


def advanced(state, count, *, touched=()):
    """So many tables are delivered, each with 500 rows, and one is begun; the log has told rows of others."""
    tables = dict(state.tables)
    for segment in state.segments[:count]:
        tables[segment.table] = replace(tables[segment.table], rows=500, chunks=1)
    for name in touched:
        tables[name] = replace(tables[name], rows=tables[name].rows + 1)
    left = [replace(segment, after=[7]) if not n else segment for n, segment in enumerate(state.segments[count:])]
    return replace(state, segments=tuple(left), tables=tables)


def test_a_part_of_few_tables_is_stored_for_people_to_read():
    part = begun(3)
    stored = part.to_dict(part.state)
    assert WAITING not in stored
    assert [segment["table"] for segment in stored["state"]["segments"]] == list(stored["keys"])


@pytest.mark.parametrize("done", [0, 1, BUNDLE - 1, BUNDLE, BUNDLE + 1, 2 * BUNDLE, 3 * BUNDLE, 3 * BUNDLE + 49])
def test_another_process_finds_the_state_and_the_keys_of_what_is_left(done):
    part = begun(3 * BUNDLE + 50)
    touched = [part.state.segments[n].table for n in (0, BUNDLE + 3, -1)]
    state = advanced(part.state, done, touched=touched)
    found = again(part, state)
    assert found.state == state.forgetful()
    assert {name: found.keys[name] for name in state.unfinished} == {name: part.keys[name] for name in state.unfinished}
    assert again(found, found.state).state == found.state


def test_a_row_that_is_held_of_a_waiting_table_is_kept():
    part = begun(2 * BUNDLE)
    last = part.state.segments[-1].table
    state = replace(part.state, held={last: "00" * 16})
    assert again(part, state).state == state


def test_a_table_that_ends_while_one_before_it_has_a_row_held_does_not_wait_any_more():
    part = begun(2 * BUNDLE)
    segments = part.state.segments
    state = advanced(part.state, BUNDLE - 1)
    state = replace(state, segments=(state.segments[0], *segments[BUNDLE + 1 :]))
    assert again(part, state).state == state.forgetful()


def test_with_five_thousand_tables_no_record_comes_near_the_size_of_a_message():
    part = begun(5000)
    sizes = [len(json.dumps({"lanes": 1, "parts": [part.to_dict(part.state)]}))]
    sizes += [len(json.dumps(part.to_dict(advanced(part.state, done)))) for done in range(0, 5000, 250)]
    assert max(sizes) < MESSAGE // 4, f"{max(sizes)} bytes, seed {SEED}"
    assert sizes[-1] < 50_000, "what is done takes no room"


def test_that_each_of_ten_thousand_tables_has_changed_does_not_fill_a_message():
    """The log has told a row of each, which is held: it may be the table's last one."""
    part, chance = begun(10_000), random.Random(SEED)
    names = [segment.table for segment in part.state.segments]
    held = {name: f"{chance.getrandbits(128):032x}" for name in names}
    state = replace(advanced(part.state, 0, touched=names[::2]), held=held)
    stored = part.to_dict(state)
    assert len(json.dumps(stored)) < MESSAGE * 9 // 10, f"seed {SEED}"
    assert again(part, state).state == state
    with pytest.raises(ProgressError, match="noted"):  # as in a version that would lose these rows
        SnapshotState.from_dict(stored["state"])


def test_a_part_can_be_stored_without_anything_to_read():
    part = begun(2 * BUNDLE)
    packed = LanePart(part.keys, part.state, 0).to_dict(part.state)
    assert (packed["keys"], packed["state"]["segments"], len(packed[WAITING])) == ({}, [], 2)
    assert LanePart.from_dict(json.loads(json.dumps(packed))).state == part.state


def test_what_waits_is_packed_once(monkeypatch):
    part = begun(4 * BUNDLE)
    monkeypatch.setattr("tailrace.snapshot.lane_part.zlib.compress", None)
    stored = [part.to_dict(advanced(part.state, done)) for done in range(0, 4 * BUNDLE, 16)]
    assert [len(each.get(WAITING, ())) for each in stored][::8] == [3, 2, 1, 0]


def test_a_record_without_bundles_is_read_whatever_it_has():
    state = start(shares([TablePlan("a"), TablePlan("b")], 1)[0], {"n": 1})
    stored = {"keys": {"a": None, "b": None}, "state": state.to_dict(), "lanes": 1}
    assert LanePart.from_dict(stored).state == state


@pytest.mark.parametrize(
    "damage", [{"waiting": ["x"]}, {"waiting": ["eJw="]}, {"waiting": [5]}, {"keys": 5}, {"state": None}, {"state": {"noted": "x"}}]
)
def test_damage_is_named(damage):
    part = begun(2)
    with pytest.raises(ProgressError, match="damaged"):
        LanePart.from_dict({**part.to_dict(part.state), **damage})


def test_a_state_without_keys_is_damaged():
    with pytest.raises(ProgressError, match="damaged"):
        LanePart.from_dict({"state": SnapshotState((Segment("a"),), {}).members()})
