"""How changes of one table propagate to others: views, triggers, foreign keys, functions.

What the user may not see counts as existing: information_schema shows triggers only to users with the privilege
TRIGGER.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from tailrace.connectors.mysql.catalog import Wanted
from tailrace.connectors.mysql.connection import Connection, rows
from tailrace.connectors.mysql.data_statements import DataStatement
from tailrace.connectors.mysql.privileges import EVERYTHING, account, privileges
from tailrace.schema.tables import TableId

CARRYING_ENGINES: Final = frozenset({"MRG_MYISAM", "FEDERATED"})  # their rows are those of other tables
CARRYING_RULES: Final = ("CASCADE", "SET NULL", "SET DEFAULT")
CALLED_BY_VIEWS: Final = (
    "SELECT SPECIFIC_SCHEMA, SPECIFIC_NAME FROM information_schema.VIEW_ROUTINE_USAGE WHERE SPECIFIC_SCHEMA <> 'sys'"
)
SHOWS_TABLES: Final = frozenset({"SELECT", EVERYTHING})  # the user must also see the tables in between
SHOWS_ROUTINES: Final = frozenset({"SELECT", "SHOW_ROUTINE", EVERYTHING})


class PropagatedChanges:
    """Queries one server."""

    def __init__(self, session: Connection) -> None:
        self._session = session
        self._held = privileges(session)

    def objection(
        self, tables: Sequence[TableId], statement: DataStatement, captured: Wanted
    ) -> tuple[str | None, frozenset[TableId]]:
        """Why a statement on these tables may change captured ones, or None; and all the tables that it reaches."""
        if tables and statement.changes_keys and not self._holds_everywhere(SHOWS_TABLES):
            grant = f"GRANT SELECT ON *.* TO {account(self._session)};"
            why = f"whether foreign keys carry changes on can't be seen without SELECT on all tables ({grant})"
            return why, frozenset(tables)
        reached = self._with_cascades(tables) if statement.changes_keys else list(tables)
        cascaded = [table for table in reached if captured(table)]
        if cascaded:
            return f"a foreign key carries changes on to {_shown(cascaded[0])}", frozenset(reached)
        reasons = (reason for table in reached if (reason := self._of_table(table)))
        return next(reasons, None) or self._of_calls(statement), frozenset(reached)

    def _of_table(self, table: TableId) -> str | None:
        found = rows(
            self._session,
            "SELECT TABLE_TYPE, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s",
            table.catalog,
            table.name,
        )
        if not found:
            return f"the server has no table {_shown(table)} now, or does not show it to this user"
        ((kind, engine),) = found
        if kind != "BASE TABLE":
            return f"{_shown(table)} is a view"
        if str(engine).upper() in CARRYING_ENGINES:
            return f"{_shown(table)} has the engine {engine}, whose rows are those of other tables"
        return self._of_triggers(table)

    def _of_triggers(self, table: TableId) -> str | None:
        if not self._holds({"TRIGGER", EVERYTHING}, table):
            grant = f"GRANT TRIGGER ON `{table.catalog}`.`{table.name}` TO {account(self._session)};"
            return f"whether {_shown(table)} has triggers can't be seen without the privilege TRIGGER ({grant})"
        found = rows(
            self._session,
            "SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = %s AND EVENT_OBJECT_TABLE = %s",
            table.catalog,
            table.name,
        )
        return f"{_shown(table)} has the trigger {found[0][0]}" if found else None

    def _of_calls(self, statement: DataStatement) -> str | None:
        """The objection to stored functions that the statement calls, or that views it reads may call."""
        if not statement.calls and not statement.reads:
            return None
        if not self._holds_everywhere(SHOWS_ROUTINES):
            grant = f"GRANT SHOW_ROUTINE ON *.* TO {account(self._session)};"
            return f"whether it calls stored functions can't be seen without the privilege SHOW_ROUTINE ({grant})"
        sql = "SELECT ROUTINE_SCHEMA, ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_TYPE = 'FUNCTION'"
        stored = {(str(schema).lower(), str(name).lower()) for schema, name in rows(self._session, sql)}
        found = [f"{schema}.{name}" for schema, name in sorted(statement.calls) if (schema, name) in stored]
        return f"it calls the stored function {found[0]}" if found else self._of_views(statement.reads)

    def _of_views(self, reads: Collection[str]) -> str | None:
        """The objection to views that are read, if any views call stored functions; nesting is not resolved."""
        if not reads or not (calling := rows(self._session, CALLED_BY_VIEWS)):
            return None
        views = rows(self._session, "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.VIEWS")
        found = [f"{schema}.{name}" for schema, name in views if str(name).lower() in reads]
        if not found:
            return None
        return f"it may read the view {found[0]}, and views call stored functions ({calling[0][0]}.{calling[0][1]})"

    def _with_cascades(self, tables: Sequence[TableId]) -> list[TableId]:
        """The tables, and those that foreign keys propagate their changes to."""
        edges = rows(
            self._session,
            "SELECT UNIQUE_CONSTRAINT_SCHEMA, REFERENCED_TABLE_NAME, CONSTRAINT_SCHEMA, TABLE_NAME"
            " FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE DELETE_RULE IN %s OR UPDATE_RULE IN %s",
            CARRYING_RULES,
            CARRYING_RULES,
        )
        reached = list(tables)
        for table in reached:  # grows meanwhile
            for schema, parent, child_schema, child in edges:
                found = TableId(child_schema, "", child)
                if (schema, parent) == (table.catalog, table.name) and found not in reached:
                    reached.append(found)
        return reached

    def _holds_everywhere(self, names: Collection[str]) -> bool:
        return any(name in names and where == "*.*" for name, where in self._held)

    def _holds(self, names: set[str], table: TableId) -> bool:
        places = {"*.*", f"{table.catalog}.*", f"{table.catalog}.{table.name}"}
        return any(name in names and where in places for name, where in self._held)


def _shown(table: TableId) -> str:
    return f"{table.catalog}.{table.name}"
