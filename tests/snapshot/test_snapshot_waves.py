"""One lane's waves over a log and reads that are written down here: marks, order, and what a restart finds."""

import numpy as np
import pytest

from tailrace.changes.records import Binary
from tailrace.errors import ProgressError
from tailrace.snapshot.digests import digests_of
from tailrace.snapshot.first_changes import TableTouches
from tailrace.snapshot.segments import LanePlan, Segment, TablePlan, shares
from tailrace.snapshot.source import Section
from tailrace.snapshot.state import SnapshotState, start
from tailrace.snapshot.waves import SnapshotLane


def digests(keys):
    offsets = np.arange(len(keys) + 1, dtype=np.int64)
    return digests_of(Binary(np.frombuffer("".join(key or "-" for key in keys).encode(), np.uint8), offsets))


class Rows:
    def __init__(self, keys, is_last, *, has_key=True):
        self.keys = keys
        self.is_last = is_last
        self.digests = digests(keys) if has_key else None
        self._has_key = has_key

    def __len__(self):
        return len(self.keys)

    def bound(self, row):
        return [self.keys[row]] if self._has_key else None


class Script:
    """`tables` says what reads see; `log[i]` is what is logged while the i-th chunk is read: (table, before, after)."""

    def __init__(self, tables, log=(), limit=2, altered=(), keyless=()):
        self.tables = tables
        self.log = [*log]
        self.limit = limit
        self.altered = [*altered]
        self.keyless = keyless
        self.at = 0
        self.head = 0
        self.reads = []

    def read(self, segment):
        self.reads.append((segment.table, segment.after))
        self.head += 1
        if segment.table not in self.tables:
            return None
        if segment.table in self.keyless:
            return Rows(self.tables[segment.table], is_last=True, has_key=False)
        low, high = (segment.after or ["\0"])[0], (segment.upto or ["~"])[0]
        keys = [key for key in self.tables[segment.table] if low < key <= high]
        return Rows(keys[: self.limit], is_last=len(keys) < self.limit)

    def changes(self, upto):
        end = self.head if upto is None else upto["n"]
        for number in range(self.at, end):
            changes = self.log[number] if number < len(self.log) else []
            altered = self.altered[number] if number < len(self.altered) else ()
            self.at = number + 1
            yield Section([touch(*change) for change in changes], {"n": number + 1}, frozenset(altered))

    def inside(self, touches, rows, intervals):
        keys = [touches.images[row] for row in rows]
        return np.array(
            [any((a or ["\0"])[0] < key <= (b or ["~"])[0] for a, b in intervals) for key in keys], bool
        )


def touch(table, before, after):
    images = (np.array([before is not None]), np.array([after is not None]), np.array([True]))
    return TableTouches(table, digests([before]), images[0], digests([after]), images[1], images[2], [before])


def events(wave):
    return [
        (piece.table, (piece.of.images if hasattr(piece.of, "images") else piece.of.keys)[row], piece.mark.value)
        for piece in wave.pieces
        for row in piece.rows.tolist()
    ]


def run(script, state):
    return [event for wave in SnapshotLane(script, state).waves() for event in events(wave)]


def whole(*tables):
    return start(shares([TablePlan(table) for table in tables], 1)[0], {"n": 0})


def test_the_first_and_the_last_records_say_so():
    script = Script({"a": "abc", "b": "", "c": "d", "e": "xyz", "f": ""})
    assert run(script, whole("a", "b", "c", "e", "f")) == [
        ("a", "a", "first"),
        ("a", "b", "true"),
        ("a", "c", "last_in_data_collection"),
        ("c", "d", "last_in_data_collection"),
        ("e", "x", "first_in_data_collection"),
        ("e", "y", "true"),
        ("e", "z", "last"),
    ]


def test_the_only_record_is_the_last():
    assert run(Script({"a": "", "b": "x", "c": ""}), whole("a", "b", "c")) == [("b", "x", "last")]


def test_empty_tables_bring_no_records_and_an_end():
    waves = [*SnapshotLane(Script({"a": "", "b": ""}), whole("a", "b")).waves()]
    assert waves[-1].state.done
    assert not any(wave.pieces for wave in waves)


def test_other_lanes_mark_what_they_have_the_ends_of():
    plans = shares([TablePlan("t", 9, [["b"], ["d"]])], 3)
    found = [run(Script({"t": "abcdef"}), start(plan, {"n": 0})) for plan in plans]
    assert [[mark for _, _, mark in events] for events in found] == [["first", "true"], ["true", "true"], ["true", "last"]]
    assert [key for events in found for _, key, _ in events] == [*"abcdef"]


def test_a_row_that_changes_before_its_chunk_is_read_is_told_then_and_not_again():
    script = Script({"t": "abcd"}, [[("t", "d", "d"), ("t", None, "c")]])
    assert run(script, whole("t")) == [("t", "d", "true"), ("t", "a", "first"), ("t", "b", "last")]


def test_a_row_that_changes_after_it_was_delivered_is_not_told_again():
    script = Script({"t": "abcdef"}, [[], [("t", "a", None)], [("t", "b", "a")]])
    assert [key for _, key, _ in run(script, whole("t"))] == [*"abcdef"]


def test_an_image_is_the_last_where_nothing_else_is():
    script = Script({"t": "ab"}, [[("t", "a", "a"), ("t", "b", "b")]])
    assert run(script, whole("t")) == [("t", "b", "true"), ("t", "a", "last")]


def test_the_image_of_a_held_row_takes_its_place():
    script = Script({"t": "ab"}, [[], [("t", "b", "b")]])
    assert run(script, whole("t")) == [("t", "a", "first"), ("t", "b", "last")]


def test_a_held_image_is_found_again_by_another_process():
    script = Script({"t": "ab"}, [[("t", "a", "a"), ("t", "b", "b")]])
    waves = SnapshotLane(script, whole("t")).waves()
    first = next(waves)
    assert first.state.held
    state = SnapshotState.from_dict(first.state.to_dict())
    again = Script({"t": "ab"}, script.log)
    again.head = 1
    assert events(first) + run(again, state) == [("t", "b", "true"), ("t", "a", "last")]


def test_a_held_image_that_the_log_lacks_is_an_error():
    state = SnapshotState.from_dict({**whole("t").to_dict(), "held": {"t": "01" * 16}})
    with pytest.raises(ProgressError, match="lacks the change of t"):
        run(Script({"t": "a"}), state)


def test_another_process_goes_on_before_the_row_that_was_held():
    script = Script({"t": "abcde"})
    waves = SnapshotLane(script, whole("t")).waves()
    state = [next(waves) for _ in range(3)][-1].state
    (segment,) = state.segments
    again = Script({"t": "abcde"})
    again.head = state.position["n"]
    rest = [key for _, key, _ in run(again, state)]
    assert again.reads[0] == ("t", segment.after)
    assert segment.after is not None
    assert rest[0] > segment.after[0]
    assert rest[-1] == "e"


def test_a_chunk_is_read_again_when_the_structure_changed_meanwhile():
    script = Script({"t": "ab", "u": "x"}, altered=[("t",), ("u",)])
    assert [key for _, key, _ in run(script, whole("t", "u"))] == [*"abx"]
    assert [after for table, after in script.reads if table == "t"][:2] == [None, None]


def test_a_chunk_that_could_not_be_read_is_asked_for_again_after_the_log():
    script = Script({"t": "ab"}, [[("t", "b", None)]])
    read, script.read = script.read, lambda segment: read(segment) and Rows([], is_last=False)
    waves = SnapshotLane(script, whole("t")).waves()
    found = events(next(waves)) + events(next(waves))
    script.read = read
    for wave in waves:
        found += events(wave)
    assert found == [("t", "b", "true"), ("t", "a", "last")]


def test_a_table_that_is_gone_is_done_and_what_was_read_of_it_stays():
    script = Script({"t": "abcd", "u": "x"})
    waves = SnapshotLane(script, whole("t", "u")).waves()
    found = events(next(waves)) + events(next(waves))
    del script.tables["t"]
    for wave in waves:
        found += events(wave)
    assert found == [("t", "a", "first"), ("t", "b", "last_in_data_collection"), ("u", "x", "last")]


def test_a_table_without_a_key_is_read_whole_and_delivered_at_once():
    script = Script({"k": "cab", "t": "x"}, keyless=("k",))
    waves = [*SnapshotLane(script, whole("k", "t")).waves()]
    assert [event for wave in waves for event in events(wave)] == [
        ("k", "c", "first"),
        ("k", "a", "true"),
        ("k", "b", "last_in_data_collection"),
        ("t", "x", "last"),
    ]
    for wave in waves:
        undelivered = any(segment.table == "k" for segment in wave.state.segments)
        delivered = wave.state.tables["k"].rows > 0
        assert undelivered != delivered


def test_changes_of_tables_that_are_done_or_not_the_lanes_are_passed_over():
    script = Script({"t": "a", "u": "x"}, [[("other", "q", None)], [("t", "a", None)]])
    assert [key for _, key, _ in run(script, whole("t", "u"))] == ["a", "x"]


def test_counts_are_told_by_table():
    state = [*SnapshotLane(Script({"t": "abc"}), whole("t")).waves()][-1].state
    assert (state.tables["t"].rows, state.tables["t"].chunks) == (3, 2)


def test_a_lane_without_segments_ends_at_once():
    assert run(Script({}), start(LanePlan(), {"n": 0})) == []
    assert Segment("t") == Segment.from_dict({"table": "t", "after": None, "upto": None}, "x")
