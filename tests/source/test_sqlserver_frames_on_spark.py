"""`format("sqlserver-cdc")` as Spark really drives it: the table, then its changes, over two runs of a query."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.meanwhile import meanwhile
from tailrace_standins.servers.sqlserver_server import Database

pytestmark = [pytest.mark.drivers, pytest.mark.spark, pytest.mark.slow]


def start(spark: Any, options: dict[str, str], folder: Path, **trigger: Any) -> Any:
    """A query into Parquet, where each batch counts once."""
    rows = spark.readStream.format("sqlserver-cdc").options(**options).load()
    writer = rows.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
    return (writer.trigger(**trigger) if trigger else writer).start(str(folder / "rows"))


def test_the_typed_rows_of_a_table_and_then_of_its_changes(spark: Any, sqlserver: Database, tmp_path: Path) -> None:
    sqlserver.sql(
        "CREATE TABLE t (id int PRIMARY KEY, price decimal(8, 2), at_ datetime2(3)); INSERT t VALUES (1, 9.5, NULL)"
    )
    sqlserver.capture("t")
    options = sqlserver.properties(snapshot_mode="initial", output="rows", rowImage="both")
    with meanwhile(sqlserver.step):  # who reads tables waits for the capture job
        start(spark, options, tmp_path, availableNow=True).awaitTermination()
    sqlserver.sql(
        "UPDATE t SET price = 10; INSERT t VALUES (2, NULL, '2026-01-02 03:04:05.678'); DELETE t WHERE id = 1"
    )
    sqlserver.capture_all()
    start(spark, options, tmp_path, availableNow=True).awaitTermination()
    rows = spark.read.parquet(str(tmp_path / "rows")).orderBy("_sequence").collect()
    assert [(row["_op"], row.id, None if row.price is None else str(row.price)) for row in rows] == [
        ("r", 1, "9.50"),
        ("u", 1, "10.00"),
        ("c", 2, None),
        ("d", 1, "10.00"),
    ]
    assert str(rows[2].at_) == "2026-01-02 03:04:05.678000"
    assert str(rows[1]["_before"].price) == "9.50"
