"""A server with a folder that is killed: what was committed is captured by the next one, once, with the numbers it had."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.servers.child_process import dying_with_parent
from tailrace_standins.sqlserver.cdc import ChangeDataCapture, install
from tailrace_standins.sqlserver.engine.connection import Connection
from tailrace_standins.sqlserver.engine.server import Engine

pytestmark = pytest.mark.long
SECONDS = 60
TABLES = ("dbo_t_CT", "second_CT", "lsn_time_mapping", "ddl_history", "change_tables", "captured_columns")
DYING = """
import sys
from pathlib import Path
from tailrace_standins.sqlserver.cdc import install
from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.session import Login, run
engine = Engine(Path(sys.argv[1]), password="secret")
capture = install(engine, automatic=False)
session = engine.login(Login("sa", "secret", "shop"))
run(session, "INSERT t VALUES (2, N'žluť', 0x00FF, 12.50); UPDATE t SET b = NULL")
run(session, "BEGIN TRAN; INSERT t VALUES (9, N'open', NULL, NULL); CREATE TABLE half (id int); ALTER TABLE u ADD half int")
print("committed", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "first"


@pytest.fixture
def first(folder: Path) -> Iterator[tuple[ChangeDataCapture, Client]]:
    """A server with a captured table, and a client of it."""
    engine = Engine(folder, password="secret")
    engine.create_database("shop")
    capture = install(engine, automatic=False)
    client = Client(engine)
    client.run("EXEC sys.sp_cdc_enable_db; CREATE TABLE u (id int)")
    client.run("CREATE TABLE t (id int PRIMARY KEY, a nvarchar(20), b varbinary(8), c decimal(9, 2))")
    client.run("EXEC sys.sp_cdc_enable_table 'dbo', 't', @role_name = NULL")
    yield capture, client
    engine.close()


def as_killed(folder: Path, name: str) -> Path:
    """What a process that is killed now would leave behind."""
    return Path(shutil.copytree(folder, folder.parent / name))


def captured(client: Client) -> dict[str, list[object]]:
    """All that change data capture has written."""
    there = [name for (name,) in client.rows("SELECT name FROM sys.tables WHERE SCHEMA_NAME(schema_id) = 'cdc'")]
    return {name: list(client.rows(f"SELECT * FROM cdc.{name} ORDER BY 1, 3, 4")) for name in TABLES if name in there}


def captured_by_the_next(folder: Path) -> dict[str, list[object]]:
    """The same by a server that starts in the folder and reads its log to the end."""
    engine = Engine(folder, password="secret")
    capture = install(engine, automatic=False)
    client = Client(engine)
    while capture.step("shop"):
        pass
    found = captured(client)
    assert client.session.connection.rows("SELECT COUNT(*) FROM cdc_log") == [(0,)]
    client.session.close()
    engine.close()
    return found


def step(capture: ChangeDataCapture) -> None:
    while capture.step("shop"):
        pass


def test_a_killed_process_loses_nothing_that_was_committed(
    folder: Path, first: tuple[ChangeDataCapture, Client]
) -> None:
    capture, client = first
    client.run("INSERT t VALUES (1, N'one', NULL, 0.05)")
    client.session.close()
    capture.engine.close()
    program = [*dying_with_parent(), sys.executable, "-c", DYING, str(folder)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        assert child.stdout.readline() == "committed\n"
        child.send_signal(signal.SIGKILL)
        child.wait(SECONDS)
    engine = Engine(folder, password="secret")
    step(install(engine, automatic=False))
    client = Client(engine)
    found = client.rows(
        "SELECT [__$operation], id, a, b, c FROM cdc.dbo_t_CT ORDER BY [__$start_lsn], [__$seqval], [__$operation]"
    )
    assert [(row[0], row[1], row[2]) for row in found] == [
        (2, 1, "one"),
        (2, 2, "žluť"),
        (3, 2, "žluť"),
        (4, 2, "žluť"),
    ]
    assert [row[3] for row in found] == [None, b"\x00\xff", b"\x00\xff", None]
    assert [str(row[4]) for row in found] == ["0.05", "12.50", "12.50", "12.50"]
    assert client.rows("SELECT id FROM t ORDER BY id") == [(1,), (2,)]
    client.run("CREATE TABLE half (id int); ALTER TABLE u ADD half int; INSERT u VALUES (1, 1)")
    engine.close()


def test_each_kind_of_entry_is_captured_as_it_would_have_been(
    folder: Path, first: tuple[ChangeDataCapture, Client]
) -> None:
    capture, client = first
    client.run("INSERT t VALUES (1, N'one', 0x01, 1), (2, N'two', NULL, NULL)")
    client.run("BEGIN TRAN; UPDATE t SET id = id + 10; DELETE t WHERE id = 11; COMMIT")
    client.run("ALTER TABLE t ALTER COLUMN c decimal(12, 3); ALTER TABLE t ADD d date")
    client.run("EXEC sys.sp_cdc_enable_table 'dbo', 't', 'second', @role_name = NULL")
    client.run("INSERT t VALUES (3, N'three', 0x, 1.234, '2024-02-29')")
    client.run("ALTER TABLE t DROP COLUMN b; UPDATE t SET c = NULL")
    killed = as_killed(folder, "killed")
    step(capture)
    expected = captured(client)
    assert len(expected) == len(TABLES)
    assert captured_by_the_next(killed) == expected


def test_a_kill_between_any_two_commits_of_the_capture_job_brings_nothing_twice(
    folder: Path, first: tuple[ChangeDataCapture, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    capture, client = first
    client.run("INSERT t VALUES (1, N'one', 0x01, 1), (2, N'two', NULL, NULL)")
    client.run("ALTER TABLE t ALTER COLUMN c decimal(12, 3)")
    client.run("EXEC sys.sp_cdc_enable_table 'dbo', 't', 'second', @role_name = NULL")
    client.run("UPDATE t SET c = 1.5")
    client.run("DROP TABLE u; EXEC sp_rename 'dbo.t', 'renamed'")
    client.run("DELETE renamed WHERE id = 1")
    killed: list[Path] = []
    execute = Connection.execute

    def copying(self: Connection, sql: str, *values: object) -> object:
        found = execute(self, sql, *values)  # type: ignore[arg-type]
        if sql == "COMMIT":
            killed.append(as_killed(folder, f"killed{len(killed)}"))
        return found

    with monkeypatch.context() as patched:
        patched.setattr(Connection, "execute", copying)
        step(capture)
    expected = captured(client)
    assert len(killed) > 8
    for image in killed:
        assert captured_by_the_next(image) == expected


def test_numbers_go_on_behind_those_that_wait(folder: Path, first: tuple[ChangeDataCapture, Client]) -> None:
    _, client = first
    client.run("INSERT t VALUES (1, NULL, NULL, NULL)")
    for generation in range(3):
        folder = as_killed(folder, f"generation{generation}")
        engine = Engine(folder, password="secret")
        install(engine, automatic=False)
        Client(engine).run(f"INSERT t VALUES ({10 + generation}, NULL, NULL, NULL)")
    found = captured_by_the_next(as_killed(folder, "last"))
    assert [row[5] for row in found["dbo_t_CT"]] == [1, 10, 11, 12]  # type: ignore[index]
    files = [row[0][:4] for row in found["dbo_t_CT"]]  # type: ignore[index]
    assert files == sorted(set(files)), "a new process counts its positions from the beginning: it needs a file of its own"


def test_a_database_that_is_disabled_or_dropped_leaves_nothing(first: tuple[ChangeDataCapture, Client]) -> None:
    capture, client = first
    left = "SELECT COUNT(*) FROM cdc_log"
    for end in ("USE shop; EXEC sys.sp_cdc_disable_db", "DROP DATABASE shop"):
        client.run("INSERT t VALUES (1, NULL, NULL, NULL)")
        assert client.session.connection.rows(left) != [(0,)]
        client.run(f"USE master; {end}")
        assert client.session.connection.rows(left) == [(0,)]
        if "disable" in end:
            client.run(
                "EXEC sys.sp_cdc_enable_db; DELETE t; EXEC sys.sp_cdc_enable_table 'dbo', 't', @role_name = NULL"
            )
    assert capture.enabled() == []


def test_a_transaction_that_is_rolled_back_leaves_nothing(first: tuple[ChangeDataCapture, Client]) -> None:
    capture, client = first
    step(capture)
    client.run("BEGIN TRAN; INSERT t VALUES (1, NULL, NULL, NULL); ROLLBACK")
    assert client.session.connection.rows("SELECT COUNT(*) FROM cdc_log") == [(0,)]


@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_is_captured_the_same(
    folder: Path, first: tuple[ChangeDataCapture, Client], seed: int
) -> None:
    capture, client = first
    chance = random.Random(seed)
    print("seed", seed)
    columns = 0
    for number in range(25):
        match chance.randrange(8):
            case 0 | 1 | 2:
                client.run(f"INSERT t (id, a, b, c) VALUES ({number}, N'{number}', 0x{number:02x}, {number}.5)")
            case 3:
                client.run(f"UPDATE t SET a = a + N'x' WHERE id % 3 = {chance.randrange(3)}")
            case 4:
                client.run(f"BEGIN TRAN; DELETE t WHERE id % 4 = {chance.randrange(4)}; UPDATE t SET c += 1; COMMIT")
            case 5:
                columns += 1
                client.run(f"ALTER TABLE t ADD more{columns} int")
            case 6:
                capture.step("shop")
            case 7:
                if client.value("SELECT COUNT(*) FROM cdc.change_tables") == 1:
                    client.run("EXEC sys.sp_cdc_enable_table 'dbo', 't', 'second', @role_name = NULL")
                else:
                    client.run("EXEC sys.sp_cdc_disable_table 'dbo', 't', 'second'")
    killed = as_killed(folder, "killed")
    step(capture)
    assert captured_by_the_next(killed) == captured(client)
