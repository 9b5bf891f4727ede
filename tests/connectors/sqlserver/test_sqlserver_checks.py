"""The findings of `tailrace check` on a SQL Server, and the effect of `--apply`."""

import json
import uuid

import pytest
from tests.support.unit_settings import sqlserver_unit_settings

from support.sqlserver_reading import READER_PASSWORD
from tailrace.cli.main import main
from tailrace.connectors.findings import Finding, Level, Statement
from tailrace.connectors.load import from_mapping
from tailrace.connectors.sqlserver import apply_fixes, catalog, checks, setup_sql
from tailrace.connectors.sqlserver.apply_fixes import statements_of
from tailrace.connectors.sqlserver.checking import jobs, tables
from tailrace.connectors.sqlserver.checks import check
from tailrace.connectors.sqlserver.connection import connect
from tailrace.schema.tables import TableId
from tailrace_standins.servers.sqlserver_server import StandInServer

pytestmark = pytest.mark.drivers

ONLY_STAND_IN = "the server's service is switched off for this"


def settings(database, **properties):
    """A connector's of a test's database; `table_include_list` is `table.include.list`."""
    return from_mapping(database.properties(**properties))


def found(made):
    return check(made)


def of_level(findings, level):
    return [str(each) for each in findings if each.level is level]


def those_with(findings, text):
    return [each for each in findings if text in str(each)]


def only(findings, text):
    [finding] = those_with(findings, text)
    return finding


class Answers:
    """A session that gives one answer."""

    def __init__(self, rows):
        self.database, self._rows = "crm", rows

    def rows(self, _sql, *_parameters):
        return self._rows


@pytest.fixture
def ready(sqlserver):
    """A database with one captured table, whose job reads the log."""
    sqlserver.sql("CREATE TABLE dbo.orders (id int PRIMARY KEY, item varchar(20), price int)")
    sqlserver.capture("orders")
    return sqlserver


def test_a_server_that_is_set_up_has_nothing_to_mend(ready):
    findings = found(settings(ready, table_include_list=r"dbo\.orders"))
    assert of_level(findings, Level.ERROR) == []
    assert of_level(findings, Level.WARNING) == []
    text = "\n".join(map(str, findings))
    for part in (
        "SQL Server 16.",
        "without TLS",
        "SQL Server Agent is running",
        "may read the schema cdc",
        "the capture job reads the log every",
        "changes are kept for 3 days",
        "changes are captured within",
        "1 tables are captured",
    ):
        assert part in text


def test_a_server_that_is_away_is_an_error_without_the_password(ready):
    made = from_mapping(
        ready.properties() | {"database.port": "1", "database.password": "secret-word", "driver.loginTimeout": "1"}
    )
    [finding] = found(made)
    assert finding.level is Level.ERROR
    assert "secret-word" not in str(finding)


def test_each_database_is_looked_at_and_one_that_is_missing_does_not_hide_the_others(ready):
    made = from_mapping(ready.properties() | {"database.names": f"nowhere,{ready.name}"})
    findings = found(made)
    assert "nowhere" in of_level(findings, Level.ERROR)[0]
    assert only(findings, f"{ready.name}: 1 tables are captured").level is Level.OK


def test_a_database_that_is_not_enabled_is_an_error_with_the_statement(sqlserver):
    name = f"plain_{uuid.uuid4().hex[:8]}"
    sqlserver.server.sql(f"CREATE DATABASE [{name}]")
    try:
        finding = only(found(from_mapping(sqlserver.server.properties(name))), "is not enabled")
        assert finding.level is Level.ERROR
        assert str(finding).endswith(f"USE [{name}]; EXEC sys.sp_cdc_enable_db;")
    finally:
        sqlserver.server.sql(f"DROP DATABASE [{name}]")


def test_an_agent_that_stands_still_is_an_error(ready):
    if not isinstance(ready.server, StandInServer):
        pytest.skip(ONLY_STAND_IN)
    ready.server.command("agent", False)
    try:
        assert only(found(settings(ready)), "SQL Server Agent is not running").level is Level.ERROR
    finally:
        ready.server.command("agent", True)


def test_a_statement_of_ones_own_says_whether_the_agent_runs(ready):
    query = "database.sqlserver.agent.status.query"
    for answer, level in (("1", Level.OK), ("0", Level.ERROR)):
        made = from_mapping(
            ready.properties() | {query: f"SELECT {answer} FROM [#db].sys.databases WHERE name = 'master'"}
        )
        assert only(found(made), "SQL Server Agent").level is level


def test_jobs_that_are_missing_are_asked_for(ready):
    ready.sql("EXEC sys.sp_cdc_drop_job @job_type = N'capture'")
    ready.sql("EXEC sys.sp_cdc_drop_job @job_type = N'cleanup'")
    findings = found(settings(ready))
    capture, cleanup = only(findings, "has no capture job"), only(findings, "has no clean-up job")
    assert (capture.level, cleanup.level) == (Level.ERROR, Level.WARNING)
    assert "EXEC sys.sp_cdc_add_job @job_type = N'capture';" in str(capture)
    assert "EXEC sys.sp_cdc_add_job @job_type = N'cleanup';" in str(cleanup)


def test_a_short_retention_is_a_warning(ready):
    ready.sql("EXEC sys.sp_cdc_change_job @job_type = N'cleanup', @retention = 90")
    finding = only(found(settings(ready)), "changes are kept for 1.5 hours")
    assert finding.level is Level.WARNING
    assert "EXEC sys.sp_cdc_change_job @job_type = N'cleanup', @retention = 4320;" in str(finding)


def test_a_job_that_has_not_read_the_log_for_long_is_a_warning(ready):
    if not isinstance(ready.server, StandInServer):
        pytest.skip(ONLY_STAND_IN)
    ready.server.command("clock", "2099-01-01T00:00:00+00:00")
    try:
        findings = found(settings(ready))
        finding = only(findings, "last read the log")
        assert finding.level is Level.WARNING
        assert "EXEC sys.sp_cdc_start_job" in str(finding)
    finally:
        ready.server.command("clock", None)


def test_tables_that_a_list_names_and_nobody_captures_come_with_their_statements(ready):
    ready.sql("CREATE SCHEMA sales")
    ready.sql("CREATE TABLE sales.[it's] (id int PRIMARY KEY)")
    finding = only(found(settings(ready, table_include_list=r"dbo\..*,sales\..*")), "are not captured")
    assert finding.level is Level.WARNING
    [statement] = finding.statements
    assert str(statement) == (
        f"USE [{ready.name}]; EXEC sys.sp_cdc_enable_table @source_schema = N'sales', @source_name = N'it''s', "
        "@role_name = NULL;"
    )


def test_without_a_list_nobody_is_told_to_capture_every_table(ready):
    ready.sql("CREATE TABLE dbo.other (id int PRIMARY KEY)")
    finding = only(found(settings(ready)), "are not captured")
    assert finding.statements == ()
    assert "name the tables that are, in table.include.list" in finding.mend


def test_a_database_without_a_captured_table_is_a_warning(sqlserver):
    assert only(found(settings(sqlserver)), "no table that is captured now is wanted").level is Level.WARNING


def test_a_column_that_was_added_later_comes_with_a_second_instance(ready):
    ready.sql("ALTER TABLE dbo.orders ADD note varchar(10)")
    ready.step()
    finding = only(found(settings(ready)), "was altered since dbo_orders was made")
    assert finding.level is Level.WARNING
    assert "does not capture note" in finding.what
    [statement] = finding.statements
    index = ready.value("SELECT index_name FROM cdc.change_tables")
    assert statement.sql == (
        "EXEC sys.sp_cdc_enable_table @source_schema = N'dbo', @source_name = N'orders', @role_name = NULL, "
        f"@capture_instance = N'dbo_orders_2', @index_name = N'{index}';"
    )


def test_the_second_instance_identifies_rows_by_the_index_of_the_first(sqlserver):
    """Without it a change of the key would be another event, and a snapshot that reads by the index would stop."""
    sqlserver.sql("CREATE TABLE dbo.t (id int NOT NULL); CREATE UNIQUE INDEX u ON dbo.t (id)")
    sqlserver.capture("t", index="u")
    sqlserver.sql("ALTER TABLE dbo.t ADD more int")
    sqlserver.step()
    [statement] = only(found(settings(sqlserver)), "was altered").statements
    sqlserver.sql(statement.sql)
    assert sqlserver.sql("SELECT capture_instance, index_name FROM cdc.change_tables ORDER BY create_date, capture_instance") == [
        ("dbo_t", "u"), ("dbo_t_2", "u")
    ]  # fmt: skip


def test_columns_that_were_left_out_on_purpose_stay_out_of_the_second_instance(sqlserver):
    sqlserver.sql("CREATE TABLE dbo.t (id int PRIMARY KEY, secret int, name int)")
    sqlserver.capture("t", columns="id,name")
    assert only(found(settings(sqlserver)), "the columns secret were left out of dbo_t").level is Level.OK
    sqlserver.sql("ALTER TABLE dbo.t ADD more int")
    sqlserver.step()
    [statement] = only(found(settings(sqlserver)), "was altered").statements
    assert "@captured_column_list = N'[id], [name], [more]'" in statement.sql


def test_a_column_that_the_configuration_leaves_out_is_not_missed(ready):
    ready.sql("ALTER TABLE dbo.orders ADD note varchar(10)")
    ready.step()
    assert those_with(found(settings(ready, column_exclude_list=r"dbo\.orders\.note")), "was altered") == []


def test_two_instances_tell_how_the_older_goes_and_nothing_is_run_for_it(ready):
    ready.sql("ALTER TABLE dbo.orders ADD note varchar(10)")
    ready.capture("orders", instance="orders_new")
    finding = only(found(settings(ready)), "has two capture instances")
    assert finding.level is Level.OK
    assert "sp_cdc_disable_table" in finding.mend
    assert "@capture_instance = N'dbo_orders'" in finding.mend
    assert finding.statements == ()


def test_the_older_instance_is_the_one_to_go_also_where_it_alone_is_cleaned_up(ready):
    ready.sql("UPDATE cdc.change_tables SET create_date = DATEADD(day, -1, create_date)")
    ready.capture("orders", instance="orders_new")
    ready.sql("WAITFOR DELAY '00:00:00.020'; INSERT dbo.orders (id) VALUES (1)")
    ready.capture_all()
    ready.clean_up("dbo_orders", ready.max_lsn())
    assert "@capture_instance = N'dbo_orders'" in only(found(settings(ready)), "has two capture instances").mend


def test_a_third_structure_needs_the_oldest_instance_to_go_first(ready):
    ready.sql("ALTER TABLE dbo.orders ADD note varchar(10)")
    ready.capture("orders", instance="orders_new")
    ready.sql("ALTER TABLE dbo.orders ADD more int")
    ready.step()
    finding = only(found(settings(ready)), "was altered since orders_new was made")
    assert finding.statements == ()
    assert "first take the older away" in finding.mend


def test_snapshot_isolation_has_to_be_allowed_where_it_is_asked_for(ready):
    made = settings(ready, snapshot_isolation_mode="snapshot", snapshot_mode="initial")
    finding = only(found(made), "the database does not allow it")
    assert finding.level is Level.ERROR
    assert str(finding).endswith(f"ALTER DATABASE [{ready.name}] SET ALLOW_SNAPSHOT_ISOLATION ON;")
    ready.sql(f"ALTER DATABASE [{ready.name}] SET ALLOW_SNAPSHOT_ISOLATION ON")
    assert those_with(found(made), "the database does not allow it") == []


def test_azure_sql_database_captures_without_an_agent_and_jobs(ready, monkeypatch):
    monkeypatch.setattr(checks, "_SERVER", f"SELECT N'12.0', N'SQL Azure', {jobs.AZURE_SQL_DATABASE}")
    ready.sql("EXEC sys.sp_cdc_drop_job @job_type = N'capture'")
    findings = found(settings(ready))
    assert of_level(findings, Level.ERROR) == []
    assert those_with(findings, "Agent") == []
    assert those_with(findings, "capture job") == []


@pytest.mark.parametrize(
    ("intent", "is_read_only", "level", "text"),
    [
        ("ReadOnly", True, Level.OK, "is read on a replica"),
        ("ReadOnly", False, Level.WARNING, "this is no read-only replica"),
        ("ReadWrite", True, Level.ERROR, "is read-only here"),
    ],
)
def test_a_replica_is_read_where_that_is_meant(intent, is_read_only, level, text):
    made = sqlserver_unit_settings({"driver.applicationIntent": intent})
    [finding] = checks._replica(Answers([]), made, is_read_only=is_read_only)
    assert (finding.level, text in finding.what) == (level, True)
    assert list(checks._replica(Answers([]), sqlserver_unit_settings(), is_read_only=False)) == []


def test_a_replica_that_is_none_is_a_warning(ready):
    made = settings(ready, database_applicationIntent="ReadOnly")
    assert only(found(made), "this is no read-only replica").level is Level.WARNING


def as_reader(database, reader, **properties):
    login = {"database.user": reader, "database.password": READER_PASSWORD}
    return from_mapping(database.properties(**properties) | login)


def test_a_login_that_may_not_read_changes_is_told_what_to_grant(ready, reader):
    finding = only(found(as_reader(ready, reader)), "may not read the schema cdc")
    assert finding.level is Level.ERROR
    assert str(finding).endswith(f"GRANT SELECT ON SCHEMA::[cdc] TO [{reader}];")


def test_a_login_that_may_not_read_tables_can_take_no_snapshot_of_them(ready, reader):
    ready.sql(f"GRANT SELECT ON SCHEMA::cdc TO [{reader}]")
    ready.sql(f"GRANT VIEW DEFINITION ON SCHEMA::dbo TO [{reader}]")
    finding = only(found(as_reader(ready, reader, snapshot_mode="initial")), "so a snapshot can't")
    assert finding.level is Level.ERROR
    assert str(finding).endswith(f"GRANT SELECT ON [dbo].[orders] TO [{reader}];")
    assert those_with(found(as_reader(ready, reader)), "so a snapshot can't") == []
    ready.sql(f"GRANT SELECT ON dbo.orders TO [{reader}]")
    assert those_with(found(as_reader(ready, reader, snapshot_mode="initial")), "so a snapshot can't") == []


def test_the_jobs_are_told_to_be_hidden_from_who_does_not_own_the_database(ready, reader):
    ready.sql(f"GRANT SELECT ON SCHEMA::cdc TO [{reader}]")
    ready.sql(f"GRANT SELECT ON SCHEMA::dbo TO [{reader}]")
    findings = found(as_reader(ready, reader))
    assert only(findings, "the capture and clean-up jobs can't be seen").level is Level.WARNING
    assert of_level(findings, Level.ERROR) == []


def test_tables_that_can_not_be_seen_are_counted(ready, reader):
    ready.sql(f"GRANT SELECT ON SCHEMA::cdc TO [{reader}]")
    assert only(found(as_reader(ready, reader)), "1 captured tables can't be seen").level is Level.WARNING


def test_the_gating_role_matters_where_the_function_is_asked(sqlserver, reader):
    sqlserver.sql("CREATE TABLE dbo.orders (id int PRIMARY KEY)")
    sqlserver.sql(
        "EXEC sys.sp_cdc_enable_table @source_schema = N'dbo', @source_name = N'orders', @role_name = N'cdc_readers'"
    )
    sqlserver.pause()
    sqlserver.step()
    sqlserver.sql(f"GRANT SELECT ON SCHEMA::cdc TO [{reader}]; GRANT SELECT ON SCHEMA::dbo TO [{reader}]")
    by_function = as_reader(sqlserver, reader, data_query_mode="function")
    finding = only(found(by_function), "is not in the roles cdc_readers")
    assert finding.level is Level.ERROR
    assert str(finding).endswith(f"ALTER ROLE [cdc_readers] ADD MEMBER [{reader}];")
    assert those_with(found(as_reader(sqlserver, reader)), "is not in the roles") == []
    sqlserver.sql(f"ALTER ROLE cdc_readers ADD MEMBER [{reader}]")
    assert those_with(found(by_function), "is not in the roles") == []


def test_a_partitioned_table_whose_partitions_may_be_switched_is_a_warning(ready):
    with connect(settings(ready), ready.name) as session:
        instances = catalog.instances(session)
        assert list(tables._switchable(session, tables.by_table(instances), [])) == [], "it is not partitioned"
    [finding] = tables._switchable(Answers([(instances[0].object_id,)]), tables.by_table(instances), ["dbo_orders"])
    assert finding.level is Level.WARNING
    assert "SWITCH PARTITION is allowed" in finding.what
    assert "@allow_partition_switch = 0" in finding.mend
    assert finding.statements == ()


def test_columns_in_another_code_page_than_the_database_are_a_warning(sqlserver):
    """Only char and varchar that are captured: capture may write other characters of them."""
    sqlserver.sql(
        "CREATE TABLE dbo.t (id int PRIMARY KEY, a varchar(9) COLLATE Cyrillic_General_CI_AS, "
        "b char(9) COLLATE Latin1_General_100_CI_AS_SC_UTF8, same varchar(9) COLLATE French_CS_AS, plain varchar(9), "
        "wide nvarchar(9) COLLATE Cyrillic_General_CI_AS, unread varchar(9) COLLATE Greek_CI_AS)"
    )
    sqlserver.capture("t", columns="id, a, b, same, plain, wide")
    sqlserver.sql("CREATE TABLE dbo.u (id int PRIMARY KEY, a varchar(9) COLLATE Greek_CI_AS)")
    sqlserver.capture("u")
    finding = only(found(settings(sqlserver, table_include_list=r"dbo\.t")), "another code page")
    assert finding.level is Level.WARNING
    assert finding.what.startswith(f"{sqlserver.name}.dbo.t: changes of a, b may have other characters")


def test_columns_that_the_user_sees_masked_are_a_warning(sqlserver, reader, login):
    mask = "varchar(9) MASKED WITH (FUNCTION = 'default()')"
    sqlserver.sql(f"CREATE TABLE dbo.t (id int PRIMARY KEY, a {mask}, b {mask}, unread {mask})")
    sqlserver.capture("t", columns="id, a, b")
    sqlserver.sql(f"GRANT SELECT ON SCHEMA::cdc TO [{reader}]; GRANT SELECT ON dbo.t TO [{reader}]")
    finding = only(found(settings(sqlserver, table_include_list=r"dbo\.t", **login)), "masked")
    assert finding.level is Level.WARNING
    assert finding.what.startswith(f"{sqlserver.name}.dbo.t: the user {reader} sees a, b masked")
    assert finding.mend.endswith(f"GRANT UNMASK TO [{reader}];")
    sqlserver.sql(f"GRANT UNMASK TO [{reader}]")
    assert those_with(found(settings(sqlserver, table_include_list=r"dbo\.t", **login)), "masked") == []


def test_a_capture_that_lags_is_a_warning():
    class Late(Answers):
        def rows(self, sql, *_parameters):
            return [] if "dm_cdc_errors" in sql else [(3, 7200)]

    [finding] = jobs._lateness(Late([]), None)
    assert finding.level is Level.WARNING
    assert "changes are captured 120 min after their commit" in finding.what


def test_names_of_new_instances_are_fresh_and_short_enough():
    table = TableId("crm", "dbo", "orders")
    assert setup_sql.fresh_name(table, ["DBO_ORDERS_2", "dbo_orders_3"]) == "dbo_orders_4"
    long = setup_sql.fresh_name(TableId("crm", "dbo", "x" * 120), [])
    assert len(long) == setup_sql.LONGEST_NAME
    assert long.endswith("x_2")


def test_statements_are_asked_for_once_and_in_order():
    first, second = Statement("a", "1"), Statement("b", "2")
    findings = [Finding(Level.OK, "x", statements=(first, second)), Finding(Level.ERROR, "y", statements=(first,))]
    assert statements_of(findings) == [first, second]


def test_what_fails_does_not_keep_the_others_from_being_run(ready):
    made = settings(ready)
    wrong, right = Statement(ready.name, "EXEC sys.sp_cdc_enable_table"), setup_sql.keep_changes(ready.name, 5000)
    applied = list(apply_fixes.apply(made, [wrong, right]))
    assert [each.error is None for each in applied] == [False, True]
    assert any(row[1] == "cleanup" and row[7] == 5000 for row in ready.sql("EXEC sys.sp_cdc_help_jobs"))


def run(capsys, path, *options):
    with pytest.raises(SystemExit) as end:
        main(["check", str(path), *options])
    out, err = capsys.readouterr()
    return end.value.code, out + err


def test_apply_sets_a_fresh_database_up_and_looks_again(sqlserver, tmp_path, capsys):
    name = f"plain_{uuid.uuid4().hex[:8]}"
    server = sqlserver.server
    server.sql(f"CREATE DATABASE [{name}]")
    server.sql("CREATE TABLE dbo.orders (id int PRIMARY KEY)", name)
    path = tmp_path / "connector.json"
    path.write_text(json.dumps(server.properties(name, table_include_list=r"dbo\.orders")))
    try:
        code, out = run(capsys, path)
        assert (code, "change data capture is not enabled" in out) == (3, True)
        assert server.sql("SELECT is_cdc_enabled FROM sys.databases WHERE name = ?", "master", name) == [(False,)]

        code, out = run(capsys, path, "--apply")
        assert code == 0
        assert f"applied  USE [{name}]; EXEC sys.sp_cdc_enable_db;" in out
        assert "applied  " in out
        assert "@source_name = N'orders'" in out
        assert f"{name}: 1 tables are captured" in out
        assert server.sql("SELECT capture_instance FROM cdc.change_tables", name) == [("dbo_orders",)]
    finally:
        server.sql("EXEC sys.sp_cdc_disable_db", name)
        server.sql(f"ALTER DATABASE [{name}] SET SINGLE_USER WITH ROLLBACK IMMEDIATE")
        server.sql(f"DROP DATABASE [{name}]")


def test_apply_adds_the_second_instance_of_an_altered_table(ready, tmp_path, capsys):
    ready.sql("ALTER TABLE dbo.orders ADD note varchar(10)")
    ready.step()
    path = tmp_path / "connector.json"
    path.write_text(json.dumps(ready.properties()))
    code, out = run(capsys, path, "--apply")
    ready.pause()
    assert code == 0
    assert "dbo_orders_2" in out
    names = sorted(name for (name,) in ready.sql("SELECT capture_instance FROM cdc.change_tables"))
    assert names == ["dbo_orders", "dbo_orders_2"]
    code, out = run(capsys, path, "--apply")
    assert "nothing: no finding asks for a statement" in out


def test_apply_is_not_there_for_mysql(tmp_path, capsys):
    path = tmp_path / "connector.json"
    path.write_text(
        json.dumps(
            {
                "connector.class": "mysql",
                "topic.prefix": "a",
                "database.hostname": "127.0.0.1",
                "database.port": 1,
                "database.user": "u",
                "database.server.id": 1,
                "connect.timeout.ms": 100,
            }
        )
    )
    code, shown = run(capsys, path, "--apply")
    assert code == 2
    assert "tailrace check --apply is not there yet for this connector" in shown
