"""Two sessions, statement by statement, on each level of isolation."""

import time

import pytest
from tests.standins.sqlserver.engine.background import PATIENCE, in_background, until_waiting
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.engine.server import Engine

SNAPSHOT = "ALTER DATABASE shop SET ALLOW_SNAPSHOT_ISOLATION ON; SET TRANSACTION ISOLATION LEVEL SNAPSHOT"


@pytest.fixture(autouse=True)
def _accounts(a: Client, b: Client) -> None:
    a.run("CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 10), (2, 20)")
    b.run("SET LOCK_TIMEOUT 0")


def level(client: Client, name: str) -> None:
    client.run(f"SET TRANSACTION ISOLATION LEVEL {name}; BEGIN TRAN")


def test_read_uncommitted_sees_what_is_rolled_back_later(a: Client, b: Client) -> None:
    level(b, "READ UNCOMMITTED")
    a.run("BEGIN TRAN; INSERT INTO t VALUES (3, 30); DELETE FROM t WHERE id = 1")
    assert b.rows("SELECT id FROM t") == [(2,), (3,)]
    a.run("ROLLBACK")
    assert b.rows("SELECT id FROM t") == [(1,), (2,)]


def test_read_committed_reads_anew_in_each_statement(a: Client, b: Client) -> None:
    level(b, "READ COMMITTED")
    assert b.value("SELECT v FROM t WHERE id = 1") == 10
    a.run("UPDATE t SET v = 11 WHERE id = 1")
    assert b.value("SELECT v FROM t WHERE id = 1") == 11


@pytest.mark.parametrize(("end", "seen"), [("COMMIT", [(1, 11), (2, 20)]), ("ROLLBACK", [(1, 10), (2, 20)])])
def test_a_locking_reader_waits_and_then_sees_how_it_ended(
    engine: Engine, a: Client, b: Client, end: str, seen: list[tuple[int, int]]
) -> None:
    a.run("BEGIN TRAN; UPDATE t SET v = 11 WHERE id = 1")
    b.run("SET LOCK_TIMEOUT -1")
    thread, found = in_background(lambda: b.rows("SELECT * FROM t"))
    until_waiting(engine, b.session.id)
    a.run(end)
    thread.join(PATIENCE)
    assert found == [seen]


def test_writers_wait_for_each_other_also_where_readers_have_row_versions(a: Client, b: Client) -> None:
    a.run("ALTER DATABASE shop SET READ_COMMITTED_SNAPSHOT ON")
    a.run("BEGIN TRAN; UPDATE t SET v = 11 WHERE id = 1")
    assert b.value("SELECT v FROM t WHERE id = 1") == 10
    assert b.error("UPDATE t SET v = 12 WHERE id = 1") == 1222
    assert b.error("SELECT v FROM t WITH (READCOMMITTEDLOCK) WHERE id = 1") == 1222
    assert b.counts("UPDATE t SET v = 22 WHERE id = 2") == [1]


def test_read_committed_snapshot_sees_its_own_changes(a: Client, b: Client) -> None:
    a.run("ALTER DATABASE shop SET READ_COMMITTED_SNAPSHOT ON")
    b.run("BEGIN TRAN; UPDATE t SET v = 0 WHERE id = 1; INSERT INTO t VALUES (3, 30); DELETE FROM t WHERE id = 2")
    assert b.rows("SELECT * FROM t") == [(1, 0), (3, 30)]
    assert a.rows("SELECT * FROM t") == [(1, 10), (2, 20)]


def test_repeatable_read_keeps_its_rows_and_lets_new_ones_in(a: Client, b: Client) -> None:
    level(a, "REPEATABLE READ")
    assert a.rows("SELECT v FROM t WHERE id = 1") == [(10,)]
    assert b.error("DELETE FROM t WHERE id = 1") == 1222
    assert b.counts("INSERT INTO t VALUES (3, 30)") == [1]
    assert a.rows("SELECT id FROM t WHERE id = 3") == [(3,)]


def test_serializable_keeps_new_rows_out_of_what_it_read(a: Client, b: Client) -> None:
    level(a, "SERIALIZABLE")
    assert a.value("SELECT COUNT(*) FROM t WHERE v > 15") == 1
    assert b.error("INSERT INTO t VALUES (3, 30)") == 1222
    assert b.rows("SELECT id FROM t") == [(1,), (2,)]
    a.run("COMMIT")
    assert b.counts("INSERT INTO t VALUES (3, 30)") == [1]


def test_a_key_that_was_looked_for_and_not_found_stays_away(a: Client, b: Client) -> None:
    a.run("BEGIN TRAN")
    assert a.rows("SELECT * FROM t WITH (UPDLOCK, HOLDLOCK) WHERE id = 3") == []
    assert b.error("INSERT INTO t VALUES (3, 30)") == 1222
    a.run("INSERT INTO t VALUES (3, 33); COMMIT")
    assert b.error("INSERT INTO t VALUES (3, 30)") == 2627


def test_an_update_lock_lets_readers_by_and_no_second_of_its_kind(a: Client, b: Client) -> None:
    a.run("BEGIN TRAN; SELECT * FROM t WITH (UPDLOCK) WHERE id = 1")
    assert b.value("SELECT v FROM t WHERE id = 1") == 10
    b.run("BEGIN TRAN")
    assert b.error("SELECT * FROM t WITH (UPDLOCK) WHERE id = 1") == 1222
    assert b.rows("SELECT id FROM t WITH (UPDLOCK) WHERE id = 2") == [(2,)]


def test_a_snapshot_begins_with_the_first_read(a: Client, b: Client) -> None:
    a.run(f"{SNAPSHOT}; BEGIN TRAN")
    b.run("UPDATE t SET v = 11 WHERE id = 1")
    assert a.value("SELECT v FROM t WHERE id = 1") == 11
    b.run("UPDATE t SET v = 12 WHERE id = 1")
    assert a.value("SELECT v FROM t WHERE id = 1") == 11


def test_snapshots_of_two_sessions_may_cross_where_they_write_different_rows(a: Client, b: Client) -> None:
    a.run(f"{SNAPSHOT}; BEGIN TRAN; SELECT * FROM t")
    b.run("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRAN; SELECT * FROM t")
    a.run("UPDATE t SET v = (SELECT SUM(v) FROM t) WHERE id = 1; COMMIT")
    b.run("UPDATE t SET v = (SELECT SUM(v) FROM t) WHERE id = 2; COMMIT")
    assert a.rows("SELECT v FROM t") == [(30,), (30,)]


@pytest.mark.parametrize("change", ["UPDATE t SET v = 0 WHERE id = 1", "DELETE FROM t WHERE id = 1"])
@pytest.mark.parametrize(("end", "result"), [("COMMIT", 3960), ("ROLLBACK", [1])])
def test_a_snapshot_waits_for_the_writer_and_fails_where_he_commits(
    engine: Engine, a: Client, b: Client, change: str, end: str, result: object
) -> None:
    a.run(f"{SNAPSHOT}; BEGIN TRAN; SELECT * FROM t")
    b.run("BEGIN TRAN; UPDATE t SET v = 11 WHERE id = 1")
    thread, found = in_background(lambda: a.counts(change))
    until_waiting(engine, a.session.id)
    b.run(end)
    thread.join(PATIENCE)
    assert found == [result]
    assert a.value("SELECT @@TRANCOUNT") == (0 if result == 3960 else 1)


def test_a_snapshot_that_inserts_a_key_of_somebody_else_meets_it_unseen(a: Client, b: Client) -> None:
    a.run(f"{SNAPSHOT}; BEGIN TRAN; SELECT * FROM t")
    b.run("INSERT INTO t VALUES (3, 30)")
    assert a.rows("SELECT * FROM t WHERE id = 3") == []
    assert a.error("INSERT INTO t VALUES (3, 33)") == 2627


def test_a_transaction_that_began_otherwise_can_not_become_a_snapshot(a: Client) -> None:
    a.run("ALTER DATABASE shop SET ALLOW_SNAPSHOT_ISOLATION ON; BEGIN TRAN; UPDATE t SET v = 0")
    assert a.error("SET TRANSACTION ISOLATION LEVEL SNAPSHOT") == 3951


def test_a_lock_time_out_ends_the_statement_alone(a: Client, b: Client) -> None:
    a.run("BEGIN TRAN; UPDATE t SET v = 11 WHERE id = 1")
    b.run("BEGIN TRAN; INSERT INTO t VALUES (3, 30)")
    assert b.error("UPDATE t SET v = 0 WHERE id = 1") == 1222
    assert b.value("SELECT @@TRANCOUNT") == 1
    b.run("COMMIT")
    a.run("ROLLBACK")
    assert a.rows("SELECT * FROM t") == [(1, 10), (2, 20), (3, 30)]


def test_a_lock_time_out_lasts_as_long_as_it_was_set(a: Client, b: Client) -> None:
    a.run("BEGIN TRAN; UPDATE t SET v = 11 WHERE id = 1")
    b.run("SET LOCK_TIMEOUT 120")
    begun = time.monotonic()
    assert b.error("SELECT v FROM t WHERE id = 1") == 1222
    assert 0.12 <= time.monotonic() - begun < PATIENCE


def test_the_victim_of_a_deadlock_has_the_lower_priority(engine: Engine, a: Client, b: Client) -> None:
    a.run("SET DEADLOCK_PRIORITY LOW; BEGIN TRAN; UPDATE t SET v = 1 WHERE id = 1")
    b.run("SET LOCK_TIMEOUT -1; BEGIN TRAN; UPDATE t SET v = 2 WHERE id = 2")
    thread, found = in_background(lambda: a.run("UPDATE t SET v = 3 WHERE id = 2"))
    until_waiting(engine, a.session.id)
    assert b.counts("UPDATE t SET v = 4 WHERE id = 1") == [1]
    thread.join(PATIENCE)
    assert found == [1205]
    b.run("COMMIT")
    assert a.rows("SELECT @@TRANCOUNT, v FROM t") == [(0, 4), (0, 2)]


def test_readers_that_both_want_to_write_are_a_deadlock(engine: Engine, a: Client, b: Client) -> None:
    b.run("SET LOCK_TIMEOUT -1")
    for client in (a, b):
        level(client, "REPEATABLE READ")
        client.run("SELECT * FROM t WHERE id = 1")
    thread, found = in_background(lambda: a.counts("UPDATE t SET v = 1 WHERE id = 1"))
    until_waiting(engine, a.session.id)
    assert b.error("UPDATE t SET v = 2 WHERE id = 1") == 1205
    thread.join(PATIENCE)
    assert found == [[1]]


def test_a_session_that_waits_can_be_made_the_victim(engine: Engine, a: Client, b: Client) -> None:
    a.run("BEGIN TRAN; UPDATE t SET v = 1 WHERE id = 1")
    b.run("SET LOCK_TIMEOUT -1; BEGIN TRAN; INSERT INTO t VALUES (3, 30)")
    thread, found = in_background(lambda: b.run("UPDATE t SET v = 2 WHERE id = 1"))
    until_waiting(engine, b.session.id)
    engine.locks.choose_victim(b.session.id)
    thread.join(PATIENCE)
    assert found == [1205]
    assert b.value("SELECT @@TRANCOUNT") == 0
    a.run("COMMIT")
    assert a.rows("SELECT * FROM t") == [(1, 1), (2, 20)]


def test_a_child_waits_for_a_parent_that_is_not_committed(engine: Engine, a: Client, b: Client) -> None:
    a.run("CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t (id))")
    a.run("BEGIN TRAN; INSERT INTO t VALUES (3, 30)")
    b.run("SET LOCK_TIMEOUT -1")
    thread, found = in_background(lambda: b.run("INSERT INTO c VALUES (1, 3)"))
    until_waiting(engine, b.session.id)
    a.run("ROLLBACK")
    thread.join(PATIENCE)
    assert found == [547]


def test_a_parent_is_not_deleted_while_a_child_may_come(a: Client, b: Client) -> None:
    a.run("CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t (id))")
    a.run("BEGIN TRAN; INSERT INTO c VALUES (1, 2)")
    assert b.error("DELETE FROM t WHERE id = 2") == 1222
    a.run("ROLLBACK")
    assert b.counts("DELETE FROM t WHERE id = 2") == [1]


def test_definitions_wait_for_transactions_and_keep_others_out(a: Client, b: Client) -> None:
    a.run("BEGIN TRAN; UPDATE t SET v = 1 WHERE id = 1")
    assert b.error("ALTER TABLE t ADD w int") == 1222
    a.run("COMMIT; BEGIN TRAN; ALTER TABLE t ADD w int")
    assert b.error("SELECT * FROM t WITH (NOLOCK)") == 1222
    a.run("ROLLBACK")
    assert b.rows("SELECT * FROM t") == [(1, 1), (2, 20)]
