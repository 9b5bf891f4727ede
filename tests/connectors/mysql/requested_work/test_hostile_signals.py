"""What comes with signals chooses rows and does nothing else, whoever the connector is to the server."""

import json

import pytest
from confluent_kafka import Producer

from support.mysql_settings import settings_for
from support.signalling import begin, execute, read_all, signal, signal_table, stored
from tailrace.connectors.mysql.connection import connect, rows
from tailrace.connectors.mysql.snapshots import statements

pytestmark = pytest.mark.mysql

EMPTIES_THE_LOGS = "1=0); RESET BINARY LOGS AND GTIDS; SELECT (1"
ATTACKS = {
    "several statements": EMPTIES_THE_LOGS,
    "a table's end": "1=1); DROP TABLE victim; SELECT (1",
    "balanced by count": "1=1) UNION SELECT id FROM victim WHERE (1=1",
    "a comment": "1=1) -- ",
    "a file": "id IN (SELECT 1 INTO OUTFILE '/tmp/tailrace-was-here')",
    "a function that writes": "writes() = 1",
    "a lock": "id IN (SELECT id FROM victim FOR UPDATE)",
    "a parameter": "id = ?",
}
STATEMENTS = {
    "several statements": "SELECT * FROM {0}.t; DROP TABLE {0}.victim",
    "out of its parentheses": "SELECT * FROM {0}.t) AS t; DROP TABLE {0}.victim; SELECT * FROM (SELECT 1 AS id",
    "no SELECT": "DROP TABLE {0}.victim",
    "into a file": "SELECT * FROM {0}.t INTO OUTFILE '/tmp/tailrace-was-here'",
    "a function that writes": "SELECT {0}.writes() AS id",
}


@pytest.fixture
def tables(mysql_server, database):
    """A table to be read, and one that has to stay as it is."""
    mysql_server.sql(
        "CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1); "
        "CREATE TABLE victim (id INT PRIMARY KEY); INSERT INTO victim VALUES (7)",
        database,
    )
    with mysql_server.connect(database) as session, session.cursor() as cursor:
        cursor.execute("SET GLOBAL log_bin_trust_function_creators = 1")
        cursor.execute(
            "CREATE FUNCTION writes() RETURNS INT NOT DETERMINISTIC MODIFIES SQL DATA "
            "BEGIN INSERT INTO victim VALUES (8); RETURN 1; END"
        )
    return f"{database}.t"


@pytest.fixture
def logs(mysql_server):
    """The first file of the binary log, and what is executed: both outlive an attack."""

    def asked():
        session = connect(settings_for(mysql_server))
        try:
            (first, *_), *_ = rows(session, "SHOW BINARY LOGS")
            return first, rows(session, "SELECT @@GLOBAL.gtid_executed")[0][0]
        finally:
            session.close()

    return asked


def assert_nothing_was_done(server, database, followed, before, after):
    """The victim is there, the logs are, and the stream goes on."""
    with server.connect(database) as session, session.cursor() as cursor:
        cursor.execute("SELECT * FROM victim")
        assert cursor.fetchall() == ((7,),)
    server.sql("INSERT INTO t VALUES (2)", database)
    read_all(followed)
    assert ("c", 2) in [(value["op"], value["after"]["id"]) for value in followed.payloads(f"test.{database}.t")]
    first, executed = after()
    assert first == before[0]
    assert len(executed) >= len(before[1]) > 0


def assert_refused(followed, caplog, reason="additional-conditions are refused"):
    told = [told["status"] for type_, told in followed.notifications() if type_ == "TABLE_SCAN_COMPLETED"]
    assert told == ["SQL_EXCEPTION"]
    assert reason in caplog.text


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_condition_of_the_signal_table_chooses_rows_and_no_more(
    mysql_server, database, settings, tables, logs, caplog, attack
):
    followed, before = begin(settings), logs()
    conditions = [{"data-collection": tables, "filter": ATTACKS[attack].replace("writes", f"{database}.writes")}]
    execute(mysql_server, database, tables, **{"additional-conditions": conditions})
    read_all(followed)
    assert_refused(followed, caplog, "READ ONLY" if "function" in attack else "additional-conditions are refused")
    assert_nothing_was_done(mysql_server, database, followed, before, logs)


@pytest.mark.parametrize("attack", [EMPTIES_THE_LOGS, "1=1); DROP TABLE {0}.victim; SELECT (1"])
def test_so_does_one_of_a_file(mysql_server, database, given, tables, logs, caplog, tmp_path, attack):
    file = tmp_path / "signals.txt"
    given |= {"signal_data_collection": None, "signal_enabled_channels": "file", "signal_file": str(file)}
    followed, before = begin(settings_for(mysql_server, **given, signal_poll_interval_ms=10)), logs()
    file.write_text(asked(tables, attack.format(database)) + "\n")
    followed.until(lambda: "COMPLETED" in dict(followed.notifications()))
    assert_refused(followed, caplog)
    assert_nothing_was_done(mysql_server, database, followed, before, logs)


@pytest.mark.kafka
@pytest.mark.parametrize("attack", [EMPTIES_THE_LOGS, "1=1); DROP TABLE {0}.victim; SELECT (1"])
def test_so_does_one_of_a_kafka_topic(mysql_server, kafka_broker, database, given, tables, logs, caplog, attack):
    topic = f"{database}-signals"
    given |= {
        "signal_data_collection": None,
        "signal_enabled_channels": "kafka",
        "signal_kafka_topic": topic,
        "signal_kafka_bootstrap_servers": kafka_broker.address,
        "signal_poll_interval_ms": 10,
    }
    followed, before = begin(settings_for(mysql_server, **given)), logs()
    producer = Producer({"bootstrap.servers": kafka_broker.address})
    producer.produce(topic, key="test", value=asked(tables, attack.format(database)))
    assert producer.flush(30) == 0
    followed.until(lambda: "COMPLETED" in dict(followed.notifications()))
    assert_refused(followed, caplog)
    assert_nothing_was_done(mysql_server, database, followed, before, logs)


def asked(table, condition):
    conditions = [{"data-collection": table, "filter": condition}]
    data = {"data-collections": [table], "additional-conditions": conditions}
    return json.dumps({"id": "one", "type": "execute-snapshot", "data": data})


@pytest.mark.parametrize("attack", STATEMENTS)
def test_a_blocking_snapshot_reads_one_select(mysql_server, database, settings, tables, logs, caplog, attack):
    followed, before = begin(settings), logs()
    conditions = [{"data-collection": tables, "filter": STATEMENTS[attack].format(database)}]
    data = {"data-collections": [tables], "type": "blocking", "additional-conditions": conditions}
    signal(mysql_server, database, "one", "execute-snapshot", **data)
    read_all(followed)
    assert "ABORTED" in [value["type"] for value in followed.payloads("notices")]
    assert ("READ ONLY" if "function" in attack else "additional-conditions are refused") in caplog.text
    assert [op for op, _ in followed.marked(f"test.{database}.t")] == []
    assert_nothing_was_done(mysql_server, database, followed, before, logs)


@pytest.mark.parametrize("kind", ["incremental", "blocking"])
def test_none_is_taken_where_none_is_allowed(mysql_server, database, given, settings, tables, caplog, kind):
    followed = begin(settings_for(mysql_server, **given, tailrace_signal_conditions=False))
    condition = "id = 1" if kind == "incremental" else f"SELECT * FROM {tables}"
    data = {"data-collections": [tables], "type": kind}
    conditions = [{"data-collection": tables, "filter": condition}]
    signal(mysql_server, database, "one", "execute-snapshot", **data, **{"additional-conditions": conditions})
    read_all(followed)
    assert f"test.{tables}" not in followed.topics
    assert "tailrace.signal.conditions is false" in caplog.text
    signal(mysql_server, database, "two", "execute-snapshot", **data)
    read_all(followed)
    assert [op for op, _ in followed.marked(f"test.{tables}")] == ["r"], "a table as a whole may be asked for"


def test_what_was_asked_for_before_it_was_looked_at_is_refused_as_well(mysql_server, database, settings, tables, caplog):
    """GIVEN progress of an earlier version, within a table that is read by such a condition."""
    mysql_server.sql("INSERT INTO t VALUES (2), (3)", database)
    followed = begin(settings)
    key = {"index": "PRIMARY", "columns": [{"name": "id", "kind": "int", "charset": None, "collation": None}]}
    work = {"table": tables, "condition": "id > 0) OR (id < 0", "surrogate": None, "key": key, "after": [1], "upto": [3], "rows": 1}
    followed.progress = stored(
        type(followed.progress)("", followed.progress.restart, None, {"tables": [work], "signal": "one"})
    )
    read_all(followed)
    assert_refused(followed, caplog)


def test_quotes_mean_the_same_whatever_initial_statements_say(mysql_server, database, given, settings, tables):
    changed = "SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'; SET NAMES sjis"
    with_modes = settings_for(mysql_server, **given, database_initial_statements=changed)
    session = connect(with_modes)
    statements.prepare(session)
    asked = "SELECT @@sql_mode, @@character_set_client, \"a\" = 'a', 'it\\'s'"
    assert rows(session, asked) == [("ALLOW_INVALID_DATES", "utf8mb4", 1, "it's")]
    session.close()


@pytest.mark.parametrize("name", ["no_such_column", "id` DESC; DROP TABLE victim -- ", "id, (SELECT 1)", "`id`"])
def test_a_surrogate_key_is_a_column_of_the_table(mysql_server, database, settings, tables, logs, caplog, name):
    followed, before = begin(settings), logs()
    execute(mysql_server, database, tables, **{"surrogate-key": name})
    read_all(followed)
    assert dict(followed.notifications())["TABLE_SCAN_COMPLETED"]["status"] == "NO_PRIMARY_KEY"
    assert f"it has no column {name}" in caplog.text
    assert_nothing_was_done(mysql_server, database, followed, before, logs)


def test_names_of_tables_and_columns_are_quoted(mysql_server, database, settings):
    hostile = "t`; DROP TABLE victim; -- '\""
    quoted = hostile.replace("`", "``")
    mysql_server.sql(f"CREATE TABLE `{quoted}` (`i``d` INT PRIMARY KEY, `s``'` INT NOT NULL)", database)
    mysql_server.sql(f"INSERT INTO `{quoted}` VALUES (1, 2), (2, 1)", database)
    followed = begin(settings)
    name = f'{database}."{hostile.replace(chr(34), chr(34) * 2)}"'
    execute(mysql_server, database, name, **{"surrogate-key": "s`'"})
    read_all(followed)
    assert dict(followed.notifications())["TABLE_SCAN_COMPLETED"]["status"] == "SUCCEEDED"
    (rows_,) = [followed.payloads(topic) for topic in followed.topics if topic.startswith(f"test.{database}.t")]
    assert [value["after"]["i`d"] for value in rows_] == [2, 1]


SLOW = "(SELECT COUNT(*) FROM wide a, wide b, wide c, wide d WHERE a.n * b.n * c.n < d.n) >= id * 0"  # of 10^12 rows


def test_a_condition_that_takes_too_long_ends_the_snapshot_of_its_table_and_the_server_does_not_go_on_with_it(
    mysql_server, database, given, tables, logs, caplog
):
    signal_table(mysql_server, database)
    mysql_server.sql(
        "CREATE TABLE wide (n INT); INSERT INTO wide WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 1000) "
        "SELECT n FROM s",
        database,
    )
    given |= {"table_include_list": f"{database}.t"}
    followed, before = begin(settings_for(mysql_server, **given, database_query_timeout_ms=1500)), logs()
    conditions = [{"data-collection": tables, "filter": SLOW.replace("wide", f"{database}.wide")}]
    execute(mysql_server, database, tables, **{"additional-conditions": conditions})
    read_all(followed)
    assert_refused(followed, caplog, "it takes longer than database.query.timeout.ms=1500 allows")
    assert_nothing_was_done(mysql_server, database, followed, before, logs)
    with mysql_server.connect(database) as session, session.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE '%wide a%' AND ID <> CONNECTION_ID()")
        assert cursor.fetchall() == ((0,),)
