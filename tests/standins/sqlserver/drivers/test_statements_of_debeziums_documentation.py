"""The T-SQL of Debezium's page on the SQL Server connector, to the letter: only the database's name is another one.

`GO` is no T-SQL: it ends a batch for the shells that people type these examples into.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from support.sqlserver_reading import READER_PASSWORD, afters, read_on, settings_of, started
from tailrace_standins.servers.sqlserver_database import Server, run
from tailrace_standins.servers.sqlserver_server import Database

pytestmark = pytest.mark.drivers

ENABLE_DATABASE = """
USE MyDB
GO
EXEC sys.sp_cdc_enable_db
GO
"""
ENABLE_TABLE = """
USE MyDB
GO

EXEC sys.sp_cdc_enable_table
@source_schema = N'dbo',
@source_name   = N'MyTable',
@role_name     = N'MyRole',
@filegroup_name = N'MyDB_CT',
@supports_net_changes = 0
GO
"""
HELP = """
USE MyDB;
GO
EXEC sys.sp_cdc_help_change_data_capture
GO
"""
CUSTOMERS = """
CREATE TABLE customers (
  id INTEGER IDENTITY(1001,1) NOT NULL PRIMARY KEY,
  first_name VARCHAR(255) NOT NULL,
  last_name VARCHAR(255) NOT NULL,
  email VARCHAR(255) NOT NULL UNIQUE
);
"""
ADD_COLUMN = "ALTER TABLE customers ADD phone_number VARCHAR(32);"
SECOND_INSTANCE = """
EXEC sys.sp_cdc_enable_table @source_schema = 'dbo', @source_name = 'customers', @role_name = NULL, @supports_net_changes = 0, @capture_instance = 'dbo_customers_v2';
GO
"""
JOHN = """
INSERT INTO customers(first_name,last_name,email,phone_number) VALUES ('John','Doe','john.doe@example.com', '+1-555-123456');
GO
"""
DROP_FIRST_INSTANCE = """
EXEC sys.sp_cdc_disable_table @source_schema = 'dbo', @source_name = 'dbo_customers', @capture_instance = 'dbo_customers';
GO
"""
AGENT = (
    "SELECT CASE WHEN dss.[status]=4 THEN 1 ELSE 0 END AS isRunning FROM [#db].sys.dm_server_services dss "
    "WHERE dss.[servicename] LIKE N'SQL Server Agent (%';"
)
SIGNALS = "CREATE TABLE debezium_signal (id VARCHAR(42) PRIMARY KEY, type VARCHAR(32) NOT NULL, data VARCHAR(2048) NULL);"
AD_HOC = """
INSERT INTO db1.myschema.debezium_signal (id, type, data)
values ('ad-hoc-1',
    'execute-snapshot',
    '{"data-collections": ["db1.schema1.table1", "db1.schema1.table2"],
    "type":"incremental",
    "additional-conditions":[{"data-collection": "db1.schema1.table1" ,"filter":"color=\\'blue\\'"}]}');
"""
STOP = """
INSERT INTO db1.myschema.debezium_signal (id, type, data)
values ('ad-hoc-1',
    'stop-snapshot',
    '{"data-collections": ["db1.schema1.table1", "db1.schema1.table2"],
    "type":"incremental"}');
"""


class Shell:
    """Runs scripts in a database of its own."""

    def __init__(self, of: Database, name: str) -> None:
        self.name = name
        self.connection: Any = of.server.connect()

    def __call__(self, script: str) -> list[tuple[Any, ...]]:
        """The batches of a script, one after the other; the last one's rows."""
        script = re.sub(r"\bMyDB\b|\bdb1\b|#db", self.name, script)
        found: list[tuple[Any, ...]] = []
        for batch in re.split(r"^\s*GO\s*$", script, flags=re.MULTILINE | re.IGNORECASE):
            if batch.strip():
                found = run(self.connection, batch)
        return found


@pytest.fixture
def shell(sqlserver: Database) -> Iterator[Shell]:
    """A database that has nothing yet."""
    made = Shell(sqlserver, f"t_{uuid.uuid4().hex[:10]}")
    made(f"CREATE DATABASE {made.name}")
    yield made
    made("USE master")
    made(f"DROP DATABASE {made.name}")
    made.connection.close()


def test_a_database_and_a_table_are_enabled_with_a_filegroup_and_a_gating_role(shell: Shell) -> None:
    shell(ENABLE_DATABASE)
    assert shell("SELECT is_cdc_enabled FROM sys.databases WHERE name = DB_NAME()") == [(True,)]
    shell("CREATE TABLE dbo.MyTable (id int PRIMARY KEY, v varchar(10))")
    with pytest.raises(Exception, match="'MyDB_CT' is not a valid filegroup"):
        shell(ENABLE_TABLE)
    shell("ALTER DATABASE MyDB ADD FILEGROUP MyDB_CT")
    shell("ALTER DATABASE MyDB ADD FILE (NAME = N'ct', FILENAME = N'/var/opt/ct.ndf', SIZE = 8MB) TO FILEGROUP MyDB_CT")
    shell(ENABLE_TABLE)
    (row,) = shell(HELP)
    assert row[:3] == ("dbo", "MyTable", "dbo_MyTable")
    assert {"MyRole", "MyDB_CT"} <= set(map(str, row))
    assert shell("SELECT name FROM sys.database_principals WHERE type = 'R' AND name = 'MyRole'") == [("MyRole",)]


def test_whoever_is_not_in_the_gating_role_gets_no_change_and_no_help(shell: Shell, sqlserver: Database) -> None:
    shell(ENABLE_DATABASE + "ALTER DATABASE MyDB ADD FILEGROUP MyDB_CT\nGO\nCREATE TABLE dbo.MyTable (id int PRIMARY KEY)")
    shell(ENABLE_TABLE)
    login = f"l_{uuid.uuid4().hex[:8]}"
    shell(f"CREATE LOGIN {login} WITH PASSWORD = '{READER_PASSWORD}'")
    shell(f"CREATE USER {login} FOR LOGIN {login}; GRANT SELECT ON dbo.MyTable TO {login}")
    changes = (
        "SELECT * FROM cdc.fn_cdc_get_all_changes_dbo_MyTable("
        "sys.fn_cdc_get_min_lsn('dbo_MyTable'), sys.fn_cdc_get_min_lsn('dbo_MyTable'), N'all')"
    )
    server = sqlserver.server
    reader = Shell(sqlserver, shell.name)
    reader.connection = Server(server.host, server.port, login, READER_PASSWORD, server.control).connect(shell.name)
    assert reader(HELP) == []
    with pytest.raises(Exception, match=r"(?i)permission|denied|insufficient"):
        reader(changes)
    shell(f"GRANT SELECT ON SCHEMA::cdc TO {login}; ALTER ROLE MyRole ADD MEMBER {login}")
    assert [row[2] for row in reader(HELP)] == ["dbo_MyTable"]
    reader.connection.close()
    shell(f"DROP USER {login}; DROP LOGIN {login}")


def test_a_table_that_gets_a_column_goes_over_to_a_second_instance_online(sqlserver: Database) -> None:
    shell = Shell(sqlserver, sqlserver.name)
    shell(f"USE MyDB\nGO\n{CUSTOMERS}")
    sqlserver.capture("customers")
    settings = settings_of(sqlserver)
    read = started(settings)
    shell(ADD_COLUMN)
    sqlserver.capture_all()
    shell(SECOND_INSTANCE)
    sqlserver.server.control.quiet(sqlserver)
    sqlserver.step()
    shell(JOHN)
    sqlserver.capture_all()
    (after,) = afters(read_on(settings, read), "dbo.customers")
    assert after == {
        "id": 1001,
        "first_name": "John",
        "last_name": "Doe",
        "email": "john.doe@example.com",
        "phone_number": "+1-555-123456",
    }
    with pytest.raises(Exception, match="dbo_customers"):  # the page has the instance's name in place of the table's
        shell(DROP_FIRST_INSTANCE)
    shell(DROP_FIRST_INSTANCE.replace("@source_name = 'dbo_customers'", "@source_name = 'customers'"))
    assert [row[2] for row in shell(HELP)] == ["dbo_customers_v2"]
    shell("INSERT customers VALUES ('Ann', 'K', 'a@b', NULL)")
    sqlserver.capture_all()
    assert len(afters(read_on(settings, read), "dbo.customers")) == 2
    shell.connection.close()


def test_whether_the_agent_runs_and_the_capture_jobs_parameters_can_be_asked_and_set(shell: Shell) -> None:
    shell(ENABLE_DATABASE + "CREATE TABLE dbo.t (id int PRIMARY KEY)")
    shell("EXEC sys.sp_cdc_enable_table @source_schema = N'dbo', @source_name = N't', @role_name = NULL")
    assert shell(AGENT) in ([(0,)], [(1,)])
    assert shell("SELECT servicename, status_desc FROM sys.dm_server_services")[1][0].startswith("SQL Server Agent (")
    shell("EXEC sys.sp_cdc_change_job @job_type = 'capture', @pollinginterval = 2, @maxtrans = 400, @maxscans = 5")
    shell("EXEC sys.sp_cdc_stop_job @job_type = 'capture'")
    shell("EXEC sys.sp_cdc_start_job @job_type = 'capture'")
    jobs = "SELECT pollinginterval, maxtrans, maxscans FROM msdb.dbo.cdc_jobs WHERE job_type = 'capture' AND database_id = DB_ID()"
    assert shell(jobs) == [(2, 400, 5)]


def test_signals_are_written_as_the_page_writes_them(shell: Shell) -> None:
    shell("USE MyDB\nGO\nCREATE SCHEMA myschema\nGO\n" + SIGNALS.replace("TABLE ", "TABLE myschema."))
    shell(AD_HOC.replace(r"\'", "''"))
    assert shell("SELECT type FROM myschema.debezium_signal") == [("execute-snapshot",)]
    shell(STOP.replace("ad-hoc-1", "ad-hoc-2"))
    shell("CREATE TABLE test_heartbeat_table (text varchar(50))\nGO\nINSERT INTO test_heartbeat_table (text) VALUES ('test_heartbeat')")
    assert shell("SELECT COUNT(*) FROM myschema.debezium_signal") == [(2,)]
