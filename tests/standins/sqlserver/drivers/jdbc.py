"""mssql-jdbc in a Java machine of its own: `python jdbc.py LIBJVM JAR PORT < jobs > results`, a line of JSON each.

A job is the name of a function below and its arguments. The machine is a child process, since a process can have one
only and other tests want theirs with other jars.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import jpype


def main() -> None:
    """Carry jobs out until there are no more."""
    libjvm, jar, port = sys.argv[1:]
    jpype.startJVM(libjvm, "-Xmx256m", classpath=[jar], convertStrings=True)
    connections: dict[str, Any] = {}
    for line in sys.stdin:
        job = json.loads(line)
        options = job.pop("options")
        if options not in connections:
            connections[options] = connected(port, options)
        try:
            result: dict[str, Any] = {"result": _JOBS[job["job"]](connections[options], *job["arguments"])}
        except jpype.JClass("java.sql.SQLException") as error:
            result = {
                "error": str(error.getMessage()),
                "number": int(error.getErrorCode()),
                "state": str(error.getSQLState()),
            }
        print(json.dumps(result), flush=True)


def connected(port: str, options: str) -> Any:
    """A connection."""
    driver = jpype.JClass("com.microsoft.sqlserver.jdbc.SQLServerDriver")()
    url = f"jdbc:sqlserver://127.0.0.1:{port};databaseName=inventory;user=sa;password=secret;trustServerCertificate=true;{options}"
    return driver.connect(url, jpype.JClass("java.util.Properties")())


def query(connection: Any, sql: str) -> list[list[Any]]:
    """The rows of a statement, as text."""
    with connection.createStatement() as statement:
        return _rows(statement.executeQuery(sql))


def types(connection: Any, sql: str) -> list[str]:
    """The types of a statement's columns, as Java names them, and whether they count by themselves."""
    with connection.createStatement() as statement:
        about = statement.executeQuery(sql).getMetaData()
        return [_type(about, place) for place in range(1, about.getColumnCount() + 1)]


def prepared(connection: Any, sql: str, times: int, *values: Any) -> list[list[Any]]:
    """A prepared statement, run so many times; the last rows. Values are [setter, text] for `set...` of it."""
    found: list[list[Any]] = []
    with connection.prepareStatement(sql) as statement:
        for _ in range(times):
            for place, (setter, value) in enumerate(values, 1):
                getattr(statement, setter)(place, _java(setter, value))
            found = _rows(statement.executeQuery())
    return found


def update(connection: Any, sql: str) -> int:
    """How many rows a statement says it changed."""
    with connection.createStatement() as statement:
        return int(statement.executeUpdate(sql))


def called(connection: Any, sql: str, given: int) -> list[int]:
    """A procedure with its status, a parameter, and one for output."""
    with connection.prepareCall(sql) as statement:
        integer = jpype.JClass("java.sql.Types").INTEGER
        statement.registerOutParameter(1, integer)
        statement.setInt(2, given)
        statement.registerOutParameter(3, integer)
        statement.execute()
        return [int(statement.getInt(1)), int(statement.getInt(3))]


def output(connection: Any, sql: str, given: int) -> int:
    """A procedure with a parameter, and one for output."""
    with connection.prepareCall(sql) as statement:
        statement.setInt(1, given)
        statement.registerOutParameter(2, jpype.JClass("java.sql.Types").INTEGER)
        statement.execute()
        return int(statement.getInt(2))


def timed_out(connection: Any, sql: str) -> None:
    """A statement that may take a second."""
    with connection.createStatement() as statement:
        statement.setQueryTimeout(1)
        statement.execute(sql)


def transaction(connection: Any, sql: str, end: str) -> bool:
    """One change in a transaction, with an end of commit or rollback."""
    connection.setAutoCommit(False)
    with connection.createStatement() as statement:
        statement.executeUpdate(sql)
    getattr(connection, end)()
    connection.setAutoCommit(True)
    return True


def isolation(connection: Any, level: int) -> int:
    """Set a level of isolation; what the connection says it has."""
    connection.setTransactionIsolation(level)
    try:
        query(connection, "SELECT 1")
        return int(connection.getTransactionIsolation())
    finally:
        connection.setTransactionIsolation(2)


def metadata(connection: Any, method: str, *arguments: Any) -> list[list[Any]]:
    """The rows of a method of DatabaseMetaData; columns are what the method's documentation tells."""
    return _rows(getattr(connection.getMetaData(), method)(*arguments))


def _rows(result: Any) -> list[list[Any]]:
    about = result.getMetaData()
    count = about.getColumnCount()
    found = []
    while result.next():
        found.append([None if (text := result.getString(i)) is None else str(text) for i in range(1, count + 1)])
    return found


def _type(about: Any, place: int) -> str:
    return str(about.getColumnTypeName(place)) + (" identity" if about.isAutoIncrement(place) else "")


def _java(setter: str, value: Any) -> Any:
    classes = {
        "setBigDecimal": "java.math.BigDecimal",
        "setTimestamp": "java.sql.Timestamp",
        "setDate": "java.sql.Date",
    }
    if setter == "setBytes":
        return jpype.JArray(jpype.JByte)(bytes.fromhex(value))
    if setter == "setBigDecimal":
        return jpype.JClass(classes[setter])(value)
    return jpype.JClass(classes[setter]).valueOf(value) if setter in classes else value


_JOBS = {
    job.__name__: job
    for job in (query, types, prepared, update, called, output, timed_out, transaction, isolation, metadata)
}

if __name__ == "__main__":
    main()
