"""One chunk of an incremental snapshot, over a read and a log that are written down here."""

import numpy as np

from tailrace.changes.records import Binary
from tailrace.snapshot.digests import digests_of
from tailrace.snapshot.first_changes import TableTouches
from tailrace.snapshot.incremental import ChunkOutcome, take_chunk, take_gathered
from tailrace.snapshot.segments import Segment
from tailrace.snapshot.source import Section


def digests(keys):
    offsets = np.arange(len(keys) + 1, dtype=np.int64)
    return digests_of(Binary(np.frombuffer("".join(key or "-" for key in keys).encode(), np.uint8), offsets))


class Rows:
    def __init__(self, keys, is_last):
        self.keys = keys
        self.is_last = is_last
        self.digests = digests([*keys])

    def __len__(self):
        return len(self.keys)

    def bound(self, row):
        return [self.keys[row]]


class Script:
    """`log` has sections: lists of changes, "altered", or nothing; `at` of them lie before P."""

    def __init__(self, chunk, log=(), at=0):
        self.chunk = chunk
        self.log = [*log]
        self.before = at
        self.at = 0
        self.asked = []

    def read(self, segment):
        self.asked.append(("read", segment.after))
        return self.chunk

    def changes(self, upto):
        self.asked.append("head" if upto is None else upto)
        end = len(self.log) if upto is None else upto["n"]
        while self.at < end:
            section = self.log[self.at]
            self.at += 1
            altered = frozenset({"t"} if section == "altered" else ())
            touched = [] if section == "altered" else [touches(*section)] if section else []
            yield Section([*touched, touches(("x", "x"), table="other")], {"n": self.at}, altered)

    def inside(self, some, rows, intervals):
        ((after, upto),) = intervals
        low, high = (after or ["\0"])[0], (upto or ["~"])[0]
        return np.array([low < some.images[row] <= high for row in rows], bool)

    def take(self, segment=None, *, wins=False):
        at = {"n": self.before} if self.before else None
        return take_chunk(self, segment or Segment("t"), at, wins=wins)


def touches(*changes, table="t"):
    """Changes as (key before, key after), or with a third item that says whether the image before is complete."""
    before, after = [change[0] for change in changes], [change[1] for change in changes]
    known = [np.array([key is not None for key in keys], bool) for keys in (before, after)]
    complete = np.array([len(change) < 3 or change[2] for change in changes], bool)
    return TableTouches(table, digests(before), known[0], digests(after), known[1], complete, before)


def keys(taken):
    """What is delivered: rows as keys, images as keys behind a sign."""
    return [
        f"before {piece.of.images[row]}" if isinstance(piece.of, TableTouches) else piece.of.keys[row]
        for piece in taken.pieces
        for row in piece.rows.tolist()
    ]


def test_the_log_is_asked_for_its_head_after_the_read_and_to_p_before_it():
    script = Script(Rows("ab", is_last=False), [[("q", "q")], []], at=1)
    taken = script.take(Segment("t", ["0"]))
    assert script.asked == [{"n": 1}, ("read", ["0"]), "head"]
    assert taken.upto == {"n": 2}


def test_rows_are_followed_by_images_of_the_chunks_range_in_the_logs_order():
    log = [[("c", "c"), (None, "d"), ("g", None)], [("b", None), ("c", None), ("0", None)]]
    taken = Script(Rows("acde", is_last=False), log).take(Segment("t", ["0"], ["z"]))
    assert keys(taken) == ["a", "e", "before c", "before b"]
    assert (taken.outcome, taken.rows, taken.after, taken.is_last) == (ChunkOutcome.TAKEN, 4, ["e"], False)


def test_the_last_chunks_range_goes_to_the_segments_end():
    taken = Script(Rows("a", is_last=True), [[("e", None), ("y", None)]]).take(Segment("t", None, ["m"]))
    assert keys(taken) == ["a", "before e"]
    assert (taken.after, taken.is_last) == (["a"], True)


def test_an_empty_last_chunk_keeps_its_place_and_tells_what_was_deleted():
    taken = Script(Rows("", is_last=True), [[("e", None)]]).take(Segment("t", ["c"]))
    assert keys(taken) == ["before e"]
    assert (taken.after, taken.is_last, taken.rows) == (["c"], True, 1)


def test_where_nothing_is_in_the_log_the_stream_need_not_go_on_first():
    for at in (0, 1):
        taken = Script(Rows("ab", is_last=True), [[("q", None)]][:at], at).take()
        assert (taken.upto, keys(taken)) == (None, ["a", "b"])


def test_what_the_stream_has_told_since_v_is_left_out_however_little_its_images_say():
    log = [[("a", "a", False), (None, "b")], [("c", None)], [("c", "c"), ("b", "b"), ("d", None), ("a", "a")]]
    taken = Script(Rows("abe", is_last=True), log, at=2).take()
    assert keys(taken) == ["e", "before d"]


def test_a_change_before_p_of_an_unknown_key_puts_the_chunk_off():
    for wins in (False, True):
        script = Script(Rows("ab", is_last=True), [[(None, "a", False)], []], at=1)
        taken = script.take(Segment("t", ["0"]), wins=wins)
        assert (taken.outcome, taken.upto, taken.after) == (ChunkOutcome.ALTERED, None, ["0"])
        assert ("read", ["0"]) not in script.asked


def test_by_the_windows_rule_changes_win_and_no_image_is_told():
    log = [[("a", "a")], [("c", None, False), ("e", None), (None, None, False)]]
    taken = Script(Rows("abcd", is_last=False), log, at=1).take(wins=True)
    assert keys(taken) == ["b", "d"]
    assert (taken.rows, taken.incomplete, taken.after) == (2, 1, ["d"])


def test_incomplete_images_leave_the_row_as_it_was_read_and_are_counted():
    taken = Script(Rows("ab", is_last=True), [[("a", "a", False)], [("b", "b")]]).take()
    assert keys(taken) == ["a", "before b"]
    assert taken.incomplete == 1


def test_a_structure_that_changes_behind_p_puts_the_chunk_off_until_the_stream_is_there():
    for wins in (False, True):
        taken = Script(Rows("ab", is_last=True), [[("a", None)], "altered", [("b", None)]]).take(wins=wins)
        assert (taken.outcome, taken.upto, taken.rows) == (ChunkOutcome.ALTERED, {"n": 2}, 0)
        assert not taken.pieces


def test_a_structure_that_changed_before_p_does_not_matter():
    taken = Script(Rows("ab", is_last=True), [[("a", None)], "altered", []], at=2).take()
    assert (taken.outcome, keys(taken)) == (ChunkOutcome.TAKEN, ["b"])


def test_a_chunk_that_could_not_be_read_is_put_off():
    taken = Script(Rows("", is_last=False), [[("a", None)]]).take(Segment("t", ["0"]))
    assert (taken.outcome, taken.upto, taken.after) == (ChunkOutcome.ALTERED, {"n": 1}, ["0"])
    taken = Script(Rows("", is_last=False), [[], "altered", []]).take()
    assert (taken.outcome, taken.upto) == (ChunkOutcome.ALTERED, {"n": 2})


def test_a_table_that_is_gone_has_nothing_left():
    taken = Script(None, [[("a", None)]]).take(Segment("t", ["c"]))
    assert (taken.outcome, taken.is_last, taken.rows, taken.upto) == (ChunkOutcome.GONE, True, 0, None)


class Gathering(Script):
    """Chunks that were read at V, and a log of which the first `at` sections lie before P."""

    def __init__(self, *chunks, log=(), at=0):
        super().__init__(None, log)
        self.chunks = chunks
        self.n = at

    def take(self, segment=None):
        return take_gathered(self, segment or Segment("t"), self.chunks, {"n": self.n})


def test_chunks_that_were_gathered_lack_what_the_stream_has_told_since_they_were_read():
    log = [[("b", "b"), (None, "x")], [("a", "q"), ("e", None)], [("c", None)]]
    chunks = Rows("abc", is_last=False), Rows("deq", is_last=True)
    script = Gathering(*chunks, log=log, at=2)
    taken = script.take()
    assert keys(taken) == ["c", "d"], "what lies behind P does not matter"
    assert script.asked == [{"n": 2}]
    assert (taken.outcome, taken.rows, taken.after, taken.is_last) == (ChunkOutcome.TAKEN, 2, ["q"], True)


def test_a_gathered_chunk_of_which_all_was_told_moves_the_place_all_the_same():
    taken = Gathering(Rows("ab", is_last=False), log=[[("a", None), ("b", None)]], at=1).take(Segment("t", ["0"]))
    assert (keys(taken), taken.rows, taken.after, taken.is_last) == ([], 0, ["b"], False)


def test_an_empty_chunk_at_the_end_leaves_the_place_where_the_last_row_was():
    taken = Gathering(Rows("ab", is_last=False), Rows("", is_last=True)).take()
    assert (keys(taken), taken.after, taken.is_last) == (["a", "b"], ["b"], True)


def test_a_change_of_a_row_that_nobody_knows_lets_gathered_chunks_be_read_again():
    taken = Gathering(Rows("ab", is_last=False), log=[[(None, "x", False)]], at=1).take(Segment("t", ["0"]))
    assert (taken.outcome, taken.after, taken.pieces) == (ChunkOutcome.ALTERED, ["0"], ())


def test_a_change_that_nobody_is_told_of_wins_over_no_row_that_was_read_but_a_deleted_or_moved_row_is_gone():
    log = [[("a", "a"), (None, "b"), ("c", None), ("d", "z")]]
    script = Gathering(Rows("abcd", is_last=True), log=log, at=1)
    taken = take_gathered(script, Segment("t"), script.chunks, {"n": 1}, {"c", "u", "d"})
    assert keys(taken) == ["a", "b"]
    taken = take_chunk(Script(Rows("abcd", is_last=True), log), Segment("t"), None, wins=True, skipped={"u"})
    assert keys(taken) == ["a"]
