"""The toy database is streamed, and resumed, by the code that reads change tables of any database."""

from __future__ import annotations

import random
from contextlib import closing

import pytest
from tests.connectors.change_tables.toy import FORM, NAME, Toy, lsn
from tests.connectors.change_tables.toy_dialect import ToyDialect, parts
from tests.connectors.change_tables.toy_stream import BEGINNING, Stream, folded, row, written

from tailrace.connectors.base import Lane, LogRange, Progress
from tailrace.connectors.change_tables.capture_instances import newest_structures
from tailrace.connectors.change_tables.common_boundary import is_boundary
from tailrace.connectors.change_tables.planned_structures import new_structures
from tailrace.connectors.change_tables.positions import DatabasePosition, Positions, restart_at
from tailrace.connectors.change_tables.ranges import Ranges
from tailrace.connectors.change_tables.retention import require_retained
from tailrace.connectors.change_tables.splitting import range_end
from tailrace.connectors.change_tables.start_positions import history_at, restart_now
from tailrace.connectors.change_tables.streaming import LogReader
from tailrace.connectors.change_tables.windows import Window
from tailrace.errors import PositionLostError


def seen(number: int) -> dict[str, object]:
    """The landmark of a transaction of the toy."""
    return {"commit": lsn(number).text, "clock_us": number * 1_000_000}


def restored(toy: Toy) -> None:
    """The newest transaction is another one now, at the same LSN, and the log goes on behind it."""
    toy.db.execute("UPDATE transactions SET us = us + 20000 WHERE lsn = (SELECT MAX(lsn) FROM transactions)")
    written(toy, random.Random(2), 4)
    toy.capture()


def test_changes_come_in_the_order_of_the_log_and_make_the_tables(either_toy: Toy) -> None:
    stream = Stream()
    for seed in range(3):
        written(either_toy, random.Random(seed), 30)
        either_toy.capture()
        stream.read(either_toy)
    assert folded(stream.events) == {"a": either_toy.rows("a"), "b": either_toy.rows("b")}
    assert {op for _, op, *_ in stream.events} == {"c", "u", "d"}
    assert is_boundary(Positions(FORM), Progress("", stream.restart))
    assert stream.restart == {NAME: {"lsn": lsn(90).text, "landmark": seen(90)}}


def test_who_is_stopped_after_any_batch_goes_on_behind_it(either_toy: Toy) -> None:
    whole, stopped = Stream(), Stream()
    written(either_toy, random.Random(7), 40)
    either_toy.capture()
    whole.read(either_toy)
    while stopped.restart != whole.restart:
        stopped.read(either_toy, most=1)
        written(either_toy, random.Random(8), 1)  # is not read: a window's end stands in the position
    assert stopped.events == whole.events
    assert stopped.history == whole.history


def test_who_follows_the_log_hears_when_nothing_comes_and_goes_on_with_what_comes_then(toy: Toy) -> None:
    using = parts(toy, poll_interval_ms="1")
    reader = LogReader(using, LogRange(BEGINNING), Progress("", BEGINNING), ())
    counts: list[int] = []
    with closing(reader.batches()) as batches:
        for batch in batches:
            if batch.idle:
                assert batch.at_head
                if toy.journal:
                    break
                written(toy, random.Random(5), 20)
                toy.capture()
            counts.append(batch.changes)
    assert sum(counts) == sum(map(len, toy.journal))


def test_a_head_that_moves_at_each_look_without_changes_of_ours_lets_the_reader_rest(toy: Toy) -> None:
    """Such as where other tables of the database are captured, or the capture process marks the time."""
    using = parts(toy, poll_interval_ms="1")
    reader = LogReader(using, LogRange(BEGINNING), Progress("", BEGINNING), ())
    kinds: list[bool] = []
    with closing(reader.batches()) as batches:
        for batch in batches:
            kinds.append(batch.idle)
            toy.commit()
            toy.capture()
            if len(kinds) == 9:
                break
    assert kinds[-6:] in ([False, True] * 3, [True, False] * 3)  # idle after each window without changes
    assert batch.progress.restart != BEGINNING, "the position moves on all the same"


def test_transactions_are_told_with_what_they_have_of_all_tables(toy: Toy) -> None:
    toy.commit(("b", None, row(1, "x")), ("a", None, row(1, "x")), ("b", None, row(2, "y")))
    toy.commit()
    toy.commit(("a", row(1, "x"), row(5, "z")))
    toy.capture()
    stream = Stream()
    stream.read(toy, provide_transaction_metadata="true")
    told = {each["id"]: each for each in stream.values if each.get("status") == "END"}
    assert [each["event_count"] for each in told.values()] == [3, 2]  # a row that moves is deleted and created
    assert list(told) == [lsn(1).text, lsn(3).text]
    orders = [
        (each["source"]["table"], each["transaction"]["total_order"], each["transaction"]["data_collection_order"])
        for each in stream.values
        if each.get("transaction") is not None
    ]
    assert orders == [("a", 2, 1), ("a", 1, 1), ("a", 2, 2), ("b", 1, 1), ("b", 3, 2)]  # table by table


def test_the_position_of_an_update_is_that_of_its_second_row(either_toy: Toy) -> None:
    either_toy.commit(("a", row(1, "x"), row(1, "y")))
    either_toy.capture()
    stream = Stream()
    while "after" not in stream.restart[NAME]:  # that is the place behind the last row, before the window's end
        stream.read(either_toy, most=1)
    after = Positions(FORM).row(stream.restart[NAME]["after"])
    assert after.change == lsn(1, 2 if either_toy.pairs else 1)
    assert stream.positions[-1] == str(after)


def test_a_second_instance_is_gone_over_to_where_it_begins(toy: Toy) -> None:
    toy.commit(("a", None, row(1, "x")))
    toy.db.execute("ALTER TABLE a ADD COLUMN more TEXT")
    toy.commit(("a", None, {"k": 2, "v": "x", "more": "not captured"}))
    toy.enable("a")
    toy.commit(("a", None, {"k": 3, "v": "x", "more": "captured"}))
    toy.capture()
    stream = Stream()
    stream.read(toy, most=1)
    stream.read(toy)
    assert [event[2] for event in stream.events] == [(1, "x"), (2, "x"), (3, "x", "captured")]
    told = [record["tableChanges"][0] for record in stream.history]
    assert [(change["type"], len(change["table"]["columns"])) for change in told if '"a"' in change["id"]] == [
        ("CREATE", 2),
        ("ALTER", 3),
    ]


def test_what_was_cleaned_up_before_it_was_read_is_not_passed_over(toy: Toy) -> None:
    written(toy, random.Random(1), 4)
    toy.capture(2)
    stream = Stream()
    stream.read(toy)
    toy.capture()
    toy.clean_up(3)
    require_retained(ToyDialect(toy), Progress("", stream.restart), lambda: stream.history, Lane(0, 1))
    toy.clean_up(4)
    with pytest.raises(PositionLostError, match=r"main\.a: changes are lost.*: the broom took what.*for longer \(keep them\)"):
        stream.read(toy)
    with pytest.raises(PositionLostError, match="changes are lost"):
        require_retained(ToyDialect(toy), Progress("", stream.restart), lambda: stream.history, Lane(0, 1))


def test_a_log_that_ends_before_the_position_is_another_one(toy: Toy) -> None:
    written(toy, random.Random(1), 2)
    toy.capture()
    stream = Stream({NAME: DatabasePosition(lsn(9)).to_dict()})
    with pytest.raises(PositionLostError, match="the database was restored"):
        stream.read(toy)


def test_a_log_that_has_passed_the_position_with_other_transactions_is_another_one(toy: Toy) -> None:
    written(toy, random.Random(1), 4)
    toy.capture()
    stream = Stream()
    stream.read(toy)
    old = Stream({NAME: {"lsn": lsn(4).text}}, stream.history)  # as it was stored before there were landmarks
    old.read(toy)
    assert old.restart == stream.restart == {NAME: {"lsn": lsn(4).text, "landmark": seen(4)}}
    restored(toy)
    for read in (
        lambda: stream.read(toy),
        lambda: old.read(toy),
        lambda: require_retained(ToyDialect(toy), Progress("", stream.restart), lambda: stream.history, Lane(0, 1)),
        lambda: Ranges(ToyDialect(toy)).head_after(stream.restart, None),
    ):
        with pytest.raises(PositionLostError, match=r"its newest transaction up to there was .*; now it is .*: .* was restored"):
            read()


def test_what_was_seen_before_the_list_was_cleaned_up_shows_a_restored_database_to_plans_too(toy: Toy) -> None:
    written(toy, random.Random(1), 4)
    toy.capture()
    stream = Stream()
    stream.read(toy)
    toy.db.execute("DELETE FROM transactions")
    ranges = Ranges(ToyDialect(toy))
    restart = ranges.newest(stream.restart)
    assert restart[NAME]["landmark"] == seen(4)
    toy.db.execute("INSERT INTO transactions VALUES (?, 5)", (lsn(3).raw,))
    with pytest.raises(PositionLostError, match="was restored"):
        ranges.newest(restart)


def test_a_log_whose_list_was_cleaned_up_behind_the_position_says_nothing(toy: Toy) -> None:
    written(toy, random.Random(1), 4)
    toy.capture()
    stream = Stream()
    stream.read(toy)
    toy.db.execute("DELETE FROM transactions")
    written(toy, random.Random(2), 4)
    toy.capture()
    stream.read(toy)
    assert stream.restart == {NAME: {"lsn": lsn(8).text, "landmark": seen(8)}}


def test_a_log_that_ends_within_the_window_that_was_begun_is_another_one(toy: Toy) -> None:
    written(toy, random.Random(1), 4)
    toy.capture()
    begun = DatabasePosition(FORM.zero, until=lsn(9), table="b")
    with pytest.raises(PositionLostError, match="the database was restored"):
        Stream({NAME: begun.to_dict()}).read(toy)


def test_ranges_are_cut_and_their_structures_found_without_reading_them(toy: Toy) -> None:
    written(toy, random.Random(2), 300)
    toy.capture()
    dialect, window = ToyDialect(toy), Window(FORM.zero, lsn(300))
    end = range_end(dialect, toy, window, 1000)
    assert 0 < sum(dialect.row_counts(toy, dialect.instances(toy), Window(FORM.zero, end))) * 10 <= 2000
    planned = new_structures(dialect, (), {NAME: window}, 0, {})
    assert [record["tableChanges"][0]["type"] for record in planned] == ["CREATE", "CREATE"]


def test_ranges_end_where_the_log_is_captured_or_after_so_many_bytes(toy: Toy) -> None:
    written(toy, random.Random(2), 300)
    toy.capture()
    dialect = ToyDialect(toy)
    ranges, begin = Ranges(dialect), restart_at({NAME: FORM.zero}).to_dict()
    assert restart_now(dialect).lsns == {NAME: lsn(300)}
    whole, part = ranges.head_after(begin, None), ranges.head_after(begin, 1000)
    assert whole == {NAME: {"lsn": lsn(300).text, "filled": ["a", "b"], "landmark": seen(300)}}
    assert lsn(0) < Positions(FORM).restart(part)[NAME].lsn < lsn(300)
    planned = ranges.history_after((), begin, whole, 0) or ()
    assert [record["tableChanges"][0]["table"]["columns"][0]["name"] for record in planned] == ["k", "k"]
    assert ranges.history_at(planned, whole) == planned
    assert ranges.progress_at(whole).restart == {NAME: {"lsn": lsn(300).text, "landmark": seen(300)}}
    assert len(history_at(dialect, restart_now(dialect).lsns)) == 2


def test_the_structures_that_typed_rows_have_are_those_of_the_newest_instances(toy: Toy) -> None:
    toy.db.execute("ALTER TABLE a ADD COLUMN more TEXT")
    toy.db.execute("ALTER TABLE b ADD COLUMN more TEXT")
    toy.enable("a")
    found = newest_structures(ToyDialect(toy))
    assert {each.name: [column.name for column in table.columns] for each, table in found.items()} == {
        "a": ["k", "v", "more"],
        "b": ["k", "v"],
    }
