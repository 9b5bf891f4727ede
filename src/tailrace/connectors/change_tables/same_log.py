"""Whether a log is still the one that a position is in: a database may have been restored, or be another one."""

from __future__ import annotations

from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.landmarks import Landmark
from tailrace.connectors.change_tables.lost_changes import SNAPSHOT_AGAIN
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.errors import PositionLostError


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
    dialect: Dialect[Session], session: Session, database: str, position: DatabasePosition
) -> Landmark | None:
    """The newest transaction up to a position, which capture must have reached; None if none is left.

    Raises:
        PositionLostError: it is another one than was seen there.

    """
    found, seen = dialect.landmark(session, position.lsn), position.landmark
    if found is None or seen is None or found == seen:
        return found
    raise PositionLostError(
        f"the log of {database} was read up to {position.lsn}, and its newest transaction up to there was {seen}; now it is "
        f"{found}: the database was restored, or it is another one; {SNAPSHOT_AGAIN}"
    )
