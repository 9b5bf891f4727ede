"""adbc-driver-db2: `python adbc_child.py < jobs > results`. Values are told as text, bytes as hexadecimal digits."""

from __future__ import annotations

import json
import sys
from typing import Any

import adbc_driver_db2.dbapi as db2
import pyarrow as pa
import pyarrow.compute as pc

CONNECTIONS: list[Any] = []


def main() -> None:
    """Carry jobs out until there are no more."""
    for line in sys.stdin:
        job = json.loads(line)
        try:
            told: dict[str, Any] = {"result": _JOBS[job["job"]](*job["arguments"])}
        except Exception as error:
            told = {"error": str(error), "code": getattr(error, "vendor_code", None), "state": getattr(error, "sqlstate", None)}
        print(json.dumps(told), flush=True)


def connect(port: int, password: str, database: str = "TESTDB", options: str = "") -> bool:
    """Connect; later jobs use the last connection."""
    uri = f"db2://127.0.0.1:{port}/{database}{options}"
    CONNECTIONS.append(db2.connect(uri=uri, username="app", password=password))
    return True


def column(sql: str, place: int) -> list[Any]:
    """The Arrow type of a column and its values, text as the bytes that came."""
    with CONNECTIONS[-1].cursor() as cursor:
        cursor.execute(sql)
        table = cursor.fetch_arrow_table()
    found = table.column(place).combine_chunks()
    if pa.types.is_string(found.type):
        shown = [None if value is None else value.hex() for value in found.view(pa.binary()).to_pylist()]
    elif pa.types.is_binary(found.type):
        shown = [None if value is None else value.hex() for value in found.to_pylist()]
    elif pa.types.is_timestamp(found.type):
        shown = pc.strftime(found, "%Y-%m-%d %H:%M:%S").to_pylist()
    else:
        shown = [None if value is None else str(value) for value in found.to_pylist()]
    return [str(found.type), shown]


def bound_column(sql: str, value: str) -> list[str]:
    """The first column of a statement with bytes as its parameter: bytes."""
    with CONNECTIONS[-1].cursor() as cursor:
        cursor.execute(sql, (bytes.fromhex(value),))
        return [row.hex() for row in cursor.fetch_arrow_table().column(0).to_pylist()]


def shape(sql: str) -> list[int]:
    """The number of rows and columns of a result, and the sum of its first column."""
    with CONNECTIONS[-1].cursor() as cursor:
        cursor.execute(sql)
        table = cursor.fetch_arrow_table()
    return [table.num_rows, table.num_columns, pc.sum(table.column(0)).as_py() or 0]


def bound(sql: str, *values: str) -> list[Any]:
    """The rows of a statement with bytes as parameters."""
    with CONNECTIONS[-1].cursor() as cursor:
        cursor.execute(sql, tuple(bytes.fromhex(value) for value in values))
        return [list(row) for row in cursor.fetchall()]


def many(sql: str, rows: list[list[Any]]) -> int:
    """Run a statement once for each row of parameters; the number of rows it tells."""
    with CONNECTIONS[-1].cursor() as cursor:
        cursor.executemany(sql, [tuple(row) for row in rows])
        return int(cursor.rowcount)


def update(sql: str) -> int:
    """How many rows a statement says it changed."""
    with CONNECTIONS[-1].cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.rowcount)


def end(how: str) -> bool:
    """Commit or roll back."""
    getattr(CONNECTIONS[-1], how)()
    return True


_JOBS = {job.__name__: job for job in (connect, column, shape, bound, bound_column, many, update, end)}

if __name__ == "__main__":
    main()
