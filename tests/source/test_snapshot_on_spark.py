"""A stream that begins with a table, as Spark really drives it: its processes are killed, and it is started again."""

import contextlib
import json

import psutil
import pytest

from support.key_writer import KeyWriter
from support.mysql_settings import stream_options
from support.snapshotting import linear
from tailrace.spark import register
from tailrace_standins.servers.waiting import wait_until

pytestmark = [pytest.mark.mysql, pytest.mark.spark, pytest.mark.slow]


def start(spark, options, folder, **trigger):
    """A query into Parquet, where each batch counts once."""
    rows = spark.readStream.format("mysql-cdc").options(**options).load()
    writer = rows.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
    return (writer.trigger(**trigger) if trigger else writer).start(str(folder / "rows"))


def planned(folder):
    return len(list((folder / "checkpoint" / "offsets").glob("[0-9]*")))


def kill_python_processes():
    """Planner and tasks, which are children of this process's Java; other tests' servers are not meant."""
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # it has ended meanwhile
            is_alive = child.status() != psutil.STATUS_ZOMBIE and child.name().startswith("python")
            if is_alive and any(part.startswith("pyspark.") for part in child.cmdline()):
                child.kill()


def test_a_stream_that_is_killed_within_the_table_goes_on_there(spark, mysql_server, database, tmp_path):
    register(spark)
    keys = range(2000)
    values = ", ".join(f"({key}, REPEAT('x', 300))" for key in keys[::2])
    mysql_server.sql("CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR(5000))", database)
    mysql_server.sql(f"INSERT INTO t VALUES {values}; ANALYZE TABLE t", database)
    options = stream_options(mysql_server, database, maxBytesPerTrigger=150_000)
    with KeyWriter(mysql_server, database, keys, seed=5) as writer:
        query = start(spark, options, tmp_path)
        wait_until(lambda: planned(tmp_path) > 1 or not query.isActive, 120, lambda: f"{query.lastProgress}")
        assert query.isActive, query.exception()
        kill_python_processes()
        with pytest.raises(Exception, match="STREAM_FAILED"):
            query.awaitTermination()
    assert writer.error is None
    start(spark, options | {"maxBytesPerTrigger": str(1 << 26)}, tmp_path, availableNow=True).awaitTermination()
    rows = spark.read.parquet(str(tmp_path / "rows")).orderBy("position").collect()
    events = [(row.key, json.loads(row.value)) for row in rows]
    reads = [event for event in events if event[1]["op"] == "r"]
    assert reads
    table = linear(reads, [event for event in events if event[1]["op"] != "r"])
    with mysql_server.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT k, v FROM t ORDER BY k")
        assert sorted((row["k"], row["v"]) for row in table.values()) == list(cursor.fetchall())
