"""One lane's waves over a log and reads that are written down here: marks, order, and what a restart finds."""

import numpy as np
import pytest

from tailrace.changes.records import Binary
from tailrace.errors import ProgressError
from tailrace.snapshot.digests import digests_of
from tailrace.snapshot.first_changes import Break, TableTouches
from tailrace.snapshot.segments import LanePlan, Segment, TablePlan, shares
from tailrace.snapshot.source import Section
from tailrace.snapshot.state import SnapshotState, start
from tailrace.snapshot.waves import SnapshotLane


def digests(keys):
    offsets = np.arange(len(keys) + 1, dtype=np.int64)
    return digests_of(Binary(np.frombuffer("".join(key or "-" for key in keys).encode(), np.uint8), offsets))


class Rows:
    def __init__(self, keys, is_last):
        self.keys = keys
        self.is_last = is_last
        self.digests = digests(keys)

    def __len__(self):
        return len(self.keys)

    def bound(self, row):
        return [self.keys[row]]


class View:
    """What a table without a key has at a place of the log; `limit` rows at once."""

    def __init__(self, rows, at, limit, *, holds):
        self.position = None if at is None else {"n": at}
        self.is_closed = False
        self._rows = rows
        self._limit = limit
        self._holds = holds

    def holds(self):
        return self._holds

    def rows(self):
        for at in range(0, len(self._rows), self._limit):
            yield Rows(self._rows[at : at + self._limit], is_last=False)

    def close(self):
        self.is_closed = True


class Script:
    """`tables` says what reads see; `log[i]` is what is logged while the i-th chunk is read: (table, before, after).

    `views` says of each view that is opened whether it holds; None: it can't be opened. `room` is for how many chunks there
    is room before the log is read.
    """

    def __init__(self, tables, log=(), limit=2, altered=(), views=(), room=1):
        self.tables = tables
        self.log = [*log]
        self.limit = limit
        self.altered = [*altered]
        self.views = [*views]
        self.room = room
        self.opened = []
        self.at = 0
        self.head = 0
        self.reads = []
        self.expected = []

    def expect(self, segments):
        self.expected.append([segment.table for segment in segments])

    def read(self, segment):
        self.reads.append((segment.table, segment.after))
        self.head += 1
        if segment.table not in self.tables:
            return None
        low, high = (segment.after or ["\0"])[0], (segment.upto or ["~"])[0]
        keys = [key for key in self.tables[segment.table] if low < key <= high]
        return Rows(keys[: self.limit], is_last=len(keys) < self.limit)

    def has_room(self):
        return len(self.reads) % self.room != 0

    def view(self, table):
        self.head += 1
        if table not in self.tables:
            return None
        holds = self.views.pop(0) if self.views else True
        self.opened.append(View(self.tables[table], None if holds is None else self.head, self.limit, holds=holds))
        return self.opened[-1]

    def changes(self, upto):
        end = self.head if upto is None else upto["n"]
        for number in range(self.at, end):
            changes = self.log[number] if number < len(self.log) else []
            altered = self.altered[number] if number < len(self.altered) else ()
            self.at = number + 1
            yield Section([touch(*change) for change in changes], {"n": number + 1}, frozenset(altered))

    def inside(self, touches, rows, intervals):
        keys = [touches.images[row] for row in rows]
        return np.array([any((a or ["\0"])[0] < key <= (b or ["~"])[0] for a, b in intervals) for key in keys], bool)


def touch(table, before, after):
    images = (np.array([before is not None]), np.array([after is not None]), np.array([True]))
    return TableTouches(table, digests([before]), images[0], digests([after]), images[1], images[2], [before])


def events(wave):
    return [
        (piece.table, (piece.of.images if hasattr(piece.of, "images") else piece.of.keys)[row], piece.mark.value)
        for piece in wave.pieces
        for row in piece.rows.tolist()
    ]


def run(script, state, whole=()):
    waves = SnapshotLane(script, state, whole=frozenset(whole)).waves()
    return [event for wave in waves for event in events(wave)]


def whole(*tables):
    return start(shares([TablePlan(table) for table in tables], 1)[0], {"n": 0})


def test_it_says_what_it_will_ask_for_up_to_a_table_without_a_key():
    script = Script({"a": "abc", "b": "d", "c": "e", "w": "xy"})
    run(script, whole("a", "b", "w", "c"), {"w"})
    assert script.expected == [["a", "b"], ["a", "b"], ["b"], ["c"]]


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


def test_no_record_is_the_first_where_the_first_table_is_empty():
    script = Script({"a": "", "b": "xy", "c": "z", "d": ""})
    assert [(key, mark) for _, key, mark in run(script, whole("a", "b", "c", "d"))] == [
        ("x", "first_in_data_collection"),
        ("y", "last_in_data_collection"),
        ("z", "last"),
    ]


def test_nor_for_another_process_that_goes_on_behind_the_empty_table():
    script = Script({"a": "", "b": "xy"})
    waves = SnapshotLane(script, whole("a", "b")).waves()
    state = SnapshotState.from_dict([next(waves) for _ in range(2)][-1].state.to_dict())
    again = Script({"a": "", "b": "xy"})
    again.head = state.position["n"]
    assert [mark for _, _, mark in run(again, state)] == ["first_in_data_collection", "last"]


def test_the_only_record_is_the_last():
    assert run(Script({"a": "", "b": "x", "c": ""}), whole("a", "b", "c")) == [("b", "x", "last")]


def test_empty_tables_bring_no_records_and_an_end():
    waves = [*SnapshotLane(Script({"a": "", "b": ""}), whole("a", "b")).waves()]
    assert waves[-1].state.done
    assert not any(wave.pieces for wave in waves)


def test_other_lanes_mark_what_they_have_the_ends_of():
    plans = shares([TablePlan("t", 9, [["b"], ["d"]])], 3)
    found = [run(Script({"t": "abcdef"}), start(plan, {"n": 0})) for plan in plans]
    assert [[mark for _, _, mark in events] for events in found] == [
        ["first", "true"],
        ["true", "true"],
        ["true", "last"],
    ]
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


def test_a_held_image_is_gone_with_its_table():
    """Where a table's part of the log goes with it."""
    state = SnapshotState.from_dict({**whole("a", "t").to_dict(), "held": {"t": "01" * 16}})
    assert run(Script({"a": "k"}), state) == [("a", "k", "last")]


def test_so_it_is_where_all_else_of_the_table_was_delivered():
    stored = {**whole("a", "t").to_dict(), "held": {"t": "01" * 16}}
    stored["segments"] = [each for each in stored["segments"] if each["table"] != "t"]
    state = SnapshotState.from_dict(stored)
    assert run(Script({"a": "k"}), state) == [("a", "k", "last")]
    with pytest.raises(ProgressError, match="lacks the change of t"):
        run(Script({"a": "k", "t": "x"}), state)


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


def test_several_chunks_are_read_before_the_log_where_there_is_room():
    script = Script({"a": "abcde", "b": "x", "c": ""}, room=9)
    waves = [*SnapshotLane(script, whole("a", "b", "c")).waves()]
    assert [event for wave in waves for event in events(wave)] == [
        ("a", "a", "first"),
        *(("a", key, "true") for key in "bcd"),
        ("a", "e", "last_in_data_collection"),
        ("b", "x", "last"),
    ]
    assert script.reads == [("a", None), ("a", ["b"]), ("a", ["d"]), ("b", None), ("c", None)]
    assert all(wave.state.position == {"n": 5} for wave in waves[5:])  # the log, once, and then the chunks
    assert max(len(events(wave)) for wave in waves) == 2


def test_a_row_that_changes_while_chunks_wait_for_the_log_is_told_by_its_image():
    script = Script({"t": "abcdef"}, [[], [("t", "a", None), ("t", "e", "z")]], room=9)
    found = run(script, whole("t"))
    assert sorted(key for _, key, _ in found) == [*"abcdef"]
    assert {key for _, key, _ in found[:2]} == {"a", "e"}
    assert found[-1] == ("t", "f", "last")


def test_all_chunks_of_a_table_are_read_again_when_its_structure_changed_before_the_log():
    script = Script({"t": "abc", "u": "x"}, altered=[(), ("t",)], room=9)
    found = run(script, whole("t", "u"))
    assert sorted(key for _, key, _ in found) == [*"abcx"]
    assert [after for table, after in script.reads if table == "t"] == [None, ["b"], None, ["b"]]


def test_a_table_that_is_gone_is_done_and_what_was_read_of_it_stays():
    script = Script({"t": "abcd", "u": "x"})
    waves = SnapshotLane(script, whole("t", "u")).waves()
    found = events(next(waves)) + events(next(waves))
    del script.tables["t"]
    for wave in waves:
        found += events(wave)
    assert found == [("t", "a", "first"), ("t", "b", "last_in_data_collection"), ("u", "x", "last")]


def test_a_table_without_a_key_is_read_whole_and_delivered_in_one_transaction():
    script = Script({"k": "cabca", "t": "x"})
    waves = [*SnapshotLane(script, whole("k", "t"), whole=frozenset("k")).waves()]
    assert [event for wave in waves for event in events(wave)] == [
        ("k", "c", "first"),
        ("k", "a", "true"),
        ("k", "b", "true"),
        ("k", "c", "true"),
        ("k", "a", "last_in_data_collection"),
        ("t", "x", "last"),
    ]
    for wave in waves:
        undelivered = any(segment.table == "k" for segment in wave.state.segments)
        delivered = wave.state.tables["k"].rows > 0
        assert wave.is_open == (undelivered and delivered)
    assert [view.is_closed for view in script.opened] == [True]


def test_its_rows_are_brought_back_to_p():
    """`a` was there twice and went once, `n` came twice and went once, `o` went, `b` was moved, `s` came and is seen."""
    logged = [("k", "a", None), ("k", None, "n"), ("k", None, "n"), ("k", "n", None), ("k", "o", None), ("k", "b", "s")]
    assert run(Script({"k": "asnc"}, [logged]), whole("k"), "k") == [
        ("k", "o", "true"),
        ("k", "b", "true"),
        ("k", "a", "true"),
        ("k", "a", "first"),
        ("k", "c", "last"),
    ]


def test_what_the_log_tells_behind_the_view_is_nothing_to_it():
    script = Script({"k": "ab", "t": "xyz"}, [[], [("k", "a", "q"), ("k", None, "b")]])
    found = run(script, whole("k", "t"), "k")
    assert [key for table, key, _ in found if table == "k"] == ["a", "b"]


def test_a_view_that_does_not_hold_or_can_not_be_opened_is_opened_again():
    script = Script({"k": "ab"}, [[], [("k", None, "b")]], views=[False, None, True])
    assert [key for _, key, _ in run(script, whole("k"), "k")] == ["a"]
    assert len(script.opened) == 3
    assert all(view.is_closed for view in script.opened)


def test_a_view_of_another_structure_is_opened_again():
    script = Script({"k": "ab"}, altered=[["k"]])
    assert [key for _, key, _ in run(script, whole("k"), "k")] == ["a", "b"]
    assert len(script.opened) == 2


def test_of_a_table_that_was_emptied_only_images_are_told():
    script = Script({"k": "x"}, [[("k", "a", None), ("k", None, "n")], [("k", None, "x")]], views=[False])
    waves = SnapshotLane(script, whole("k"), whole=frozenset("k")).waves()
    changes = script.changes

    def with_truncation(upto):
        for section in changes(upto):
            if section.position == {"n": 2}:
                section.touches[0].broken = Break.EMPTIED
            yield section

    script.changes = with_truncation
    assert [event for wave in waves for event in events(wave)] == [("k", "a", "last")]


def test_a_table_without_a_key_that_is_gone_is_done():
    assert run(Script({"t": "x"}), whole("k", "t"), "k") == [("t", "x", "last")]


def test_an_equal_row_that_is_held_is_not_taken_for_the_next_one():
    logged = [[("k", "a", None)], [("k", "a", None), ("k", "a", None)]]
    script = Script({"k": "", "t": "x"}, logged)
    assert [key for table, key, _ in run(script, whole("t", "k"), "k") if table == "k"] == ["a", "a", "a"]


def test_another_process_tells_equal_rows_that_are_not_told():
    logged = [[("k", "a", None)], [("k", "a", None), ("k", "a", None)], []]
    first = SnapshotLane(Script({"t": "x", "k": ""}, logged), whole("t", "k"), whole=frozenset("k"))
    told, waves = [], first.waves()
    while len(told) < 1:
        wave = next(waves)
        told += [key for table, key, _ in events(wave) if table == "k"]
    again = Script({"k": ""}, logged)
    again.head = wave.state.position["n"]
    state = SnapshotState.from_dict(wave.state.to_dict())
    told += [key for table, key, _ in run(again, state, "k") if table == "k"]
    assert told == ["a", "a", "a"]


def test_changes_of_tables_that_are_done_or_not_the_lanes_are_passed_over():
    script = Script({"t": "a", "u": "x"}, [[("other", "q", None)], [("t", "a", None)]])
    assert [key for _, key, _ in run(script, whole("t", "u"))] == ["a", "x"]


def test_counts_are_told_by_table():
    state = [*SnapshotLane(Script({"t": "abc"}), whole("t")).waves()][-1].state
    assert (state.tables["t"].rows, state.tables["t"].chunks) == (3, 2)


def test_a_lane_without_segments_ends_at_once():
    assert run(Script({}), start(LanePlan(), {"n": 0})) == []
    assert Segment("t") == Segment.from_dict({"table": "t", "after": None, "upto": None}, "x")
