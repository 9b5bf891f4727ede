"""How positions in SQL Server's logs are read back from what was stored."""

from __future__ import annotations

from typing import Final

from tailrace.connectors.change_tables.positions import Positions
from tailrace.connectors.sqlserver.lsn import LSNS

POSITIONS: Final = Positions(LSNS)
