"""Properties that select what is captured of SQL Server."""

from __future__ import annotations

from tailrace.config.properties import selection
from tailrace.connectors.change_tables import properties

PROPERTIES = (
    *selection.DATABASES,
    *properties.SCHEMAS,
    *selection.properties("schema.table", system="the schemas cdc and sys, and systranschemas"),
)
