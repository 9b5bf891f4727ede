"""Measures how fast the stand-in sends the same rows to a reader that does nothing with them.

    python -m bench.sqlserver.ceiling socket|mssql-python|jdbc JOB.json

`socket` discards the received bytes, which gives the stand-in's own speed. tailrace's driver is mssql-python with Arrow batches.
Debezium's is Microsoft's JDBC driver; here Java code takes every value out of every row, in pieces that fit into memory. Each
uses its connector's query: all rows of a change table in log order, or of a table (without the transaction's time with an offset
that Debezium selects, for which Java's row sets have no type).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from bench.change_tables.ceiling import PIECE, Reading, main
from bench.change_tables.plan import CATCH_UP, TRANSACTION
from bench.workloads import ORDERS_COLUMNS

SOCKET, ARROW, JDBC = "socket", "mssql-python", "jdbc"
KEYS = ("__$start_lsn", "__$seqval", "__$operation", "__$update_mask", "__$command_id")
CHANGES = (
    f"SELECT {', '.join(f'c.[{name}]' for name in (*KEYS, *ORDERS_COLUMNS))}{{2}} WHERE c.[__$start_lsn] > {{0}} AND "
    "c.[__$start_lsn] <= {1} ORDER BY c.[__$start_lsn], c.[__$command_id], c.[__$seqval], c.[__$operation]"
)
FROM = " FROM cdc.dbo_orders_CT c"
FROM_OF_DEBEZIUM = (
    ", ltm.tran_begin_time FROM cdc.dbo_orders_CT AS c "
    "LEFT JOIN cdc.lsn_time_mapping ltm ON ltm.start_lsn = c.[__$start_lsn]"
)
ROWS = (
    f"SELECT {', '.join(f'c.[{name}]' for name in ORDERS_COLUMNS)} FROM [dbo].[orders] AS c "
    "WHERE c.[id] > {0} AND c.[id] <= {1} ORDER BY c.[id]"
)
ROWS_OF_DEBEZIUM = f"SELECT {', '.join(f'[{name}]' for name in ORDERS_COLUMNS)} FROM [bench].[dbo].[orders] WHERE [id] > {{0}} AND [id] <= {{1}}"
BATCH = 8192


def queries(task: str, reader: str, places: Sequence[Any]) -> dict[str, Any]:
    """The statement, and the bounds of its pieces; `places` are all commits, or the number of each row and one before."""
    is_debezium = reader == JDBC
    if task == CATCH_UP:
        at_once = PIECE // TRANSACTION
        borders = [f"{places[0][:2]}{'0' * 20}", *places[at_once::at_once], places[-1]]
        return {"sql": CHANGES.format("{0}", "{1}", FROM_OF_DEBEZIUM if is_debezium else FROM), "borders": borders}
    return {"sql": ROWS_OF_DEBEZIUM if is_debezium else ROWS, "borders": [*places[:-1:PIECE], places[-1]]}


def by_socket(job: dict[str, Any]) -> Reading:
    """Read all rows as bytes that are discarded; returns their number as the server sent it."""
    from tests.standins.sqlserver.raw_client import RawClient, batch

    from tailrace_standins.sqlserver.tds.packets import Kind, packets

    client = RawClient(job["port"])
    client.enter(job["password"], job["database"])
    question = packets(Kind.BATCH, batch(job["sql"].format(job["borders"][0], job["borders"][-1])), 4096)

    def read() -> int:
        client.send(question)
        return int.from_bytes(client.drain()[-8:], "little")  # of DONE, [MS-TDS] 2.2.7.6

    return read


def by_mssql_python(job: dict[str, Any]) -> Reading:
    """Read all rows as Arrow batches; returns their number."""
    import mssql_python

    address = f"SERVER={job['host']},{job['port']};DATABASE={job['database']};UID={job['user']};PWD={{{job['password']}}};Encrypt=no"
    connection = mssql_python.connect(address, autocommit=True)

    def read() -> int:
        cursor = connection.cursor()
        cursor.execute(job["sql"].format(job["borders"][0], job["borders"][-1]))
        return sum(batch.num_rows for batch in cursor.arrow_reader(BATCH))

    return read


def by_jdbc(job: dict[str, Any]) -> Reading:
    """Read all rows in pieces into a CachedRowSet, which reads every value in Java; returns their number."""
    import jpype

    jpype.startJVM(job["libjvm"], "-Xmx2g", classpath=job["jars"])
    driver = jpype.JClass("com.microsoft.sqlserver.jdbc.SQLServerDriver")()
    url = f"jdbc:sqlserver://{job['host']}:{job['port']};databaseName={job['database']};user={job['user']};password={job['password']};encrypt=false"
    provider = jpype.JClass("javax.sql.rowset.RowSetProvider").newFactory()
    connection = driver.connect(url, jpype.JClass("java.util.Properties")())

    def read() -> int:
        rows = 0
        for low, high in pairwise(job["borders"]):
            piece = provider.createCachedRowSet()
            piece.populate(connection.createStatement().executeQuery(job["sql"].format(low, high)))
            rows += int(piece.size())
        return rows

    return read


READERS = {SOCKET: by_socket, ARROW: by_mssql_python, JDBC: by_jdbc}

if __name__ == "__main__":
    main(READERS)
