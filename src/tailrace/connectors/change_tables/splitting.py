"""Divides a log into ranges of about a given size in bytes, at transaction boundaries.

The server counts the rows of change tables between two LSNs; the size of a row is estimated from the first ones of each
table. If the counted rows are too many or too few, another number of transactions is tried.
"""

from __future__ import annotations

from typing import Final, Generic

from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.instances import Instance, in_use
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.windows import Window

FIRST_TRANSACTIONS: Final = 256
STEPS: Final = 12
TOLERANCE: Final = 2  # a range between half and twice the wanted size is good enough
GROWTH: Final = 64  # from try to try, at most


def range_end(dialect: Dialect[Session], session: Session, window: Window, limit_bytes: int) -> Lsn:
    """The end of the first part of a window of about `limit_bytes`: at least one transaction, at most the window's end."""
    weights = _Weights(dialect, session, window)
    if not weights.has_any:
        return window.until
    fitting: Lsn | None = None
    # `low` transactions fit, `high` are too many (0: not known), `wanted` are tried next.
    low, high, wanted = 0, 0, FIRST_TRANSACTIONS
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
    """The next number to try: the estimate, or the middle if that is outside of what is known."""
    if not high:
        return max(int(estimate), low + 1)
    return int(estimate) if low < int(estimate) < high else (low + high) // 2


class _Weights(Generic[Session]):
    """The approximate size of the change tables' rows from the beginning of a window on."""

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
        """Whether there is any row."""
        return bool(self._filled)

    def up_to(self, until: Lsn) -> int:
        """The bytes up to an LSN; each instance counts up to the start of the next one of its table."""
        found, window = 0, Window(self._window.after, until)
        for stop in {self._stops[each] for each in self._filled}:
            piece = window.cut(None, stop)
            read = [each for each in self._filled if self._stops[each] == stop and each.has_begun(piece.until)]
            if read and not piece.is_empty:
                counts = self._dialect.row_counts(self._session, read, piece)
                found += sum(count * self._sizes[each] for count, each in zip(counts, read, strict=True))
        return found


def _stops(dialect: Dialect[Session], session: Session, window: Window) -> dict[Instance, Lsn | None]:
    """The instances of wanted tables that have begun at a window's end, each with the start of its successor."""
    stops: dict[Instance, Lsn | None] = {}
    last: Instance | None = None
    for each in in_use(dialect.instances(session)):  # of a table in the order in which they are read
        if each.has_begun(window.until) and dialect.settings.tables.matches(each.table):
            if last is not None and last.table == each.table:
                stops[last] = each.start_lsn
            stops[each], last = None, each
    return stops
