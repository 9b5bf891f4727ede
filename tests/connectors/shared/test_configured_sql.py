"""An error of a statement that the configuration has tells neither the statement nor what a placeholder brought into it."""

import logging
import traceback
from types import SimpleNamespace

import pymysql
import pytest

from support.unit_settings import db2_unit_settings, sqlserver_unit_settings, unit_settings
from tailrace.connectors.db2 import connection as db2
from tailrace.connectors.mysql import connection as mysql
from tailrace.connectors.shared.configured_sql import ConfiguredSql, is_filled
from tailrace.connectors.shared.heartbeats import Heartbeats
from tailrace.connectors.sqlserver import connection as sqlserver
from tailrace.errors import SourceSetupError
from tailrace.events import heartbeats as beats

KEY = "hunter2"
STATEMENT = "INSERT INTO beats VALUES ('${env:TAILRACE_TEST_KEY}')"
PLAIN = "INSERT INTO beats VALUES (7)"


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("TAILRACE_TEST_KEY", KEY)


class Refusing:
    """A connection, and its cursor, that refuses all statements with one error of the driver."""

    def __init__(self, error):
        self.error = error
        self.statements = []

    def cursor(self, *_):
        return self

    def execute(self, statement, *_):
        self.statements.append(statement)
        raise self.error

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def shown_by_spark(error):
    """What PySpark tells of an error in a task: those that it came from too."""
    return "".join(traceback.TracebackException.from_exception(error).format())


def configured(settings):
    text = settings.heartbeat_action_query
    return ConfiguredSql(text, name="the statement", is_filled=is_filled(settings, "heartbeat.action.query", text))


def near():
    """The server's text, which repeats a part of the statement."""
    return f"You have an error near '{KEY}'"


def sqlserver_session(connection, monkeypatch):
    monkeypatch.setattr(sqlserver.driver, "driver", lambda: None)
    monkeypatch.setattr(sqlserver, "is_of_driver", lambda error, module: True)
    return sqlserver.Session(connection, "db", "the server")


def db2_session(connection, monkeypatch):
    monkeypatch.setattr(db2, "driver", lambda: None)
    monkeypatch.setattr(db2, "is_of_driver", lambda error, module: True)
    return db2.Session(connection, "the server")


def driver_error(**attributes):
    error = RuntimeError(near())
    for name, value in attributes.items():
        setattr(error, name, value)
    return error


@pytest.mark.parametrize(
    ("settings_of", "session_of", "attributes", "told"),
    [
        (sqlserver_unit_settings, sqlserver_session, {"driver_error": "Syntax error"}, "Syntax error; the server's text"),
        (sqlserver_unit_settings, sqlserver_session, {}, "the server or the driver refuses it; the server's text"),
        (db2_unit_settings, db2_session, {"vendor_code": -104}, "a syntax error (SQLCODE -104); the server's text"),
        (db2_unit_settings, db2_session, {"vendor_code": -20_000}, "the server: SQLCODE -20000; the server's text"),
        (db2_unit_settings, db2_session, {}, "the server or the driver refuses it; the server's text"),
    ],
)
def test_of_a_filled_statement_only_the_kind_of_the_error_is_told(monkeypatch, settings_of, session_of, attributes, told):
    connection = Refusing(driver_error(**attributes))
    statement = configured(settings_of({"heartbeat.action.query": STATEMENT}))
    with pytest.raises(SourceSetupError) as caught:
        session_of(connection, monkeypatch).execute(statement)
    assert str(caught.value).startswith("running the statement on the server: ")
    assert told in str(caught.value)
    assert KEY not in shown_by_spark(caught.value)
    assert connection.statements == [f"INSERT INTO beats VALUES ('{KEY}')"]
    assert type(connection.statements[0]) is str, "a driver may take nothing else"


@pytest.mark.parametrize(
    ("settings_of", "session_of"), [(sqlserver_unit_settings, sqlserver_session), (db2_unit_settings, db2_session)]
)
def test_of_a_statement_as_it_is_configured_the_servers_text_is_told(monkeypatch, settings_of, session_of):
    statement = configured(settings_of({"heartbeat.action.query": PLAIN}))
    with pytest.raises(SourceSetupError) as caught:
        session_of(Refusing(driver_error()), monkeypatch).execute(statement)
    assert str(caught.value) == f"running the statement on the server: {near()}"


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (1064, "a syntax error; the server's text may repeat what a placeholder stands for, and is left out (error 1064)"),
        (1146, "there is no such table; "),
        (1142, "access denied; "),
        (3999, "the server refuses it; the server's text may repeat what a placeholder stands for, and is left out (error 3999)"),
    ],
)
def test_initial_statements_are_named_by_their_number(monkeypatch, number, told):
    connection = Refusing(pymysql.err.ProgrammingError(number, near()))
    monkeypatch.setattr(mysql, "_open", lambda settings: connection)
    settings = unit_settings({"database.initial.statements": "SET @key = '${env:TAILRACE_TEST_KEY}'; SET @b = 1"})
    with pytest.raises(SourceSetupError) as caught:
        mysql.connect(settings)
    assert str(caught.value).startswith(f"running statement 1 of database.initial.statements: {told}")
    assert KEY not in shown_by_spark(caught.value)
    assert connection.statements == [f"SET @key = '{KEY}'"]


def test_initial_statements_as_they_are_configured_have_the_servers_text_and_are_not_quoted(monkeypatch):
    connection = Refusing(pymysql.err.ProgrammingError(1193, "Unknown system variable 'b'"))
    monkeypatch.setattr(mysql, "_open", lambda settings: connection)
    with pytest.raises(SourceSetupError) as caught:
        mysql.connect(unit_settings({"database.initial.statements": "SET b = 'literal'"}))
    told = "running statement 1 of database.initial.statements: Unknown system variable 'b' (error 1193)"
    assert str(caught.value) == told


def test_other_statements_are_quoted(monkeypatch):
    with pytest.raises(SourceSetupError, match=r"running 'SELECT 1': You have an error near"):
        mysql.rows(Refusing(pymysql.err.ProgrammingError(1064, near())), "SELECT 1")
    with pytest.raises(SourceSetupError, match=r"running 'SELECT 1' on the server: You have an error near"):
        db2_session(Refusing(driver_error()), monkeypatch).execute("SELECT 1")


def test_a_heartbeats_warning_names_the_property(monkeypatch, caplog):
    monkeypatch.setattr(beats, "_last_beats", {})
    settings = unit_settings({"heartbeat.interval.ms": 1000, "heartbeat.action.query": STATEMENT})
    connection = Refusing(pymysql.err.ProgrammingError(1064, near()))
    action = SimpleNamespace(run=lambda sql: mysql.execute(connection, sql), close=lambda: None, interrupt=lambda: None)
    query = Heartbeats(settings, lambda: action)._action
    with caplog.at_level(logging.WARNING):
        query.run()
        query._thread.join()
    assert "heartbeat.action.query: running the statement: a syntax error; " in caplog.text
    assert KEY not in caplog.text
