"""Makes `spark.readStream.format("mysql-cdc")` known without a call.

Spark imports every package named `pyspark_*` that it finds and registers its `DefaultSource`, so this package holds
nothing else, and there is one for each name. `tailrace.spark.register(spark)` does the same where Spark does not look, as in
some notebooks.
"""

from tailrace.connectors.mysql.spec import SPEC
from tailrace.source.cdc_source import CdcSource


class DefaultSource(CdcSource):
    """The source under the name that Spark looks for."""

    connector_class = SPEC.connector_class
