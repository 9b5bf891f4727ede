"""Reads a Db2's change tables in this process, without Spark and without a sink."""

from __future__ import annotations

from typing import Any

from support.change_table_reading import PLAIN
from tailrace.connectors.base import Progress
from tailrace.connectors.load import from_mapping
from tailrace_standins.servers.db2_server import Database, GivenServer


def settings_of(database: Database, **properties: str) -> Any:
    """The settings of a connector that reads this database; messages without schemas."""
    return from_mapping(database.properties(**PLAIN, **properties))


def is_given(database: Database) -> bool:
    """Whether it is on a server that `TAILRACE_TEST_DB2_URL` names, where the Capture program works by itself."""
    return isinstance(database, GivenServer)


def place_of(database: Database, progress: Progress) -> object:
    """A place in the log; where the Capture program works by itself, without the time at which that was its end."""
    if not is_given(database):
        return progress
    return progress.delivered, {name: each["lsn"] for name, each in progress.restart.items()}


def write(database: Database, *statements: str) -> None:
    """Run statements in one transaction, and have it captured."""
    database.sql(*statements)
    database.replication.step()
