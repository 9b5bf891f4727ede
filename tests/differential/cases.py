"""The history that both systems read: the SQL of `cases/`, run once against one server.

Each file is a case with databases of its own. Statements end with a semicolon at a line's end; a file's statements
share one session, which starts with the server's defaults.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pymysql
import pymysql.cursors

FOLDER = Path(__file__).with_name("cases")
MARKER_DATABASE = "tailrace_marker"
FIRST = (f"CREATE DATABASE {MARKER_DATABASE}",)  # with GTIDs, Debezium can't start from an empty set
MARKER = (
    f"CREATE TABLE IF NOT EXISTS {MARKER_DATABASE}.marker (id INT PRIMARY KEY AUTO_INCREMENT)",
    f"INSERT INTO {MARKER_DATABASE}.marker VALUES ()",
)


def connect(port: int, host: str = "127.0.0.1") -> pymysql.Connection[Any]:
    """A session with the server's own defaults."""
    return pymysql.connect(host=host, port=port, user="root", password="", charset="utf8mb4", autocommit=None)


def statements(case: str) -> Iterator[str]:
    """The statements of one case, in order, without its comment lines."""
    text = (FOLDER / f"{case}.sql").read_text(encoding="utf-8")
    text = re.sub(r"^--.*\n", "", text, flags=re.MULTILINE)
    return (part.strip() for part in re.split(r";\s*$", text, flags=re.MULTILINE) if part.strip())


def binlog_position(port: int) -> Mapping[str, Any]:
    """The newest position of the server's log, as Debezium's offsets have it."""
    with connect(port) as connection, connection.cursor(pymysql.cursors.DictCursor) as cursor:
        cursor.execute("SHOW BINARY LOG STATUS")
        status = cursor.fetchone() or {}
    position = {"ts_sec": 0, "file": status["File"], "pos": int(status["Position"])}
    gtids = status["Executed_Gtid_Set"].replace("\n", "")
    return position | ({"gtids": gtids} if gtids else {})


def play(port: int, names: Sequence[str]) -> None:
    """Run cases, each in a session of its own, and then the marker."""
    for name in names:
        run_all(port, list(statements(name)), name)
    run_all(port, MARKER, "marker")


def run_all(port: int, sql: Sequence[str], case: str = "") -> None:
    """Run statements in one session."""
    with connect(port) as connection, connection.cursor() as cursor:
        for statement in sql:
            try:
                cursor.execute(statement)
            except pymysql.MySQLError as error:
                raise ValueError(f"{case}: {error}: {statement[:300]}") from error
