"""The rows of IBMSNAP_REGISTER, and the tables that are registered, as `tailrace check` looks at them.

Source: IBM Db2 documentation, "IBMSNAP_REGISTER table", "SYSCAT.TABLES" (DATACAPTURE)
"""

# ruff: noqa: S608  # names are quoted
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tailrace.connectors.db2.catalog_sql import name
from tailrace.connectors.db2.connection import Session, literal
from tailrace.connectors.db2.setup_sql import Services
from tailrace.schema.tables import TableId

ACTIVE, INACTIVE, STOPPED = "A", "I", "S"
_TABLES: Final = "SYSCAT.TABLES", "TABSCHEMA", "TABNAME"
_TABLES_OF_ZOS: Final = "SYSIBM.SYSTABLES", "CREATOR", "NAME"
_ROUTINES: Final = "SELECT ROUTINENAME FROM SYSCAT.ROUTINES WHERE ROUTINESCHEMA = {}"


@dataclass(frozen=True, slots=True)
class Registration:
    """A registered table.

    Attributes:
        table: the source table.
        owner: the change table's schema.
        change_table: its name.
        is_there: whether the change table exists.
        state: A active, I inactive, S stopped by an error.
        told: STATE_INFO, the number of the program's message; empty without one.
        has_pairs: whether an update comes as a delete and an insert.
        is_logged: whether the log has whole rows of the source (DATA CAPTURE CHANGES).

    """

    table: TableId
    owner: str
    change_table: str
    is_there: bool
    state: str
    told: str
    has_pairs: bool
    is_logged: bool


def services_of(session: Session, schema: str, *, is_zos: bool) -> Services:
    """How SQL Replication is operated in the session's database."""
    if is_zos:
        return Services(session.database, schema, is_zos=True)
    names = {found.strip() for (found,) in session.rows(_ROUTINES.format(literal(schema)))}
    return Services(session.database, schema, "ADDTABLE" in names, "ASNCDCSERVICES" in names)


def registrations(session: Session, services: Services) -> dict[TableId, Registration]:
    """The registrations by source table, sorted."""
    tables, owner, table = _TABLES_OF_ZOS if services.is_zos else _TABLES
    asked = (f"r.{each}" for each in ("SOURCE_OWNER", "SOURCE_TABLE", "CD_OWNER", "CD_TABLE"))
    rows = session.rows(
        f"SELECT {', '.join(name(each, is_zos=services.is_zos) for each in asked)}, c.{table}, "
        f"r.STATE, r.STATE_INFO, r.CHG_UPD_TO_DEL_INS, t.DATACAPTURE "
        f"FROM {services.control('IBMSNAP_REGISTER')} r "
        f"LEFT JOIN {tables} t ON t.{owner} = r.SOURCE_OWNER AND t.{table} = r.SOURCE_TABLE "
        f"LEFT JOIN {tables} c ON c.{owner} = r.CD_OWNER AND c.{table} = r.CD_TABLE "
        "WHERE r.SOURCE_OWNER <> '' ORDER BY r.SOURCE_OWNER, r.SOURCE_TABLE"
    )
    found = [_registration(session.database, row) for row in rows]
    return {each.table: each for each in found}


def _registration(database: str, row: tuple[Any, ...]) -> Registration:
    owner, table, cd_owner, cd_table, there, state, told, pairs, logged = row
    return Registration(
        TableId(database, owner.rstrip(" "), table),
        (cd_owner or "").rstrip(" "),
        cd_table or "",
        is_there=there is not None,
        state=state or INACTIVE,
        told=(told or "").strip(),
        has_pairs=pairs == "Y",
        is_logged=(logged or "").strip() in {"Y", "L"},
    )
