"""Scan sessions, as sys.dm_cdc_log_scan_sessions shows them.

Consecutive sessions that found nothing are one row that counts them; row 0 is the sum of all sessions.

Source: https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/change-data-capture-sys-dm-cdc-log-scan-sessions
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from tailrace_standins.sqlserver.cdc import lsn
from tailrace_standins.sqlserver.cdc.capture import Found
from tailrace_standins.sqlserver.cdc.transaction_log import Entry
from tailrace_standins.sqlserver.engine import types
from tailrace_standins.sqlserver.values import SqlType, Value

_KEPT: Final = 1000
_LSN: Final = types.text("nvarchar", 23)
COLUMNS: Final[tuple[tuple[str, SqlType], ...]] = (
    ("session_id", types.INT),
    ("start_time", types.DATETIME),
    ("end_time", types.DATETIME),
    ("duration", types.BIGINT),
    ("scan_phase", types.text("nvarchar", 200)),
    ("error_count", types.INT),
    ("start_lsn", _LSN),
    ("current_lsn", _LSN),
    ("end_lsn", _LSN),
    ("tran_count", types.BIGINT),
    ("last_commit_lsn", _LSN),
    ("last_commit_time", types.DATETIME),
    ("log_record_count", types.BIGINT),
    ("schema_change_count", types.INT),
    ("command_count", types.BIGINT),
    ("first_begin_cdc_lsn", _LSN),
    ("last_commit_cdc_lsn", _LSN),
    ("last_commit_cdc_time", types.DATETIME),
    ("latency", types.INT),
    ("empty_scan_count", types.INT),
    ("failed_sessions_count", types.INT),
)
_PLACES: Final = {name: place for place, (name, _) in enumerate(COLUMNS)}
_SUMMED: Final = (
    "duration", "error_count", "tran_count", "log_record_count", "schema_change_count", "command_count",
    "failed_sessions_count",
)  # fmt: skip
_NONE: Final = lsn.lsn_text(lsn.ZERO)


@dataclass(slots=True)
class Scan:
    """One session; times are UTC in the stored form of datetime2(7)."""

    id: int
    start: str
    end: str = ""
    first: bytes = lsn.ZERO
    last: bytes = lsn.ZERO
    last_time: str | None = None
    found: Found = field(default_factory=Found)
    empty: int = 0
    failed: int = 0

    def add(self, entries: list[Entry], found: Found) -> None:
        """Count a cycle of this session that captured transactions."""
        self.first = self.first if self.found.transactions else entries[0].begin_lsn
        self.last, self.last_time = entries[-1].commit_lsn, entries[-1].committed
        self.found.transactions += found.transactions
        self.found.records += found.records
        self.found.commands += found.commands
        self.found.schema_changes += found.schema_changes

    def row(self) -> tuple[Value, ...]:
        """The session's row in the view."""
        time = self.last_time[:23] if self.last_time else None
        latency = round(_seconds(self.last_time, self.end)) if self.last_time else 0
        first, last = lsn.lsn_text(self.first), lsn.lsn_text(self.last)
        duration = round(_seconds(self.start, self.end)) if self.found.transactions else 0
        return (
            self.id,
            self.start[:23],
            self.end[:23] or None,
            duration,
            "Done",
            self.failed,
            first,
            last,
            last,
            self.found.transactions,
            last,
            time,
            self.found.records,
            self.found.schema_changes,
            self.found.commands,
            first,
            last,
            time,
            latency,
            self.empty,
            self.failed,
        )


@dataclass(slots=True)
class Scans:
    """The sessions of a database since the server started."""

    sessions: list[Scan] = field(default_factory=list)
    _count: int = 0

    def begin(self, now: str) -> Scan:
        """Begin a session; it is listed when it has ended."""
        return Scan(self._count + 1, now)

    def end(self, scan: Scan, now: str) -> None:
        """End a session."""
        scan.end = now
        last = self.sessions[-1] if self.sessions else None
        if not scan.found.transactions and not scan.failed:
            if last is not None and last.empty:
                last.empty += 1
                last.end = now
                return
            scan.empty = 1
        self._count = scan.id
        self.sessions.append(scan)
        del self.sessions[:-_KEPT]

    def rows(self) -> Iterator[tuple[Value, ...]]:
        """The view's rows: the sum, then the sessions."""
        shown = [scan.row() for scan in self.sessions]
        if not shown:
            return
        first, last = shown[0], shown[-1]
        busy = next((row for row in reversed(shown) if row[_PLACES["tran_count"]]), last)
        sums = {name: sum(int(str(row[_PLACES[name]])) for row in shown) for name in _SUMMED}
        said: dict[str, Value] = {
            "session_id": 0,
            "start_time": first[_PLACES["start_time"]],
            "end_time": last[_PLACES["end_time"]],
            "scan_phase": "Aggregate",
            "current_lsn": _NONE,
            "empty_scan_count": last[_PLACES["empty_scan_count"]],
            **sums,
        }
        yield tuple(said.get(name, value) for (name, _), value in zip(COLUMNS, busy, strict=True))
        yield from shown


def _seconds(begin: str, end: str) -> float:
    a, b = (dt.datetime.fromisoformat(moment[:26]) for moment in (begin, end))
    return (b - a).total_seconds()
