"""The parser of stored positions in SQL Server's logs."""

from __future__ import annotations

from typing import Final

from tailrace.connectors.change_tables.positions import Positions
from tailrace.connectors.sqlserver.lsn import LSNS

POSITIONS: Final = Positions(LSNS)
