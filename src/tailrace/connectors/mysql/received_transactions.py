"""Transactions that a replica has received and not applied yet.

After a fail-over an address may lead to a replica before it has applied the last transactions of the former source. Its GTID
set lacks them then, as that of a server with other data does; but they are in its relay log.

Source: MySQL Reference Manual, "SHOW REPLICA STATUS", "The replication_connection_status Table", "Functions Used with Global
Transaction Identifiers".
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from tailrace.connectors.mysql.connection import Connection, mappings, rows
from tailrace.connectors.mysql.gtid import GtidSet
from tailrace.errors import RetriableError, SourceSetupError

WAIT_SECONDS: Final = 5.0  # for a replica that is about to apply them
WAIT_AT_ONCE: Final = 1  # seconds that one statement waits on the server
CHANNELS: Final = "SELECT RECEIVED_TRANSACTION_SET FROM performance_schema.replication_connection_status"


def missing_for_good(connection: Connection, version: tuple[int, int, int], unknown: GtidSet) -> GtidSet:
    """Those of these transactions that a server has neither executed, after a short wait if it is a replica, nor received.

    Raises:
        RetriableError: it has received all of them, and applies them.

    """
    unknown, missing = after_a_wait(connection, version, unknown)
    if unknown and not missing:
        raise RetriableError(
            f"the transactions {unknown} were read, and this server has received them and not applied them yet: it is a "
            "replica that lags behind"
        )
    return missing


def after_a_wait(connection: Connection, version: tuple[int, int, int], unknown: GtidSet) -> tuple[GtidSet, GtidSet]:
    """Those that it has not executed, after a short wait if it is a replica, and those that it has not received either."""
    received = _received(connection, version)
    if received is None:
        return unknown, unknown
    deadline = time.monotonic() + WAIT_SECONDS
    while unknown and time.monotonic() < deadline:
        rows(connection, "SELECT WAIT_FOR_EXECUTED_GTID_SET(%s, %s)", str(unknown), WAIT_AT_ONCE)
        ((left,),) = rows(connection, "SELECT GTID_SUBTRACT(%s, @@GLOBAL.gtid_executed)", str(unknown))
        unknown = GtidSet.parse(left)
    return unknown, unknown.subtract(_received(connection, version) or received)


def _received(connection: Connection, version: tuple[int, int, int]) -> GtidSet | None:
    """The transactions that came through all replication channels; None if there is no channel."""
    channels = list(_channels(connection, version))
    return GtidSet.parse(",".join(channels)) if channels else None


def _channels(connection: Connection, version: tuple[int, int, int]) -> Iterator[str]:
    """The GTID set that each channel has received, as text; the one of group replication is only in the table."""
    status = "SHOW REPLICA STATUS" if version >= (8, 0, 22) else "SHOW SLAVE STATUS"
    yield from (channel["Retrieved_Gtid_Set"] for channel in mappings(connection, status))
    try:
        yield from (received for (received,) in rows(connection, CHANNELS))
    except SourceSetupError:
        if not connection.open:
            raise
        # SELECT on that table is not among the privileges that are asked for
