"""Savepoints, XACT_ABORT and TRY in transactions: what an error leaves."""

import pytest
from tests.standins.sqlserver.engine.client import Client


@pytest.fixture(autouse=True)
def _table(a: Client) -> None:
    a.run("CREATE TABLE t (id int PRIMARY KEY)")


def ids(client: Client) -> list[object]:
    return [row[0] for row in client.rows("SELECT id FROM t")]


def test_a_savepoint_can_be_gone_back_to_more_than_once(a: Client) -> None:
    a.run(
        "BEGIN TRAN; INSERT t VALUES (1); SAVE TRAN s; INSERT t VALUES (2); ROLLBACK TRAN s; INSERT t VALUES (3); ROLLBACK TRAN s"
    )
    assert ids(a) == [1]
    assert a.value("SELECT @@TRANCOUNT") == 1
    a.run("INSERT t VALUES (4); COMMIT")
    assert ids(a) == [1, 4]


def test_of_savepoints_with_one_name_the_last_counts(a: Client) -> None:
    a.run("BEGIN TRAN; SAVE TRAN s; INSERT t VALUES (1); SAVE TRAN s; INSERT t VALUES (2); ROLLBACK TRAN s; COMMIT")
    assert ids(a) == [1]


def test_going_back_to_an_outer_savepoint_forgets_the_inner_one(a: Client) -> None:
    a.run("BEGIN TRAN; SAVE TRAN o; INSERT t VALUES (1); SAVE TRAN i; INSERT t VALUES (2); ROLLBACK TRAN o")
    assert a.error("ROLLBACK TRAN i") == 6401
    a.run("COMMIT")
    assert ids(a) == []


def test_a_savepoint_needs_a_transaction(a: Client) -> None:
    assert a.error("SAVE TRAN s") == 628


def test_a_savepoint_may_be_named_by_a_variable(a: Client) -> None:
    a.run("DECLARE @s varchar(9) = 'x'; BEGIN TRAN; SAVE TRAN @s; INSERT t VALUES (1); ROLLBACK TRAN @s; COMMIT")
    assert ids(a) == []


def test_a_savepoint_takes_updates_deletes_and_definitions_back(a: Client) -> None:
    a.run("INSERT t VALUES (1), (2)")
    a.run(
        "BEGIN TRAN; SAVE TRAN s; UPDATE t SET id = 9 WHERE id = 1; DELETE t WHERE id = 2; CREATE TABLE u (x int); "
        "ALTER TABLE t ADD v int; ROLLBACK TRAN s; COMMIT"
    )
    assert a.rows("SELECT * FROM t") == [(1,), (2,)]
    assert a.value("SELECT OBJECT_ID('u')") is None


@pytest.mark.parametrize(("setting", "left", "count"), [("ON", [], 0), ("OFF", [1, 2], 1)])
def test_xact_abort_decides_what_an_error_ends(a: Client, setting: str, left: list[int], count: int) -> None:
    sql = f"SET XACT_ABORT {setting}; BEGIN TRAN; INSERT t VALUES (1); INSERT t VALUES (1); INSERT t VALUES (2)"
    assert a.error(sql) == 2627
    assert a.value("SELECT @@TRANCOUNT") == count
    assert ids(a) == left


def test_in_catch_a_transaction_lives_on_without_xact_abort(a: Client) -> None:
    sql = (
        "BEGIN TRAN; INSERT t VALUES (1); BEGIN TRY INSERT t VALUES (1) END TRY "
        "BEGIN CATCH SELECT XACT_STATE(), ERROR_NUMBER() END CATCH; COMMIT"
    )
    assert a.rows(sql) == [(1, 2627)]
    assert ids(a) == [1]


def test_in_catch_a_transaction_can_only_be_rolled_back_under_xact_abort(a: Client) -> None:
    begin = "SET XACT_ABORT ON; BEGIN TRAN; INSERT t VALUES (1); BEGIN TRY INSERT t VALUES (1) END TRY BEGIN CATCH "
    assert a.rows(begin + "SELECT XACT_STATE(); ROLLBACK END CATCH") == [(-1,)]
    assert a.error(begin + "COMMIT END CATCH") == 3930
    a.run("IF @@TRANCOUNT > 0 ROLLBACK")
    assert a.error(begin + "INSERT t VALUES (5) END CATCH") == 3930
    a.run("IF @@TRANCOUNT > 0 ROLLBACK")
    assert ids(a) == []


def test_a_transaction_that_can_not_be_committed_ends_with_its_batch(a: Client) -> None:
    sql = "SET XACT_ABORT ON; BEGIN TRAN; BEGIN TRY SELECT 1 / 0 END TRY BEGIN CATCH PRINT 'x' END CATCH"
    assert a.error(sql) == 3998
    assert a.value("SELECT @@TRANCOUNT") == 0


def test_a_conversion_error_ends_the_batch_and_its_transaction(a: Client) -> None:
    assert a.error("BEGIN TRAN; INSERT t VALUES (1); SELECT CAST('x' AS int); INSERT t VALUES (2)") == 245
    assert a.value("SELECT @@TRANCOUNT") == 0


def test_an_error_in_a_batch_outside_of_a_transaction_keeps_what_came_before(a: Client) -> None:
    assert a.error("INSERT t VALUES (1); INSERT t VALUES (NULL); INSERT t VALUES (2)") == 515
    assert ids(a) == [1, 2]
