"""A position that all lanes can reach: in each database the furthest end of a window that one of them has begun."""

from __future__ import annotations

from collections.abc import Sequence

from tailrace.connectors.base import Progress
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import DatabasePosition, Positions, RestartPosition
from tailrace.errors import ConfigError


def common_boundary(positions: Positions, lanes: Sequence[Progress], names: Sequence[str]) -> RestartPosition:
    """The commit LSNs of the configured databases that no lane has passed.

    Raises:
        ConfigError: lanes have different positions in a database that is no longer configured.

    """
    found = [positions.restart(lane.restart, names) for lane in lanes]
    for name in found[0]:
        if name not in names and any(each[name] != found[0][name] for each in found):
            raise ConfigError(
                f"the lanes stand at different positions in the database {name}, which is not in database.names any more: "
                "name it again until they have come to one position (a run with --available-now brings them there)"
            )
    # A lane within a window must read to its end; lanes that are behind can always read up to there.
    ends = {name: max(each[name].reached for each in found) for name in names}
    return RestartPosition(
        {name: _joined(lsn, [each[name] for each in found]) for name, lsn in ends.items()}
    )


def is_boundary(positions: Positions, lane: Progress) -> bool:
    """Whether a lane has delivered everything up to its LSNs, and nothing after them."""
    return positions.restart(lane.restart).is_between_windows


def _joined(lsn: Lsn, positions: Sequence[DatabasePosition]) -> DatabasePosition:
    landmark = next((each.landmark for each in positions if each.taken_over is None and each.reached == lsn), None)
    return DatabasePosition(lsn, as_of_us=_as_of_us(positions), landmark=landmark)


def _as_of_us(positions: Sequence[DatabasePosition]) -> int | None:
    """The earliest time of these positions, which holds for all that is behind any of them; None: one is unknown."""
    found = [each.as_of_us for each in positions if each.as_of_us is not None]
    return min(found) if len(found) == len(positions) else None
