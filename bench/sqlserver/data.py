"""The data that both sides read: a table of ten columns, its changes in the change table, and a marker row after them.

50 % of the changes are inserts, 35 % updates and 15 % deletes, in transactions of a thousand rows. All are captured before a
side reads them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.sqlserver.plan import CATCH_UP, TRANSACTION
from bench.sqlserver.servers import Servers
from tests.differential import debezium, jars
from tests.differential.snapshots.running import Session

from tailrace_standins.servers.sqlserver_server import Database

NAME = "bench"
TABLES = ("orders", "zz_marker")
PARTITIONS = 4
CAPTURED_AT_ONCE = 100 * TRANSACTION  # rows, while the changes are made
ANY_PREFIX = "prefix-of-the-run"
ORDERS = (
    "CREATE TABLE dbo.orders (id int NOT NULL PRIMARY KEY, customer_id int NOT NULL, product_id int NOT NULL, "
    "quantity smallint NOT NULL DEFAULT 1, status varchar(16) NOT NULL, email nvarchar(255) NULL, "
    "amount decimal(12, 2) NOT NULL, order_date datetime2(3) NOT NULL, updated_at datetime2(6) NOT NULL, note varchar(100) NULL)"
)
DIGITS = ", ".join(f"(VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) {place}(x)" for place in "abc")
NUMBERS = "SELECT TOP ({count}) {first} + ROW_NUMBER() OVER (ORDER BY (SELECT 1)) AS n FROM {digits}"
INSERT = (
    "INSERT dbo.orders SELECT n, 1000 + n % 50000, 1 + n % 997, 1 + n % 20, CASE n % 3 WHEN 0 THEN 'NEW' WHEN 1 THEN 'PAID' "
    "ELSE 'SHIPPED' END, CONCAT(N'user', n % 50000, N'@example.com'), CAST(n % 100000 AS decimal(12, 2)) / 4, "
    "DATEADD(second, n, '2024-01-01 00:00:00.123'), SYSUTCDATETIME(), CASE WHEN n % 5 = 0 THEN NULL ELSE "
    "CONCAT('note for order ', n) END FROM ({numbers}) s"
)
UPDATE = "UPDATE dbo.orders SET status = 'PAID2', quantity = quantity + 1, updated_at = SYSUTCDATETIME() WHERE id > {first} AND id <= {last}"
MARKER = "INSERT dbo.zz_marker VALUES (1)"
DELETE = "DELETE dbo.orders WHERE id > {first} AND id <= {last}"


@dataclass(frozen=True)
class Data:
    """A table and its changes.

    Attributes:
        before: the LSN before the first change; empty (like the history) for a snapshot.
        history: Debezium's schema history of the tables, with `ANY_PREFIX` for the topic prefix.
        changes: the number of row changes without the marker; for a snapshot the number of rows.
        change_rows: the number of rows in the change table; an update has two.
        records: the number of records, with tombstones and marker.

    """

    database: Database
    before: bytes
    history: str
    changes: int
    change_rows: int
    records: int

    def topics(self, prefix: str) -> list[str]:
        """The topic of the changes."""
        return [f"{prefix}.{NAME}.dbo.orders"]

    def marker(self, prefix: str) -> str:
        """The topic of the marker, the row that is inserted last."""
        return f"{prefix}.{NAME}.dbo.zz_marker"


@contextmanager
def filled(servers: Servers, task: str, changes: int) -> Iterator[Data]:
    """A context with the table and its captured changes (for a snapshot: its rows only), which is dropped at its end."""
    database = servers.sqlserver.create_database(NAME)
    try:
        database.sql(ORDERS)
        database.sql("CREATE TABLE dbo.zz_marker (id int NOT NULL PRIMARY KEY)")
        yield _with_changes(servers, database, changes) if task == CATCH_UP else _with_rows(database, changes)
    finally:
        database.drop()


def _with_changes(servers: Servers, database: Database, changes: int) -> Data:
    _capture(database)
    history, before = _history(servers), database.max_lsn()
    inserts, updates, deletes = changes // 2, changes * 35 // 100, changes * 15 // 100
    _change(database, inserts, updates, deletes)
    database.sql(MARKER)
    database.capture_all()
    rows = inserts + updates + deletes
    return Data(database, before, history, rows, rows + updates, rows + deletes + 1)


def _with_rows(database: Database, rows: int) -> Data:
    _insert(database, 0, rows)
    database.sql(MARKER)
    _capture(database)
    database.capture_all()
    _take_over(database, rows)
    return Data(database, b"", "", rows, rows, rows + 1)


def _capture(database: Database) -> None:
    for table in TABLES:
        database.capture(table)


def capture_every(database: Database, seconds: int) -> None:
    """Let the capture job read the log by itself, with a polling interval."""
    database.sql("EXEC sys.sp_cdc_stop_job @job_type = N'capture'")
    database.sql(f"EXEC sys.sp_cdc_change_job @job_type = N'capture', @pollinginterval = {seconds}")
    database.sql("EXEC sys.sp_cdc_start_job @job_type = N'capture'")
    database.resume()


def _take_over(database: Database, rows: int) -> None:
    """Make the stand-in convert the table into columns, which it does when the whole table was read twice."""
    for _ in range(2):
        database.sql(f"SELECT id FROM dbo.orders ORDER BY id OFFSET {rows - 1} ROWS FETCH NEXT 1 ROWS ONLY")


def _insert(database: Database, first: int, end: int) -> None:
    for behind in range(first, end, TRANSACTION):
        count = min(TRANSACTION, end - behind)
        database.sql(INSERT.format(numbers=NUMBERS.format(count=count, first=behind, digits=DIGITS)))


def _change(database: Database, inserts: int, updates: int, deletes: int) -> None:
    for first in range(0, inserts, CAPTURED_AT_ONCE):
        _insert(database, first, min(first + CAPTURED_AT_ONCE, inserts))
        database.capture_all()
    for statement, count, begin in ((UPDATE, updates, 0), (DELETE, deletes, inserts - deletes)):
        for first in range(begin, begin + count, TRANSACTION):
            database.sql(statement.format(first=first, last=min(first + TRANSACTION, begin + count)))


def _history(servers: Servers) -> str:
    """The schema history that Debezium writes when it begins without a snapshot of rows."""
    with tempfile.TemporaryDirectory(prefix="tailrace-bench-") as name:
        given = properties(servers, ANY_PREFIX, {"snapshot.mode": "no_data", "notification.enabled.channels": "log"})
        with _Beginning(servers.sqlserver, Path(name), given) as session:
            session.start()
            session.until_logged("type='COMPLETED'")
            session.stop()
        return (Path(name) / "history.jsonl").read_text(encoding="utf-8")


class _Beginning(Session):
    def _base(self) -> dict[str, str]:
        return debezium.stored_in(self.folder)


def properties(servers: Servers, prefix: str, more: dict[str, str] | None = None) -> dict[str, str]:
    """The connector's properties, for both sides."""
    server = servers.sqlserver
    return {
        "name": "bench",
        "connector.class": jars.SQL_SERVER,
        "topic.prefix": prefix,
        "database.hostname": server.host,
        "database.port": str(server.port),
        "database.user": server.user,
        "database.password": server.password,
        "database.names": NAME,
        "database.encrypt": "false",
        "include.schema.changes": "false",
        "key.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        **(more or {}),
    }
