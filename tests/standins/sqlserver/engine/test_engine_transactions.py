import pytest
from tests.standins.sqlserver.engine.background import PATIENCE, in_background, until_waiting
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.session import Change, Changed, Isolation


@pytest.fixture(autouse=True)
def _accounts(a: Client, b: Client) -> None:
    a.run("CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 10), (2, 20)")
    b.run("SET LOCK_TIMEOUT 0")


def test_two_transactions_interleave(a: Client, b: Client) -> None:
    a.run("BEGIN TRAN; INSERT INTO t VALUES (3, 30)")
    b.run("BEGIN TRAN; INSERT INTO t VALUES (4, 40); COMMIT")
    a.run("UPDATE t SET v = 11 WHERE id = 1; COMMIT")
    assert b.rows("SELECT * FROM t") == [(1, 11), (2, 20), (3, 30), (4, 40)]


def test_a_locking_reader_waits_for_changed_rows_and_seeks_past_others(a: Client, b: Client) -> None:
    a.run("BEGIN TRAN; UPDATE t SET v = 11 WHERE id = 1")
    assert b.rows("SELECT * FROM t WHERE id = 2") == [(2, 20)]
    assert b.error("SELECT * FROM t") == 1222
    assert b.rows("SELECT v FROM t WITH (NOLOCK) WHERE id = 1") == [(11,)]
    assert b.rows("SELECT v FROM t WITH (READPAST)") == [(20,)]
    assert b.rows("SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED; SELECT v FROM t WHERE id = 1") == [(11,)]
    a.run("ROLLBACK")
    assert b.rows("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SELECT v FROM t WHERE id = 1") == [(10,)]


def test_a_waiting_writer_goes_on_over_the_committed_row(engine: Engine, a: Client, b: Client) -> None:
    a.run("BEGIN TRAN; UPDATE t SET v = 100 WHERE id = 1")
    b.run("SET LOCK_TIMEOUT -1")
    thread, found = in_background(lambda: b.run("UPDATE t SET v += 1 WHERE id = 1"))
    until_waiting(engine, b.session.id)
    a.run("COMMIT")
    thread.join(PATIENCE)
    assert len(found) == 1
    assert a.value("SELECT v FROM t WHERE id = 1") == 101


def test_read_committed_snapshot_reads_the_last_commit_of_each_statement(a: Client, b: Client) -> None:
    a.run("ALTER DATABASE shop SET READ_COMMITTED_SNAPSHOT ON")
    b.run("BEGIN TRAN")
    a.run("BEGIN TRAN; UPDATE t SET v = 11 WHERE id = 1")
    assert b.rows("SELECT v FROM t") == [(10,), (20,)]
    a.run("COMMIT")
    assert b.rows("SELECT v FROM t") == [(11,), (20,)]


def test_snapshot_sees_one_moment_and_refuses_to_overwrite(a: Client, b: Client) -> None:
    a.run("ALTER DATABASE shop SET ALLOW_SNAPSHOT_ISOLATION ON; SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRAN")
    assert a.rows("SELECT * FROM t") == [(1, 10), (2, 20)]
    b.run("UPDATE t SET v = 99 WHERE id = 1; DELETE FROM t WHERE id = 2; INSERT INTO t VALUES (3, 30)")
    assert a.rows("SELECT * FROM t") == [(1, 10), (2, 20)]
    assert a.error("UPDATE t SET v = 0 WHERE id = 1") == 3960
    assert a.value("SELECT @@TRANCOUNT") == 0
    assert a.rows("SELECT * FROM t") == [(1, 99), (3, 30)]


def test_snapshot_needs_the_databases_leave(a: Client) -> None:
    a.run("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRAN")
    assert a.error("SELECT * FROM t") == 3952


def test_old_versions_go_when_nobody_can_see_them(engine: Engine, a: Client, b: Client) -> None:
    a.run(
        "ALTER DATABASE shop SET ALLOW_SNAPSHOT_ISOLATION ON; SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRAN; SELECT * FROM t"
    )
    b.run("UPDATE t SET v += 1; UPDATE t SET v += 1; DELETE FROM t WHERE id = 2")
    table = a.session.current.table("dbo", "t")
    assert table is not None
    count = f"SELECT COUNT(*) FROM {table.storage}"
    assert b.session.connection.rows(count)[0][0] > 1
    a.run("COMMIT")
    assert b.session.connection.rows(count) == [(1,)]
    assert not engine.store.littered


@pytest.mark.parametrize("level", ["REPEATABLE READ", "SERIALIZABLE"])
def test_readers_that_hold_locks_keep_rows_as_they_are(a: Client, b: Client, level: str) -> None:
    a.run(f"SET TRANSACTION ISOLATION LEVEL {level}; BEGIN TRAN; SELECT v FROM t WHERE id = 1")
    assert b.error("UPDATE t SET v = 0 WHERE id = 1") == 1222
    a.run("COMMIT")
    assert b.counts("UPDATE t SET v = 0 WHERE id = 1") == [1]


def test_tablockx_keeps_everyone_else_out_until_the_end(a: Client, b: Client) -> None:
    a.run("BEGIN TRAN; SELECT TOP(0) * FROM shop.dbo.t WITH (TABLOCKX)")
    assert b.error("INSERT INTO t VALUES (7, 7)") == 1222
    assert b.error("SELECT * FROM t") == 1222
    a.run("ROLLBACK")
    assert b.counts("INSERT INTO t VALUES (7, 7)") == [1]


def test_tablockx_waits_for_writers(a: Client, b: Client) -> None:
    b.run("BEGIN TRAN; INSERT INTO t VALUES (7, 7)")
    a.run("SET LOCK_TIMEOUT 0; BEGIN TRAN")
    assert a.error("SELECT * FROM t WITH (TABLOCKX)") == 1222


def test_a_key_that_another_transaction_inserts_is_waited_for(a: Client, b: Client) -> None:
    a.run("BEGIN TRAN; INSERT INTO t VALUES (5, 5)")
    assert b.error("INSERT INTO t VALUES (5, 6)") == 1222
    a.run("ROLLBACK")
    assert b.counts("INSERT INTO t VALUES (5, 6)") == [1]


def test_savepoints_take_back_what_came_after_them(a: Client) -> None:
    a.run(
        "BEGIN TRAN; INSERT INTO t VALUES (8, 8); SAVE TRAN s; INSERT INTO t VALUES (9, 9); UPDATE t SET v = 0; ROLLBACK TRAN s"
    )
    assert a.rows("SELECT * FROM t") == [(1, 10), (2, 20), (8, 8)]
    assert a.error("ROLLBACK TRAN nope") == 6401
    a.run("COMMIT")
    assert a.value("SELECT COUNT(*) FROM t") == 3


def test_transactions_nest_by_count_alone(a: Client) -> None:
    a.run("BEGIN TRAN; BEGIN TRAN; DELETE FROM t; COMMIT")
    assert a.value("SELECT @@TRANCOUNT") == 1
    a.run("ROLLBACK")
    assert a.value("SELECT @@TRANCOUNT + COUNT(*) FROM t") == 2


def test_a_deadlock_has_one_victim(engine: Engine, a: Client, b: Client) -> None:
    b.run("SET LOCK_TIMEOUT -1; BEGIN TRAN; UPDATE t SET v = 2 WHERE id = 2")
    a.run("BEGIN TRAN; UPDATE t SET v = 1 WHERE id = 1")
    thread, found = in_background(lambda: a.run("UPDATE t SET v = 3 WHERE id = 2"))
    until_waiting(engine, a.session.id)
    assert b.error("UPDATE t SET v = 3 WHERE id = 1") == 1205
    thread.join(PATIENCE)
    assert len(found) == 1
    assert found != [1205]
    a.run("COMMIT")
    assert b.rows("SELECT @@TRANCOUNT, v FROM t") == [(0, 1), (0, 3)]


def test_a_victim_can_be_chosen(engine: Engine, a: Client) -> None:
    engine.locks.choose_victim(a.session.id)
    assert a.error("UPDATE t SET v = 0") == 1205
    assert a.counts("UPDATE t SET v = 0") == [2]


def test_a_wait_can_be_cancelled(engine: Engine, a: Client, b: Client) -> None:
    a.run("BEGIN TRAN; DELETE FROM t")
    b.run("SET LOCK_TIMEOUT -1")
    thread, found = in_background(lambda: b.run("SELECT * FROM t"))
    until_waiting(engine, b.session.id)
    b.session.cancel()
    thread.join(PATIENCE)
    assert found == [3617]


def test_the_wire_hears_of_each_transaction(a: Client) -> None:
    (begun,) = a.session.begin("x", Isolation.READ_COMMITTED)
    assert isinstance(begun, Changed)
    assert (begun.what, len(begun.new)) == (Change.BEGUN, 8)
    a.run("DELETE FROM t")
    (ended,) = a.session.rollback("")
    assert ended == Changed(Change.ROLLED_BACK, b"", begun.new)
    assert a.value("SELECT COUNT(*) FROM t") == 2


def test_implicit_transactions_begin_with_the_first_statement(a: Client) -> None:
    a.run("SET IMPLICIT_TRANSACTIONS ON; SELECT 1")
    assert a.value("SELECT @@TRANCOUNT") == 0
    a.run("DELETE FROM t")
    assert a.value("SELECT @@TRANCOUNT") == 1
    a.run("IF @@TRANCOUNT > 0 ROLLBACK TRAN")
    assert a.value("SET IMPLICIT_TRANSACTIONS OFF; SELECT COUNT(*) FROM t") == 2


def test_many_sessions_add_up(engine: Engine, a: Client) -> None:
    def work() -> int:
        own = Client(engine)
        for _ in range(25):
            own.run("BEGIN TRAN; UPDATE t SET v += 1 WHERE id = 1; COMMIT")
            own.run("UPDATE t SET v += 1 WHERE id = 2")
        own.session.close()
        return 1

    threads = [in_background(work) for _ in range(4)]
    for thread, _ in threads:
        thread.join(60)
    assert [found for _, found in threads] == [[1]] * 4
    assert a.rows("SELECT v FROM t") == [(110,), (120,)]


def test_a_closed_session_leaves_nothing_behind(a: Client, b: Client) -> None:
    a.run("BEGIN TRAN; DELETE FROM t; SELECT * FROM t WITH (TABLOCKX)")
    a.session.close()
    assert b.rows("SELECT id FROM t") == [(1,), (2,)]
