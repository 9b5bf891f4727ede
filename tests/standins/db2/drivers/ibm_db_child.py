"""ibm_db: `python ibm_db_child.py < jobs > results`. Values are told as text, bytes as hexadecimal digits."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import ibm_db

CONNECTIONS: list[Any] = []


def main() -> None:
    """Carry jobs out until there are no more."""
    for line in sys.stdin:
        job = json.loads(line)
        try:
            told: dict[str, Any] = {"result": _JOBS[job["job"]](*job["arguments"])}
        except Exception as error:
            code = re.search(r"SQLCODE=(-?\d+)", str(error))
            state = re.search(r"SQLSTATE=(\w{5})", str(error))
            told = {"error": str(error), "code": code and int(code[1]), "state": state and state[1]}
        print(json.dumps(told), flush=True)


def connect(port: int, password: str, database: str = "TESTDB", options: str = "") -> bool:
    """Connect; later jobs use the last connection."""
    text = f"DATABASE={database};HOSTNAME=127.0.0.1;PORT={port};PROTOCOL=TCPIP;UID=app;PWD={password};{options}"
    CONNECTIONS.append(ibm_db.connect(text, "", ""))
    return True


def query(sql: str) -> list[list[Any]]:
    """The rows of a statement."""
    return _rows(ibm_db.exec_immediate(CONNECTIONS[-1], sql))


def shape(sql: str) -> list[int]:
    """The number of rows and columns of a result, and the sum of its first column."""
    statement = ibm_db.exec_immediate(CONNECTIONS[-1], sql)
    rows = total = 0
    while row := ibm_db.fetch_tuple(statement):
        rows, total = rows + 1, total + row[0]
    return [rows, ibm_db.num_fields(statement), total]


def prepared(sql: str, *rows: list[Any]) -> int:
    """Run a prepared statement with parameters, [kind, text] each, row by row; how many rows the last one changed."""
    statement = ibm_db.prepare(CONNECTIONS[-1], sql)
    for row in rows:
        ibm_db.execute(statement, tuple(_given(*value) for value in row))
    return int(ibm_db.num_rows(statement))


def bound(sql: str, *values: list[Any]) -> list[list[Any]]:
    """The rows of a statement with parameters."""
    statement = ibm_db.prepare(CONNECTIONS[-1], sql)
    ibm_db.execute(statement, tuple(_given(*value) for value in values))
    return _rows(statement)


def update(sql: str) -> int:
    """How many rows a statement says it changed."""
    return int(ibm_db.num_rows(ibm_db.exec_immediate(CONNECTIONS[-1], sql)))


def end(how: str) -> bool:
    """Commit or roll back."""
    return bool(getattr(ibm_db, how)(CONNECTIONS[-1]))


def _rows(statement: Any) -> list[list[Any]]:
    found = []
    while row := ibm_db.fetch_tuple(statement):
        found.append([value.hex() if isinstance(value, bytes) else None if value is None else str(value) for value in row])
    return found


def _given(kind: str, text: Any) -> Any:
    return bytes.fromhex(text) if kind == "bytes" else int(text) if kind == "int" else text


_JOBS = {job.__name__: job for job in (connect, query, shape, prepared, bound, update, end)}

if __name__ == "__main__":
    main()
