"""An Always On availability group: what its secondary reads, refuses and shows, and whom it lets in."""

import time

import pytest
from tests.standins.sqlserver.engine.background import PATIENCE, in_background
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.engine.availability import Access, AvailabilityGroup
from tailrace_standins.sqlserver.engine.connection import CANCELLED
from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.session import Login, SqlError


@pytest.fixture
def group(engine: Engine) -> AvailabilityGroup:
    engine.create_database("other")
    return AvailabilityGroup(engine, ["shop"])


@pytest.fixture
def primary(group: AvailabilityGroup) -> Client:
    client = Client(group.primary)
    client.run("CREATE TABLE t (id int PRIMARY KEY, name varchar(10)); INSERT t VALUES (1, 'one')")
    return client


@pytest.fixture
def secondary(primary: Client, group: AvailabilityGroup) -> Client:
    del primary  # made first
    return Client(group.secondary)


def refused(
    group: AvailabilityGroup, *, database: str = "shop", read_only: bool = False, at_primary: bool = False
) -> int:
    """The number of the error that a login ends with."""
    replica = group.primary if at_primary else group.secondary
    with pytest.raises(SqlError) as caught:
        replica.login(Login("sa", "secret", database, read_only=read_only))
    return caught.value.number


def test_a_secondary_sees_what_the_primary_has_committed(primary: Client, secondary: Client) -> None:
    primary.run("BEGIN TRAN; INSERT t VALUES (2, 'two'); UPDATE t SET name = 'uno' WHERE id = 1")
    assert secondary.rows("SELECT * FROM t") == [(1, "one")]
    primary.run("COMMIT")
    assert secondary.rows("SELECT * FROM t") == [(1, "uno"), (2, "two")]


@pytest.mark.parametrize("level", ["READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE", "SNAPSHOT"])
def test_a_transaction_of_any_level_sees_the_moment_of_its_first_read(
    primary: Client, secondary: Client, level: str
) -> None:
    secondary.run(f"SET TRANSACTION ISOLATION LEVEL {level}; BEGIN TRAN")
    primary.run("INSERT t VALUES (2, 'two')")
    assert secondary.value("SELECT COUNT(*) FROM t") == 2
    primary.run("INSERT t VALUES (3, 'three'); DELETE t WHERE id = 1")
    assert secondary.rows("SELECT id FROM t") == [(1,), (2,)]
    secondary.run("COMMIT")
    assert secondary.rows("SELECT id FROM t") == [(2,), (3,)]


@pytest.mark.parametrize("hint", ["NOLOCK", "READUNCOMMITTED", "READPAST", "UPDLOCK", "XLOCK", "TABLOCKX", "HOLDLOCK"])
def test_hints_about_locks_are_ignored(primary: Client, secondary: Client, hint: str) -> None:
    primary.run("BEGIN TRAN; UPDATE t SET name = 'uno'")
    secondary.run("BEGIN TRAN")
    assert secondary.rows(f"SELECT * FROM t WITH ({hint})") == [(1, "one")]
    primary.run("COMMIT; SET LOCK_TIMEOUT 0; UPDATE t SET name = 'un'")
    assert secondary.value("SELECT name FROM t") == "one"


def test_the_same_statement_is_planned_for_each_replica_by_itself(
    group: AvailabilityGroup, primary: Client, secondary: Client
) -> None:
    reader = Client(group.primary)
    primary.run("BEGIN TRAN; INSERT t VALUES (2, 'two')")
    for _ in range(2):
        assert secondary.rows("SELECT id FROM t WITH (NOLOCK)") == [(1,)]
        assert reader.rows("SELECT id FROM t WITH (NOLOCK)") == [(1,), (2,)]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT t VALUES (9, 'x')",
        "UPDATE t SET name = 'x' WHERE id = 99",
        "DELETE t",
        "TRUNCATE TABLE t",
        "CREATE TABLE u (id int)",
        "SELECT * INTO u FROM t",
        "ALTER TABLE t ADD more int",
        "CREATE INDEX i ON t (name)",
        "DROP TABLE t",
        "CREATE SCHEMA s",
        "EXEC sp_rename 't', 'u'",
        "ALTER DATABASE shop SET READ_COMMITTED_SNAPSHOT ON",
    ],
)
def test_what_would_change_a_database_of_the_group_is_refused_at_the_secondary(
    primary: Client, secondary: Client, statement: str
) -> None:
    with pytest.raises(SqlError, match='Failed to update database "shop" because the database is read-only') as caught:
        secondary.run(statement)
    assert caught.value.number == 3906
    assert primary.rows("SELECT * FROM t") == [(1, "one")]
    assert primary.value("SELECT COUNT(*) FROM sys.tables") == 1


def test_temporary_tables_and_table_variables_may_be_written_at_the_secondary(secondary: Client) -> None:
    secondary.run("SELECT id INTO #u FROM t; INSERT #u VALUES (2)")
    assert secondary.value("SELECT COUNT(*) FROM #u") == 2
    assert secondary.value("DECLARE @v TABLE (id int); INSERT @v SELECT id FROM #u; SELECT COUNT(*) FROM @v") == 2


def test_what_an_instance_of_its_own_could_do_is_refused_by_name(secondary: Client) -> None:
    for statement in ("CREATE DATABASE mine", "CREATE TABLE master.dbo.mine (id int)"):
        with pytest.raises(SqlError, match="The stand-in does not support"):
            secondary.run(statement)


def test_a_secondary_never_waits_for_the_primarys_locks_nor_the_primary_for_its(
    primary: Client, secondary: Client
) -> None:
    secondary.run("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; BEGIN TRAN; SELECT * FROM t WITH (TABLOCKX)")
    primary.run("SET LOCK_TIMEOUT 0; BEGIN TRAN; UPDATE t SET name = 'uno'; INSERT t VALUES (2, 'two')")
    assert secondary.run("SET LOCK_TIMEOUT 0; SELECT * FROM t")
    primary.run("COMMIT")


def test_a_secondary_has_the_groups_databases_and_empty_ones_of_the_system(primary: Client, secondary: Client) -> None:
    primary.run("CREATE TABLE msdb.dbo.notes (id int)")
    names = [name for (name,) in secondary.rows("SELECT name FROM sys.databases ORDER BY database_id")]
    assert names == ["master", "tempdb", "model", "msdb", "shop"]
    assert secondary.error("USE other") == 911
    assert secondary.error("SELECT * FROM other.sys.tables") == 911
    assert secondary.error("SELECT * FROM msdb.dbo.notes") == 208
    assert secondary.rows("SELECT DB_ID('other'), HAS_DBACCESS('shop')") == [(None, 1)]
    assert primary.rows("SELECT HAS_DBACCESS('other'), HAS_DBACCESS('nothing')") == [(1, None)]


def test_a_secondary_for_read_intent_refuses_other_connections(group: AvailabilityGroup, secondary: Client) -> None:
    group.secondary.access = Access.READ_ONLY
    assert refused(group) == 978
    assert group.secondary.login(Login("sa", "secret", "shop", read_only=True)).database == "shop"
    stranger = Client(group.secondary, "master")
    assert stranger.error("USE shop") == 978
    assert stranger.error("SELECT * FROM shop.dbo.t") == 978
    assert stranger.value("SELECT HAS_DBACCESS('shop')") == 0
    assert secondary.error("SELECT * FROM t") == 978


def test_a_secondary_that_is_not_readable_refuses_all_connections(group: AvailabilityGroup, primary: Client) -> None:
    group.secondary.access = Access.NO
    assert refused(group) == refused(group, read_only=True) == 976
    assert primary.value("SELECT COUNT(*) FROM t") == 1


def test_a_primary_may_refuse_read_intent(group: AvailabilityGroup) -> None:
    assert group.primary.login(Login("sa", "secret", "shop", read_only=True))
    group.primary.takes_read_intent = False
    assert refused(group, at_primary=True, read_only=True) == 979
    assert group.primary.login(Login("sa", "secret", "shop"))


def test_logins_fail_at_a_secondary_as_elsewhere(group: AvailabilityGroup) -> None:
    assert refused(group, database="other") == 4060
    with pytest.raises(SqlError, match="Login failed"):
        group.secondary.login(Login("sa", "wrong", "shop"))


def test_each_replica_says_what_it_is(primary: Client, secondary: Client) -> None:
    asked = """SELECT @@SERVERNAME, SERVERPROPERTY('ServerName'), SERVERPROPERTY('IsHadrEnabled'),
        DATABASEPROPERTYEX('shop', 'Updateability'), DATABASEPROPERTYEX('tempdb', 'Updateability'),
        sys.fn_hadr_is_primary_replica('shop'), sys.fn_hadr_is_primary_replica('other')"""

    def plain(client: Client) -> list[object]:
        return [getattr(value, "value", value) for value in client.rows(asked)[0]]

    assert plain(primary) == ["tailrace", "tailrace", 1, "READ_WRITE", "READ_WRITE", 1, 0]
    assert plain(secondary) == ["tailrace2", "tailrace2", 1, "READ_ONLY", "READ_WRITE", 0, 0]


def test_the_views_show_the_group_from_each_side(group: AvailabilityGroup, primary: Client, secondary: Client) -> None:
    group.secondary.access = Access.ALL
    states = """SELECT r.replica_server_name, s.is_local, s.is_primary_replica, s.synchronization_state_desc
        FROM sys.dm_hadr_database_replica_states s JOIN sys.availability_replicas r ON r.replica_id = s.replica_id
        ORDER BY s.is_local DESC"""
    assert primary.rows(states) == [("tailrace", 1, 1, "SYNCHRONIZED"), ("tailrace2", 0, 0, "SYNCHRONIZED")]
    assert secondary.rows(states) == [("tailrace2", 1, 0, "SYNCHRONIZED")]
    mine = """SELECT g.name, s.role_desc FROM sys.availability_groups g
        JOIN sys.dm_hadr_availability_replica_states s ON s.group_id = g.group_id AND s.is_local = 1
        JOIN sys.databases d ON d.replica_id = s.replica_id JOIN sys.availability_databases_cluster c
        ON c.group_database_id = d.group_database_id WHERE c.database_name = 'shop'"""
    assert primary.rows(mine) == [("ag1", "PRIMARY")]
    assert secondary.rows(mine) == [("ag1", "SECONDARY")]
    allowed = "SELECT secondary_role_allow_connections_desc FROM sys.availability_replicas WHERE replica_server_name = 'tailrace2'"
    assert primary.value(allowed) == "ALL"
    assert len(secondary.rows("SELECT * FROM sys.dm_exec_sessions")) == 1


def test_a_server_without_a_group_shows_none(a: Client) -> None:
    for view in ("availability_groups", "availability_replicas", "dm_hadr_database_replica_states"):
        assert a.rows(f"SELECT * FROM sys.{view}") == []
    assert a.rows("SELECT replica_id FROM sys.databases WHERE name = 'shop'") == [(None,)]
    assert a.value("SELECT sys.fn_hadr_is_primary_replica('shop')") == 0


def test_a_fail_over_ends_all_sessions_and_exchanges_the_roles(
    group: AvailabilityGroup, primary: Client, secondary: Client
) -> None:
    old_primary, old_secondary = group.primary, group.secondary
    primary.run("BEGIN TRAN; INSERT t VALUES (2, 'two')")
    group.fail_over()
    for ended in (primary, secondary):
        with pytest.raises(SqlError, match="kill state") as caught:
            ended.run("SELECT 1")
        assert (caught.value.number, caught.value.severity) == (596, 21)
        with pytest.raises(SqlError, match="kill state"):
            list(ended.session.commit(""))
        with pytest.raises(SqlError, match="kill state"):
            list(ended.session.call("sp_who", []))
        ended.session.close()
    assert (group.primary, group.secondary) == (old_secondary, old_primary)
    writer, reader = Client(old_secondary), Client(old_primary)
    writer.run("INSERT t VALUES (3, 'three')")
    assert reader.rows("SELECT id FROM t") == [(1,), (3,)]
    assert reader.error("DELETE t") == 3906


def test_a_fail_over_ends_what_runs(group: AvailabilityGroup, secondary: Client) -> None:
    secondary.run("SELECT 1")
    thread, found = in_background(lambda: secondary.run("BEGIN TRAN; WAITFOR DELAY '00:01:00'; SELECT 1"))
    deadline = time.monotonic() + PATIENCE
    while not secondary.session.trancount and time.monotonic() < deadline:
        time.sleep(0.001)
    group.fail_over()
    thread.join(PATIENCE)
    assert found == [CANCELLED]


def test_the_engine_itself_remains_a_way_to_the_primary(
    engine: Engine, group: AvailabilityGroup, primary: Client
) -> None:
    plain = Client(engine)
    group.fail_over()
    plain.run("INSERT t VALUES (2, 'two')")
    assert plain.value("SELECT COUNT(*) FROM t") == 2
    assert primary.error("SELECT 1") == 596


def test_a_database_can_join_the_group_later(group: AvailabilityGroup, primary: Client, secondary: Client) -> None:
    primary.run("CREATE TABLE other.dbo.t (id int)")
    group.add("other")
    assert secondary.rows("SELECT * FROM other.dbo.t") == []
    assert secondary.error("INSERT other.dbo.t VALUES (1)") == 3906
