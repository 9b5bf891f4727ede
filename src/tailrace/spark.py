"""tailrace's data sources for a Spark session."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Make every connector's `spark.readStream.format(...)` known; needed where Spark does not find them itself.

    In a session that is not of Spark Connect a worker is tried, once.

    Raises:
        ConfigError: Spark's workers lack something that tailrace needs; the message says what.

    """
    from tailrace.connectors.registry import SPECS
    from tailrace.streaming.session_checks import is_connect
    from tailrace.streaming.worker_trial import try_worker

    if not is_connect(spark):
        try_worker(spark)
    for spec in SPECS.values():
        spark.dataSource.register(import_module(spec.frames).DefaultSource)
