"""Reads a SQL Server's change tables in this process, without Spark and without a sink."""

from __future__ import annotations

from typing import Any

from support.change_table_reading import (
    NOW_US,
    PLAIN,
    Read,
    afters,
    batches,
    begin,
    read_on,
    records_of,
    started,
    structures,
    told,
)
from tailrace.connectors.load import from_mapping
from tailrace_standins.servers.sqlserver_server import Database

__all__ = [
    "NOW_US", "PLAIN", "READER_PASSWORD", "Read", "afters", "batches", "begin", "read_on", "records_of", "settings_of", "started",
    "structures", "told", "write",
]  # fmt: skip

READER_PASSWORD = "Reader-1-reader"  # of logins that tests make


def settings_of(database: Database, *others: Database, **properties: str) -> Any:
    """The settings of a connector that reads these databases; messages without schemas."""
    names = [each.name for each in (database, *others)]
    return from_mapping(database.server.properties(*names, **PLAIN, **properties))


def write(database: Database, sql: str) -> None:
    """Run a batch, and have all of the log captured."""
    database.sql(sql)
    database.capture_all()
