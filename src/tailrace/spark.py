"""tailrace's data sources for a Spark session."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Make `spark.readStream.format("mysql-cdc")` and `"sqlserver-cdc"` known; needed where Spark does not find them itself."""
    from tailrace.source.changes import SOURCES

    for source in SOURCES:
        spark.dataSource.register(source)
