"""The validity interval of change tables: from which log sequence number to which they have changes.

Source: "Change data capture functions", https://learn.microsoft.com/sql/relational-databases/system-functions/change-data-capture-functions-transact-sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.cdc import gating, lsn, rows
from tailrace_standins.sqlserver.cdc.system_rows import ChangeTable, LsnTime
from tailrace_standins.sqlserver.engine.catalog import Database

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def max_lsn(session: EngineSession, database: Database) -> bytes | None:
    """The last start_lsn of cdc.lsn_time_mapping.

    Source: https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-cdc-get-max-lsn-transact-sql
    """
    if not database.is_cdc_enabled:
        return None
    found = rows.listed(session, database, LsnTime, order="start_lsn DESC", limit=1)
    return found[0].start_lsn if found else None


def min_lsn(session: EngineSession, database: Database, instance: str | None) -> bytes:
    """start_lsn of a capture instance; zeros if there is none, its low endpoint is not known yet, or permission is missing.

    Source: https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-cdc-get-min-lsn-transact-sql
    """
    if not database.is_cdc_enabled or instance is None:
        return lsn.ZERO
    for row in rows.listed(session, database, ChangeTable):
        if row.is_named(instance) and gating.may_see(session, database, row.source_object_id, row.role_name):
            return row.start_lsn or lsn.ZERO
    return lsn.ZERO
