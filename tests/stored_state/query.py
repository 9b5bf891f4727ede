"""A query of Spark's over a DataFrame, to the head of the log: `python -m stored_state.query OPTIONS.json CHECKPOINT ROWS`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tailrace.cli.session import start_session
from tailrace.spark import register


def main(options: str, checkpoint: str, rows: str) -> None:
    """Write topic, value and position of each record into a folder of JSON."""
    given = json.loads(Path(options).read_text())
    with start_session() as spark:
        register(spark)
        frame = spark.readStream.format("sqlserver-cdc" if "sqlserver" in given["connector.class"] else "mysql-cdc").options(**given).load()
        writer = frame.select("topic", "value", "position").writeStream.format("json").trigger(availableNow=True)
        writer.option("checkpointLocation", checkpoint).start(rows).awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
