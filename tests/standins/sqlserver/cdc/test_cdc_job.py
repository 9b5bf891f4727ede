"""The capture job's thread, and what it shows of itself."""

from pathlib import Path

import pytest
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.cdc import install
from tailrace_standins.sqlserver.engine.server import Engine

ENABLE = "EXEC sys.sp_cdc_enable_table @source_schema = N'dbo', @source_name = N't', @role_name = NULL"


def prepared(engine: Engine) -> Client:
    engine.create_database("shop")
    client = Client(engine)
    client.run("CREATE TABLE t (id int PRIMARY KEY)")
    client.run("EXEC sys.sp_cdc_enable_db")
    client.run("EXEC sys.sp_cdc_add_job @job_type = N'capture', @pollinginterval = 0")
    client.run(ENABLE)
    return client


def test_the_job_captures_by_itself_and_can_be_paused() -> None:
    engine = Engine()
    capture = install(engine)
    try:
        client = prepared(engine)
        client.run("INSERT t VALUES (1)")
        capture.wait("shop")
        assert client.rows("SELECT id FROM cdc.dbo_t_CT") == [(1,)]
        capture.pause("shop")
        client.run("INSERT t VALUES (2)")
        with pytest.raises(TimeoutError, match="1 transactions of shop"):
            capture.wait("shop", seconds=0.2)
        assert capture.step("shop") == 1
        client.run("INSERT t VALUES (3)")
        capture.resume("shop")
        capture.wait("shop")
        assert client.rows("SELECT id FROM cdc.dbo_t_CT ORDER BY 1") == [(1,), (2,), (3,)]
    finally:
        engine.close()


def test_nothing_is_captured_while_the_agent_is_stopped() -> None:
    engine = Engine()
    engine.agent_running = False
    capture = install(engine)
    try:
        client = prepared(engine)
        with pytest.raises(TimeoutError):
            capture.wait("shop", seconds=0.2)
        assert client.rows(
            "SELECT status_desc FROM sys.dm_server_services WHERE servicename LIKE N'SQL Server Agent (%'"
        ) == [("Stopped",)]
        engine.agent_running = True
        capture.wait("shop")
    finally:
        engine.close()


def test_scan_sessions_count_what_they_found() -> None:
    engine = Engine()
    capture = install(engine, automatic=False)
    try:
        client = prepared(engine)
        client.run("INSERT t VALUES (1), (2)")
        capture.step("shop")
        capture.step("shop")
        capture.step("shop")
        found = client.rows(
            "SELECT session_id, tran_count, command_count, empty_scan_count, start_lsn FROM sys.dm_cdc_log_scan_sessions"
        )
        assert [row[:4] for row in found] == [(0, 2, 2, 2), (1, 2, 2, 0), (2, 0, 0, 2)]
        assert found[2][4] == "00000000:00000000:0000\0"
    finally:
        engine.close()


def test_a_folder_keeps_instances_and_numbers_go_on(tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    capture = install(engine, automatic=False)
    client = prepared(engine)
    client.run("INSERT t VALUES (1)")
    capture.step("shop")
    last = client.rows("SELECT sys.fn_cdc_get_max_lsn()")
    client.run("INSERT t VALUES (3)")
    client.session.close()
    engine.close()
    engine = Engine(tmp_path)
    capture = install(engine, automatic=False)
    try:
        client = Client(engine)
        client.run("INSERT t VALUES (2)")
        capture.step("shop")
        assert client.rows("SELECT id FROM cdc.dbo_t_CT ORDER BY [__$start_lsn]") == [(1,), (3,), (2,)]
        assert client.rows("SELECT sys.fn_cdc_get_max_lsn()") > last
    finally:
        engine.close()
