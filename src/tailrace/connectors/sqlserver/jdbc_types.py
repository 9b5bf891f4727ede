"""The type numbers of Microsoft's JDBC driver that `java.sql.Types` does not have."""

from __future__ import annotations

DATETIMEOFFSET, SQL_VARIANT = -155, -150
