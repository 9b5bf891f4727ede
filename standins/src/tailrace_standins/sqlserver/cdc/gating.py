"""Permissions: who may see the changes of a capture instance, and who may change its settings.

Sources: "cdc.fn_cdc_get_all_changes_<capture_instance>",
https://learn.microsoft.com/sql/relational-databases/system-functions/cdc-fn-cdc-get-all-changes-capture-instance-transact-sql;
https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sys-sp-cdc-help-change-data-capture-transact-sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.cdc.messages import failure
from tailrace_standins.sqlserver.engine import access
from tailrace_standins.sqlserver.engine.catalog import Database

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def may_see(session: EngineSession, database: Database, source_id: int, role: str | None) -> bool:
    """Whether the user is an owner, or has SELECT on the source table and is in the gating role, if there is one."""
    if access.is_owner(session, database):
        return True
    source = database.by_id.get(source_id)
    if source is None or not access.allows(session, database, "SELECT", source):
        return False
    return role is None or role.lower() in access.roles_of(session, database)


def check_owner(session: EngineSession, database: Database) -> None:
    """Raises 22904 unless the user is sysadmin or in db_owner."""
    if not access.is_owner(session, database):
        raise failure(22904)


def check_sysadmin(session: EngineSession) -> None:
    """Raises 22902 unless the user is sysadmin."""
    if not access.is_sysadmin(session):
        raise failure(22902)
