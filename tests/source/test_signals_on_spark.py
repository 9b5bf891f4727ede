"""A table that is asked for while Spark delivers a stream, as Spark really drives it: over two runs, into Parquet."""

import json

import pytest

from support.mysql_settings import stream_options
from tailrace.spark import register

pytestmark = [pytest.mark.mysql, pytest.mark.spark, pytest.mark.slow]


def run(spark, options, folder):
    """To the log's end, and to the end of what was asked for; how many batches there are by now."""
    rows = spark.readStream.format("mysql-cdc").options(**options).load()
    writer = rows.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
    writer.trigger(availableNow=True).start(str(folder / "rows")).awaitTermination()
    return len(list((folder / "checkpoint" / "offsets").glob("[0-9]*")))


def test_a_table_that_is_asked_for_comes_with_the_run_and_once(spark, mysql_server, database, tmp_path):
    register(spark)
    values = ", ".join(f"({key}, 'first')" for key in range(200))
    mysql_server.sql(f"CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR(50)); INSERT INTO t VALUES {values}", database)
    file = tmp_path / "signals.txt"
    signals = {"signal.enabled.channels": "file", "signal.file": file, "signal.poll.interval.ms": 1}
    options = stream_options(mysql_server, database, **signals, **{"snapshot.mode": "no_data"})
    file.write_text('{"id": "one", "type": "log", "data": {"message": "an empty batch keeps the mark"}}\n')
    assert run(spark, options, tmp_path) == 2
    mysql_server.sql("UPDATE t SET v = 'second' WHERE k IN (7, 199)", database)
    data = {"data-collections": [f"{database}.t"], "type": "incremental"}
    file.write_text(json.dumps({"id": "two", "type": "execute-snapshot", "data": data}) + "\n")
    assert run(spark, options, tmp_path) == 3, "the log and the table are one batch"
    rows = spark.read.parquet(str(tmp_path / "rows")).orderBy("position").collect()
    events = [json.loads(row.value) for row in rows]
    assert [event["op"] for event in events] == ["u", "u", *["r"] * 200]
    assert {event["source"]["snapshot"] for event in events[2:]} == {"incremental"}
    table = {event["after"]["k"]: event["after"]["v"] for event in events[2:]}
    assert table == {key: "second" if key in (7, 199) else "first" for key in range(200)}
