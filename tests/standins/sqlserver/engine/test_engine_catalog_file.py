"""Definitions outlive the server where it has a folder."""

from pathlib import Path

from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.engine.server import Engine

TABLES = "SELECT name FROM sys.tables ORDER BY name"


def test_definitions_are_there_again(tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    engine.create_database("shop")
    engine.create_database("gone")
    client = Client(engine)
    client.run("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int); CREATE TABLE gone.dbo.c (id int)")
    client.run("ALTER TABLE a ADD name nvarchar(10) DEFAULT N'x'; INSERT a (id) VALUES (1)")
    client.run("DROP TABLE b")
    client.run("BEGIN TRAN CREATE TABLE d (id int) ALTER TABLE a ADD other int ROLLBACK")
    client.run("USE master DROP DATABASE gone ALTER DATABASE shop MODIFY NAME = store")
    engine.close()
    engine = Engine(tmp_path)
    try:
        client = Client(engine, "store")
        assert client.rows(TABLES) == [("a",)]
        assert client.rows("SELECT * FROM a") == [(1, "x")]
        assert client.rows("SELECT name FROM sys.databases WHERE database_id > 4") == [("store",)]
    finally:
        engine.close()


def test_only_what_changed_is_written(tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    try:
        engine.create_database("shop")
        client = Client(engine)
        client.run("CREATE TABLE a (id int); CREATE TABLE b (id int)")
        count = "SELECT total_changes()"
        before = client.session.connection.rows(count)[0][0]
        client.run("ALTER TABLE a ADD name nvarchar(10)")
        written = client.session.connection.rows(count)[0][0] - before
        client.run("CREATE TABLE c (id int)")
        again = client.session.connection.rows(count)[0][0] - before - written
        assert (written, again) == (1, 1)
    finally:
        engine.close()
