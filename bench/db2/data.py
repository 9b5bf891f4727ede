"""The data that both sides read: a table of ten columns, its changes in the change table, and a marker row after them.

50 % of the changes are inserts, 35 % updates and 15 % deletes, in transactions of a thousand rows. All are captured before a
side reads them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from bench.change_tables.catch_up import ANY_PREFIX
from bench.change_tables.plan import CATCH_UP, TRANSACTION
from bench.change_tables.system import Beginning, Data, IdleTables
from tests.differential import debezium, jars
from tests.differential.snapshots.running import Session

from tailrace.connectors.db2.lsn import LSNS, lsn_of
from tailrace_standins.db2.inventory import CAPTURE_SCHEMA
from tailrace_standins.servers.db2_server import Database, StandInServer

NAME, SCHEMA = "BENCH", "SHOP"
TABLES = (f"{SCHEMA}.ORDERS", f"{SCHEMA}.ZZ_MARKER")
AT_ONCE = 100 * TRANSACTION  # rows that are handed to the stand-in
TABLES_AT_ONCE = 50
ORDERS = (
    f"CREATE TABLE {SCHEMA}.ORDERS (ID INTEGER NOT NULL PRIMARY KEY, CUSTOMER_ID INTEGER NOT NULL, PRODUCT_ID INTEGER NOT NULL, "
    "QUANTITY SMALLINT NOT NULL DEFAULT 1, STATUS VARCHAR(16) NOT NULL, EMAIL VARCHAR(255), AMOUNT DECIMAL(12, 2) NOT NULL, "
    "ORDER_DATE TIMESTAMP(3) NOT NULL, UPDATED_AT TIMESTAMP(6) NOT NULL, NOTE VARCHAR(100))"
)
ZZ_MARKER = f"CREATE TABLE {SCHEMA}.ZZ_MARKER (ID INTEGER NOT NULL PRIMARY KEY)"
MARKER = f"CREATE TABLE {SCHEMA}.ZZ_MARKER (ID INTEGER NOT NULL PRIMARY KEY)"
NUMBERS = (
    "WITH D(X) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)), "
    "N(I) AS (SELECT {first} + 100 * A.X + 10 * B.X + C.X + 1 FROM D A, D B, D C)"
)
INSERT = (
    f"INSERT INTO {SCHEMA}.ORDERS {NUMBERS} SELECT I, 1000 + MOD(I, 50000), 1 + MOD(I, 997), 1 + MOD(I, 20), "
    "CASE MOD(I, 3) WHEN 0 THEN 'NEW' WHEN 1 THEN 'PAID' ELSE 'SHIPPED' END, "
    "'user' || VARCHAR(MOD(I, 50000)) || '@example.com', DECIMAL(MOD(I, 100000), 12, 2) / 4, "
    "TIMESTAMP('2024-01-01-00.00.00.123') + I SECONDS, CURRENT TIMESTAMP, "
    "CASE WHEN MOD(I, 5) = 0 THEN NULL ELSE 'note for order ' || VARCHAR(I) END FROM N WHERE I <= {last}"
)
UPDATE = (
    f"UPDATE {SCHEMA}.ORDERS SET STATUS = 'PAID2', QUANTITY = QUANTITY + 1, UPDATED_AT = CURRENT TIMESTAMP "
    "WHERE ID > {first} AND ID <= {last}"
)
DELETE = f"DELETE FROM {SCHEMA}.ORDERS WHERE ID > {{first}} AND ID <= {{last}}"
MARKER = f"INSERT INTO {SCHEMA}.ZZ_MARKER VALUES (1)"


@contextmanager
def filled(server: StandInServer, task: str, changes: int) -> Iterator[Data]:
    """A context with the table and its captured changes (for a snapshot: its rows only), which is dropped at its end."""
    database = server.create_database(NAME)
    try:
        database.sql(ORDERS, ZZ_MARKER)
        database.register(*TABLES)
        database.replication.step()
        yield _with_changes(server, database, changes) if task == CATCH_UP else _with_rows(server, database, changes)
    finally:
        database.replication.stop()
        server.drop_database(database)


def _with_changes(server: StandInServer, database: Database, changes: int) -> Data:
    beginning = _beginning(_history(server, database), _captured_up_to(database))
    inserts, updates, deletes = changes // 2, changes * 35 // 100, changes * 15 // 100
    captured = 0
    for operation, first, last in (("insert", 0, inserts), ("update", 0, updates), ("delete", inserts - deletes, inserts)):
        for behind in range(first, last, AT_ONCE):
            rows = _rows(behind, min(behind + AT_ONCE, last), updated=operation == "update")
            rows = rows.select(["ID"]) if operation == "delete" else rows
            captured += server.change(TABLES[0], operation, rows, TRANSACTION, database)
    database.sql(MARKER)
    database.replication.step()
    return _data(database, beginning, inserts + updates + deletes, captured, inserts + updates + 2 * deletes + 1)


def _with_rows(server: StandInServer, database: Database, rows: int) -> Data:
    for behind in range(0, rows, AT_ONCE):
        server.load(TABLES[0], _rows(behind, min(behind + AT_ONCE, rows)), database)
    database.sql(MARKER)
    database.replication.step()
    return _data(database, None, rows, rows, rows + 1)


def _rows(behind: int, last: int, *, updated: bool = False) -> pa.Table:
    """The rows of ORDERS with the numbers after `behind`; updated: as an update leaves them."""
    number = np.arange(behind + 1, last + 1)
    ordered = np.datetime64("2024-01-01T00:00:00.123", "us") + number.astype("m8[s]")
    names = ("NEW", "PAID", "SHIPPED")
    notes = [f"note for order {n}" if n % 5 else None for n in number.tolist()]
    return pa.table(
        {
            "ID": number.astype(np.int32),
            "CUSTOMER_ID": (1000 + number % 50_000).astype(np.int32),
            "PRODUCT_ID": (1 + number % 997).astype(np.int32),
            "QUANTITY": (1 + number % 20 + updated).astype(np.int16),
            "STATUS": ["PAID2" if updated else names[n % 3] for n in number.tolist()],
            "EMAIL": [f"user{n % 50_000}@example.com" for n in number.tolist()],
            "AMOUNT": pa.array([Decimal(n % 100_000 * 25) / 100 for n in number.tolist()], pa.decimal128(12, 2)),
            "ORDER_DATE": pa.array(ordered),
            "UPDATED_AT": pa.array(ordered + np.timedelta64(1 + updated, "h") + number.astype("m8[us]")),
            "NOTE": pa.array(notes, pa.string()),
        }
    )


def _data(database: Database, beginning: Beginning | None, changes: int, change_rows: int, records: int) -> Data:
    return Data(database, beginning, changes, change_rows, records, TABLES, partial(capture_every, database))


def _beginning(history: str, before: str) -> Beginning:
    offset = {"commit_lsn": before, "change_lsn": "NULL", "event_serial_no": 1}
    return Beginning({NAME: {"lsn": before}}, {}, offset, history)


def _captured_up_to(database: Database) -> str:
    """The greatest synchpoint, as events show it."""
    query = f"SELECT HEX(MAX(SYNCHPOINT)) FROM {CAPTURE_SCHEMA}.IBMSNAP_REGISTER"
    return lsn_of(bytes.fromhex(database.value(query)), LSNS).text


def capture_every(database: Database, seconds: int) -> None:
    """Let the Capture program read the log by itself."""
    database.replication.stop()
    database.replication.start(seconds)


@contextmanager
def idle_tables(server: StandInServer, count: int, polling: int) -> Iterator[IdleTables]:
    """A context with a database of `count` registered tables, which is dropped at its end."""
    database = server.create_database(NAME)
    try:
        for first in range(0, count, TABLES_AT_ONCE):
            numbers = range(first, min(first + TABLES_AT_ONCE, count))
            database.sql(*(f"CREATE TABLE {SCHEMA}.T{n} (ID INTEGER NOT NULL PRIMARY KEY, V VARCHAR(20))" for n in numbers))
            database.register(*(f"{SCHEMA}.T{n}" for n in numbers))
        database.replication.step()
        capture_every(database, polling)
        yield IdleTables(
            f"{SCHEMA}.T0",
            empty=lambda: database.sql(f"DELETE FROM {SCHEMA}.T0"),
            insert=lambda number: database.sql(f"INSERT INTO {SCHEMA}.T0 VALUES ({number}, 'a')"),
        )
    finally:
        database.replication.stop()
        server.drop_database(database)


def commits(data: Data) -> list[str]:
    """The commit LSNs of all transactions as hexadecimal digits, in order."""
    query = f"SELECT HEX(IBMSNAP_COMMITSEQ) FROM {CAPTURE_SCHEMA}.IBMSNAP_UOW ORDER BY IBMSNAP_COMMITSEQ"
    return [text for (text,) in data.database.sql(query)]


def _history(server: StandInServer, database: Database) -> str:
    """The schema history that Debezium writes when it begins without a snapshot of rows."""
    with tempfile.TemporaryDirectory(prefix="tailrace-bench-") as name:
        more = {"snapshot.mode": "no_data", "notification.enabled.channels": "log"}
        with _Beginning(database, Path(name), properties(server, ANY_PREFIX) | more) as session:
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
        "connector.class": jars.DB2,
        "topic.prefix": prefix,
        "database.hostname": server.host,
        "database.port": str(server.port),
        "database.user": server.user,
        "database.password": server.password,
        "database.dbname": NAME,
        "include.schema.changes": "false",
        "key.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    }
