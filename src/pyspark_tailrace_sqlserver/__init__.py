"""Makes `spark.readStream.format("sqlserver-cdc")` known without a call, as `pyspark_tailrace` does for MySQL."""

from tailrace.connectors.sqlserver.spec import SPEC
from tailrace.source.changes import ChangesSource


class DefaultSource(ChangesSource):
    """The source under the name that Spark looks for."""

    connector_class = SPEC.connector_class
