"""What every stand-in has from `storage`, seen through one that is nothing else."""

import ast
import re
import time
from pathlib import Path

import pytest
from tests.standins.storage.toy import Toy, ToyError, started

import tailrace_standins.storage
from tailrace_standins.storage.locks import SHARED
from tailrace_standins.storage.log import Operation


@pytest.fixture
def toy(tmp_path):
    return Toy(tmp_path)


def until_waiting(toy, *sessions):
    deadline = time.monotonic() + 60
    while not {session.id for session in sessions} <= set(toy.store.locks.waiting()):
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_it_names_no_product_and_imports_none():
    folder = Path(tailrace_standins.storage.__file__).parent
    for path in folder.glob("*.py"):
        text = path.read_text()
        assert not re.search(r"SQL Server|T-SQL|sqlserver|microsoft", text, re.IGNORECASE), path
        modules = [node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
        assert all(name.startswith("tailrace_standins.storage") for name in modules if name.startswith("tailrace")), path


def test_what_is_not_committed_is_seen_by_its_own_transaction_alone(toy):
    a, b = toy.session(), toy.session()
    a.begin()
    a.insert((1, "x"))
    assert (a.read(), b.read()) == ({1: "x"}, {})
    a.commit()
    assert b.read() == {1: "x"}


def test_a_rollback_takes_all_back_and_tells_the_log_nothing(toy):
    a = toy.session()
    a.insert((1, "x"))
    a.begin()
    a.update(1, "y")
    a.insert((2, "z"))
    a.rollback()
    assert a.read() == {1: "x"}
    assert toy.hook.seen == [[(Operation.INSERT, None, (1, "x"))]]


def test_the_log_gets_a_transaction_whole_at_its_commit(toy):
    a = toy.session()
    a.begin()
    a.insert((1, "x"), (2, "y"))
    a.update(1, "z")
    assert toy.hook.seen == []
    a.commit()
    assert toy.hook.seen == [
        [
            (Operation.INSERT, None, (1, "x")),
            (Operation.INSERT, None, (2, "y")),
            (Operation.UPDATE, (1, "x"), (1, "z")),
        ]
    ]
    assert toy.hook.within == []


def test_where_the_file_is_kept_the_log_is_written_within_the_commit(tmp_path):
    toy = Toy(tmp_path, is_kept=True)
    toy.session().insert((1, "x"))
    assert [inside for inside, _ in toy.hook.within] == [True]


def test_a_savepoint_is_come_back_to_more_than_once_with_rows_and_log(toy):
    a = toy.session()
    a.begin()
    a.insert((1, "x"))
    a.save("s")
    for value in ("y", "z"):
        a.update(1, value)
        assert a.rollback_to("s")
        assert a.read() == {1: "x"}
    assert not a.rollback_to("other")
    a.commit()
    assert toy.hook.seen == [[(Operation.INSERT, None, (1, "x"))]]


def test_locks_from_behind_a_savepoint_go_with_it(toy):
    a, b = toy.session(), toy.session(lock_timeout=0)
    a.insert((1, "x"))
    a.begin()
    a.save("s")
    a.read_and_keep()
    with pytest.raises(ToyError, match="timeout"):
        b.update(1, "y")
    assert a.rollback_to("s")
    b.update(1, "y")
    assert a.read() == {1: "y"}


def test_who_reads_what_is_committed_waits_for_the_writer(toy):
    a, b = toy.session(), toy.session()
    a.insert((1, "x"))
    a.begin()
    a.update(1, "y")
    reader = started(b.read_committed)
    until_waiting(toy, b)
    a.commit()
    assert reader.ended() == {1: "y"}


def test_what_was_read_and_kept_is_not_changed_by_others(toy):
    a, b = toy.session(), toy.session()
    a.insert((1, "x"))
    a.begin()
    a.read_and_keep()
    assert {mode for _, resource, mode in toy.store.locks.held() if resource[0] == "row"} == {SHARED}
    writer = started(lambda: b.update(1, "y"))
    until_waiting(toy, b)
    assert a.read() == {1: "x"}
    a.commit()
    writer.ended()
    assert a.read() == {1: "y"}


def test_a_wait_that_is_too_long_is_the_stand_ins_error(toy):
    a, b = toy.session(), toy.session(lock_timeout=20)
    a.begin()
    a.insert((1, "x"))
    with pytest.raises(ToyError, match="timeout"):
        b.read_committed()


def test_a_circle_of_waits_has_a_victim_of_the_lowest_priority(toy):
    a, b = toy.session(deadlock_priority=1), toy.session()
    a.insert((1, "x"), (2, "y"))
    a.begin()
    b.begin()
    a.update(1, "a")
    b.update(2, "b")
    waiting = started(lambda: b.update(1, "b"))
    until_waiting(toy, b)
    other = started(lambda: a.update(2, "a"))
    with pytest.raises(ToyError, match=f"deadlock {b.id}"):
        waiting.ended()
    b.rollback()
    other.ended()
    a.commit()
    assert a.read() == {1: "a", 2: "a"}


def test_a_wait_can_be_cancelled(toy):
    a, b = toy.session(), toy.session()
    a.begin()
    a.insert((1, "x"))
    waiting = started(b.read_committed)
    until_waiting(toy, b)
    toy.store.locks.cancel(b.id)
    with pytest.raises(ToyError, match="cancelled"):
        waiting.ended()


def test_a_moment_stays_readable_and_what_changed_since_is_not_overwritten(toy):
    a, b = toy.session(), toy.session()
    a.insert((1, "x"))
    b.begin()
    assert b.read_moment() == {1: "x"}
    a.update(1, "y")
    assert (b.read(), a.read()) == ({1: "x"}, {1: "y"})
    with pytest.raises(ToyError, match=r"changed toy\.t1"):
        b.update(1, "z")
    b.rollback()
    assert b.read() == {1: "y"}
    assert not toy.store.littered


def test_emptying_a_table_can_be_taken_back(toy):
    a = toy.session()
    a.insert((1, "x"), (2, "y"))
    a.begin()
    a.empty()
    assert a.read() == {}
    a.rollback()
    assert a.read() == {1: "x", 2: "y"}
    a.empty()
    assert a.read() == {}


def test_a_server_that_goes_down_leaves_what_was_committed(tmp_path):
    toy = Toy(tmp_path, is_kept=True)
    a = toy.session()
    a.insert((1, "x"), (2, "y"))
    a.begin()
    a.update(1, "z")
    a.insert((3, "z"))
    b = Toy(tmp_path, is_kept=True).session()
    assert b.read() == {1: "x", 2: "y"}
    b.insert((3, "new"))
    assert b.read() == {1: "x", 2: "y", 3: "new"}


def test_copies_of_a_table_learn_that_it_changed(toy):
    a, changes = toy.session(), toy.store.table_changes
    before = changes.number("t1")
    a.begin()
    a.insert((1, "x"))
    assert changes.number("t1") == before
    a.commit()
    assert changes.number("t1") != before
