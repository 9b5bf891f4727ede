"""Makes `spark.readStream.format("db2-cdc")` known without a call, as `pyspark_tailrace` does for MySQL."""

from tailrace.connectors.db2.spec import SPEC
from tailrace.source.cdc_source import CdcSource


class DefaultSource(CdcSource):
    """The source under the name that Spark looks for."""

    connector_class = SPEC.connector_class
