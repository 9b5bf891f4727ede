"""Creates the inventory database if it is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tailrace_standins.sqlserver.session import Login, Server, SqlError, run

_SCRIPT: Final = Path(__file__).with_name("inventory.sql")
_CANNOT_OPEN: Final = 4060


def fill(server: Server, database: str, password: str) -> bool:
    """Create and fill the database; returns False if one of that name exists. Raises `SqlError`, also for a wrong password."""
    try:
        server.login(Login("sa", password, database)).close()
    except SqlError as error:
        if error.number != _CANNOT_OPEN:
            raise
    else:
        return False
    session = server.login(Login("sa", password, "master"))
    try:
        run(session, f"CREATE DATABASE [{database.replace(']', ']]')}]")
    finally:
        session.close()
    session = server.login(Login("sa", password, database))
    try:
        for batch in _batches(_SCRIPT.read_text(encoding="utf-8")):
            run(session, batch)
    finally:
        session.close()
    return True


def _batches(script: str) -> Iterator[str]:
    """The batches of a script, which lines with GO separate."""
    lines: list[str] = []
    for line in script.splitlines():
        if line.strip().upper() == "GO":
            yield "\n".join(lines)
            lines = []
        else:
            lines.append(line)
