"""`output="rows"` on a real server, through Spark: the typed rows are those that SQL shows."""

import decimal

import pytest

pytestmark = [pytest.mark.mysql, pytest.mark.spark, pytest.mark.slow]


@pytest.fixture
def options(mysql_server, database, tmp_path):
    return {
        "database.hostname": mysql_server.host,
        "database.port": str(mysql_server.port),
        "database.user": mysql_server.user,
        "database.password": mysql_server.password,
        "database.server.id": "54321",
        "topic.prefix": "shop",
        "snapshot.mode": "no_data",
        "table.include.list": f"{database}.orders",
        "output": "rows",
        "rowImage": "both",
    }


def test_rows_have_the_columns_types_and_values_of_the_table(spark, mysql_server, database, options, tmp_path):
    mysql_server.sql(
        "CREATE TABLE orders (id INT PRIMARY KEY, price DECIMAL(8,2), n BIGINT UNSIGNED, at DATE)", database
    )

    def run_to_the_head():
        rows = spark.readStream.format("mysql-cdc").options(**options).load()
        writer = rows.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start(str(tmp_path / "rows")).awaitTermination()
        return rows.schema

    run_to_the_head()
    mysql_server.sql(
        "INSERT INTO orders VALUES (1, 9.50, 18446744073709551615, '2026-01-02'), (2, NULL, NULL, NULL);"
        "UPDATE orders SET price = 10 WHERE id = 1; DELETE FROM orders WHERE id = 2",
        database,
    )
    schema = run_to_the_head()
    assert [field.dataType.simpleString() for field in schema][:4] == ["int", "decimal(8,2)", "decimal(20,0)", "date"]
    assert schema.fieldNames() == ["id", "price", "n", "at", "_op", "_sequence", "_commit_time", "_before"]
    rows = spark.read.parquet(str(tmp_path / "rows")).orderBy("_sequence").collect()
    assert [(row["_op"], row.id, row.price) for row in rows] == [
        ("c", 1, decimal.Decimal("9.50")),
        ("c", 2, None),
        ("u", 1, decimal.Decimal("10.00")),
        ("d", 2, None),
    ]
    assert rows[0].n == 2**64 - 1
    assert rows[0]["at"].isoformat() == "2026-01-02"
    assert rows[0]["_before"] is None
    assert rows[2]["_before"].price == decimal.Decimal("9.50")
    assert all(row["_commit_time"] is not None for row in rows)
