"""Cutting a log into ranges of about so many bytes, at transaction boundaries.

The server counts rows of change tables between two LSNs; how large a row is, the first ones of each table tell. Where the
counted are too many or too few, another number of transactions is tried.
"""

from __future__ import annotations

from typing import Final, Generic

from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.windows import Window

FIRST_TRANSACTIONS: Final = 256
STEPS: Final = 12
TOLERANCE: Final = 2  # between half of what is wanted and twice that nothing is tried any more
GROWTH: Final = 64  # from step to step, at most


def cut(dialect: Dialect[Session], session: Session, window: Window, limit_bytes: int) -> Lsn:
    """The end of the first part of a window that has about so many bytes, at least one transaction; at most its end."""
    weights = _Weights(dialect, session, window)
    if not weights.has_any:
        return window.until
    fitting: Lsn | None = None
    low, high, wanted = 0, 0, FIRST_TRANSACTIONS  # so many fit, so many are too many (0: not known), so many are tried
    for _ in range(STEPS):
        end, is_end = dialect.nth_transaction(session, window, wanted)
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
    return fitting or dialect.nth_transaction(session, window, 1)[0]


def _next_try(low: int, high: int, estimate: float) -> int:
    """Between what fits and what is too much: as many as are estimated, or half-way where that leads nowhere."""
    if not high:
        return max(int(estimate), low + 1)
    return int(estimate) if low < int(estimate) < high else (low + high) // 2


class _Weights(Generic[Session]):
    """About how many bytes the change tables have from a window's beginning on."""

    def __init__(self, dialect: Dialect[Session], session: Session, window: Window) -> None:
        self._dialect = dialect
        self._session = session
        self._window = window
        self._stops = _stops(dialect, session, window)
        instances = list(self._stops)
        has = dialect.has_rows(session, instances, window)
        self._filled = [each for each, some in zip(instances, has, strict=True) if some]
        self._sizes = {each: dialect.row_bytes(session, each, window) for each in self._filled}

    @property
    def has_any(self) -> bool:
        """Whether there are rows at all."""
        return bool(self._filled)

    def up_to(self, until: Lsn) -> int:
        """The bytes up to an LSN; each instance counts up to where the next one of its table begins."""
        found, window = 0, Window(self._window.after, until)
        for stop in {self._stops[each] for each in self._filled}:
            piece = window.cut(None, stop)
            read = [each for each in self._filled if self._stops[each] == stop and each.has_begun(piece.until)]
            if read and not piece.is_empty:
                counts = self._dialect.row_counts(self._session, read, piece)
                found += sum(count * self._sizes[each] for count, each in zip(counts, read, strict=True))
        return found


def _stops(dialect: Dialect[Session], session: Session, window: Window) -> dict[Instance, Lsn | None]:
    """The instances of wanted tables that have begun at a window's end, each with the start of the next one of its table."""
    stops: dict[Instance, Lsn | None] = {}
    last: Instance | None = None
    for each in dialect.instances(session):  # of a table in the order in which they are read
        if each.has_begun(window.until) and dialect.settings.tables.matches(each.table):
            if last is not None and last.table == each.table:
                stops[last] = each.start_lsn
            stops[each], last = None, each
    return stops
