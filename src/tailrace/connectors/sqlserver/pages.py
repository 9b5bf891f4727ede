"""SQL Server's part of the reference pages, with the pages of its data types and of its stand-in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

CONFIGURATION: Final = """\
Tables are named `schema.table` in lists, in every database of `database.names`, and columns `schema.table.column`; rules
for columns and `message.key.columns` may have the database in front, and `snapshot.include.collection.list` must.
A minimal configuration:

```json
{
  "connector.class": "io.debezium.connector.sqlserver.SqlServerConnector",
  "topic.prefix": "shop",
  "database.hostname": "sqlserver.example.org",
  "database.user": "cdc",
  "database.password": "${env:SQLSERVER_PASSWORD}",
  "database.names": "inventory"
}
```

**The driver** is Microsoft's ODBC driver, which comes with `mssql-python`; the names are those of its JDBC driver, as
Debezium takes them: `driver.encrypt`, or as in older versions `database.encrypt`. What the ODBC driver has no word for is
refused where it is about security or the server's address, and ignored otherwise.

**Types**: [what each becomes](sqlserver-types.md) under the handling modes.
"""


def _standin() -> str:
    from tailrace_standins.sqlserver.reference import render

    return render()


def _types() -> str:
    from tailrace.connectors.sqlserver.types_page import render

    return render()


MORE: Final[Mapping[str, Callable[[], str]]] = {
    "sqlserver-standin-names.md": _standin,
    "sqlserver-types.md": _types,
}
