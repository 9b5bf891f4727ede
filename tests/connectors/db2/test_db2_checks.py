"""The findings of `tailrace check` on a Db2, and the effect of `--apply`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.db2_reading import settings_of
from tailrace.cli.main import main
from tailrace.connectors.db2 import apply_fixes, checks
from tailrace.connectors.db2.apply_fixes import statements_of
from tailrace.connectors.db2.checking import access, server
from tailrace.connectors.db2.checks import check
from tailrace.connectors.db2.connection import connect
from tailrace.connectors.db2.errors_of_driver import DeniedError
from tailrace.connectors.db2.setup_sql import LONGEST_NAME, Services
from tailrace.connectors.findings import Finding, Level
from tailrace.errors import SourceSetupError
from tailrace.schema.tables import TableId
from tailrace_standins.servers.db2_server import Database, StandInServer

pytestmark = pytest.mark.drivers

ORDERS = "CREATE TABLE S.ORDERS (ID INTEGER NOT NULL PRIMARY KEY, ITEM VARCHAR(20), AMOUNT DECIMAL(8, 2))"
REGISTER = "ASNCDC.IBMSNAP_REGISTER"
READER, PASSWORD = "LENA", "for-a-test-1"
REINIT = "VALUES \"ASNCDC\".ASNCDCSERVICES('reinit', 'asncdc')"


def found(database: Database, **properties: str) -> list[Finding]:
    """What the check tells; in names of properties an underscore means a dot."""
    return check(settings_of(database, **properties))


def with_text(findings: list[Finding], text: str) -> list[Finding]:
    return [each for each in findings if text in str(each)]


def only(findings: list[Finding], text: str) -> Finding:
    [finding] = with_text(findings, text)
    return finding


def of_level(findings: list[Finding], level: Level) -> list[str]:
    return [str(each) for each in findings if each.level is level]


@pytest.fixture
def ready(db2: Database) -> Database:
    """A database with one captured table, whose Capture program has just worked."""
    db2.sql(ORDERS, "UPDATE ASNCDC.IBMSNAP_CAPPARMS SET COMMIT_INTERVAL = 1, SLEEP_INTERVAL = 1")
    db2.register("S.ORDERS")
    db2.replication.step()
    return db2


@pytest.fixture
def running(ready: Database) -> Iterator[Database]:
    """The same with a Capture program that runs, and so does what it is told."""
    ready.replication.start()
    yield ready
    ready.replication.stop()


@pytest.fixture
def reader(db2_server: StandInServer) -> str:
    """A user that may read only what PUBLIC may."""
    db2_server.add_user(READER, PASSWORD)
    return READER


def as_reader(database: Database, **properties: str) -> list[Finding]:
    return found(database, database_user=READER, database_password=PASSWORD, **properties)


def test_a_server_that_is_set_up_has_nothing_to_mend(ready: Database) -> None:
    findings = found(ready, table_include_list=r"S\.ORDERS", snapshot_mode="initial")
    assert {each.level for each in findings} == {Level.OK}
    assert [each for each in findings if each.statements] == []
    text = "\n".join(map(str, findings))
    for part in (
        "Db2 (DB2 v1",
        "without TLS",
        "the log is archived (",
        f"the user {ready.user.upper()} may read the control tables of ASNCDC",
        "the Capture program runs",
        "changes come up to 2 s after their commit",
        "changes are kept for 7 days",
        "1 tables are captured",
    ):
        assert part in text


def test_a_server_that_is_away_is_an_error_without_the_password(ready: Database) -> None:
    [finding] = found(ready, database_port="1", database_password="secret-word", driver_loginTimeout="1")
    assert finding.level is Level.ERROR
    assert "secret-word" not in str(finding)


@pytest.mark.db2_stand_in("a log that is not archived")
def test_a_log_that_is_not_archived_is_an_error_with_the_commands(ready: Database) -> None:
    ready.sql("CALL SYSPROC.ADMIN_CMD('UPDATE DB CFG USING LOGARCHMETH1 OFF')")
    finding = only(found(ready), "the log is circular")
    assert finding.level is Level.ERROR
    assert f"db2 UPDATE DB CFG FOR {ready.database} USING LOGARCHMETH1 LOGRETAIN" in finding.mend
    assert finding.statements == ()


def test_control_tables_in_another_schema_are_asked_for_there(db2_server: StandInServer, ready: Database) -> None:
    finding = only(found(ready, cdc_control_schema="ELSEWHERE"), "has no table ELSEWHERE.IBMSNAP_REGISTER")
    assert finding.level is Level.ERROR
    assert "asnclp" in finding.mend
    other = db2_server.create_database(schema="Own Schema")
    try:
        findings = found(other, cdc_control_schema='"Own Schema"')
        assert with_text(findings, "may read the control tables of Own Schema")
    finally:
        db2_server.drop_database(other)


def test_another_code_page_is_an_error_and_nothing_is_read(ready: Database) -> None:
    class Latin:
        database = "OLD"

        def one(self, _sql: str) -> int:
            return 819

    finding = server.control_tables(Latin(), settings_of(ready))
    assert finding is not None
    assert finding.level is Level.ERROR
    assert "has the code page 819" in finding.what


@pytest.mark.db2_stand_in("a Capture program that stands still")
@pytest.mark.parametrize("is_old", [False, True])
def test_a_capture_program_that_stands_still_is_an_error(
    db2_server: StandInServer, db2: Database, is_old: bool
) -> None:
    if is_old:
        db2.replication.step()
        db2_server.command("clock", db2.database, "2099-01-01T00:00:00+00:00")
    finding = only(found(db2), "so no changes come")
    assert finding.level is Level.ERROR
    assert ("last committed" if is_old else "has not captured anything yet") in finding.what
    assert [each.sql for each in finding.statements] == ["VALUES \"ASNCDC\".ASNCDCSERVICES('start', 'asncdc')"]


@pytest.mark.db2_stand_in("a Capture program that stands still")
def test_a_slow_commit_interval_is_no_standstill(db2_server: StandInServer, ready: Database) -> None:
    ready.sql("UPDATE ASNCDC.IBMSNAP_CAPPARMS SET COMMIT_INTERVAL = 100")
    ready.sql(f"UPDATE {REGISTER} SET SYNCHTIME = CURRENT TIMESTAMP - 200 SECONDS WHERE GLOBAL_RECORD = 'Y'")
    findings = found(ready)
    assert with_text(findings, "captured up to 3 min ago")
    late = only(findings, "changes come up to 101 s after their commit")
    assert late.level is Level.OK
    assert "SET COMMIT_INTERVAL = 1, SLEEP_INTERVAL = 1" in late.mend
    ready.sql("UPDATE ASNCDC.IBMSNAP_CAPPARMS SET COMMIT_INTERVAL = 30")
    assert only(found(ready), "last committed 3 min ago").level is Level.ERROR


def test_what_the_program_measured_itself_is_told(db2_server: StandInServer, ready: Database) -> None:
    db2_server.command("monitor", ready.database)
    assert only(found(ready), "IBMSNAP_CAPMON").level is Level.OK
    ready.sql("UPDATE ASNCDC.IBMSNAP_CAPMON SET SYNCHTIME = MONITOR_TIME - 600 SECONDS, TRANS_SPILLED = 7")
    finding = only(found(ready), "was 10 min behind the log")
    assert finding.level is Level.WARNING
    assert "raise MEMORY_LIMIT" in finding.mend
    ready.sql("UPDATE ASNCDC.IBMSNAP_CAPMON SET TRANS_SPILLED = 0")
    assert "see what holds it up" in only(found(ready), "was 10 min behind the log").mend


def test_failures_of_the_program_are_shown_in_its_words(ready: Database) -> None:
    trace = "INSERT INTO ASNCDC.IBMSNAP_CAPTRACE VALUES ('{}', CURRENT TIMESTAMP - {}, '{}')"
    ready.sql(
        "DELETE FROM ASNCDC.IBMSNAP_CAPTRACE", trace.format("INIT", "3 HOURS", "ASN0100I CAPTURE : gestartet, läuft")
    )
    assert only(found(ready), "ASN0100I CAPTURE : gestartet, läuft").level is Level.OK
    ready.sql(
        trace.format("ERROR", "2 DAYS", "ASN0001E long ago"),
        trace.format("ERROR", "2 HOURS", "ASN0069E SQL error"),
        trace.format("CAPTURE", "1 HOUR", "ASN0552E no table"),
    )
    findings = found(ready)
    assert [each.level for each in with_text(findings, "the Capture program said")] == [Level.WARNING] * 2
    assert with_text(findings, "ASN0069E SQL error")
    assert with_text(findings, "ASN0552E no table")
    assert with_text(findings, "ASN0001E") == []


def test_a_short_retention_is_a_warning(ready: Database) -> None:
    ready.sql("UPDATE ASNCDC.IBMSNAP_CAPPARMS SET RETENTION_LIMIT = 90")
    finding = only(found(ready), "changes are kept for 1.5 hours")
    assert finding.level is Level.WARNING
    assert [each.sql for each in finding.statements] == ['UPDATE "ASNCDC".IBMSNAP_CAPPARMS SET RETENTION_LIMIT = 10080']


def test_a_program_that_never_prunes_is_a_warning_and_nothing_is_run_for_it(ready: Database) -> None:
    ready.sql("UPDATE ASNCDC.IBMSNAP_CAPPARMS SET AUTOPRUNE = 'N'")
    finding = only(found(ready), "change tables only grow")
    assert (finding.level, finding.statements) == (Level.WARNING, ())


@pytest.mark.db2_stand_in("a Capture program without parameters")
def test_parameters_that_are_not_given_are_those_of_the_program(ready: Database) -> None:
    ready.sql("DELETE FROM ASNCDC.IBMSNAP_CAPPARMS")
    findings = found(ready)
    assert with_text(findings, "COMMIT_INTERVAL 30 s, SLEEP_INTERVAL 5 s")
    assert with_text(findings, "changes are kept for 7 days")


def test_tables_that_apply_reads_too_are_pruned_early(ready: Database) -> None:
    assert with_text(found(ready), "subscription set") == [], "ADDTABLE's own row is none of Apply"
    ready.sql(
        "INSERT INTO ASNCDC.IBMSNAP_PRUNE_SET VALUES ('KAFKA', 'KAFKAQUAL', 'SET001', CURRENT TIMESTAMP, "
        "X'00000000000000000000000000000007')"
    )
    finding = only(found(ready), "the subscription set KAFKAQUAL/SET001 has S.ORDERS too")
    assert finding.level is Level.WARNING
    ready.sql("UPDATE ASNCDC.IBMSNAP_PRUNE_SET SET SYNCHPOINT = X'00000000000000000000000000000000'")
    assert with_text(found(ready), "subscription set") == [], "Apply has not begun"


def test_tables_that_a_list_names_and_nobody_captures_come_with_their_statements(ready: Database) -> None:
    ready.sql('CREATE TABLE SALES."it\'s" (ID INTEGER NOT NULL PRIMARY KEY)')
    finding = only(found(ready, table_include_list=r"S\..*,SALES\..*"), "are not captured")
    assert finding.level is Level.WARNING
    assert [each.sql for each in finding.statements] == ["CALL \"ASNCDC\".ADDTABLE('SALES', 'it''s')", REINIT]


def test_without_a_list_nobody_is_told_to_capture_every_table(ready: Database) -> None:
    ready.sql("CREATE TABLE S.OTHER (ID INTEGER NOT NULL PRIMARY KEY)")
    finding = only(found(ready), "are not captured")
    assert finding.statements == ()
    assert "name the tables that are, in table.include.list" in finding.mend


def test_a_database_without_a_captured_table_is_a_warning(db2: Database) -> None:
    assert only(found(db2), "no table that is captured now is wanted").level is Level.WARNING


@pytest.mark.parametrize(
    ("state", "level", "text"), [("I", Level.WARNING, "inactive"), ("S", Level.ERROR, "message ASN0069E")]
)
def test_a_registration_that_rests_is_activated(ready: Database, state: str, level: Level, text: str) -> None:
    ready.sql(f"UPDATE {REGISTER} SET STATE = '{state}', STATE_INFO = 'ASN0069E' WHERE SOURCE_OWNER = 'S'")
    finding = only(found(ready), text)
    assert finding.level is level
    assert [each.sql for each in finding.statements] == [
        "UPDATE \"ASNCDC\".IBMSNAP_REGISTER SET STATE = 'A' WHERE SOURCE_OWNER = 'S' AND SOURCE_TABLE = 'ORDERS'",
        REINIT,
    ]


@pytest.mark.db2_stand_in("what stops a Capture program")
def test_a_table_without_data_capture_is_an_error(ready: Database) -> None:
    ready.sql("ALTER TABLE S.ORDERS DATA CAPTURE NONE")
    finding = only(found(ready), "has no DATA CAPTURE CHANGES")
    assert finding.level is Level.ERROR
    assert [each.sql for each in finding.statements] == ['ALTER TABLE "S"."ORDERS" DATA CAPTURE CHANGES']


@pytest.mark.db2_stand_in("what stops a Capture program")
def test_a_change_table_that_is_gone_is_an_error(ready: Database) -> None:
    ready.sql("DROP TABLE ASNCDC.CDC_S_ORDERS")
    assert only(found(ready), "its change table ASNCDC.CDC_S_ORDERS is not there").level is Level.ERROR


def test_updates_without_the_old_row_are_a_warning_unless_it_is_in_columns_of_its_own(ready: Database) -> None:
    ready.sql(f"UPDATE {REGISTER} SET CHG_UPD_TO_DEL_INS = 'N' WHERE SOURCE_OWNER = 'S'")
    finding = only(found(ready), "with the new row alone")
    assert finding.level is Level.WARNING
    assert "SET CHG_UPD_TO_DEL_INS = 'Y'" in finding.statements[0].sql
    ready.sql(f"UPDATE {REGISTER} SET BEFORE_IMG_PREFIX = 'X' WHERE SOURCE_OWNER = 'S'")
    assert only(found(ready), "with the new row alone").level is Level.WARNING
    columns = ready.sql("SELECT COLNAME, TYPENAME, LENGTH FROM SYSCAT.COLUMNS WHERE TABSCHEMA = 'S' AND TABNAME = 'ORDERS'")
    for name, kind, length in columns:
        type_ = f"{kind}({length})" if kind.strip() in {"VARCHAR", "CHARACTER", "CHAR"} else kind
        ready.sql(f'ALTER TABLE ASNCDC.CDC_S_ORDERS ADD COLUMN "X{name}" {type_}')
    assert with_text(found(ready), "with the new row alone") == []


def test_a_column_that_was_added_later_is_told_with_what_people_do(ready: Database) -> None:
    ready.sql('ALTER TABLE S.ORDERS ADD COLUMN "Größe" DECIMAL(9, 1)')
    finding = only(found(ready), "lacks columns: Größe")
    assert finding.level is Level.WARNING
    assert finding.statements == (), "it is not captured for a moment, which nobody asked for"
    assert 'ALTER TABLE "ASNCDC"."CDC_S_ORDERS" ADD COLUMN "Größe" DECIMAL(9, 1)' in finding.mend
    states = [finding.mend.index(f"STATE = '{state}'") for state in "IA"]
    assert states == sorted(states)
    assert finding.mend.count(REINIT) == 2
    assert with_text(found(ready, column_exclude_list="S[.]ORDERS[.]Größe"), "lacks columns") == []


def test_the_steps_for_an_added_column_make_it_captured(running: Database) -> None:
    running.sql("ALTER TABLE S.ORDERS ADD COLUMN NOTE VARCHAR(10)")
    [steps] = [each.mend.partition("delivered: ")[2] for each in with_text(found(running), "lacks columns")]
    for statement in steps.split("; "):
        running.sql(statement)
    running.sql("INSERT INTO S.ORDERS VALUES (1, 'a', 1, 'new')")
    running.replication.step()
    assert running.sql("SELECT ID, NOTE FROM ASNCDC.CDC_S_ORDERS") == [(1, "new")]
    assert of_level(found(running), Level.WARNING) == []


@pytest.mark.db2_stand_in("a column that is dropped without REORG")
def test_a_column_that_was_left_out_on_purpose_is_no_warning(db2: Database) -> None:
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, SECRET VARCHAR(9))")
    db2.register("S.T")
    db2.sql("ALTER TABLE ASNCDC.CDC_S_T DROP COLUMN SECRET")
    db2.sql("CREATE TABLE ASNCDC.ANOTHER AS (SELECT * FROM ASNCDC.CDC_S_T) WITH NO DATA")
    db2.sql(f"UPDATE {REGISTER} SET CD_TABLE = 'ANOTHER' WHERE SOURCE_OWNER = 'S'")
    assert only(found(db2), "the columns SECRET were left out of ASNCDC.ANOTHER").level is Level.OK


def test_a_column_of_another_type_is_a_warning(ready: Database) -> None:
    ready.sql("ALTER TABLE S.ORDERS ALTER COLUMN ITEM SET DATA TYPE VARCHAR(40)")
    finding = only(found(ready), "columns of another type than its change table ASNCDC.CDC_S_ORDERS: ITEM")
    assert finding.level is Level.WARNING
    assert 'ALTER COLUMN "ITEM" SET DATA TYPE VARCHAR(40)' in finding.mend


def test_what_is_never_captured_is_told(db2: Database) -> None:
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, BODY CLOB(100), DOC XML, DONE BOOLEAN)")
    db2.register("S.T")
    findings = found(db2)
    large = only(findings, "large objects and XML are in snapshots only, not in changes, which have null")
    assert (large.level, "S.T.BODY, S.T.DOC" in large.what) == (Level.OK, True)
    boolean = only(findings, "does not capture BOOLEAN columns: S.T.DONE")
    assert boolean.level is Level.WARNING
    placed = found(db2, tailrace_large_objects="placeholder", unavailable_value_placeholder="(gone)")
    assert with_text(placed, "which have (gone) for them")
    assert with_text(found(db2, column_exclude_list="S[.]T[.]DONE"), "BOOLEAN") == []


def test_a_user_that_may_not_read_the_control_tables_is_told_what_to_grant(ready: Database, reader: str) -> None:
    finding = only(as_reader(ready), "by which changes are read")
    assert finding.level is Level.ERROR
    grants = [each.sql for each in finding.statements]
    assert grants == [f'GRANT SELECT ON "ASNCDC"."{name}" TO USER "{reader}"' for name in access.NEEDED]
    ready.sql(*grants)
    findings = as_reader(ready)
    assert with_text(findings, "by which changes are read") == []
    told = only(findings, "so less can be told here")
    assert told.level is Level.WARNING
    assert with_text(findings, "the Capture program runs"), "what may be read is looked at"
    ready.sql(*(each.sql for each in told.statements))
    assert with_text(as_reader(ready), "so less can be told here") == []


def test_a_user_needs_the_change_tables_and_for_a_snapshot_the_tables(ready: Database, reader: str) -> None:
    ready.sql(*(f"GRANT SELECT ON ASNCDC.{name} TO {reader}" for name in (*access.NEEDED, *access.TOLD)))
    finding = only(as_reader(ready, snapshot_mode="initial"), "where changes are")
    assert finding.level is Level.ERROR
    assert [each.sql for each in finding.statements] == [f'GRANT SELECT ON "ASNCDC"."CDC_S_ORDERS" TO USER "{reader}"']
    ready.sql(f"GRANT SELECT ON ASNCDC.CDC_S_ORDERS TO {reader}")
    assert of_level(as_reader(ready), Level.ERROR) == [], "no snapshot is taken"
    rows = only(as_reader(ready, snapshot_mode="initial"), "so a snapshot can't")
    assert [each.sql for each in rows.statements] == [f'GRANT SELECT ON "S"."ORDERS" TO USER "{reader}"']
    ready.sql(f"GRANT SELECT ON S.ORDERS TO {reader}")
    assert of_level(as_reader(ready, snapshot_mode="initial"), Level.ERROR) == []


def test_closed_tables_are_found_among_many(db2: Database, reader: str) -> None:
    names = [("S", f"T{n}") for n in range(2 * access.AT_ONCE + 5)]
    db2.sql(*(f"CREATE TABLE S.{name} (ID INTEGER)" for _, name in names))
    closed = [names[3], names[access.AT_ONCE], names[-1]]
    db2.sql(*(f"GRANT SELECT ON S.{name} TO {reader}" for schema, name in names if (schema, name) not in closed))
    with connect(settings_of(db2, database_user=reader, database_password=PASSWORD)) as session:
        assert access.closed(session, [*names, ("S", "NOT_THERE")]) == closed
        assert access.closed(session, []) == []


def test_a_catalogue_that_is_closed_is_an_error() -> None:
    class Restrictive:
        database = "SHOP"

        def one(self, _sql: str) -> str:
            return READER

        def rows(self, sql: str) -> list[Any]:
            if '"INDEXES"' in sql:
                raise DeniedError("-551")
            return []

    finding = access.catalogue(Restrictive(), Services("SHOP", "ASNCDC"))
    assert finding is not None
    assert finding.level is Level.ERROR
    assert [each.sql for each in finding.statements] == [f'GRANT SELECT ON "SYSCAT"."INDEXES" TO USER "{READER}"']
    assert access.catalogue(Restrictive(), Services("SHOP", "ASNCDC", is_zos=True)) is None


def test_signal_tables_have_three_columns_of_text_and_are_captured(ready: Database) -> None:
    def finding() -> Finding:
        return only(found(ready, signal_data_collection="S.SIGNALS"), "signal table S.SIGNALS")

    assert "CREATE TABLE" in finding().mend
    ready.sql("CREATE TABLE S.SIGNALS (ID VARCHAR(42) NOT NULL PRIMARY KEY, TYPE VARCHAR(32))")
    assert "has 2 columns instead of three" in finding().what
    ready.sql("ALTER TABLE S.SIGNALS ADD COLUMN DATA INTEGER")
    assert "has columns that are no text: DATA" in finding().what
    ready.sql(
        "DROP TABLE S.SIGNALS",
        "CREATE TABLE S.SIGNALS (ID VARCHAR(42) NOT NULL PRIMARY KEY, TYPE VARCHAR(32), DATA VARCHAR(99))",
    )
    assert finding().statements[0].sql == "CALL \"ASNCDC\".ADDTABLE('S', 'SIGNALS')"
    ready.register("S.SIGNALS")
    assert finding().level is Level.OK


def test_who_may_signal_should_do_so_with_a_user_that_only_reads(ready: Database, reader: str) -> None:
    ready.sql("CREATE TABLE S.SIGNALS (ID VARCHAR(42) NOT NULL PRIMARY KEY, TYPE VARCHAR(32), DATA VARCHAR(99))")
    text = "whoever may signal chooses rows"
    assert with_text(found(ready), text) == [], "nobody is heard"
    owner = only(found(ready, signal_data_collection="S.SIGNALS"), text)
    assert (owner.level, "may write to every table" in owner.what) == (Level.WARNING, True)
    refused = found(ready, signal_data_collection="S.SIGNALS", tailrace_signal_conditions="false")
    assert with_text(refused, text) == []
    ready.sql(*(f"GRANT SELECT ON ASNCDC.{name} TO {reader}" for name in access.NEEDED))
    ready.sql(f"GRANT INSERT ON S.SIGNALS TO {reader}")
    assert with_text(as_reader(ready, signal_data_collection="S.SIGNALS"), text) == []
    ready.sql(f"GRANT UPDATE ON S.ORDERS TO {reader}")
    writer = only(as_reader(ready, signal_data_collection="S.SIGNALS"), text)
    assert f"the user {reader} may write to S.ORDERS, and" in writer.what


def test_lists_that_match_nothing_are_told_as_a_start_tells_them(ready: Database) -> None:
    finding = only(found(ready, table_include_list=f"{ready.database}.S.ORDERS"), "table.include.list: no table")
    assert finding.level is Level.ERROR
    assert "the list wants S.ORDERS" in finding.what


@pytest.fixture
def without_helpers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers whose administrators have not installed what Debezium's guide brings."""

    def services(session: Any, schema: str, *, is_zos: bool) -> Services:
        return Services(session.database, schema, is_zos=is_zos)

    monkeypatch.setattr(checks, "services_of", services)


@pytest.mark.usefixtures("without_helpers")
def test_without_the_helpers_a_registration_is_written_out_and_works(ready: Database) -> None:
    ready.sql(
        "CREATE TABLE S.NEW (ID INTEGER NOT NULL PRIMARY KEY, NAME VARCHAR(9) NOT NULL)",
        "CREATE TABLE ASNCDC.CDC_S_NEW (A INTEGER)",
    )
    ready.sql(f"UPDATE {REGISTER} SET CD_TABLE = 'CDC_S_NEW' WHERE SOURCE_TABLE = 'ORDERS'")
    settings = settings_of(ready, table_include_list=r"S\.NEW")
    finding = only(check(settings), "are not captured")
    assert f"asnccmd capture_server={ready.database} capture_schema=asncdc reinit" in finding.mend
    assert [each.error for each in apply_fixes.apply(settings, finding.statements)] == [None] * 6
    ready.replication.reinit()
    ready.sql("INSERT INTO S.NEW VALUES (1, 'a')")
    ready.replication.step()
    assert ready.sql("SELECT IBMSNAP_OPERATION, ID, NAME FROM ASNCDC.CDC_S_NEW_2") == [("I", 1, "a")]
    assert with_text(check(settings), f"{ready.database}: 1 tables are captured")


@pytest.mark.usefixtures("without_helpers")
def test_a_table_is_not_registered_without_its_change_table(ready: Database) -> None:
    ready.sql("CREATE TABLE S.NEW (ID INTEGER NOT NULL PRIMARY KEY)", "CREATE TABLE ASNCDC.CDC_S_NEW (A INTEGER)")
    settings = settings_of(ready, table_include_list=r"S\.NEW")
    statements = [
        each for each in only(check(settings), "are not captured").statements if "CREATE TABLE" not in each.sql
    ]
    ready.sql("DROP TABLE ASNCDC.CDC_S_NEW")
    list(apply_fixes.apply(settings, statements))
    assert ready.value(f"SELECT COUNT(*) FROM {REGISTER} WHERE SOURCE_TABLE = 'NEW'") == 0


@pytest.mark.db2_stand_in("a Capture program that stands still")
@pytest.mark.usefixtures("without_helpers")
def test_without_the_helpers_the_program_is_started_by_hand(db2: Database) -> None:
    finding = only(found(db2), "so no changes come")
    assert (finding.mend, finding.statements) == (f"asncap capture_server={db2.database} capture_schema=asncdc", ())


def test_the_program_reads_the_register_when_all_is_done() -> None:
    services = Services("SHOP", "ASNCDC", registers=True, commands=True)
    findings = [
        Finding(Level.WARNING, each.name, statements=services.register(each))
        for each in (TableId("SHOP", "S", "A"), TableId("SHOP", "S", "B"), TableId("SHOP", "S", "A"))
    ]
    assert [each.sql for each in statements_of(findings)] == [
        "CALL \"ASNCDC\".ADDTABLE('S', 'A')",
        "CALL \"ASNCDC\".ADDTABLE('S', 'B')",
        REINIT,
    ]


def test_names_of_change_tables_are_fresh_and_short_enough() -> None:
    services = Services("SHOP", "ASNCDC")
    long = services.register(TableId("SHOP", "S", "X" * LONGEST_NAME), [f"CDC_S_{'X' * 122}"])[1].sql
    assert f'"ASNCDC"."CDC_S_{"X" * 120}_2"' in long


@pytest.mark.db2_stand_in("a Capture program that stands still")
def test_what_fails_does_not_keep_the_others_from_being_run(ready: Database) -> None:
    services = Services(ready.database, "ASNCDC", registers=True, commands=True)
    wrong, right = services.statement("CALL ASNCDC.ADDTABLE('S', 'NOWHERE')"), services.keep_changes(5000)
    applied = list(apply_fixes.apply(settings_of(ready), [wrong, right, *services.command("reinit")]))
    assert [each.error is None for each in applied] == [False, True, False]
    assert "asncap is not running" in str(applied[2].error), "the program's own answer is told"
    assert ready.value("SELECT RETENTION_LIMIT FROM ASNCDC.IBMSNAP_CAPPARMS") == 5000


def run(capsys: pytest.CaptureFixture[str], path: Path, *options: str) -> tuple[Any, str]:
    with pytest.raises(SystemExit) as end:
        main(["check", str(path), *options])
    out, err = capsys.readouterr()
    return end.value.code, out + err


@pytest.mark.db2_stand_in("a Capture program that stands still")
def test_apply_registers_what_is_missing_starts_the_program_and_looks_again(
    db2: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db2.sql(ORDERS, "CREATE TABLE S.OTHER (ID INTEGER NOT NULL PRIMARY KEY)")
    path = tmp_path / "connector.json"
    path.write_text(json.dumps(db2.properties(table_include_list=r"S\.ORDERS")))
    try:
        code, out = run(capsys, path)
        assert (code, "so no changes come" in out) == (3, True)
        assert db2.value(f"SELECT COUNT(*) FROM {REGISTER} WHERE SOURCE_OWNER = 'S'") == 0

        _, out = run(capsys, path, "--apply")
        assert "applied  CALL \"ASNCDC\".ADDTABLE('S', 'ORDERS')" in out
        assert "applied  VALUES \"ASNCDC\".ASNCDCSERVICES('start', 'asncdc')" in out
        assert f"{db2.database}: 1 tables are captured" in out
        assert db2.sql(f"SELECT SOURCE_TABLE, STATE FROM {REGISTER} WHERE SOURCE_OWNER = 'S'") == [("ORDERS", "A")]
        db2.replication.step()
        code, out = run(capsys, path, "--apply")
        assert (code, "nothing: no finding asks for a statement" in out) == (0, True)
    finally:
        db2.replication.stop()


@pytest.fixture
def zos(db2_server: StandInServer) -> Iterator[Database]:
    """A Db2 for z/OS with one captured table."""
    made = db2_server.create_database(platform="ZOS")
    made.sql(ORDERS)
    made.register("S.ORDERS")
    made.replication.step()
    yield made
    db2_server.drop_database(made)


def test_z_os_is_looked_at_by_its_own_catalogue(zos: Database) -> None:
    findings = found(zos, db2_platform="ZOS", snapshot_mode="initial")
    assert {each.level for each in findings} == {Level.OK}
    for part in ("Db2 for z/OS (DSN", "1 tables are captured", "with the new row alone"):
        assert with_text(findings, part)
    assert with_text(findings, "the log is") == [], "it is archived there always"


def test_what_is_missing_on_z_os_is_mended_by_hand(zos: Database) -> None:
    zos.sql("CREATE TABLE S.MORE (ID INTEGER NOT NULL PRIMARY KEY)", "ALTER TABLE S.ORDERS DATA CAPTURE NONE")
    findings = found(zos, db2_platform="ZOS", table_include_list=r"S\..*")
    missing = only(findings, "the changes of S.MORE are not captured")
    assert (missing.statements, "asnclp" in missing.mend) == ((), True)
    [capture] = only(findings, "has no DATA CAPTURE CHANGES").statements
    zos.sql(capture.sql)
    assert with_text(found(zos, db2_platform="ZOS"), "has no DATA CAPTURE CHANGES") == []
    services = Services("DSN", "ASNCDC", is_zos=True)
    assert services.grant_select("S", "T", "CDC").sql == 'GRANT SELECT ON "S"."T" TO "CDC"'
    assert (services.command("reinit"), services.told("reinit")) == ((), "reinit with MODIFY or asnccmd")


@pytest.mark.parametrize("is_zos", [False, True])
def test_a_platform_that_is_not_the_servers_is_an_error(db2: Database, zos: Database, is_zos: bool) -> None:
    findings = found(zos) if is_zos else found(db2, db2_platform="ZOS")
    finding = only(findings, "by which tables are known")
    assert (finding.level, "set db2.platform" in finding.mend) == (Level.ERROR, True)


def test_a_version_that_can_not_be_seen_is_left_out(ready: Database) -> None:
    class Closed:
        database = "SHOP"

        def one(self, _sql: str) -> str:
            raise SourceSetupError("no")

        def rows(self, _sql: str) -> list[Any]:
            raise SourceSetupError("no")

    assert server.found(Closed(), settings_of(ready)).what.startswith("Db2 at ")
    [finding] = server.log_archive(Closed(), Services("SHOP", "ASNCDC"))
    assert "whether the log is archived (LOGARCHMETH1) can't be seen" in finding.what
