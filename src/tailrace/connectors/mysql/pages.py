"""What the reference pages say of MySQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

CONFIGURATION: Final = """\
Tables are named `database.table` in lists, and columns `database.table.column`. A minimal configuration:

```json
{
  "connector.class": "io.debezium.connector.mysql.MySqlConnector",
  "topic.prefix": "shop",
  "database.hostname": "mysql.example.org",
  "database.user": "cdc",
  "database.password": "${env:MYSQL_PASSWORD}",
  "database.server.id": 5401,
  "snapshot.mode": "no_data"
}
```
"""

MORE: Final[Mapping[str, Callable[[], str]]] = {}
