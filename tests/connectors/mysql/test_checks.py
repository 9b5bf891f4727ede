"""What is wrong with servers and users, and that the statements named mend it."""

import uuid

import pytest

from support.mysql_settings import settings_for
from tailrace.connectors.mysql.checks import Level, check, require
from tailrace.connectors.mysql.connection import connect
from tailrace.connectors.mysql.privileges import privileges
from tailrace.errors import SourceSetupError
from tailrace_standins.servers.mysql_server import MySqlServer

pytestmark = pytest.mark.mysql


def wrong(found, level=Level.ERROR):
    return {finding.what: finding.mend for finding in found if finding.level is level}


def user_with(server, *privileges_):
    user = f"u_{uuid.uuid4().hex[:8]}"
    server.create_connector_user(user, "pw", ", ".join(privileges_) or "USAGE")
    return {"database_user": user, "database_password": "pw"}


def test_a_server_that_is_set_up_has_no_errors_and_no_warnings(mysql_server, database):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY)", database)
    user = user_with(mysql_server, "SELECT", "RELOAD", "REPLICATION SLAVE", "REPLICATION CLIENT")
    found = check(settings_for(mysql_server, database_include_list=database, include_query=True, **user))
    assert not wrong(found)
    assert not wrong(found, Level.WARNING)
    assert any("1 tables are captured" in finding.what for finding in found)


@pytest.mark.parametrize("missing", ["SELECT", "REPLICATION SLAVE", "REPLICATION CLIENT"])
def test_a_missing_privilege_is_named_and_the_statement_grants_it(mysql_server, missing):
    names = {"SELECT", "RELOAD", "REPLICATION SLAVE", "REPLICATION CLIENT"} - {missing}
    user = user_with(mysql_server, *sorted(names))
    settings = settings_for(mysql_server, **user)
    (mend,) = (mend for what, mend in wrong(check(settings)).items() if missing in what)
    assert mend == f"GRANT {missing} ON *.* TO '{user['database_user']}'@'%';"
    mysql_server.sql(mend)
    assert not wrong(check(settings))


def test_privileges_of_active_roles_count(mysql_server):
    user = user_with(mysql_server, "SELECT")
    name, role = user["database_user"], f"r_{uuid.uuid4().hex[:8]}"
    mysql_server.sql(
        f"CREATE ROLE {role}; GRANT REPLICATION SLAVE, REPLICATION CLIENT, RELOAD ON *.* TO {role}; GRANT {role} TO {name}"
    )
    assert wrong(check(settings_for(mysql_server, **user)))
    mysql_server.sql(f"SET DEFAULT ROLE {role} TO {name}")
    assert not wrong(check(settings_for(mysql_server, **user)))


def test_select_on_one_database_is_enough(mysql_server, database):
    user = user_with(mysql_server, "REPLICATION SLAVE", "REPLICATION CLIENT")
    mysql_server.sql(f"GRANT SELECT ON {database}.* TO {user['database_user']}")
    settings = settings_for(mysql_server, **user)
    assert ("SELECT", f"{database}.*") in privileges(connect(settings))
    assert not wrong(check(settings))


def test_all_privileges_are_all(mysql_server):
    assert not wrong(check(settings_for(mysql_server, **user_with(mysql_server, "ALL"))))


def test_everything_wrong_with_a_log_is_told_at_once_and_mended():
    flags = (
        "--binlog-format=STATEMENT",
        "--binlog-row-image=MINIMAL",
        "--binlog-row-value-options=PARTIAL_JSON",
    )
    short = ("--binlog-expire-logs-seconds=3600", "--binlog-rows-query-log-events=OFF")
    with MySqlServer(gtid=False, row_metadata="MINIMAL", flags=(*flags, *short)) as server:
        settings = settings_for(server, include_query=True)
        errors, warnings = wrong(check(settings)), wrong(check(settings), Level.WARNING)
        assert any("binlog_format is STATEMENT" in what for what in errors)
        assert any("PARTIAL_JSON" in what for what in errors)
        for word in (
            "binlog_row_image is MINIMAL",
            "binlog_row_metadata is MINIMAL",
            "gtid_mode is OFF",
            "1.0 hours",
            "include.query",
        ):
            assert any(word in what for what in warnings), word
        with pytest.raises(SourceSetupError, match=r"binlog_format.*PARTIAL_JSON"):
            require(connect(settings), settings)
        for mend in (*errors.values(), *warnings.values()):
            if mend.startswith("SET PERSIST") and "gtid" not in mend:
                server.sql(mend)
        assert not wrong(check(settings))
        assert all(
            "gtid_mode" in what or "no table" in what for what in wrong(check(settings), Level.WARNING)
        )


def test_a_server_without_a_log_or_an_id_is_an_error():
    with MySqlServer(gtid=False, flags=("--skip-log-bin", "--server-id=0")) as server:
        found = wrong(check(settings_for(server)))
        assert any("no binary log" in what for what in found)
        assert any("server_id is 0" in what for what in found)


def test_tables_without_transactions_are_named(mysql_server, database):
    mysql_server.sql("CREATE TABLE old (id INT) ENGINE = MyISAM", database)
    found = wrong(check(settings_for(mysql_server, database_include_list=database)), Level.WARNING)
    ((what, mend),) = ((what, mend) for what, mend in found.items() if "MyISAM" in what)
    assert f"{database}.old" in what
    assert mend == f"ALTER TABLE `{database}`.`old` ENGINE = InnoDB;"
    mysql_server.sql(mend)
    assert not wrong(check(settings_for(mysql_server, database_include_list=database)), Level.WARNING)


@pytest.mark.parametrize(("native", "named"), [("ON", True), ("OFF", False)])
def test_cascades_are_named_where_the_log_lacks_them(native, named):
    with MySqlServer(flags=(f"--innodb-native-foreign-keys={native}",)) as server:
        server.sql("CREATE DATABASE d; CREATE TABLE d.p (id INT PRIMARY KEY)")
        server.sql("CREATE TABLE d.c (p INT, FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE)", "d")
        found = wrong(check(settings_for(server)), Level.WARNING)
        assert any("cascade" in what and "d.c" in what for what in found) == named


def test_no_table_to_capture_is_a_warning(mysql_server):
    found = wrong(check(settings_for(mysql_server, database_include_list="none_such")), Level.WARNING)
    assert any("no table" in what for what in found)


def test_a_server_that_does_not_answer_is_a_finding(mysql_server):
    (finding,) = check(settings_for(mysql_server, database_user="nobody"))
    assert finding.level is Level.ERROR
    assert "Access denied" in finding.what


def test_a_warning_does_not_stop_the_start(mysql_server):
    settings = settings_for(mysql_server, database_include_list="none_such")
    assert any("no table" in finding.what for finding in require(connect(settings), settings))


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ("id VARCHAR(42) PRIMARY KEY, type VARCHAR(32), data TEXT", (Level.OK, "has its three columns")),
        ("id VARCHAR(42), type VARCHAR(32)", (Level.WARNING, "has 2 columns instead of three")),
        ("id INT, type VARCHAR(32), data TEXT", (Level.WARNING, "has columns that are no text: id")),
        (None, (Level.WARNING, "is not there")),
    ],
)
def test_the_signal_table_is_looked_at(mysql_server, database, columns, found):
    if columns:
        mysql_server.sql(f"CREATE TABLE signals ({columns})", database)
    findings = check(settings_for(mysql_server, signal_data_collection=f"{database}.signals"))
    level, text = found
    (finding,) = [each for each in findings if "signal table" in each.what]
    assert finding.level is level
    assert text in finding.what
    assert ("CREATE TABLE" in finding.mend) == (level is Level.WARNING)
