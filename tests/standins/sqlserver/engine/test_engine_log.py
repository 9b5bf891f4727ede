from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.connection import Connection
from tailrace_standins.sqlserver.engine.log import LoggedTransaction, Record
from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.engine.session import EngineSession
from tailrace_standins.sqlserver.session import SqlError
from tailrace_standins.storage.log import Operation


@dataclass
class _Hook:
    transactions: list[LoggedTransaction] = field(default_factory=list)
    forbidden: Operation | None = None
    dropped: list[str] = field(default_factory=list)

    def committing(self, connection: Connection, transaction: LoggedTransaction) -> None:
        connection.execute("INSERT INTO told VALUES (?)", (len(transaction.records),))

    def committed(self, transaction: LoggedTransaction) -> None:
        self.transactions.append(transaction)

    def dropping(self, session: EngineSession, database: Database) -> None:
        del session
        self.dropped.append(database.name)

    def allow(self, record: Record) -> None:
        if record.operation is self.forbidden:
            raise SqlError(4711, "captured")

    def is_tracked(self, database: Database, table: Table) -> bool:
        return table.name == "tracked"

    def close(self) -> None:
        self.transactions.clear()


@pytest.fixture
def hook(engine: Engine) -> _Hook:
    made = _Hook()
    engine.hooks.append(made)
    return made


def test_a_transaction_is_logged_whole_and_in_order(a: Client, hook: _Hook) -> None:
    a.run("CREATE TABLE t (id int PRIMARY KEY, v int)")
    a.run("BEGIN TRAN; INSERT INTO t VALUES (1, 1), (2, 2); UPDATE t SET v += 1; DELETE FROM t WHERE id = 1")
    assert len(hook.transactions) == 1  # the table's
    a.run("COMMIT")
    logged = hook.transactions[-1]
    assert [(r.operation, r.before, r.after, r.statement) for r in logged.records] == [
        (Operation.INSERT, None, (1, 1), 1),
        (Operation.INSERT, None, (2, 2), 1),
        (Operation.UPDATE, (1, 1), (1, 2), 2),
        (Operation.UPDATE, (2, 2), (2, 3), 2),
        (Operation.DELETE, (1, 2), None, 3),
    ]
    assert logged.begun <= logged.committed


def test_what_was_rolled_back_is_not_logged(a: Client, hook: _Hook) -> None:
    a.run("CREATE TABLE t (id int)")
    a.run("BEGIN TRAN; INSERT INTO t VALUES (1); SAVE TRAN s; INSERT INTO t VALUES (2); ROLLBACK TRAN s; COMMIT")
    assert [r.after for r in hook.transactions[-1].records] == [(1,)]
    count = len(hook.transactions)
    a.run("BEGIN TRAN; INSERT INTO t VALUES (3); ROLLBACK")
    a.run("SELECT 5 AS n INTO #t; INSERT INTO #t VALUES (6)")
    assert len(hook.transactions) == count


def test_transactions_are_logged_in_the_order_of_their_commits(a: Client, b: Client, hook: _Hook) -> None:
    a.run("CREATE TABLE t (id int)")
    a.run("BEGIN TRAN; INSERT INTO t VALUES (1)")
    b.run("BEGIN TRAN; INSERT INTO t VALUES (2); COMMIT")
    a.run("COMMIT")
    assert [t.records[0].after for t in hook.transactions[1:]] == [(2,), (1,)]
    assert hook.transactions[1].sequence < hook.transactions[2].sequence


def test_hooks_say_which_tables_are_tracked(a: Client, hook: _Hook) -> None:
    a.run("CREATE TABLE tracked (id int); CREATE TABLE other (id int)")
    assert a.rows("SELECT name, is_tracked_by_cdc FROM sys.tables ORDER BY name") == [("other", 0), ("tracked", 1)]


def test_definitions_are_logged_and_can_be_forbidden(a: Client, hook: _Hook) -> None:
    a.run("CREATE TABLE t (id int); ALTER TABLE t ADD v int; EXEC sp_rename 't', 'u'; TRUNCATE TABLE u; DROP TABLE u")
    assert [t.records[0].operation.value for t in hook.transactions] == [
        "create table",
        "alter table",
        "rename",
        "truncate",
        "drop table",
    ]
    a.run("CREATE TABLE t (id int); INSERT INTO t VALUES (1)")
    hook.forbidden = Operation.TRUNCATE
    assert a.error("TRUNCATE TABLE t") == 4711
    assert a.value("SELECT COUNT(*) FROM t") == 1


def test_a_server_with_a_folder_lets_hooks_write_within_the_commit(tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    engine.create_database("shop")
    engine.hooks.append(_Hook())
    client, other = Client(engine), Client(engine)
    told = "SELECT records FROM told"
    other.session.connection.execute("CREATE TABLE told (records)")
    client.run("CREATE TABLE t (id int)")
    assert other.session.connection.rows(told) == [(1,)]
    client.run("BEGIN TRAN; INSERT t VALUES (1), (2)")
    assert other.session.connection.rows(told) == [(1,)]
    client.run("COMMIT; BEGIN TRAN; DELETE t; ROLLBACK")
    assert other.session.connection.rows(told) == [(1,), (2,)]
    engine.close()


def test_hooks_are_told_of_a_database_that_goes(engine: Engine, a: Client, hook: _Hook) -> None:
    engine.create_database("other")
    a.run("DROP DATABASE other")
    assert hook.dropped == ["other"]
