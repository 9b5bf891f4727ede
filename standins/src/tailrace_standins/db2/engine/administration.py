"""What administrators do by CALL SYSPROC.ADMIN_CMD and statements: statistics, the configuration, rights.

Source: IBM Db2 documentation, "ADMIN_CMD procedure", "RUNSTATS", "UPDATE DATABASE CONFIGURATION", "GRANT"
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tailrace_standins.db2.engine import rights, tree
from tailrace_standins.db2.engine.catalog import Statistics, Table
from tailrace_standins.db2.engine.rights import Grant
from tailrace_standins.db2.session import SqlError
from tailrace_standins.storage.sessions import Stored
from tailrace_standins.storage.transactions import Undo, write
from tailrace_standins.storage.visibility import LIVE

if TYPE_CHECKING:
    from tailrace_standins.db2.engine.log import Transaction
    from tailrace_standins.db2.engine.session import EngineSession

_PAGE: Final = 4096
_CONFIGURATION: Final = re.compile(
    r"UPDATE\s+(?:DB|DATABASE)\s+(?:CFG|CONFIGURATION)\s+(?:FOR\s+\w+\s+)?USING\s+(.*)", re.IGNORECASE | re.DOTALL
)


def command(session: EngineSession, text: Stored) -> None:
    """ADMIN_CMD; raises `SqlError` -20492 for a command that is not known here."""
    given = str(text).strip()
    if match := _CONFIGURATION.fullmatch(given):
        words = match[1].split()
        session.database.configuration |= dict(zip(map(str.lower, words[::2]), words[1::2], strict=True))
        session.database.version += 1
    elif given.upper().startswith("RUNSTATS "):
        session.run(given)
    elif not given.upper().startswith("REORG "):
        raise SqlError(-20492, "38000", given)


def collect_statistics(session: EngineSession, table: Table) -> None:
    """RUNSTATS: what SYSCAT.TABLES and SYSCAT.COLUMNS tell of a table's size."""
    lengths = "".join(f", AVG(LENGTH(CAST({column.slot} AS BLOB)))" for column in table.columns)
    ((rows, *widths),) = session.connection.rows(f"SELECT COUNT(*){lengths} FROM {table.storage} WHERE e={LIVE}")
    of_columns = {column.id: round(width or 0) for column, width in zip(table.columns, widths, strict=True)}
    width = sum(of_columns.values()) + 10
    pages = -(-rows * width // _PAGE)
    session.database.statistics[table.id] = Statistics(rows, max(pages, 1), width, of_columns, session.now())
    session.database.version += 1


def change_rights(session: EngineSession, node: tree.Rights) -> None:
    """GRANT or REVOKE, which a rollback takes back."""
    database = session.database
    schema, name = "", ""
    if node.kind == "TABLE":
        schema, name = session.named(node.names)
        rights.check(database, session.login.user.upper(), "CONTROL", database.find(schema, name))
    elif node.kind == "SCHEMA":
        schema = node.names[0]
    grants = [Grant(grantee, node.kind, schema, name) for grantee in node.grantees]
    made = (rights.granted if node.gives else rights.revoked)(database, grants, frozenset(node.privileges))

    def put(given: dict[Grant, frozenset[str]]) -> None:
        database.grants = given
        database.version += 1

    def work(transaction: Transaction) -> None:
        old = database.grants
        put(made)
        transaction.undo.append(Undo(action=lambda _: put(old)))

    write(session, work)
