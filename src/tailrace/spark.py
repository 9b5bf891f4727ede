"""tailrace's data sources for a Spark session."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Make every connector's `spark.readStream.format(...)` known; needed where Spark does not find them itself."""
    from tailrace.connectors.registry import SPECS

    for spec in SPECS.values():
        spark.dataSource.register(import_module(spec.frames).DefaultSource)
