"""Sessions: their results, and the meaning of their errors."""

from __future__ import annotations

from typing import Any

import pytest

from tailrace.connectors.load import from_mapping
from tailrace.connectors.sqlserver import catalog
from tailrace.connectors.sqlserver.connection import connect, literal
from tailrace.connectors.sqlserver.connection_string import connection_string
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.errors import ConfigError, RetriableError, SourceSetupError
from tailrace_standins.servers.sqlserver_server import Database

PASSWORD = "se;cr}et"


def settings(**given: str) -> SqlServerSettings:
    """A connector's; `database_port` is `database.port`."""
    return made(
        {
            "connector.class": "sqlserver",
            "topic.prefix": "s",
            "database.hostname": "db.example.com",
            "database.user": "sa",
            "database.password": PASSWORD,
            "database.names": "inventory",
        }
        | {name.replace("_", "."): value for name, value in given.items()}
    )


def of(database: Database, **given: str) -> SqlServerSettings:
    """A connector's of a test's database."""
    return made(database.properties() | {name.replace("_", "."): value for name, value in given.items()})


def made(properties: dict[str, str]) -> SqlServerSettings:
    """A connector's settings."""
    found = from_mapping(properties)
    assert isinstance(found, SqlServerSettings)
    return found


def keywords(text: str) -> dict[str, str]:
    """The keywords of a connection string in which nothing is quoted."""
    return dict(part.split("=", 1) for part in text.split(";"))


def test_a_connection_string_quotes_what_would_break_it() -> None:
    text = connection_string(settings(), "my db")
    assert text.startswith("Server=db.example.com,1433;Database={my db};UID=sa;PWD={se;cr}}et};Encrypt=yes;")


def test_an_instance_is_named_where_no_port_is() -> None:
    text = connection_string(settings(database_instance="SQL1"))
    assert text.startswith("Server=db.example.com\\SQL1;")
    both = connection_string(settings(database_instance="SQL1", database_port="1500"))
    assert both.startswith("Server=db.example.com,1500;")


def test_options_of_the_jdbc_driver_become_keywords_of_odbc() -> None:
    given = {
        "database.password": "x",
        "driver.encrypt": "strict",
        "database.applicationIntent": "ReadOnly",
        "driver.trustServerCertificate": "true",
        "driver.packetSize": "4096",
        "driver.iPAddressPreference": "IPv6First",
    }
    found = keywords(connection_string(settings(**given)))
    assert found == {
        "Server": "db.example.com,1433",
        "UID": "sa",
        "PWD": "x",
        "Encrypt": "strict",
        "TrustServerCertificate": "yes",
        "ApplicationIntent": "ReadOnly",
        "MultiSubnetFailover": "no",
        "ConnectRetryCount": "1",
        "ConnectRetryInterval": "10",
        "PacketSize": "4096",
        "IpAddressPreference": "IPv6First",
    }


def test_a_ticket_of_kerberos_needs_no_name() -> None:
    text = connection_string(settings(**{"driver.integratedSecurity": "true", "driver.serverSpn": "MSSQLSvc/db"}))
    assert "Trusted_Connection=yes" in text
    assert "ServerSPN=MSSQLSvc/db" in text
    assert "UID" not in text
    assert "PWD" not in text


def test_a_managed_identity_has_another_name_in_odbc() -> None:
    given = {
        "driver.authentication": "ActiveDirectoryManagedIdentity",
        "driver.msiClientId": "client",
        "database.user": "",
    }
    text = connection_string(settings(**given))
    assert "UID=client" in text
    assert "Authentication=ActiveDirectoryMSI" in text


@pytest.mark.drivers
def test_a_wrong_password_is_the_set_up_s_fault_and_is_not_told(sqlserver: Database) -> None:
    with pytest.raises(SourceSetupError, match=r"Login failed.*database\.password") as told:
        connect(of(sqlserver, database_password=PASSWORD))
    assert PASSWORD not in str(told.value)
    assert told.value.__cause__ is None


@pytest.mark.drivers
def test_an_unknown_database_is_named(sqlserver: Database) -> None:
    with pytest.raises(ConfigError, match=r"nowhere.*database\.names"):
        connect(of(sqlserver), "nowhere")


@pytest.mark.drivers
def test_a_certificate_that_is_not_trusted_names_the_options(sqlserver: Database) -> None:
    with pytest.raises(ConfigError, match=r"driver\.trustStore.*driver\.trustServerCertificate"):
        connect(of(sqlserver, database_encrypt="true"))


@pytest.mark.drivers
def test_a_server_that_is_not_there_may_come_back() -> None:
    with pytest.raises(RetriableError, match="connecting to SQL Server at 127"):
        connect(settings(database_hostname="127.0.0.1", database_port="1", database_loginTimeout="1"))


@pytest.mark.drivers
@pytest.mark.parametrize("name", ["driver_applicationName", "database_applicationName"])
@pytest.mark.parametrize("application", ["orders cdc", "a;APP={b}=c", "MSSQL-Python"])
def test_the_server_lists_the_connection_under_the_name_that_was_given(
    sqlserver: Database, name: str, application: str
) -> None:
    with connect(of(sqlserver, **{name: application})) as session:
        assert session.one("SELECT program_name FROM sys.dm_exec_sessions WHERE session_id = @@SPID") == application


@pytest.mark.drivers
def test_a_query_that_takes_too_long_is_given_up(sqlserver: Database) -> None:
    with connect(of(sqlserver, database_query_timeout_ms="1000")) as session:
        with pytest.raises(RetriableError, match="timeout expired"):
            session.rows("WAITFOR DELAY '00:00:20'")
        assert session.one("SELECT 1") == 1


@pytest.mark.drivers
def test_a_deadlock_s_victim_tries_again(sqlserver: Database) -> None:
    sqlserver.sql("CREATE TABLE t (id int PRIMARY KEY)")
    with connect(of(sqlserver)) as session:
        number = session.one("SELECT @@SPID")
        server: Any = sqlserver.server
        if not hasattr(server, "command"):
            pytest.skip("a real server chooses its victims itself")
        server.command("choose_victim", number)
        with pytest.raises(RetriableError, match="deadlock"):
            session.execute("INSERT t VALUES (1)")


@pytest.mark.drivers
def test_rows_come_as_tuples_or_as_arrow_batches(sqlserver: Database) -> None:
    sqlserver.sql(
        "CREATE TABLE t (id int PRIMARY KEY, name nvarchar(20)); INSERT t VALUES (1, N'a'), (2, NULL), (3, N'c')"
    )
    with connect(of(sqlserver)) as session:
        assert session.rows("SELECT id, name FROM t WHERE id < ?", 3) == [(1, "a"), (2, None)]
        assert session.one("SELECT id FROM t WHERE id = 9") is None
        batches = list(session.batches("SELECT t.id, t.name, t.id FROM t ORDER BY id", rows=2))
    assert [batch.num_rows for batch in batches] == [2, 1]
    assert [column.to_pylist() for column in batches[0].columns] == [[1, 2], ["a", None], [1, 2]]


@pytest.mark.drivers
def test_a_transaction_is_rolled_back_where_its_block_raises(sqlserver: Database) -> None:
    sqlserver.sql("CREATE TABLE t (id int PRIMARY KEY)")
    with connect(of(sqlserver)) as session:
        with pytest.raises(SourceSetupError, match="nowhere"), session.transaction("REPEATABLE READ"):
            session.execute("INSERT t VALUES (1); SELECT * FROM nowhere")
        assert session.one("SELECT COUNT(*) FROM t") == 0
        assert (
            session.one("SELECT transaction_isolation_level FROM sys.dm_exec_sessions WHERE session_id = @@SPID") == 2
        )


@pytest.mark.drivers
def test_capture_instances_are_told_with_their_columns_in_the_order_of_their_starts(sqlserver: Database) -> None:
    sqlserver.sql("CREATE TABLE t (id int PRIMARY KEY, name nvarchar(20))")
    sqlserver.capture("t")
    sqlserver.sql("ALTER TABLE t ADD more int")
    sqlserver.capture("t", instance="t_2")
    with connect(of(sqlserver)) as session:
        first, second = catalog.instances(session)
        assert catalog.max_lsn(session) >= second.start_lsn
        assert catalog.min_lsn(session, "t_2") == second.start_lsn
        assert catalog.min_lsn(session, "no_such").is_zero
    assert (first.name, first.columns, first.index_columns) == ("dbo_t", ("id", "name"), ("id",))
    assert (second.name, second.columns, second.change_table) == ("t_2", ("id", "name", "more"), "t_2_CT")
    assert str(second.table) == f"{sqlserver.name}.dbo.t"


@pytest.mark.drivers
def test_a_database_without_change_data_capture_is_told_how_to_get_it(sqlserver: Database) -> None:
    with connect(of(sqlserver)) as session, pytest.raises(SourceSetupError, match="sp_cdc_enable_db"):
        catalog.require_captured(session, "tempdb")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it's", "N'it''s'"),
        ("a\\b\n", "N'a\\b\n'"),
        ("a\\\nb", "(N'a\\' + N'\nb')"),
        ("\\\r\n\\\\\n", "(N'\\' + N'\r\n\\\\' + N'\n')"),
    ],
)
def test_a_backslash_and_the_line_break_after_it_are_in_constants_of_their_own(text: str, expected: str) -> None:
    assert literal(text) == expected


def test_a_long_text_that_is_cut_may_be_of_any_length() -> None:
    found = literal("x" * 4000 + "\\\n")
    assert found.startswith("(CAST(N'x")
    assert found.endswith("\\' AS nvarchar(max)) + N'\n')")
