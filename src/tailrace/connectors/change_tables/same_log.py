"""Whether a log is still the one that a position is in: a database may have been restored, or be another one."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.landmarks import Landmark
from tailrace.connectors.change_tables.lost_changes import SNAPSHOT_AGAIN
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.errors import PositionLostError

CLOCK_US: Final = 10_000
"""By how much two readings of the same time may differ, in microseconds: drivers round what has a coarser grain."""


def require_same_log(
    dialect: Dialect[Session], session: Session, database: str, position: DatabasePosition, head: Lsn
) -> Landmark | None:
    """The landmark of a position now; raises `PositionLostError` if a log, captured up to `head`, is not the position's."""
    require_not_restored(database, head, position.lsn)
    return require_landmark(dialect, session, database, position, head)


def require_not_restored(database: str, head: Lsn, lsn: Lsn) -> None:
    """Raise `PositionLostError` if a log ends before the position that it was read to.

    An LSN of zero says nothing: capture may not have begun again yet.
    """
    if head < lsn and not head.is_zero:
        raise PositionLostError(
            f"the log of {database} was read up to {lsn}, and now it is captured up to {head} only: the database was "
            f"restored, or it is another one; {SNAPSHOT_AGAIN}"
        )


def require_landmark(
    dialect: Dialect[Session], session: Session, database: str, position: DatabasePosition, head: Lsn
) -> Landmark | None:
    """The landmark of a position now; None: there is none. `head`: up to where the log is captured.

    Raises:
        PositionLostError: it is another one than was seen there.

    """
    place, seen = position.reached, position.landmark
    found = dialect.landmark(session, place)
    if found is None or seen is None:
        return found or seen
    if found.list_us is not None and seen.list_us is not None and found.list_us != seen.list_us:
        raise PositionLostError(
            f"the log of {database} was read up to {place} by a list of transactions that was made at {seen.list_made}; "
            f"now it is one that was made at {found.list_made}: it is another database, or capture was set up anew; "
            f"{SNAPSHOT_AGAIN}"
        )
    if head < place or (seen.commit is None and found.commit is None):
        return seen
    if found.commit is None:
        if not dialect.may_be_cleaned_up(session, seen):
            raise PositionLostError(
                f"{database}: changes behind {place}, up to where they were read, may be lost: the newest transaction "
                f"up to there, {seen}, is not listed any more, and {dialect.advice.clean_up} can't have taken it yet. Was "
                "capture started cold, were rows deleted, or does it keep them for less time than is set "
                f"({dialect.advice.keep_longer})? {SNAPSHOT_AGAIN}; or {dialect.advice.accept_gap}"
            )
        return replace(seen, kept_us=None if seen.kept_us is None else 0)
    if found.commit != seen.commit or abs(found.clock_us - seen.clock_us) > CLOCK_US:
        raise PositionLostError(
            f"the log of {database} was read up to {place}, and its newest transaction up to there was {seen}; now it is "
            f"{found}: the database was restored, or it is another one; {SNAPSHOT_AGAIN}"
        )
    return found
