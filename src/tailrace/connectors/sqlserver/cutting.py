"""Cutting a log into ranges of about so many bytes, at transaction boundaries.

The server counts rows of change tables between two LSNs; how large a row is, the first ones of each table tell. Where the
counted are too many or too few, another number of transactions is tried.
"""

from __future__ import annotations

from typing import Final

from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.sqlserver import catalog
from tailrace.connectors.sqlserver.catalog import Instance
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.filled_tables import begins, has_rows, row_bytes, row_counts
from tailrace.connectors.sqlserver.properties.reading import FUNCTION
from tailrace.connectors.sqlserver.settings import SqlServerSettings

FIRST_TRANSACTIONS: Final = 256
STEPS: Final = 12
TOLERANCE: Final = 2  # between half of what is wanted and twice that nothing is tried any more
GROWTH: Final = 64  # from step to step, at most
_NTH: Final = (
    "SELECT MAX(start_lsn), COUNT(*) FROM (SELECT TOP ({0}) start_lsn FROM cdc.lsn_time_mapping "
    "WHERE start_lsn > ? AND start_lsn <= ? AND tran_id <> 0x00 ORDER BY start_lsn) AS s"
)


def cut(session: Session, settings: SqlServerSettings, window: Window, limit_bytes: int) -> Lsn:
    """The end of the first part of a window that has about so many bytes, at least one transaction; at most its end."""
    weights = _Weights(session, settings, window)
    if not weights.has_any:
        return window.until
    fitting: Lsn | None = None
    low, high, wanted = 0, 0, FIRST_TRANSACTIONS  # so many fit, so many are too many (0: not known), so many are tried
    for _ in range(STEPS):
        end, is_end = _nth(session, window, wanted)
        found = weights.up_to(end)
        if found <= limit_bytes * TOLERANCE:
            low, fitting = wanted, end
            if is_end or found * TOLERANCE >= limit_bytes:
                break
        else:
            high = wanted
        if high and high - low <= 1:
            break
        wanted = _next_try(low, high, wanted * min(limit_bytes / max(found, 1), GROWTH))
    return fitting or _nth(session, window, 1)[0]


def _next_try(low: int, high: int, estimate: float) -> int:
    """Between what fits and what is too much: as many as are estimated, or half-way where that leads nowhere."""
    if not high:
        return max(int(estimate), low + 1)
    return int(estimate) if low < int(estimate) < high else (low + high) // 2


class _Weights:
    """About how many bytes the change tables have from a window's beginning on."""

    def __init__(self, session: Session, settings: SqlServerSettings, window: Window) -> None:
        self._session = session
        self._window = window
        self._by_function = settings.data_query_mode == FUNCTION
        self._stops = _stops(session, settings, window)
        instances = list(self._stops)
        has = has_rows(session, instances, window, by_function=self._by_function)
        self._filled = [each for each, some in zip(instances, has, strict=True) if some]
        self._sizes = {each: row_bytes(session, each, window, by_function=self._by_function) for each in self._filled}

    @property
    def has_any(self) -> bool:
        """Whether there are rows at all."""
        return bool(self._filled)

    def up_to(self, until: Lsn) -> int:
        """The bytes up to an LSN; each instance counts up to where the next one of its table begins."""
        found, window = 0, Window(self._window.after, until)
        for stop in {self._stops[each] for each in self._filled}:
            piece = window.cut(None, stop)
            read = [each for each in self._filled if self._stops[each] == stop and begins(each, piece.until)]
            if read and not piece.is_empty:
                counts = row_counts(self._session, read, piece, by_function=self._by_function)
                found += sum(count * self._sizes[each] for count, each in zip(counts, read, strict=True))
        return found


def _stops(session: Session, settings: SqlServerSettings, window: Window) -> dict[Instance, Lsn | None]:
    """The instances of wanted tables that have begun at a window's end, each with the start of the next one of its table."""
    stops: dict[Instance, Lsn | None] = {}
    last: Instance | None = None
    for each in catalog.instances(session):  # of a table in the order in which they are read
        if begins(each, window.until) and settings.tables.matches(each.table):
            if last is not None and last.table == each.table:
                stops[last] = each.start_lsn
            stops[each], last = None, each
    return stops


def _nth(session: Session, window: Window, number: int) -> tuple[Lsn, bool]:
    """The LSN of the so-manieth transaction of a window; its end, and True, where it has no more than those."""
    ((lsn, count),) = session.rows(_NTH.format(number), window.after.raw, window.until.raw)
    if lsn is None or count < number:
        return window.until, True
    return Lsn(bytes(lsn)), False
