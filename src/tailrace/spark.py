"""tailrace's data sources for a Spark session."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Make `spark.readStream.format("mysql-cdc")` known; needed only where Spark does not find it by itself."""
    from tailrace.source.changes import ChangesSource

    spark.dataSource.register(ChangesSource)
