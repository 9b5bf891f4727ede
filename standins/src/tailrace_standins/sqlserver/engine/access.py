"""What a session may read and write: by its replica, and by its login's users, roles and permissions.

On a secondary every read is of row versions, whatever isolation level or hint a statement has, and only #tables and table
variables can be written. A login of CREATE LOGIN has what its users were granted. Anybody else who knows the server's
password is sysadmin, and dbo in every database.

Sources: "Offload read-only workload to secondary replica of an Always On availability group",
https://learn.microsoft.com/sql/database-engine/availability-groups/windows/active-secondaries-readable-secondary-replicas-always-on-availability-groups;
"Permissions", https://learn.microsoft.com/sql/relational-databases/security/permissions-database-engine
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.principals import OWNER, SYSADMIN, ServerLogin, Target, User
from tailrace_standins.sqlserver.engine.scope import TableRead, ViewRead
from tailrace_standins.sqlserver.session import Isolation, SqlError

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

VIEW_SERVER_STATE: Final = "VIEW SERVER STATE"
VIEW_DATABASE_STATE: Final = "VIEW DATABASE STATE"
_GUEST: Final = User("guest", 2)
_DDL: Final = "db_ddladmin"
_SEEING: Final = ("SELECT", "INSERT", "UPDATE", "DELETE", "CONTROL", "VIEW DEFINITION")


def login_of(session: EngineSession) -> ServerLogin | None:
    """The login, if CREATE LOGIN created it."""
    return session.engine.catalog.database("master").principals.logins.get(session.login.user.lower())


def is_sysadmin(session: EngineSession) -> bool:
    """Whether the session may do everything."""
    login = login_of(session)
    return login is None or SYSADMIN in login.roles


def user_of(session: EngineSession, database: Database) -> User | None:
    """The user that a login which is no sysadmin's is in a database; None where it is none."""
    return database.principals.user_of(session.login.user) or (_GUEST if database.is_system else None)


def user_name(session: EngineSession, database: Database) -> str:
    """USER_NAME()."""
    user = None if is_sysadmin(session) else user_of(session, database)
    return "dbo" if user is None else user.name


def roles_of(session: EngineSession, database: Database) -> frozenset[str]:
    """The database's roles that the session is a member of."""
    name = user_name(session, database)
    roles = database.principals.roles_of(name)
    return roles | {OWNER} if name == "dbo" else roles


def is_owner(session: EngineSession, database: Database) -> bool:
    """Whether it is sysadmin, or a member of db_owner."""
    return OWNER in roles_of(session, database)


def allows(session: EngineSession, database: Database, action: str, table: Table | None = None) -> bool:
    """Whether the session may do something in a database, or to a table of it."""
    name = user_name(session, database)
    return name == "dbo" or database.principals.allows(name, action, _targets(database, table))


def _targets(database: Database, table: Table | None) -> list[Target]:
    """What a permission on a table may be on: the table, its schema, the database."""
    found: list[Target] = [("DATABASE", database.id)]
    if table is not None:
        found += [("SCHEMA", database.schemas[table.schema.lower()][0]), ("OBJECT", table.id)]
    return found


def allows_on_server(session: EngineSession, action: str) -> bool:
    """Whether the session may do something on the server."""
    if is_sysadmin(session):
        return True
    said = session.engine.catalog.database("master").principals.permissions
    mine = [each for each in said if (each.grantee, each.action) == (session.login.user.lower(), action)]
    return bool(mine) and not any(each.is_denied for each in mine)


def sees(session: EngineSession, database: Database, table: Table) -> bool:
    """Whether metadata shows a table, which requires a permission on it.

    Source: "Metadata visibility configuration", https://learn.microsoft.com/sql/relational-databases/security/metadata-visibility-configuration
    """
    return (
        table.is_temporary
        or user_name(session, database) == "dbo"
        or any(allows(session, database, each, table) for each in _SEEING)
    )


def check_database(session: EngineSession, database: Database) -> None:
    """Raises 911 where this instance has no such database, 976, 978, 979 and 916 where it is not for such a connection."""
    if session.replica is not None:
        if not session.replica.has(database):
            raise error(911, database.name)
        session.replica.admit(database, session.login)
    if not is_sysadmin(session) and user_of(session, database) is None:
        raise error(916, session.login.user, database.name)


def may_use(session: EngineSession, database: Database) -> bool:
    """Whether `check_database` would raise nothing."""
    try:
        check_database(session, database)
    except SqlError:
        return False
    return True


def check_read(session: EngineSession, read: TableRead) -> None:
    """Check that a table may be read; raises as `check_database`, 229, and 208 for tables that only the primary's msdb has."""
    check_database(session, read.database)
    if session.is_secondary and read.database.is_system:
        raise error(208, f"{read.database.name}.{read.table.schema}.{read.table.name}")
    if not read.is_inside_function:
        check_permission(session, read.database, read.table, "SELECT")


def check_permission(session: EngineSession, database: Database, table: Table, action: str) -> None:
    """Raises 229."""
    if not allows(session, database, action, table):
        raise error(229, action, table.name, database.name, table.schema)


def check_view(session: EngineSession, read: ViewRead) -> None:
    """Check that a system view may be read; raises as `check_database`, and 300 or 262 without the permission for it."""
    check_database(session, read.database)
    needed = read.view.permission
    if needed == VIEW_SERVER_STATE and not allows_on_server(session, needed):
        raise error(300, needed, "server", "master")
    if needed == VIEW_DATABASE_STATE and not (
        allows(session, read.database, needed) or allows_on_server(session, VIEW_SERVER_STATE)
    ):
        raise error(262, needed, read.database.name)


def check_write(session: EngineSession, database: Database, table: Table | None = None, action: str = "") -> None:
    """Something in a database is about to be changed; raises 3906, and 229 where `action` is not allowed on the table."""
    if table is not None and table.is_temporary:
        return
    check_database(session, database)
    if table is not None and action:
        check_permission(session, database, table, action)
    if session.is_secondary:
        if database.is_system:
            raise unsupported(f"tables in {database.name} of a secondary replica")
        raise error(3906, database.name)


def may_define(session: EngineSession, database: Database, table: Table | None = None) -> bool:
    """Whether definitions in a database may be changed."""
    if table is not None and table.is_temporary:
        return True
    return bool(roles_of(session, database) & {OWNER, _DDL})


def check_definition(session: EngineSession, database: Database, what: str) -> None:
    """Check that an object may be created; raises 262, and as `check_write`."""
    check_database(session, database)
    if not may_define(session, database):
        raise error(262, what, database.name)
    check_write(session, database)


def check_no_secondary(session: EngineSession, what: str) -> None:
    """Refuse what a secondary's own instance could do, but the stand-in does not support."""
    if session.is_secondary:
        raise unsupported(f"{what} on a secondary replica")


def reads_snapshot(session: EngineSession) -> bool:
    """Whether all reads of a transaction see the same commits (SNAPSHOT)."""
    return session.is_secondary or session.isolation is Isolation.SNAPSHOT
