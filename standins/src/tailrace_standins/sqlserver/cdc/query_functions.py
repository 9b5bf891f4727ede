"""cdc.fn_cdc_get_all_changes_<instance>, and the check of arguments that it shares with the net changes.

Source: https://learn.microsoft.com/sql/relational-databases/system-functions/cdc-fn-cdc-get-all-changes-capture-instance-transact-sql
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.cdc import gating, lsn, net_changes
from tailrace_standins.sqlserver.cdc.instances import Instance
from tailrace_standins.sqlserver.cdc.known_range import max_lsn, min_lsn
from tailrace_standins.sqlserver.cdc.messages import failure
from tailrace_standins.sqlserver.cdc.net_changes import quoted
from tailrace_standins.sqlserver.cdc.shapes import LSN, OPERATION, SEQVAL, START_LSN, UPDATE_MASK
from tailrace_standins.sqlserver.engine import types
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.system import TableFunction

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.cdc.feature import ChangeDataCapture
    from tailrace_standins.sqlserver.engine.session import EngineSession

ALL: Final = "fn_cdc_get_all_changes_"
NET: Final = "fn_cdc_get_net_changes_"
_PARAMETERS: Final = (("@from_lsn", LSN), ("@to_lsn", LSN), ("@row_filter_option", types.text("nvarchar", 30)))
ALL_OPTIONS: Final = frozenset(("all", "all update old"))


def find(feature: ChangeDataCapture, database: Database, name: str) -> TableFunction | None:
    """The function of that name (lower case); None if no instance has it."""
    for prefix, make in ((ALL, _all_changes_function), (NET, _net_changes_function)):
        instance = feature.instances.named(database.id, name.removeprefix(prefix)) if name.startswith(prefix) else None
        if instance is not None:
            return make(name, instance)
    return None


def _all_changes_function(name: str, instance: Instance) -> TableFunction:
    return TableFunction(name, _PARAMETERS, lambda _s, _d: _all_changes(instance), checked(instance, ALL, ALL_OPTIONS))


def _net_changes_function(name: str, instance: Instance) -> TableFunction | None:
    if not instance.supports_net_changes:
        return None
    check = checked(instance, NET, net_changes.OPTIONS)
    return TableFunction(name, _PARAMETERS, lambda _s, _d: net_changes.query(instance), check)


def _all_changes(instance: Instance) -> str:
    columns = ", ".join(quoted(column.name) for column in instance.columns)
    return (
        f"SELECT [{START_LSN}], [{SEQVAL}], [{OPERATION}], [{UPDATE_MASK}], {columns} "  # noqa: S608
        f"FROM cdc.{quoted(instance.name + '_CT')} WITH (NOLOCK) "
        f"WHERE [{START_LSN}] >= @from_lsn AND [{START_LSN}] <= @to_lsn "
        f"AND ([{OPERATION}] <> 3 OR LOWER(RTRIM(LTRIM(@row_filter_option))) = N'all update old')"
    )


def checked(instance: Instance, prefix: str, options: frozenset[str]) -> Callable[..., None]:
    """A check of arguments, which raises 313 for a range outside the instance's validity interval or an unknown option.

    It raises 229 (for net changes 208, as documented) if the user may not see the source table's rows.
    """

    def check(
        session: EngineSession, database: Database, begin: bytes | None, end: bytes | None, option: str | None
    ) -> None:
        if not gating.may_see(session, database, instance.source_id, instance.role):
            function = f"{prefix}{instance.name}"
            raise (
                error(208, f"cdc.{function}") if prefix == NET else error(229, "SELECT", function, database.name, "cdc")
            )
        low, high = min_lsn(session, database, instance.name), max_lsn(session, database)
        is_known = begin is not None and end is not None and high is not None and low != lsn.ZERO
        if (
            not is_known
            or not low <= (begin or b"") <= (end or b"") <= (high or b"")
            or (option or "").strip().lower() not in options
        ):
            raise failure(313, prefix)

    return check
