"""Reads a DataFrame on a Spark master: `dataframe_on_cluster.py MASTER LOG OUT`; each row says which process read it."""

import os
import sys

from pyspark.sql.functions import udf
from pyspark.sql.types import IntegerType

from tailrace.cli.session import start_session


def main() -> None:
    master, log, out = sys.argv[1:]
    with start_session(master=master) as spark:
        options = {
            "connector.factory": "support.counting_log:connector",
            "log": log,
            "schema.history.internal.file.filename": f"{out}/history",
            "maxBytesPerTrigger": "300",
        }
        records = spark.readStream.format("mysql-cdc").options(**options).load()
        places = records.repartition(4).select("position", udf(_process, IntegerType())("position").alias("process"))
        writer = places.writeStream.format("json").option("checkpointLocation", f"{out}/checkpoint")
        writer.trigger(availableNow=True).start(f"{out}/rows").awaitTermination()


def _process(_position):
    """The parent of the Python worker: the daemon of one executor."""
    return os.getppid()


if __name__ == "__main__":
    main()
