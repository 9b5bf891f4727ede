"""Measures how fast the stand-in sends the same rows to a reader that does nothing with them.

    python -m bench.sqlserver.ceiling socket|mssql-python|jdbc JOB.json

`socket` discards the received bytes, which gives the stand-in's own speed. tailrace's driver is mssql-python with Arrow batches.
Debezium's is Microsoft's JDBC driver; here Java code takes every value out of every row, in pieces that fit into memory. Each
uses its connector's query: all rows of a change table in log order, or of a table (without the transaction's time with an offset
that Debezium selects, for which Java's row sets have no type). Each reader is a process of its own and prints one line of JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.measuring.processes import Stat
from bench.sqlserver.plan import CATCH_UP, TRANSACTION
from bench.workloads import ORDERS_COLUMNS

if TYPE_CHECKING:
    from bench.sqlserver.data import Data

ROOT = Path(__file__).resolve().parent.parent.parent
SOCKET, ARROW, JDBC = "socket", "mssql-python", "jdbc"
READERS = (SOCKET, ARROW, JDBC)
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
COMMITS = "SELECT CONVERT(varchar(22), start_lsn, 1) FROM cdc.lsn_time_mapping ORDER BY start_lsn"
Reading = Callable[[], int]
BATCH = 8192
PIECE = 50_000  # rows of a page of the JDBC reader


def measure(reader: str, url: dict[str, Any], pid: int, data: Data, task: str) -> dict[str, float]:
    """Rows a second, and CPU seconds of the reader and of the server (process `pid`) for a million rows."""
    job = {"pid": pid, **url, **_queries(data, task, reader), **(_java() if reader == JDBC else {})}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(json.dumps(job))
        file.flush()
        command = [sys.executable, "-m", "bench.sqlserver.ceiling", reader, file.name]
        env = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=env, timeout=1800)
    if done.returncode:
        raise RuntimeError(f"reading with {reader} failed: {done.stderr[-2000:]}")
    found = json.loads(done.stdout.splitlines()[-1])
    return {
        "rows": found["rows"],
        "seconds": round(found["seconds"], 3),
        "rate": round(found["rows"] / found["seconds"]),
        "reader_cpu": round(found["cpu"] / found["rows"] * 1e6, 3),
        "server_cpu": round(found["server_cpu"] / found["rows"] * 1e6, 3),
    }


def _queries(data: Data, task: str, reader: str) -> dict[str, Any]:
    """The statement, the range of what is read, and the bounds of its pieces."""
    is_debezium = reader == JDBC
    if task == CATCH_UP:
        commits = [text for (text,) in data.database.sql(COMMITS)]
        borders = [commits[0], *commits[PIECE // TRANSACTION :: PIECE // TRANSACTION], commits[-1]]
        sql = CHANGES.format("{0}", "{1}", FROM_OF_DEBEZIUM if is_debezium else FROM)
        return {"sql": sql, "borders": [f"{commits[0][:2]}{'0' * 20}", *borders[1:]]}
    return {"sql": ROWS_OF_DEBEZIUM if is_debezium else ROWS, "borders": [*range(0, data.changes, PIECE), data.changes]}


def _java() -> dict[str, Any]:
    from tests.differential import jars

    driver = [str(jar) for jar in jars.debezium_jars(jars.SQL_SERVER) if "mssql-jdbc" in jar.name]
    return {"libjvm": str(jars.libjvm(jars.java_home())), "jars": driver}


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


def main(reader: str, path: str) -> None:
    """Read once to warm up, then once for the measurement; connecting does not count."""
    job = json.loads(Path(path).read_text())
    read = {SOCKET: by_socket, ARROW: by_mssql_python, JDBC: by_jdbc}[reader](job)
    read()
    cpu, server_cpu, begun = time.process_time(), _cpu_of(job["pid"]), time.monotonic()
    rows = read()
    took = {"seconds": time.monotonic() - begun, "cpu": time.process_time() - cpu}
    print(json.dumps({"rows": rows, **took, "server_cpu": _cpu_of(job["pid"]) - server_cpu}), flush=True)
    os._exit(0)


def _cpu_of(pid: int) -> float:
    return Stat.parse(Path(f"/proc/{pid}/stat").read_text()).cpu


if __name__ == "__main__":
    main(*sys.argv[1:])
