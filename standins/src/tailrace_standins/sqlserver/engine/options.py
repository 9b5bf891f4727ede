"""SET options.

Source: "SET statements", https://learn.microsoft.com/sql/t-sql/statements/set-statements-transact-sql
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import reading, tree, types
from tailrace_standins.sqlserver.engine.compiling.queries import QueryCompiler
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.system import SystemView
from tailrace_standins.sqlserver.session import Isolation, Outcome

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

_LEVELS: Final = {
    "READ UNCOMMITTED": Isolation.READ_UNCOMMITTED,
    "READ COMMITTED": Isolation.READ_COMMITTED,
    "REPEATABLE READ": Isolation.REPEATABLE_READ,
    "SERIALIZABLE": Isolation.SERIALIZABLE,
    "SNAPSHOT": Isolation.SNAPSHOT,
}
# Options that change no result here, or whose usual value is the only one there is.
IGNORED: Final = frozenset(
    (
        *(
            "ANSI_NULLS",
            "ANSI_NULL_DFLT_ON",
            "ANSI_PADDING",
            "ANSI_WARNINGS",
            "ANSI_DEFAULTS",
            "ARITHABORT",
            "ARITHIGNORE",
        ),
        *(
            "CONCAT_NULL_YIELDS_NULL",
            "CURSOR_CLOSE_ON_COMMIT",
            "DATEFIRST",
            "DATEFORMAT",
            "FMTONLY",
            "LANGUAGE",
            "TEXTSIZE",
        ),
        *(
            "NUMERIC_ROUNDABORT",
            "QUOTED_IDENTIFIER",
            "CONTEXT_INFO",
            "QUERY_GOVERNOR_COST_LIMIT",
            "FORCEPLAN",
            "NO_BROWSETABLE",
        ),
        *(
            "NOEXEC",
            "PARSEONLY",
            "SHOWPLAN_ALL",
            "SHOWPLAN_TEXT",
            "SHOWPLAN_XML",
            "REMOTE_PROC_TRANSACTIONS",
            "FIPS_FLAGGER",
        ),
    )
)
# Values that would change results, and do not here.
REFUSED_VALUES: Final = frozenset(
    (
        *((name, "OFF") for name in ("ANSI_NULLS", "ANSI_PADDING", "CONCAT_NULL_YIELDS_NULL", "QUOTED_IDENTIFIER")),
        *((name, "ON") for name in ("NOEXEC", "PARSEONLY", "FMTONLY", "SHOWPLAN_ALL", "SHOWPLAN_TEXT", "SHOWPLAN_XML")),
        *(("NUMERIC_ROUNDABORT", "ON"), ("REMOTE_PROC_TRANSACTIONS", "ON")),
        *(("DATEFORMAT", value) for value in ("DMY", "YMD", "YDM", "MYD", "DYM")),
    )
)
_PRIORITIES: Final = {"LOW": -5, "NORMAL": 0, "HIGH": 5}


def set_option(session: EngineSession, statement: tree.SetOption) -> Iterator[Outcome]:
    """SET option value; raises 155 and 195 for unknown ones."""
    for name in statement.name.split(","):
        _set(session, statement, name)
    yield from ()


def _set(session: EngineSession, statement: tree.SetOption, name: str) -> None:
    value = statement.value[0] if statement.value else ""
    match name:
        case "TRANSACTION ISOLATION LEVEL":
            _isolate(session, value)
        case "LOCK_TIMEOUT":
            session.lock_timeout = _number(session, statement)
        case "ROWCOUNT":
            if _number(session, statement):
                raise unsupported("SET ROWCOUNT other than 0")
        case "DEADLOCK_PRIORITY":
            session.deadlock_priority = _PRIORITIES[value] if value in _PRIORITIES else _number(session, statement)
        case "IMPLICIT_TRANSACTIONS":
            session.implicit_transactions = value == "ON"
        case "XACT_ABORT":
            session.xact_abort = value == "ON"
        case "NOCOUNT":
            session.nocount = value == "ON"
        case "IDENTITY_INSERT":
            _identity_insert(session, statement.table, is_on=value == "ON")
        case "DATEFIRST":
            if _number(session, statement) != 7:
                raise unsupported("SET DATEFIRST other than 7")
        case _:
            if name not in IGNORED and not name.startswith("STATISTICS "):
                raise error(195, name)
            if (name, value) in REFUSED_VALUES:
                raise unsupported(f"SET {name} {value}")


def _isolate(session: EngineSession, value: str) -> None:
    level = _LEVELS.get(value)
    if level is None:
        raise error(155, value, "SET TRANSACTION ISOLATION LEVEL")
    if (
        level is Isolation.SNAPSHOT
        and session.transaction is not None
        and session.transaction.statements
        and session.transaction.snapshot is None
    ):
        raise error(3951, session.database)
    session.isolation = level


def _number(session: EngineSession, statement: tree.SetOption) -> int:
    if statement.expression is None:
        raise error(102, statement.name)
    return int(reading.evaluate(session, statement, 0, statement.expression, types.INT) or 0)


def _identity_insert(session: EngineSession, names: tuple[str, ...], *, is_on: bool) -> None:
    _, table = QueryCompiler(session).table(names)
    if isinstance(table, SystemView) or table.identity is None:
        raise error(8106, ".".join(names))
    current = session.identity_insert
    if is_on and current is not None and current.id != table.id:
        raise error(8107, current.name, table.name)
    session.identity_insert = table if is_on else None
