"""IBM's JDBC driver: `python jcc_child.py LIBJVM JAR < jobs > results`. Values are told as text, bytes as hexadecimal digits."""

from __future__ import annotations

import json
import sys
from typing import Any

import jpype

CONNECTIONS: list[Any] = []


def main() -> None:
    """Carry jobs out until there are no more."""
    libjvm, jar = sys.argv[1:]
    jpype.startJVM(libjvm, "-Xmx256m", classpath=[jar], convertStrings=True)
    for line in sys.stdin:
        job = json.loads(line)
        try:
            told: dict[str, Any] = {"result": _JOBS[job["job"]](*job["arguments"])}
        except jpype.JClass("java.sql.SQLException") as error:
            told = {"error": str(error.getMessage()), "code": int(error.getErrorCode()), "state": error.getSQLState()}
        except Exception as error:
            told = {"error": repr(error)}
        print(json.dumps(told), flush=True)


def connect(port: int, password: str, database: str = "TESTDB", options: str = "") -> bool:
    """Connect; later jobs use the last connection."""
    driver = jpype.JClass("com.ibm.db2.jcc.DB2Driver")()
    given = jpype.JClass("java.util.Properties")()
    given.put("user", "app")
    given.put("password", password)
    url = f"jdbc:db2://127.0.0.1:{port}/{database}:securityMechanism=3;{options}"
    CONNECTIONS.append(driver.connect(url, given))
    return True


def valid() -> bool:
    """Whether the driver finds the connection alive."""
    return bool(CONNECTIONS[-1].isValid(5))


def column(sql: str, place: int) -> list[Any]:
    """A column's JDBC type, the type's name, and its values."""
    with CONNECTIONS[-1].createStatement() as statement:
        result = statement.executeQuery(sql)
        about = result.getMetaData()
        values = []
        while result.next():
            values.append(_shown(result, place))
        return [int(about.getColumnType(place)), str(about.getColumnTypeName(place)), values]


def shape(sql: str) -> list[int]:
    """The number of rows and columns of a result, and the sum of its first column."""
    with CONNECTIONS[-1].createStatement() as statement:
        result = statement.executeQuery(sql)
        columns = int(result.getMetaData().getColumnCount())  # before its end, with which it is closed
        rows = total = 0
        while result.next():
            rows, total = rows + 1, total + int(result.getInt(1))
        return [rows, columns, total]


def side_by_side(sql: str) -> int:
    """How many rows two open results of a statement have in common, read in turns, with a commit on the way."""
    connection = CONNECTIONS[-1]
    connection.setAutoCommit(False)
    with connection.createStatement() as one, connection.createStatement() as other:
        left, right = one.executeQuery(sql), other.executeQuery(sql)
        rows = 0
        while left.next() and right.next():
            assert left.getInt(1) == right.getInt(1)
            rows += 1
            if rows == 10:
                connection.commit()
    connection.commit()
    connection.setAutoCommit(True)
    return rows


def prepared(sql: str, *rows: list[Any]) -> int:
    """Run a prepared statement with parameters, [setter, text] each, row by row; how many rows it changed."""
    with CONNECTIONS[-1].prepareStatement(sql) as statement:
        return sum(_set(statement, row).executeUpdate() for row in rows)


def batch(sql: str, *rows: list[Any]) -> list[int]:
    """The same, in one batch."""
    with CONNECTIONS[-1].prepareStatement(sql) as statement:
        for row in rows:
            _set(statement, row).addBatch()
        return [int(count) for count in statement.executeBatch()]


def bound(sql: str, *values: list[Any]) -> list[str]:
    """The first column of a statement with parameters."""
    with CONNECTIONS[-1].prepareStatement(sql) as statement:
        result = _set(statement, values).executeQuery()
        found = []
        while result.next():
            found.append(str(result.getString(1)))
        return found


def update(sql: str) -> int:
    """How many rows a statement says it changed."""
    with CONNECTIONS[-1].createStatement() as statement:
        return int(statement.executeUpdate(sql))


def called(sql: str) -> list[str]:
    """The first column of a procedure's result set."""
    with CONNECTIONS[-1].prepareCall(sql) as statement:
        assert statement.execute()
        result = statement.getResultSet()
        found = []
        while result.next():
            found.append(str(result.getString(1)))
        return found


def timed_out(sql: str) -> None:
    """A statement that may take a second."""
    with CONNECTIONS[-1].createStatement() as statement:
        statement.setQueryTimeout(1)
        statement.execute(sql)


def isolated(level: int, sql: str) -> list[int]:
    """`shape` at a level of isolation."""
    CONNECTIONS[-1].setTransactionIsolation(level)
    return shape(sql)


def metadata(method: str, *arguments: Any) -> list[str]:
    """The first column of a method of DatabaseMetaData."""
    result = getattr(CONNECTIONS[-1].getMetaData(), method)(*arguments)
    found = []
    while result.next():
        found.append(str(result.getString(1)))
    return found


def _shown(result: Any, place: int) -> str | None:
    value = result.getObject(place)
    if value is None:
        return None
    if isinstance(value, jpype.JClass("java.sql.Clob")):
        return str(value.getSubString(1, int(value.length())))
    if isinstance(value, jpype.JClass("java.sql.Blob")):
        return bytes(value.getBytes(1, int(value.length()))).hex()
    if isinstance(value, jpype.JArray(jpype.JByte)):
        return bytes(value).hex()
    return str(value)


def _set(statement: Any, row: Any) -> Any:
    for place, (setter, value) in enumerate(row, 1):
        if setter == "setNull":
            statement.setNull(place, value)
        elif setter in {"setBytes", "setBinaryStream"}:
            data = jpype.JArray(jpype.JByte)(bytes.fromhex(value))
            stream = setter == "setBinaryStream"
            getattr(statement, setter)(place, jpype.JClass("java.io.ByteArrayInputStream")(data) if stream else data)
        elif setter == "setCharacterStream":
            statement.setCharacterStream(place, jpype.JClass("java.io.StringReader")(value), len(value))
        elif setter in _CLASSES or setter in _NUMBERS:
            getattr(statement, setter)(place, _java(setter, value))
        else:
            getattr(statement, setter)(place, value)
    return statement


def _java(setter: str, value: Any) -> Any:
    if setter in _NUMBERS:
        return _NUMBERS[setter](value)
    made = jpype.JClass(_CLASSES[setter])
    return made(value) if setter == "setBigDecimal" else made.valueOf(value)


_NUMBERS = {"setShort": jpype.JShort, "setLong": jpype.JLong, "setFloat": jpype.JFloat}
_CLASSES = {
    "setBigDecimal": "java.math.BigDecimal",
    "setDate": "java.sql.Date",
    "setTime": "java.sql.Time",
    "setTimestamp": "java.sql.Timestamp",
}
_JOBS = {
    job.__name__: job
    for job in (connect, valid, column, shape, side_by_side, prepared, batch, bound, update, called, timed_out, isolated, metadata)
}  # fmt: skip

if __name__ == "__main__":
    main()
