"""The inventory database, made where it is not there yet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tailrace.standin.sqlserver.session import Failed, Login, ResultSet, Server, Session, SqlError

_SCRIPT: Final = Path(__file__).with_name("inventory.sql")
_CANNOT_OPEN: Final = 4060


def fill(server: Server, database: str, password: str) -> bool:
    """Make and fill the database; False where there is one of that name. Raises `SqlError`, also of a wrong password."""
    try:
        server.login(Login("sa", password, database)).close()
    except SqlError as error:
        if error.number != _CANNOT_OPEN:
            raise
    else:
        return False
    session = server.login(Login("sa", password, "master"))
    try:
        _run(session, f"CREATE DATABASE [{database.replace(']', ']]')}]")
    finally:
        session.close()
    session = server.login(Login("sa", password, database))
    try:
        for batch in _batches(_SCRIPT.read_text(encoding="utf-8")):
            _run(session, batch)
    finally:
        session.close()
    return True


def _run(session: Session, sql: str) -> None:
    for outcome in session.batch(sql):
        if isinstance(outcome, Failed):
            raise outcome.error
        if isinstance(outcome, ResultSet):
            for _ in outcome.pieces:
                pass


def _batches(script: str) -> Iterator[str]:
    """The batches of a script: what stands between lines of GO."""
    lines: list[str] = []
    for line in script.splitlines():
        if line.strip().upper() == "GO":
            yield "\n".join(lines)
            lines = []
        else:
            lines.append(line)
