"""The log of this engine's tables."""

from __future__ import annotations

from typing import TypeAlias

from tailrace_standins.db2.engine.catalog import Database, Table
from tailrace_standins.storage import log, transactions

Record: TypeAlias = log.Record[Database, Table]
LoggedTransaction: TypeAlias = log.LoggedTransaction[Record]
Transaction: TypeAlias = transactions.Transaction[Record]
