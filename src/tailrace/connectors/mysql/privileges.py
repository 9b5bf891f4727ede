"""What the connector's user may do on the server, as SHOW GRANTS tells it.

Source: MySQL Reference Manual, "SHOW GRANTS Statement".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.connection import Connection, rows

EVERYTHING: Final = "ALL PRIVILEGES"
_GRANT: Final = re.compile(r"GRANT (?P<what>.+?) ON (?P<where>.+?) TO ", re.DOTALL | re.IGNORECASE)


def privileges(connection: Connection) -> list[tuple[str, str]]:
    """What the user may do, roles included: (privilege, where) with `*.*` or a database's or table's name."""
    grants = [row[0] for row in rows(connection, "SHOW GRANTS")]
    roles = [row[0] for row in _current_roles(connection)]
    if roles and roles[0] != "NONE":
        grants = [row[0] for row in rows(connection, f"SHOW GRANTS FOR CURRENT_USER() USING {roles[0]}")]
    return [pair for grant in grants for pair in _parse_grant(grant)]


def _current_roles(connection: Connection) -> list[tuple[Any, ...]]:
    if catalog.server(connection).version < (8, 0, 0):
        return []
    return rows(connection, "SELECT CURRENT_ROLE()")


def _parse_grant(grant: str) -> Iterable[tuple[str, str]]:
    """A GRANT statement; the grant of a role has no ON and is left out."""
    matched = _GRANT.match(grant)
    if not matched:
        return []
    where = matched["where"].replace("`", "").replace("\\_", "_").replace("\\%", "%")
    names = re.sub(r"\([^)]*\)", "", matched["what"]).split(",")
    return [(name.strip().upper(), where) for name in names]


def account(connection: Connection) -> str:
    """The account that the privileges of this connection belong to, as GRANT names it."""
    ((current,),) = rows(connection, "SELECT CURRENT_USER()")
    name, _, host = str(current).rpartition("@")
    return f"'{name}'@'{host}'"
