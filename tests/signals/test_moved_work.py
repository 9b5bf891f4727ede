"""What signals asked for, when the lanes become more or fewer, or go on elsewhere."""

import pytest

from tailrace.errors import ProgressError
from tailrace.requested_work.work import BlockingWork, TableWork, Work
from tailrace.schema.table_names import table_id
from tailrace.signals.moved_work import has_unmovable, is_at_work, merged, only_marks, own, restarted

BEGUN = {"blocking": {"tables": [{"table": '"db"."c"'}], "state": {"n": 1}}}


def table(name, **more):
    return {"table": f'"db"."{name}"', **more}


def test_of_nothing_nothing_is_carried():
    assert merged([]) is None
    assert merged([None, None]) is None
    assert merged([None, {}, {"tables": [], "marks": {}, "paused": False}]) is None


def test_all_tables_are_carried_in_order_and_each_once_as_the_first_lane_has_it():
    one = {"tables": [table("a", rows=1), table("b")]}
    other = {"tables": [table("c"), table("a", rows=2)]}
    assert merged([one, None, other]) == {"tables": [table("a", rows=1), table("b"), table("c")]}


def test_one_lane_that_rests_lets_all_rest():
    assert merged([{"tables": [table("a")]}, {"paused": True, "tables": [table("b")]}])["paused"] is True


def test_a_signal_of_the_topic_is_rather_handled_twice_than_lost():
    assert merged([{"marks": {"kafka": 17}}, {"marks": {"kafka": 5}}]) == {"marks": {"kafka": 5}}
    assert merged([{"marks": {"kafka": 17}}, None]) is None, "a lane has not looked into the topic yet"


def test_the_file_has_one_reader_and_its_mark_is_kept():
    assert merged([None, {"marks": {"file": "0:1", "kafka": 3}}, {"marks": {"file": "0:2"}}]) == {"marks": {"file": "0:1"}}


def test_the_tables_of_blocking_snapshots_that_have_not_begun_come_together():
    one = {"blocking": {"tables": [table("a", statement="SELECT 1")]}}
    other = {"blocking": {"tables": [table("b"), table("a")]}}
    assert merged([one, other]) == {"blocking": {"tables": [table("a", statement="SELECT 1"), table("b")]}}


def test_structures_that_are_not_told_yet_are_told_by_the_first_of_the_new_lanes():
    first = {"blocking": {"tables": [], "structures": ['"db"."a"', '"db"."b"']}}
    other = {"blocking": {"tables": [table("b")]}}
    carried = {"blocking": {"tables": [table("b")], "structures": ['"db"."a"', '"db"."b"']}}
    assert merged([first, other]) == carried
    assert merged([other, first]) == carried


def test_what_has_other_names_is_the_first_lanes():
    assert merged([{"tables": [table("a")]}, {"signal": "s"}, {"signal": "t"}]) == {"tables": [table("a")], "signal": "s"}


def test_a_blocking_snapshot_that_has_begun_stays_where_it_is():
    assert has_unmovable(BEGUN)
    assert not any(map(has_unmovable, (None, {}, {"tables": [table("a")]}, {"blocking": {"tables": [table("a")]}})))
    with pytest.raises(ProgressError, match="blocking snapshot"):
        merged([None, BEGUN])


def test_from_another_position_a_blocking_snapshot_begins_again_and_the_rest_goes_on():
    going = {"tables": [table("a", after=[3])], "marks": {"kafka": 3}}
    assert restarted([BEGUN | going]) == {**going, "blocking": {"tables": [table("c")]}}
    assert restarted([None]) is None


def test_lanes_that_begin_anew_keep_how_far_the_channels_were_read():
    assert only_marks([{**BEGUN, "marks": {"kafka": 3}}, {"tables": [table("a")], "marks": {"kafka": 4}}]) == {
        "marks": {"kafka": 3}
    }
    assert only_marks([BEGUN]) is None


def test_tables_that_are_left_to_read_are_work_and_marks_are_not():
    assert all(map(is_at_work, (BEGUN, {"tables": [table("a")]})))
    assert not any(map(is_at_work, (None, {"marks": {"kafka": 1}})))


def test_the_work_of_lanes_is_understood_after_it_was_carried():
    one = Work(
        tables=(TableWork(table_id("db.a"), condition="x > 1", after=[3], rows=3),), signal="s", marks={"kafka": 4}
    )
    other = Work(blocking=BlockingWork({table_id("db.b"): None}), paused=True, marks={"kafka": 9})
    carried = Work.from_dict(merged([one.to_dict(), other.to_dict()]))
    assert [(each.table, each.condition, each.after, each.rows) for each in carried.tables] == [
        (table_id("db.a"), "x > 1", [3], 3)
    ]
    assert (carried.signal, carried.paused, carried.marks) == ("s", True, {"kafka": 4})
    assert carried.blocking.tables == {table_id("db.b"): None}


def test_a_lanes_own_are_the_tables_that_it_delivers_and_the_first_ones_the_structures():
    blocking = {"tables": [table("a"), table("b")], "structures": ["a", "b"]}
    handed = {"tables": [table("a", rows=7), table("c")], "signal": "s", "blocking": blocking, "marks": {"kafka": 3}}
    of_a = own(handed, {table("a")["table"]}.__contains__, is_first=False)
    assert merged([of_a]) == {
        "tables": [table("a", rows=7)],
        "signal": "s",
        "blocking": {"tables": [table("a")]},
        "marks": {"kafka": 3},
    }
    first = own(handed, lambda _: False, is_first=True)
    assert merged([first])["blocking"] == {"tables": [], "structures": ["a", "b"]}
    assert not is_at_work(own(handed, lambda _: False, is_first=False))
    assert own(None, lambda _: True, is_first=True) is None
