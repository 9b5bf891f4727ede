"""`format("sqlserver-cdc")` and the like as Spark really drives them: the table, then its changes, over two runs of a query."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.captured_shops import Db2Shop, Shop, SqlServerShop, shop_of
from support.every_scenario import only_with_all
from support.meanwhile import meanwhile

pytestmark = [pytest.mark.drivers, pytest.mark.spark, pytest.mark.slow]
FORMATS = {SqlServerShop: "sqlserver-cdc", Db2Shop: "db2-cdc"}
TIMESTAMPS = {SqlServerShop: "datetime2(3)", Db2Shop: "TIMESTAMP(3)"}


@pytest.fixture(params=["sqlserver", pytest.param("db2", marks=only_with_all)])
def shop(request: pytest.FixtureRequest) -> Shop:
    return shop_of(request)


def start(spark: Any, shop: Shop, folder: Path, **trigger: Any) -> Any:
    """A query into Parquet, where each batch counts once."""
    options = shop.properties(snapshot_mode="initial", output="rows", rowImage="both")
    rows = spark.readStream.format(FORMATS[type(shop)]).options(**options).load()
    writer = rows.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
    return (writer.trigger(**trigger) if trigger else writer).start(str(folder / "rows"))


def test_the_typed_rows_of_a_table_and_then_of_its_changes(spark: Any, shop: Shop, tmp_path: Path) -> None:
    shop.sql(f"CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, PRICE DECIMAL(8, 2), AT_ {TIMESTAMPS[type(shop)]})")
    shop.sql("INSERT INTO S.T VALUES (1, 9.5, NULL)")
    shop.capture("T")
    with meanwhile(shop.step):  # who reads tables waits until the log is captured
        start(spark, shop, tmp_path, availableNow=True).awaitTermination()
    shop.sql(
        "UPDATE S.T SET PRICE = 10",
        "INSERT INTO S.T VALUES (2, NULL, '2026-01-02 03:04:05.678')",
        "DELETE FROM S.T WHERE ID = 1",
    )
    shop.capture_all()
    start(spark, shop, tmp_path, availableNow=True).awaitTermination()
    rows = spark.read.parquet(str(tmp_path / "rows")).orderBy("_sequence").collect()
    assert [(row["_op"], row.ID, None if row.PRICE is None else str(row.PRICE)) for row in rows] == [
        ("r", 1, "9.50"),
        ("u", 1, "10.00"),
        ("c", 2, None),
        ("d", 1, "10.00"),
    ]
    assert str(rows[2].AT_) == "2026-01-02 03:04:05.678000"
    assert str(rows[1]["_before"].PRICE) == "9.50"
