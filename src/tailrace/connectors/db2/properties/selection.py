"""Properties that select what is captured of Db2."""

from __future__ import annotations

from tailrace.config.properties import selection
from tailrace.config.property import varied
from tailrace.connectors.change_tables import properties

_ONE = "only `database.dbname` is read, which the list may not leave out."
_DATABASES = varied(selection.DATABASES, "database.include.list", doc=f"Databases to capture; {_ONE}")

PROPERTIES = (
    *varied(_DATABASES, "database.exclude.list", doc=f"Databases to leave out; {_ONE}"),
    *properties.SCHEMAS,
    *selection.properties(
        "schema.table",
        system="schemas whose names begin with SYS or ASNCDC, and tables whose names begin with IBMSNAP_ or IBMQREP_",
    ),
)
