"""Shortcuts can be turned off, and on for small tables."""

import pytest
from tests.standins.sqlserver.answered import run
from tests.standins.sqlserver.cdc.servers import StandInServer
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.cdc import install
from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.shortcuts.switch import VARIABLE, Shortcuts

ROWS = [(1,), (2,)]


def answered(shortcuts):
    """How many of some queries took a shortcut; they give the same rows."""
    engine = Engine(password="secret", shortcuts=shortcuts)
    capture = install(engine, automatic=False)
    engine.create_database("shop")
    client = Client(engine)
    try:
        client.run("EXEC sys.sp_cdc_enable_db; CREATE TABLE dbo.t (id int PRIMARY KEY)")
        client.run("EXEC sys.sp_cdc_enable_table @source_schema = N'dbo', @source_name = N't', @role_name = NULL")
        client.run("INSERT dbo.t VALUES (1), (2)")
        capture.step("shop")
        before = engine.system.answered
        assert run(client, "SELECT id FROM dbo.t ORDER BY id", {})[0] == ROWS
        assert run(client, "SELECT id FROM cdc.dbo_t_CT ORDER BY [__$start_lsn]", {})[0] == ROWS
        return engine.system.answered - before
    finally:
        engine.close()


@pytest.mark.parametrize(("shortcuts", "count"), [(Shortcuts.ON, 0), (Shortcuts.ALWAYS, 2), (Shortcuts.OFF, 0)])
def test_a_server_takes_them_as_it_is_told(shortcuts, count):
    assert answered(shortcuts) == count


@pytest.mark.parametrize(("word", "count"), [("always", 2), ("OFF", 0), ("", 0)])
def test_the_environment_says_so_where_nobody_else_does(monkeypatch, word, count):
    monkeypatch.setenv(VARIABLE, word)
    assert answered(None) == count


def test_what_a_server_is_told_counts_more_than_the_environment(monkeypatch):
    monkeypatch.setenv(VARIABLE, "always")
    assert answered(Shortcuts.OFF) == 0


def test_another_word_in_the_environment_is_refused_by_name(monkeypatch):
    monkeypatch.setenv(VARIABLE, "perhaps")
    with pytest.raises(ValueError, match=f"{VARIABLE}=perhaps: it is on, always, off"):
        Engine()


def test_without_them_large_tables_are_read_from_sqlite_and_nothing_is_kept_of_them(monkeypatch):
    monkeypatch.setenv(VARIABLE, "off")
    server = StandInServer()
    try:
        assert server.engine.shortcuts is Shortcuts.OFF
        assert server.engine.system.answers == []
    finally:
        server.close()
