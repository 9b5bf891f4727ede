"""Makes `spark.readStream.format("sqlserver-cdc")` known without a call, as `pyspark_tailrace` does for MySQL."""

from tailrace.source.changes import SqlServerChangesSource


class DefaultSource(SqlServerChangesSource):
    """The source under the name that Spark looks for."""
