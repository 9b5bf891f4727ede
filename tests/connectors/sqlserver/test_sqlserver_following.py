"""Events beside the changes: heartbeats, an Agent that does not run, tables that are dropped while they are read."""

from __future__ import annotations

import logging
import time
from typing import Any

import pytest

from support.sqlserver_reading import Read, begin, read_on, records_of, settings_of, structures, told
from tailrace.connectors.base import LogRange
from tailrace.connectors.sqlserver import transaction_log
from tailrace.connectors.sqlserver.reader import SqlServerConnector
from tailrace.errors import ConfigError, PositionLostError, RetriableError
from tailrace.events import heartbeats as beats
from tailrace_standins.servers.sqlserver_server import Database, Server, StandInServer

pytestmark = pytest.mark.drivers

PATIENCE_SECONDS = 30.0


@pytest.fixture
def shop(sqlserver: Database) -> Database:
    sqlserver.sql(
        "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY); CREATE TABLE beats (n int)"
    )
    sqlserver.capture("a")
    sqlserver.capture("b")
    return sqlserver


def follow(settings: Any, read: Read, enough: Any) -> Read:
    """Read without an end until there is enough."""
    connector = SqlServerConnector(settings)
    reader = connector.read(LogRange(read.progress.restart), read.progress, read.history)
    deadline = time.monotonic() + PATIENCE_SECONDS
    for batch in reader:
        read.take(batch)
        if enough(read):
            break
        assert time.monotonic() < deadline
    reader.close()
    return read


def test_heartbeats_come_while_nothing_happens_with_the_progress_of_then(
    shop: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beats, "_last_beats", {})
    settings = settings_of(shop, heartbeat_interval_ms="30", include_schema_changes="false")
    read = follow(settings, begin(settings), lambda each: len(each.of("heartbeat.s")) == 3)
    assert {record["topic"] for record in read.records} == {"__debezium-heartbeat.s"}
    assert [record["position"] for record in read.records] == [read.progress.delivered] * 3


def test_the_statement_is_run_with_each_heartbeat(shop: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beats, "_last_beats", {})
    settings = settings_of(
        shop,
        heartbeat_interval_ms="30",
        heartbeat_action_query="INSERT dbo.beats VALUES (1)",
        include_schema_changes="false",
    )
    follow(settings, begin(settings), lambda _: shop.value("SELECT COUNT(*) FROM beats") >= 2)


def test_an_agent_that_does_not_run_is_told_with_what_to_do(
    shop: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    server = shop.server
    if not isinstance(server, StandInServer):
        pytest.skip("a real server's agent is nothing for a test to stop")
    monkeypatch.setattr(transaction_log, "QUIET_SECONDS", 0.0)
    settings = settings_of(shop)
    server.command("agent", False)
    try:
        with caplog.at_level(logging.WARNING):
            follow(settings, begin(settings), lambda each: each.batches > 3)
    finally:
        server.command("agent", True)
    assert caplog.text.count("SQL Server Agent, which runs the capture job, does not run") == 1


@pytest.mark.parametrize("mode", ["direct", "function"])
def test_a_table_that_goes_while_its_window_is_read_does_not_stop_the_others(
    shop: Database, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    settings = settings_of(shop, data_query_mode=mode)
    read = read_on(settings, begin(settings)).fresh()
    shop.sql("INSERT a VALUES (1); INSERT b VALUES (2)")
    shop.capture_all()
    connector = SqlServerConnector(settings)
    for batch in connector.read(LogRange(read.progress.restart, connector.head()), read.progress, read.history):
        read.take(batch)
        if any(record["topic"].endswith("dbo.a") for record in records_of(batch)):
            shop.uncapture("b")
    assert told(read.of("dbo.a")) == [("c", None, {"id": 1})]
    assert (read.of("dbo.b"), structures(read)) == ([], [("DROP", [])])
    assert "dbo.b is not captured any more" in caplog.text
    assert read_on(settings, read.fresh()).records == []


def test_a_lost_connection_is_worth_another_try(sqlserver_server: Server) -> None:
    if not isinstance(sqlserver_server, StandInServer):
        pytest.skip("a real server is not killed by a test")
    with StandInServer() as server:
        database = server.create_database()
        database.sql("CREATE TABLE a (id int PRIMARY KEY)")
        database.capture("a")
        settings = settings_of(database, include_schema_changes="false")
        read = begin(settings)
        reader = SqlServerConnector(settings).read(LogRange(read.progress.restart), read.progress, read.history)
        next(reader)
        server.kill()
        with pytest.raises(RetriableError, match="SQL Server at"):
            list(reader)


@pytest.mark.parametrize("mode", ["direct", "function"])
def test_what_is_cleaned_up_while_it_is_read_is_lost(shop: Database, mode: str) -> None:
    settings = settings_of(shop, data_query_mode=mode)
    read = read_on(settings, begin(settings)).fresh()
    for number in (1, 2):
        shop.sql(f"INSERT a VALUES ({number}); INSERT b VALUES ({number}); WAITFOR DELAY '00:00:00.020'")
    shop.capture_all()
    connector = SqlServerConnector(settings)
    reader = connector.read(LogRange(read.progress.restart, connector.head()), read.progress, read.history)
    for batch in reader:
        read.take(batch)
        if read.of("dbo.a"):
            break
    shop.clean_up("dbo_b", shop.max_lsn())
    with pytest.raises(PositionLostError, match=r"dbo\.b: changes are lost"):
        list(reader)


def test_a_read_only_replica_is_followed_with_read_intent(sqlserver_server: Server) -> None:
    if not isinstance(sqlserver_server, StandInServer):
        pytest.skip("it takes an availability group")
    with StandInServer() as server:
        database = server.create_database()
        database.sql("CREATE TABLE a (id int PRIMARY KEY)")
        database.capture("a")
        port = str(server.command("secondary", database.name))
        with pytest.raises(ConfigError, match=r"database\.applicationIntent=ReadOnly"):
            begin(settings_of(database, database_port=port))
        settings = settings_of(database, database_port=port, database_applicationIntent="ReadOnly")
        read = begin(settings)
        reader = SqlServerConnector(settings).read(LogRange(read.progress.restart), read.progress, read.history)
        for number in (1, 2):
            database.sql(f"INSERT a VALUES ({number})")
            database.capture_all()
            for batch in reader:
                read.take(batch)
                if len(read.of("dbo.a")) == number:
                    break
        reader.close()
        assert [after for _, _, after in told(read.of("dbo.a"))] == [{"id": 1}, {"id": 2}]
