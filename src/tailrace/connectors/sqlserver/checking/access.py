"""Checks whether a login may read the schema cdc, the change tables, and for snapshots the tables.

Source: https://learn.microsoft.com/sql/t-sql/functions/has-perms-by-name-transact-sql
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tailrace.config.properties.snapshots import WITH_ROWS
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.findings import Finding, Level, listed
from tailrace.connectors.sqlserver import setup_sql
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.schema.tables import TableId

_LOGIN: Final = """
    SELECT USER_NAME(), ISNULL(IS_SRVROLEMEMBER('sysadmin'), 0), ISNULL(IS_ROLEMEMBER('db_owner'), 0)"""
_CATALOG: Final = ("change_tables", "captured_columns", "index_columns", "lsn_time_mapping", "ddl_history")
_MAY_READ: Final = "SELECT ISNULL(HAS_PERMS_BY_NAME(?, 'OBJECT', 'SELECT'), 0)"
_CLOSED_CHANGES: Final = """
    SELECT capture_instance FROM cdc.change_tables
    WHERE ISNULL(HAS_PERMS_BY_NAME(N'cdc.' + QUOTENAME(capture_instance + N'_CT'), 'OBJECT', 'SELECT'), 0) = 0"""
_CLOSED_TABLES: Final = """
    SELECT s.name, t.name FROM sys.tables t JOIN sys.schemas s ON s.schema_id = t.schema_id
    WHERE ISNULL(HAS_PERMS_BY_NAME(QUOTENAME(s.name) + N'.' + QUOTENAME(t.name), 'OBJECT', 'SELECT'), 0) = 0"""
_IS_MEMBER: Final = "SELECT IS_ROLEMEMBER(?)"
_HIDDEN: Final = """
    SELECT COUNT(*) FROM cdc.change_tables c
    WHERE NOT EXISTS (SELECT 1 FROM sys.tables t WHERE t.object_id = c.source_object_id)"""


@dataclass(frozen=True, slots=True)
class Login:
    """The login in one database.

    Attributes:
        user: the database user.
        is_owner: whether the user has all permissions.
        may_read_catalog: whether the user may read the tables of the schema cdc that describe what is captured.

    """

    user: str
    is_owner: bool
    may_read_catalog: bool


def login(session: Session) -> Login:
    """The session's login."""
    [(user, is_admin, is_owner)] = session.rows(_LOGIN)
    may_read = all(session.one(_MAY_READ, quoted("cdc", table)) for table in _CATALOG)
    return Login(str(user), bool(is_admin or is_owner), may_read)


def of_schema(session: Session, who: Login) -> Finding:
    """Whether the tables of the schema cdc can be read; without them nothing can."""
    database = session.database
    if who.may_read_catalog:
        return Finding(Level.OK, f"{database}: the user {who.user} may read the schema cdc")
    what = f"{database}: the user {who.user} may not read the schema cdc, where changes are kept"
    return Finding(Level.ERROR, what, statements=(setup_sql.grant_select_on_schema(database, "cdc", who.user),))


def findings(
    session: Session, settings: SqlServerSettings, who: Login, instances: Sequence[Instance], tables: Sequence[TableId]
) -> Iterator[Finding]:
    """The missing permissions; `instances` and `tables` are the captured ones."""
    if who.is_owner:
        return
    yield from _hidden(session)
    yield from _gated(session, settings, who, instances)
    if settings.snapshot_mode in WITH_ROWS:
        yield from _unread(session, who, tables)


def _hidden(session: Session) -> Iterator[Finding]:
    """Captured tables that the user can't see: the catalogue views leave them out."""
    hidden = session.one(_HIDDEN)
    if hidden:
        what = f"{session.database}: {hidden} captured tables can't be seen, and are not read"
        yield Finding(Level.WARNING, what, "GRANT SELECT on those that are wanted, or on their schema")


def _gated(
    session: Session, settings: SqlServerSettings, who: Login, instances: Sequence[Instance]
) -> Iterator[Finding]:
    """Missing roles and permissions on change tables.

    The query functions check the gating role, whereas change tables themselves need only permissions.
    """
    if settings.data_query_mode == "function":
        roles = {each.role for each in instances if each.role is not None}
        outside = {role for role in roles if not session.one(_IS_MEMBER, role)}
        gated = [each.table for each in instances if each.role in outside]
        if gated:
            names = sorted(outside)
            what = (
                f"{session.database}: the user {who.user} is not in the roles {', '.join(names)}, which {listed(gated)} "
                "are gated by"
            )
            statements = tuple(setup_sql.add_to_role(session.database, role, who.user) for role in names)
            yield Finding(Level.ERROR, what, statements=statements)
    closed = {name for (name,) in session.rows(_CLOSED_CHANGES)}
    withheld = [each for each in instances if each.name in closed]
    if withheld:
        what = (
            f"{session.database}: the user {who.user} may not read {listed([each.change_table for each in withheld])}"
        )
        statements = tuple(setup_sql.grant_select(_in_cdc(each), who.user) for each in withheld)
        yield Finding(Level.ERROR, what, statements=statements)


def _unread(session: Session, who: Login, tables: Sequence[TableId]) -> Iterator[Finding]:
    closed = {TableId(session.database, schema, table) for schema, table in session.rows(_CLOSED_TABLES)}
    withheld = [each for each in tables if each in closed]
    if withheld:
        what = f"{session.database}: the user {who.user} may not read {listed(withheld)}, so a snapshot can't"
        statements = tuple(setup_sql.grant_select(table, who.user) for table in withheld)
        yield Finding(Level.ERROR, what, statements=statements)


def _in_cdc(instance: Instance) -> TableId:
    return TableId(instance.table.catalog, "cdc", instance.change_table)
