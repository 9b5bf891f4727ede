"""The data that both sides read: a table of ten columns, its changes in the change table, and a marker row after them.

50 % of the changes are inserts, 35 % updates and 15 % deletes, in transactions of a thousand rows. All are captured before a
side reads them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.change_tables.catch_up import ANY_PREFIX
from bench.change_tables.plan import CATCH_UP, TRANSACTION
from bench.change_tables.system import Beginning, Data, IdleTables
from tests.differential import debezium, jars
from tests.differential.snapshots.running import Session

from tailrace_standins.servers.sqlserver_server import Database, StandInServer
from tailrace_standins.sqlserver.cdc import lsn

NAME = "bench"
TABLES = ("orders", "zz_marker")
TOPICS = tuple(f"{NAME}.dbo.{table}" for table in TABLES)
CAPTURED_AT_ONCE = 100 * TRANSACTION  # rows, while the changes are made
TABLES_AT_ONCE = 50
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


@contextmanager
def filled(server: StandInServer, task: str, changes: int) -> Iterator[Data]:
    """A context with the table and its captured changes (for a snapshot: its rows only), which is dropped at its end."""
    database = server.create_database(NAME)
    try:
        database.sql(ORDERS)
        database.sql("CREATE TABLE dbo.zz_marker (id int NOT NULL PRIMARY KEY)")
        yield _with_changes(server, database, changes) if task == CATCH_UP else _with_rows(database, changes)
    finally:
        database.drop()


def _with_changes(server: StandInServer, database: Database, changes: int) -> Data:
    _capture(database)
    beginning = _beginning(_history(server), lsn.lsn_text(database.max_lsn()).rstrip("\0"))
    inserts, updates, deletes = changes // 2, changes * 35 // 100, changes * 15 // 100
    _change(database, inserts, updates, deletes)
    database.sql(MARKER)
    database.capture_all()
    rows, polls = inserts + updates + deletes, partial(capture_every, database)
    return Data(database, beginning, rows, rows + updates, rows + deletes + 1, TOPICS, polls)


def _beginning(history: str, before: str) -> Beginning:
    offset = {"commit_lsn": before, "change_lsn": "NULL", "event_serial_no": 1}
    return Beginning({NAME: {"lsn": before}}, {"database": NAME}, offset, history)


def _with_rows(database: Database, rows: int) -> Data:
    _insert(database, 0, rows)
    database.sql(MARKER)
    _capture(database)
    database.capture_all()
    _take_over(database, rows)
    return Data(database, None, rows, rows, rows + 1, TOPICS, partial(capture_every, database))


@contextmanager
def idle_tables(server: StandInServer, count: int, polling: int) -> Iterator[IdleTables]:
    """A context with a database of `count` tables with a capture instance each, which is dropped at its end."""
    database = server.create_database(NAME)
    try:
        for first in range(0, count, TABLES_AT_ONCE):
            database.sql(
                "".join(
                    f"CREATE TABLE dbo.t{n} (id int PRIMARY KEY, v varchar(20)) "
                    f"EXEC sys.sp_cdc_enable_table N'dbo', N't{n}', @role_name = NULL "
                    for n in range(first, min(first + TABLES_AT_ONCE, count))
                )
            )
        database.capture_all()
        capture_every(database, polling)
        yield IdleTables(
            f"{NAME}.dbo.t0",
            empty=lambda: database.sql("DELETE dbo.t0"),
            insert=lambda number: database.sql(f"INSERT dbo.t0 VALUES ({number}, 'a')"),
        )
    finally:
        database.drop()


def commits(data: Data) -> list[str]:
    """The commit LSNs of all transactions, in order."""
    order = "SELECT CONVERT(varchar(22), start_lsn, 1) FROM cdc.lsn_time_mapping ORDER BY start_lsn"
    return [text for (text,) in data.database.sql(order)]


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


def _history(server: StandInServer) -> str:
    """The schema history that Debezium writes when it begins without a snapshot of rows."""
    with tempfile.TemporaryDirectory(prefix="tailrace-bench-") as name:
        given = properties(server, ANY_PREFIX) | {"snapshot.mode": "no_data", "notification.enabled.channels": "log"}
        with _Beginning(server, Path(name), given) as session:
            session.start()
            session.until_logged("type='COMPLETED'")
            session.stop()
        return (Path(name) / "history.jsonl").read_text(encoding="utf-8")


class _Beginning(Session):
    def _base(self) -> dict[str, str]:
        return debezium.stored_in(self.folder)


def properties(server: StandInServer, prefix: str) -> dict[str, str]:
    """The connector's properties, for both sides."""
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
    }
