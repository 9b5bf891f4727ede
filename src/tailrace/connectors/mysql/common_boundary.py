"""A common boundary for lanes at different positions: a transaction boundary that none has passed, near the farthest.

The farthest lane may be within a transaction: then that must be read to its end, which only the log has.

A lane that stayed connected while another one saw its server replaced, and come back, counts fewer eras of the same log. So
eras do not tell which of the lanes on one server is the farthest, and the boundary has the highest of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tailrace.connectors.base import Progress
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition

NextBoundary = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def common_boundary(lanes: Sequence[Progress], next_boundary: NextBoundary) -> Mapping[str, Any] | None:
    """A boundary for all lanes; `next_boundary` gives the first one after the start of a transaction.

    None if the restart position does not say how far the farthest lane is: it lies before a prepared XA
    transaction, or somebody else delivered a part of what follows it.
    """
    farthest = _farthest(lanes)
    restart = RestartPosition.from_dict(farthest.restart)
    if restart.initial or not _ends_at_position(restart):
        return None
    era = max(RestartPosition.from_dict(lane.restart).era for lane in lanes)
    here = replace(restart, era=era, open_gtid=None, open_rows=0).to_dict()
    return here if is_boundary(farthest) else next_boundary(here)


def _farthest(lanes: Sequence[Progress]) -> Progress:
    restarts = [RestartPosition.from_dict(lane.restart) for lane in lanes]
    servers = {restart.server_uuid for restart in restarts}
    if len(servers) > 1 or any(restart.file_created is None or restart.is_prepared for restart in restarts):
        return max(lanes, key=lambda lane: lane.delivered)
    return max(lanes, key=_place_on_server)


def _place_on_server(lane: Progress) -> tuple[int, BinlogPosition]:
    """How far a lane is on its server: also a log that begins again makes its files later than those before."""
    restart = RestartPosition.from_dict(lane.restart)
    delivered = BinlogPosition.parse(lane.delivered) if lane.delivered else restart.position
    return restart.file_created or 0, replace(delivered, era=0)


def is_boundary(lane: Progress) -> bool:
    """Whether a lane has delivered everything up to its restart position, and nothing after it."""
    restart = RestartPosition.from_dict(lane.restart)
    return _ends_at_position(restart) and _is_nothing_behind(lane, restart)


def _ends_at_position(restart: RestartPosition) -> bool:
    """Whether the delivered part ends at the position, or within the transaction after it."""
    return not (restart.is_prepared or restart.skip_gtid or restart.skip_events or restart.skip_rows)


def _is_nothing_behind(lane: Progress, restart: RestartPosition) -> bool:
    """What was told at the restart position itself has rows in the same place."""
    if not lane.delivered:
        return True
    delivered, here = BinlogPosition.parse(lane.delivered), restart.position
    return (delivered.era, delivered.file, delivered.pos) <= (here.era, here.file, here.pos)
