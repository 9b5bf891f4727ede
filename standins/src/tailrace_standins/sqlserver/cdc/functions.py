"""Scalar functions of change data capture, its views, and the lookup of capture instances' functions.

Source: "Change data capture functions", https://learn.microsoft.com/sql/relational-databases/system-functions/change-data-capture-functions-transact-sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.cdc import lsn, net_changes, query_functions, rows, scanning
from tailrace_standins.sqlserver.cdc.known_range import max_lsn, min_lsn
from tailrace_standins.sqlserver.cdc.shapes import LSN
from tailrace_standins.sqlserver.cdc.system_rows import LsnTime
from tailrace_standins.sqlserver.engine import stored, types
from tailrace_standins.sqlserver.engine.access import VIEW_DATABASE_STATE
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.system import SystemFunction, SystemObject, SystemView
from tailrace_standins.sqlserver.values import MAX, Value

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.cdc.feature import ChangeDataCapture
    from tailrace_standins.sqlserver.engine.session import EngineSession

_MASK: Final = types.binary("varbinary", 128)
_OPERATORS: Final = {
    "largest less than": ("<", "DESC"),
    "largest less than or equal": ("<=", "DESC"),
    "smallest greater than": (">", "ASC"),
    "smallest greater than or equal": (">=", "ASC"),
}


def _increment(_session: EngineSession, _database: Database, value: bytes | None) -> Value:
    return None if value is None else lsn.increment(value)


def _decrement(_session: EngineSession, _database: Database, value: bytes | None) -> Value:
    return None if value is None else lsn.decrement(value)


def _lsn_to_time(session: EngineSession, database: Database, value: bytes | None) -> Value:
    """The tran_end_time of an entry.

    Source: https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-cdc-map-lsn-to-time-transact-sql
    """
    if value is None or not database.is_cdc_enabled:
        return None
    found = rows.listed(session, database, LsnTime, "start_lsn=?1", [value], limit=1)
    return stored.decoded(found[0].tran_end_time, types.DATETIME) if found else None


def _time_to_lsn(session: EngineSession, database: Database, operator: str | None, moment: str | None) -> Value:
    """As documented.

    Source: https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-cdc-map-time-to-lsn-transact-sql
    """
    sign, direction = _OPERATORS.get((operator or "").strip().lower(), ("", ""))
    if not sign or moment is None or not database.is_cdc_enabled:
        return None
    value = stored.encoded(moment, types.DATETIME)
    order = f"tran_end_time {direction}, start_lsn {direction}"
    found = rows.listed(session, database, LsnTime, f"tran_end_time{sign}?1", [value], order=order, limit=1)
    return found[0].start_lsn if found else None


def _is_bit_set(_session: EngineSession, _database: Database, position: int | None, mask: bytes | None) -> Value:
    """As documented.

    Source: https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-cdc-is-bit-set-transact-sql
    """
    if mask is None or position is None or position < 1:
        return 0
    return int.from_bytes(mask, "big") >> (position - 1) & 1


class _OfInstances:
    """Functions of capture instances, the views, and the lookup."""

    def __init__(self, feature: ChangeDataCapture) -> None:
        self._feature = feature

    def ordinal(self, _session: EngineSession, database: Database, instance: str | None, column: str | None) -> Value:
        """As documented.

        Source: https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-cdc-get-column-ordinal-transact-sql
        """
        found = self._feature.instances.named(database.id, instance or "")
        name = (column or "").lower()
        return next((c.ordinal for c in found.columns if c.name.lower() == name), None) if found else None

    def has_changed(
        self, session: EngineSession, database: Database, instance: str | None, column: str | None, mask: bytes | None
    ) -> Value:
        """As documented.

        Source: https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-cdc-has-column-changed-transact-sql
        """
        ordinal = self.ordinal(session, database, instance, column)
        return None if ordinal is None else _is_bit_set(session, database, int(str(ordinal)), mask)

    def scans(self, session: EngineSession, database: Database) -> list[tuple[Value, ...]]:
        """sys.dm_cdc_log_scan_sessions; empty on a secondary replica, where nothing is scanned."""
        is_scanned = database.is_cdc_enabled and not session.is_secondary
        return list(self._feature.job(database).scans.rows()) if is_scanned else []

    def find(self, database: Database, schema: str, name: str) -> SystemObject | None:
        """cdc.fn_cdc_get_all_changes_<instance> and cdc.fn_cdc_get_net_changes_<instance>."""
        if schema != "cdc" or not database.is_cdc_enabled:
            return None
        return query_functions.find(self._feature, database, name)


_ERRORS: Final = (
    ("session_id", types.INT),
    ("phase_number", types.INT),
    ("entry_time", types.DATETIME),
    ("error_number", types.INT),
    ("error_severity", types.INT),
    ("error_state", types.INT),
    ("error_message", types.text("nvarchar", 1024)),
    ("start_lsn", types.text("nvarchar", 23)),
    ("begin_lsn", types.text("nvarchar", 23)),
    ("sequence_value", types.text("nvarchar", 23)),
)


def register(feature: ChangeDataCapture) -> None:
    """Register the functions and views with the engine."""
    of = _OfInstances(feature)
    name = types.SYSNAME
    feature.engine.system.add(
        "sys",
        SystemFunction("fn_cdc_get_max_lsn", (), LSN, max_lsn),
        SystemFunction("fn_cdc_get_min_lsn", (name,), LSN, min_lsn),
        SystemFunction("fn_cdc_increment_lsn", (LSN,), LSN, _increment),
        SystemFunction("fn_cdc_decrement_lsn", (LSN,), LSN, _decrement),
        SystemFunction("fn_cdc_map_lsn_to_time", (LSN,), types.DATETIME, _lsn_to_time),
        SystemFunction("fn_cdc_map_time_to_lsn", (types.text("nvarchar", 30), types.DATETIME), LSN, _time_to_lsn),
        SystemFunction("fn_cdc_is_bit_set", (types.INT, _MASK), types.BIT, _is_bit_set),
        SystemFunction("fn_cdc_get_column_ordinal", (name, name), types.INT, of.ordinal),
        SystemFunction("fn_cdc_has_column_changed", (name, name, _MASK), types.BIT, of.has_changed),
        SystemFunction(net_changes.COMBINED_MASK, (types.text("nvarchar", MAX),), _MASK, net_changes.combined_mask),
        SystemView(
            "dm_cdc_log_scan_sessions", scanning.COLUMNS, of.scans, is_live=True, permission=VIEW_DATABASE_STATE
        ),
        SystemView("dm_cdc_errors", _ERRORS, lambda _s, _d: [], is_live=True, permission=VIEW_DATABASE_STATE),
    )
    feature.engine.system.finders.append(of.find)
