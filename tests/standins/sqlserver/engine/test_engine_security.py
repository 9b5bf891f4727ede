"""Logins, users, roles and permissions: who may do what, and what says so."""

from pathlib import Path

import pytest
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.session import Login, SqlError


@pytest.fixture
def a(engine: Engine) -> Client:
    """The administrator, in a database with two tables, a login and its user."""
    client = Client(engine)
    client.run("CREATE TABLE t (id int PRIMARY KEY, name varchar(10)); INSERT t VALUES (1, 'one')")
    client.run("CREATE SCHEMA s; CREATE TABLE s.u (id int)")
    client.run("CREATE LOGIN reader WITH PASSWORD = 'r', CHECK_POLICY = OFF; CREATE USER reader FOR LOGIN reader")
    return client


@pytest.fixture
def reader(a: Client) -> Client:
    """Who has no permission yet."""
    return Client(a.engine, "shop", "reader", "r")


def refused(engine: Engine, user: str, password: str, database: str = "shop") -> int:
    with pytest.raises(SqlError) as caught:
        engine.login(Login(user, password, database))
    return caught.value.number


def test_a_login_comes_in_with_its_own_password_to_databases_where_it_is_a_user(a: Client) -> None:
    a.engine.create_database("other")
    assert a.engine.login(Login("READER", "r", "shop")).database == "shop"
    assert refused(a.engine, "reader", "secret") == 18456
    assert refused(a.engine, "reader", "r", "other") == 4060
    assert a.engine.login(Login("reader", "r")).database == "master"
    assert refused(a.engine, "sa", "r") == 18456


def test_a_login_may_be_changed_disabled_and_dropped(a: Client) -> None:
    a.run("ALTER LOGIN reader WITH PASSWORD = 'new', DEFAULT_DATABASE = shop")
    assert refused(a.engine, "reader", "r") == 18456
    assert a.engine.login(Login("reader", "new")).database == "shop"
    a.run("ALTER LOGIN reader DISABLE")
    assert refused(a.engine, "reader", "new") == 18456
    a.run("ALTER LOGIN reader ENABLE")
    assert a.engine.login(Login("reader", "new")).id
    a.run("DROP LOGIN reader; DROP LOGIN IF EXISTS reader")
    assert refused(a.engine, "reader", "new") == 18456


def test_without_a_permission_a_table_cannot_be_read_or_seen(reader: Client) -> None:
    with pytest.raises(
        SqlError, match="The SELECT permission was denied on the object 't', database 'shop', schema 'dbo'"
    ):
        reader.run("SELECT * FROM t")
    assert reader.error("INSERT t VALUES (2, 'two')") == 229
    assert reader.rows("SELECT name FROM sys.tables") == []
    assert reader.rows("SELECT OBJECT_ID('t'), HAS_PERMS_BY_NAME('t', 'OBJECT', 'SELECT')") == [(None, None)]
    assert reader.rows("EXEC sp_columns_100 't'") == []


@pytest.mark.parametrize(
    "grant",
    [
        "GRANT SELECT ON t TO reader",
        "GRANT SELECT ON OBJECT::dbo.t TO [reader]",
        "GRANT SELECT, INSERT ON SCHEMA::dbo TO reader",
        "GRANT SELECT TO reader",
        "GRANT SELECT ON DATABASE::shop TO reader",
        "GRANT CONTROL ON t TO reader",
        "GRANT SELECT ON t TO public",
        "ALTER ROLE db_datareader ADD MEMBER reader",
        "EXEC sp_addrolemember 'db_datareader', 'reader'",
        "ALTER ROLE db_owner ADD MEMBER reader",
        "CREATE ROLE r; GRANT SELECT ON t TO r; ALTER ROLE r ADD MEMBER reader",
        "CREATE ROLE r; CREATE ROLE q; GRANT SELECT ON t TO r; ALTER ROLE r ADD MEMBER q; ALTER ROLE q ADD MEMBER reader",
        "ALTER SERVER ROLE sysadmin ADD MEMBER reader",
    ],
)
def test_a_permission_may_come_from_many_places(a: Client, reader: Client, grant: str) -> None:
    a.run(grant)
    assert reader.rows("SELECT id FROM t") == [(1,)]
    assert ("t",) in reader.rows("SELECT name FROM sys.tables")
    assert reader.value("SELECT HAS_PERMS_BY_NAME('dbo.t', 'OBJECT', 'SELECT')") == 1


@pytest.mark.parametrize(
    ("grant", "taken"),
    [
        ("GRANT SELECT ON t TO reader", "REVOKE SELECT ON t FROM reader"),
        ("GRANT SELECT ON t TO reader", "REVOKE SELECT ON t TO reader"),
        ("GRANT SELECT ON SCHEMA::dbo TO reader", "DENY SELECT ON t TO public"),
        ("ALTER ROLE db_datareader ADD MEMBER reader", "ALTER ROLE db_datareader DROP MEMBER reader"),
        ("ALTER ROLE db_datareader ADD MEMBER reader", "EXEC sp_droprolemember 'db_datareader', 'reader'"),
        ("ALTER ROLE db_datareader ADD MEMBER reader", "ALTER ROLE db_denydatareader ADD MEMBER reader"),
        ("ALTER ROLE db_owner ADD MEMBER reader", "DENY SELECT ON t TO reader"),
        (
            "GRANT SELECT ON t TO reader",
            "BEGIN TRAN; GRANT SELECT ON s.u TO reader; COMMIT; REVOKE SELECT ON t TO reader",
        ),
    ],
)
def test_a_permission_may_be_taken_away(a: Client, reader: Client, grant: str, taken: str) -> None:
    a.run(grant)
    assert reader.rows("SELECT id FROM t") == [(1,)]
    a.run(taken)
    assert reader.error("SELECT id FROM t") == 229


def test_a_grant_that_is_rolled_back_never_was(a: Client, reader: Client) -> None:
    a.run("BEGIN TRAN; GRANT SELECT ON t TO reader; CREATE ROLE r")
    a.run("ROLLBACK")
    assert reader.error("SELECT id FROM t") == 229
    assert a.value("SELECT IS_ROLEMEMBER('r')") is None


def test_each_kind_of_change_has_a_permission_of_its_own(a: Client, reader: Client) -> None:
    a.run("GRANT SELECT, INSERT ON t TO reader")
    reader.run("INSERT t VALUES (2, 'two')")
    assert reader.error("UPDATE t SET name = 'x'") == 229
    assert reader.error("DELETE t") == 229
    a.run("ALTER ROLE db_datawriter ADD MEMBER reader")
    reader.run("UPDATE t SET name = 'x'; DELETE t WHERE id = 2")
    assert a.rows("SELECT * FROM t") == [(1, "x")]


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("CREATE TABLE mine (id int)", 262),
        ("SELECT id INTO mine FROM t", 262),
        ("CREATE SCHEMA mine", 262),
        ("CREATE DATABASE mine", 262),
        ("ALTER TABLE t ADD more int", 4902),
        ("TRUNCATE TABLE t", 4701),
        ("CREATE INDEX i ON t (name)", 4902),
        ("DROP TABLE t", 3701),
        ("DROP SCHEMA s", 3701),
        ("DROP DATABASE shop", 3701),
        ("ALTER DATABASE shop SET READ_COMMITTED_SNAPSHOT ON", 5011),
        ("EXEC sp_rename 't', 'u'", 15225),
        ("CREATE USER other WITHOUT LOGIN", 15247),
        ("CREATE ROLE r", 15247),
        ("GRANT SELECT ON t TO reader", 15247),
        ("ALTER ROLE db_owner ADD MEMBER reader", 15247),
        ("CREATE LOGIN other WITH PASSWORD = 'o'", 15247),
        ("ALTER SERVER ROLE sysadmin ADD MEMBER reader", 15247),
        ("DROP LOGIN reader", 15247),
        ("USE other", 916),
        ("SELECT * FROM other.sys.tables", 916),
        ("SELECT * FROM sys.dm_server_services", 300),
        ("SELECT * FROM sys.dm_db_partition_stats", 262),
    ],
)
def test_who_only_reads_may_do_nothing_else(a: Client, reader: Client, statement: str, number: int) -> None:
    a.engine.create_database("other")
    a.run("GRANT SELECT ON t TO reader")
    assert reader.error(statement) == number
    assert a.rows("SELECT id FROM t") == [(1,)]


def test_owners_and_ddl_administrators_define(a: Client, reader: Client) -> None:
    a.run("ALTER ROLE db_ddladmin ADD MEMBER reader")
    reader.run("CREATE TABLE mine (id int); ALTER TABLE mine ADD more int; DROP TABLE mine")
    assert reader.error("GRANT SELECT ON t TO public") == 15247
    a.run("ALTER ROLE db_ddladmin DROP MEMBER reader; ALTER ROLE db_owner ADD MEMBER reader")
    reader.run("CREATE TABLE mine (id int); GRANT SELECT ON mine TO public; DROP TABLE mine")


def test_temporary_tables_are_everybodys_own(reader: Client) -> None:
    reader.run("CREATE TABLE #mine (id int); INSERT #mine VALUES (1); CREATE INDEX i ON #mine (id)")
    assert reader.rows("SELECT id FROM #mine") == [(1,)]


def test_states_of_the_server_are_shown_to_whom_it_was_granted(a: Client, reader: Client) -> None:
    assert [row[0] for row in reader.rows("SELECT session_id FROM sys.dm_exec_sessions")] == [reader.session.id]
    a.run("GRANT VIEW SERVER STATE TO reader")
    assert reader.rows("SELECT status_desc FROM sys.dm_server_services WHERE servicename LIKE '%Agent%'") == [
        ("Running",)
    ]
    assert len(reader.rows("SELECT session_id FROM sys.dm_exec_sessions")) > 1
    assert reader.value("SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE')") == 1
    a.run("REVOKE VIEW SERVER STATE FROM reader")
    assert reader.value("SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE')") == 0


def test_functions_say_who_one_is(a: Client, reader: Client) -> None:
    a.run("CREATE ROLE r; ALTER ROLE r ADD MEMBER reader")
    who = "SELECT SUSER_SNAME(), USER_NAME(), IS_SRVROLEMEMBER('sysadmin'), IS_ROLEMEMBER('db_owner'), IS_ROLEMEMBER('r'), IS_MEMBER('no')"
    assert reader.rows(who) == [("reader", "reader", 0, 0, 1, None)]
    assert a.rows(who) == [("sa", "dbo", 1, 1, 0, None)]
    assert a.rows(
        "SELECT IS_ROLEMEMBER('r', 'reader'), IS_ROLEMEMBER('r', 'no'), IS_SRVROLEMEMBER('sysadmin', 'reader')"
    ) == [(1, None, 0)]
    assert reader.rows("SELECT HAS_DBACCESS('shop'), HAS_PERMS_BY_NAME('shop', 'DATABASE', 'SELECT')") == [(1, 0)]


def test_views_list_principals_members_and_permissions(a: Client) -> None:
    a.run("CREATE ROLE r; ALTER ROLE r ADD MEMBER reader; GRANT SELECT ON t TO r; DENY INSERT ON SCHEMA::s TO reader")
    named = "JOIN sys.database_principals p ON p.principal_id ="
    assert a.rows(
        f"SELECT p.name FROM sys.database_role_members m {named} m.member_principal_id WHERE p.name <> 'dbo'"
    ) == [("reader",)]
    said = f"SELECT p.name, d.class_desc, d.permission_name, d.state_desc FROM sys.database_permissions d {named} d.grantee_principal_id"
    assert a.rows(said) == [("r", "OBJECT_OR_COLUMN", "SELECT", "GRANT"), ("reader", "SCHEMA", "INSERT", "DENY")]
    assert ("reader", "SQL_LOGIN") in a.rows("SELECT name, type_desc FROM sys.server_principals")


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("CREATE LOGIN reader WITH PASSWORD = 'x'", 15025),
        ("CREATE USER other FOR LOGIN other", 15007),
        ("CREATE USER reader WITHOUT LOGIN", 15023),
        ("CREATE USER other FOR LOGIN reader", 15063),
        ("ALTER LOGIN other DISABLE", 15151),
        ("ALTER ROLE db_owner ADD MEMBER other", 15151),
        ("ALTER ROLE other ADD MEMBER reader", 15151),
        ("DROP USER other", 15151),
        ("DROP ROLE db_owner", 15151),
        ("CREATE ROLE r; ALTER ROLE r ADD MEMBER reader; DROP ROLE r", 15144),
        ("GRANT SELECT ON t TO other", 15151),
        ("GRANT SELECT ON nothing TO reader", 15151),
        ("GRANT SELECT ON SCHEMA::nothing TO reader", 15151),
        ("GRANT VIEW SERVER STATE TO other", 15151),
    ],
)
def test_names_that_are_not_there_or_taken_are_told(a: Client, statement: str, number: int) -> None:
    assert a.error(statement) == number


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("GRANT SELECT (id) ON t TO reader", "permissions on columns"),
        ("GRANT SELECT ON t TO reader WITH GRANT OPTION", "GRANT … WITH GRANT OPTION"),
        ("GRANT IMPERSONATE ON USER::reader TO reader", "permissions on USER"),
        ("GRANT CREATE TABLE TO reader", "GRANT CREATE TABLE"),
        ("DENY CONNECT TO reader", "DENY CONNECT"),
        ("CREATE USER x WITH PASSWORD = 'y'", "users with passwords of their own"),
        ("CREATE LOGIN x FROM WINDOWS", "CREATE LOGIN without a password"),
        ("ALTER SERVER ROLE dbcreator ADD MEMBER reader", "the server role dbcreator"),
        ("ALTER ROLE r WITH NAME = q", "ALTER ROLE … WITH NAME"),
    ],
)
def test_what_is_not_modelled_is_refused_by_name(a: Client, statement: str, what: str) -> None:
    with pytest.raises(SqlError) as caught:
        a.run(statement)
    assert what in caught.value.message


def test_dropping_a_user_takes_its_permissions_and_memberships(a: Client, reader: Client) -> None:
    a.run("GRANT SELECT ON t TO reader; CREATE ROLE r; ALTER ROLE r ADD MEMBER reader; DROP USER reader")
    assert reader.error("SELECT * FROM t") == 916
    a.run("CREATE USER reader; DROP ROLE r")
    assert reader.error("SELECT * FROM t") == 229


def test_a_folder_keeps_logins_and_permissions(tmp_path: Path) -> None:
    engine = Engine(tmp_path, password="secret")
    engine.create_database("shop")
    owner = Client(engine)
    owner.run("CREATE TABLE t (id int); CREATE LOGIN reader WITH PASSWORD = 'r'; CREATE USER reader; CREATE ROLE r")
    owner.run("GRANT SELECT ON t TO r; ALTER ROLE r ADD MEMBER reader; ALTER LOGIN reader WITH DEFAULT_DATABASE = shop")
    engine.close()
    again = Engine(tmp_path, password="secret")
    reader = Client(again, "", "reader", "r")
    assert reader.rows("SELECT id FROM t") == []
    assert reader.error("INSERT t VALUES (1)") == 229
    again.close()
