"""XA transactions that are prepared, and not ended, at a position of the log.

The log has their rows before that position, with XA PREPARE, but they count from their XA COMMIT after it. A reader
that begins at the position does not have them. `XA RECOVER` lists the transactions that are prepared now, and the log
since the position shows which ones were prepared there.

Source: MySQL Reference Manual, "XA Transaction SQL Statements", "XA Transaction States".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from tailrace.connectors.mysql.connection import Connection, error_number, rows
from tailrace.errors import SourceSetupError

STEP: Final = re.compile(r"XA (PREPARE|COMMIT|ROLLBACK) (X'[0-9a-f]*',X'[0-9a-f]*',\d+)(?! ONE PHASE)", re.IGNORECASE)
NO_PRIVILEGE: Final = (1227, 1401)  # ER_SPECIFIC_ACCESS_DENIED_ERROR, ER_XAER_RMERR


def prepared_now(connection: Connection) -> set[str] | None:
    """The xids of prepared transactions, in the log's notation; None without the privilege XA_RECOVER_ADMIN."""
    try:
        found = rows(connection, "XA RECOVER CONVERT XID")
    except SourceSetupError as error:
        if error_number(error) in NO_PRIVILEGE:
            return None
        raise
    return {_xid(int(row[0]), int(row[1]), str(row[3])) for row in found}


def prepared_before(now: Iterable[str], events: Iterable[Mapping[str, Any]]) -> set[str]:
    """The xids that were prepared where these events begin.

    Args:
        now: those that are prepared after the events, or still.
        events: rows of SHOW BINLOG EVENTS from a position on, at least up to the time of `now`.

    """
    first: dict[str, str] = {}
    for step, xid in _steps(events):
        first.setdefault(xid, step)
    # Prepared at the position is what ends in the events without a PREPARE before, or is prepared now and does not
    # occur in the events.
    ended = {xid for xid, step in first.items() if step != "PREPARE"}
    return ended | (set(now) - set(first))


def _steps(events: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    found = (STEP.search(str(event["Info"])) for event in events)
    return ((matched[1].upper(), matched[2].lower().replace("x'", "X'")) for matched in found if matched)


def _xid(format_id: int, length: int, data: str) -> str:
    """The log's notation of an xid, from the columns of XA RECOVER CONVERT XID."""
    digits = data.removeprefix("0x").lower()
    return f"X'{digits[: 2 * length]}',X'{digits[2 * length :]}',{format_id}"
