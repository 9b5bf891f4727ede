"""Db2's part of the reference pages, with the page of its data types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

CONFIGURATION: Final = """\
One connector reads one database, `database.dbname`. Tables are named `schema.table` in lists, and columns
`schema.table.column`, both as the catalogue has them: names that were made without quotes are in capital letters. In
`message.key.columns` and `snapshot.include.collection.list` the database may stand in front.
A minimal configuration:

```json
{
  "connector.class": "io.debezium.connector.db2.Db2Connector",
  "topic.prefix": "shop",
  "database.hostname": "db2.example.org",
  "database.port": "50001",
  "driver.sslConnection": "true",
  "database.user": "cdc",
  "database.password": "${env:DB2_PASSWORD}",
  "database.dbname": "SHOP",
  "table.include.list": "SALES.ORDERS,SALES.CUSTOMERS"
}
```

[What the server needs](../guides/db2-setup.md) is SQL Replication with its Capture program. No real Db2 was at hand: everything
was tested on the [stand-in](db2-standin.md).

**The driver** is `adbc-driver-db2`, which needs no library of IBM; the names are those of IBM's JDBC driver, with `driver.` (or
`database.`) in front, as Debezium takes them. What has no word here is refused where it is about security or the server's
address, and ignored otherwise.

**Types**: [what each becomes](db2-types.md) under the handling modes.
"""


def _types() -> str:
    from tailrace.connectors.db2.types_page import render

    return render()


MORE: Final[Mapping[str, Callable[[], str]]] = {"db2-types.md": _types}
