"""The end of a range that was stated on another server.

Only its GTIDs mean something here. After a fail-over to a server that never got the last transactions of the former one,
a range up to those would be read for ever: they do not come.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from tailrace.connectors.mysql import catalog, connection
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.gtid import GtidSet, wanted_sources
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.received_transactions import after_a_wait
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.errors import PositionLostError

log = logging.getLogger(__name__)


def reachable(
    settings: MySqlSettings, server: Server, until: RestartPosition | None, *, is_fixed: bool
) -> RestartPosition | None:
    """The end of a range on this server: without the transactions that it does not have, nor has received.

    Args:
        settings: of the connector.
        server: its version and variables.
        until: the end as it was stated.
        is_fixed: whether the next range begins at this end, whatever was read by then.

    Raises:
        PositionLostError: it lacks some, and the end is fixed.

    """
    if until is None or until.gtids is None or until.server_uuid in {None, server.uuid}:
        return until
    stated = GtidSet.parse(until.gtids)
    lost = _lost(settings, server, stated)
    if not lost:
        return until
    end = f"{until.file}:{until.pos} of server {until.server_uuid}"
    told = f"the range ends at {end}, and this server ({server.uuid}) does not have the transactions {lost} before it"
    if is_fixed:
        raise PositionLostError(f"{told}: it is not the same data. Connect to a server that has them, or take a new snapshot")
    log.warning("%s: it ends without them", told)
    return replace(until, gtids=str(stated.subtract(lost)))


def _lost(settings: MySqlSettings, server: Server, stated: GtidSet) -> GtidSet:
    with connection.connect(settings) as session:
        executed, _ = catalog.gtids(session)
        unknown = stated.subtract(executed).filtered(wanted_sources(settings))
        return after_a_wait(session, server.version, unknown)[1] if unknown else unknown
