"""What is captured of MySQL."""

from __future__ import annotations

from tailrace.config.properties import selection

PROPERTIES = (
    *selection.DATABASES,
    *selection.properties("database.table", system="mysql, performance_schema, sys and information_schema"),
)
