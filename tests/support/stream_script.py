"""A script as `spark-submit` runs one: two streams in one session. `stream_script.py CONFIG FOLDER` prints one JSON object.

The first stream delivers what there is and ends; the second, of the same connector into another folder, follows the log until it
has one row more, which the test writes when the file `FOLDER/follows` is there.
"""

import json
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

import tailrace
from tailrace.errors import ConfigError, FencedError, TailraceError
from tailrace.spark import register


def main() -> None:
    config, folder = Path(sys.argv[1]), Path(sys.argv[2])
    spark = SparkSession.builder.getOrCreate()
    document = json.loads(config.read_text())
    told = {"wrong": _refusal(spark, {**document, "snapshot.mode": "no such mode"}, to=f"files:{folder}/a")}
    told["target"] = _refusal(spark, document, to="nowhere")
    notices, progress = [], []
    first = tailrace.stream(
        spark,
        config,
        to=f"files:{folder}/a",
        available_now=True,
        on_notice=notices.append,
        on_progress=progress.append,
    )
    document["database.server.id"] = "7303"  # two readers of one server
    second = tailrace.stream(spark, json.dumps(document), to=f"files:{folder}/b")
    told["second run"] = _refusal(spark, document, to=f"files:{folder}/b")
    told["first ended"] = first.await_termination(900)
    told["first"] = [first.status.state, first.status.changes, first.is_active, first.exception]
    told["progress"] = progress[-1].changes
    with second:
        _until(second, 2)
        (folder / "follows").touch()
        _until(second, 3)
        told["second"] = [second.status.state, second.is_active, second.await_termination(0.1)]
    told["stopped"] = [second.status.state, second.is_active]
    register(spark)
    frame = spark.readStream.format("mysql-cdc").options(**document).load()
    told["columns"] = frame.columns[:2]
    told["session"] = spark.range(3).count()
    print(json.dumps(told))


def _refusal(spark, config, **options):
    try:
        tailrace.stream(spark, config, **options).stop()
    except (ConfigError, FencedError, TailraceError) as error:
        return [type(error).__name__, str(error)]
    return None


def _until(stream, changes) -> None:
    """Wait until it has delivered so many; its error is raised."""
    deadline = time.monotonic() + 900
    while stream.status.changes < changes:
        assert not stream.await_termination(0.2)
        assert time.monotonic() < deadline, "nothing happened"


if __name__ == "__main__":
    main()
