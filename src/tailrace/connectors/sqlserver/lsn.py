"""SQL Server's log sequence numbers: ten bytes, shown as Debezium shows them, `00000025:00000d98:00a2`."""

from __future__ import annotations

from typing import Final

from tailrace.connectors.change_tables.lsn import Lsn, LsnForm

SIZE: Final = 10
LSNS: Final = LsnForm(SIZE, "SQL Server")
ZERO: Final[Lsn] = LSNS.zero
