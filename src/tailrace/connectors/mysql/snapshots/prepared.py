"""XA transactions that were prepared, and not ended, at a place in the log.

Their rows stand in the log before that place and count from a commit behind it: who begins to read there does not have
them. `XA RECOVER` knows those of now, and the log since tells the rest.

Source: MySQL Reference Manual, "XA Transaction SQL Statements", "XA Transaction States".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from tailrace.connectors.mysql.connection import Connection, error_number, rows
from tailrace.errors import SourceSetupError

STEP: Final = re.compile(r"XA (PREPARE|COMMIT|ROLLBACK) (X'[0-9a-f]*',X'[0-9a-f]*',\d+)(?! ONE PHASE)", re.IGNORECASE)
NO_PRIVILEGE: Final = (1227, 1401)


def prepared_now(connection: Connection) -> set[str] | None:
    """The xids that are prepared, as the log writes them; None without the privilege XA_RECOVER_ADMIN."""
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
        now: those prepared after the events, or still.
        events: rows of SHOW BINLOG EVENTS from a place on, until at least the moment of `now`.

    """
    first: dict[str, str] = {}
    for step, xid in _steps(events):
        first.setdefault(xid, step)
    ended = {xid for xid, step in first.items() if step != "PREPARE"}
    return ended | (set(now) - set(first))


def _steps(events: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    found = (STEP.search(str(event["Info"])) for event in events)
    return ((matched[1].upper(), matched[2].lower().replace("x'", "X'")) for matched in found if matched)


def _xid(format_id: int, length: int, data: str) -> str:
    """As in the log, from XA RECOVER's numbers and 0x..."""
    digits = data.removeprefix("0x").lower()
    return f"X'{digits[: 2 * length]}',X'{digits[2 * length :]}',{format_id}"
