"""A session and a streaming query of a Python data source; at its end Java writes an archive of the classes that it needed.

python -m tailrace.cli.archive_training [--by-scripts] OPTION...    with the options of Java that make it do so
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from typing import Any

from pyspark import SparkContext
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

from tailrace.cli.session import start_session
from tailrace.starting.class_archive import BY_SCRIPTS

BATCHES = 2  # what comes after the first batch needs classes of its own


class _Reader(DataSourceStreamReader):  # type: ignore[misc]
    """Some batches of one row, and nothing after them."""

    def initialOffset(self) -> dict[str, int]:  # noqa: N802
        return {"slice": 0}

    def latestOffset(self, start: dict[str, int], limit: Any) -> dict[str, int]:  # noqa: N802, ARG002
        return {"slice": min(start["slice"] + 1, BATCHES)}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:  # noqa: ARG002
        return [InputPartition(None)]

    def read(self, partition: InputPartition) -> Iterator[tuple[int, str]]:  # noqa: ARG002
        yield 0, "row"

    def commit(self, end: dict[str, int]) -> None:
        """Nothing is kept."""


class _Source(DataSource):  # type: ignore[misc]
    @classmethod
    def name(cls) -> str:
        return "tailrace-training"

    def schema(self) -> str:
        return "number bigint, text string"

    def streamReader(self, schema: Any) -> _Reader:  # noqa: N802, ARG002
        return _Reader()


def train(spark: SparkSession) -> None:
    """Do what every run does, as far as Spark is concerned."""
    spark.dataSource.register(_Source)
    with tempfile.TemporaryDirectory() as folder:
        writer = spark.readStream.format("tailrace-training").load().writeStream.format("noop")
        query = writer.option("checkpointLocation", folder).trigger(processingTime="0 seconds").start()
        while (query.lastProgress or {"batchId": 0})["batchId"] < BATCHES - 1:
            if query.awaitTermination(0.1):
                break
        query.stop()
        error = query.exception()
        if error is not None:
            raise error


def main(options: list[str]) -> None:
    """Run, and end Java in good order: only then it writes the file."""
    by_scripts = options[:1] == [BY_SCRIPTS]
    spark = start_session(java_options=options[by_scripts:], by_scripts=by_scripts)
    gateway: Any = SparkContext._gateway  # noqa: SLF001
    train(spark)
    spark.stop()
    gateway.proc.stdin.close()
    sys.exit(gateway.proc.wait())


if __name__ == "__main__":
    main(sys.argv[1:])
