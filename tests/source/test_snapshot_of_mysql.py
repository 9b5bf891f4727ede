"""The tables at the beginning of a stream, on a real server: as of one position, whoever writes, the same however often."""

import itertools
import json
import random
from collections import Counter

import pyarrow as pa
import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from support.key_writer import KeyWriter
from support.mysql_frames import parse_options
from support.mysql_settings import stream_options
from support.snapshotting import linear
from tailrace.connectors.mysql.connection import rows
from tailrace.connectors.mysql.snapshots import source, splitting
from tailrace.connectors.shared.snapshots import chunk_sizes, part_assembly
from tailrace.errors import KeyChangedError, PositionLostError, RetriableError, SourceSetupError
from tailrace.source.cdc_source import INITIAL, CdcReader
from tailrace.source.frame_reading import row_reading, spark_schema
from tailrace_standins.servers.mysql_server import MySqlServer

pytestmark = pytest.mark.mysql
SEED = random.SystemRandom().randrange(1 << 30)
ALL = ReadAllAvailable()


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(part_assembly, "ROWS_OF_A_PART", 60)
    monkeypatch.setattr(splitting, "LEAST_ROWS", 60)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_LEAST", 7)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_MOST", 7)


def next_batch(options, start):
    """The end of the next batch, as it comes out of a checkpoint."""
    return json.loads(json.dumps(CdcReader(parse_options(options)).latestOffset(start, ALL)))


def batches(options, start=INITIAL):
    """(start, end) of all batches, each planned by a new process."""
    while (end := next_batch(options, start)) != start:
        yield start, end
        start = end


def tasks(options, start, end):
    """What each task of a batch gives: its rows as tuples of columns."""
    reader = CdcReader(parse_options(options))
    return [[plain(batch) for batch in reader.read(each)] for each in reader.partitions(start, end)]


def plain(batch):
    return [tuple(map(str, row.values())) for row in batch.to_pylist()]


def flat(tasks):
    return [row for task in tasks for batch in task for row in batch]


def records(tasks, topic):
    """(key, value) of a topic's records."""
    return [(row[2].encode(), json.loads(row[3])) for row in flat(tasks) if row[0] == topic]


def offsets_in_snapshot(options):
    return list(offsets_one_by_one(options))


def offsets_one_by_one(options):
    return batches({**options, "snapshot.mode": "initial_only"})


KEYS = {"INT": list(range(900)), "VARCHAR(20)": [f"{('k', 'K', 'ä', 'z')[n % 4]}{n}" for n in range(900)]}


@pytest.mark.parametrize("kind", KEYS)
def test_rows_are_as_of_one_position_and_the_same_when_they_are_read_again(mysql_server, database, small_parts, kind):
    print(f"seed {SEED}")
    mysql_server.sql(f"CREATE TABLE t (k {kind} PRIMARY KEY, v VARCHAR(300))", database)
    values = ", ".join(f"('{key}', 'first')" for key in KEYS[kind][::2])
    mysql_server.sql(f"INSERT INTO t VALUES {values}; ANALYZE TABLE t", database)
    options = stream_options(mysql_server, database)
    topic = f"test.{database}.t"
    read, read_again, planned = [], [], []
    with KeyWriter(mysql_server, database, KEYS[kind], SEED) as writer:
        for start, end in batches(options):
            if "snapshot" not in end:
                break
            planned.append((start, end))
            read.append(tasks(options, start, end))
        for start, end in planned:
            read_again.append(tasks(options, start, end))
    assert writer.error is None, f"seed {SEED}"
    assert len(planned) > 2
    assert max(len(each) for each in read) == 3
    for one, other in zip(read, read_again, strict=True):
        assert [Counter(flat([task])) for task in one] == [Counter(flat([task])) for task in other], f"seed {SEED}"
    changes = [
        change
        for start, end in batches(options, planned[-1][1])
        for change in records(tasks(options, start, end), topic)
    ]
    assert changes
    found = linear([record for each in read for record in records(each, topic)], changes)
    with mysql_server.connect(database) as connection:
        now = rows(connection, "SELECT k, v FROM t")
    assert sorted((row["k"], row["v"]) for row in found.values()) == sorted(now), f"seed {SEED}"


def test_an_index_that_is_gone_stops_planning_and_one_that_is_made_again_stops_reading(
    mysql_server, database, small_parts
):
    mysql_server.sql("CREATE TABLE t (k VARCHAR(20) NOT NULL, v INT, UNIQUE u (k))", database)
    mysql_server.sql(f"INSERT INTO t VALUES {', '.join(f'({n}, {n})' for n in range(900))}; ANALYZE TABLE t", database)
    options = stream_options(mysql_server, database)
    _, end = next(batches(options))
    mysql_server.sql("DROP INDEX u ON t", database)
    with pytest.raises(KeyChangedError, match=rf"{database}\.t: the key k \(index u\)"):
        next_batch(options, end)
    mysql_server.sql("CREATE UNIQUE INDEX u ON t (k)", database)
    following = next_batch(options, end)
    with pytest.raises(KeyChangedError, match=rf"{database}\.t: the key k \(index u\)"):
        tasks(options, end, following)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("statement", ["DROP TABLE a", "RENAME TABLE a TO c"])
def test_a_table_that_is_gone_when_it_is_half_planned_does_not_stop_the_stream(mysql_server, database, statement):
    options = stream_options(mysql_server, database)
    for name in "ab":
        mysql_server.sql(f"CREATE TABLE {name} (id INT PRIMARY KEY)", database)
        mysql_server.sql(f"INSERT INTO {name} VALUES {', '.join(f'({n})' for n in range(900))}; ANALYZE TABLE {name}", database)
    read, is_there = [], True
    for start, end in offsets_one_by_one(options):
        read += flat(tasks(options, start, end))
        if is_there and any(topic == f"test.{database}.a" for topic, *_ in read):
            mysql_server.sql(statement, database)
            is_there = False
    found = Counter(topic for topic, *_ in read)
    assert 0 < found[f"test.{database}.a"] < 900
    assert found[f"test.{database}.b"] == 900


def test_many_small_tables_are_a_few_parts_and_little_in_the_offset(mysql_server, database):
    for n in range(60):
        mysql_server.sql(
            f"CREATE TABLE t{n:02d} (id INT PRIMARY KEY, v TEXT); INSERT INTO t{n:02d} VALUES (1, 'a'), (2, 'b')",
            database,
        )
    options = stream_options(mysql_server, database)
    ((start, end),) = offsets_in_snapshot(options)
    read = tasks(options, start, end)
    assert len(read) == 3
    assert sorted((row[0], row[2]) for row in flat(read)) == [
        (f"test.{database}.t{n:02d}", f'{{"id":{id_}}}') for n in range(60) for id_ in (1, 2)
    ]
    assert len(json.dumps(end)) < 400 * 60
    assert {json.loads(row[3])["source"]["snapshot"] for row in flat(read)} == {"true"}


def test_the_structures_are_told_before_the_rows(mysql_server, database):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)", database)
    options = stream_options(mysql_server, database, **{"include.schema.changes": True})
    first, second = (tasks(options, *each) for each in offsets_in_snapshot(options))
    assert {row[0] for row in flat(first)} == {"test"}
    assert any("CREATE TABLE `t`" in row[3] for row in flat(first))
    assert [row[0] for row in flat(second)] == [f"test.{database}.t"]


def test_only_listed_tables_are_read_and_the_log_tells_all(mysql_server, database):
    mysql_server.sql("CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY)", database)
    mysql_server.sql("INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)", database)
    options = stream_options(mysql_server, database, **{"snapshot.include.collection.list": f"{database}.b"})
    planned = list(batches(options))
    mysql_server.sql("INSERT INTO a VALUES (2)", database)
    planned += batches(options, planned[-1][1])
    found = [row for start, end in planned for row in flat(tasks(options, start, end))]
    assert [(row[0].split(".")[2], json.loads(row[3])["op"]) for row in found] == [("b", "r"), ("a", "c")]


def test_rows_of_ones_own_choice_are_read_and_changes_of_them_are_left_to_the_log(mysql_server, database, small_parts):
    """GIVEN rows that a SELECT chooses, WHEN some change before they are read, THEN the log alone tells these."""
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT)", database)
    mysql_server.sql(f"INSERT INTO t VALUES {', '.join(f'({n}, 0)' for n in range(200))}; ANALYZE TABLE t", database)
    listed = "snapshot.select.statement.overrides"
    chosen = {listed: f"{database}.t", f"{listed}.{database}.t": f"SELECT * FROM {database}.t WHERE id % 2 = 0"}
    options = stream_options(mysql_server, database, **chosen)
    topic = f"test.{database}.t"
    planned = [(start, end) for start, end in batches(options) if "snapshot" in end]
    mysql_server.sql("UPDATE t SET v = 1 WHERE id < 20; DELETE FROM t WHERE id = 30; UPDATE t SET id = 500 WHERE id = 40", database)
    read = [records(tasks(options, start, end), topic) for start, end in planned]
    assert sorted(value["after"]["id"] for each in read for _, value in each) == [
        n for n in range(20, 200, 2) if n not in {30, 40}
    ]
    changes = [change for start, end in batches(options, planned[-1][1]) for change in records(tasks(options, start, end), topic)]
    assert "".join(value["op"] for _, value in changes if value) == "u" * 20 + "ddc"


def test_typed_rows_begin_with_the_table(mysql_server, database, small_parts):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, price DECIMAL(8,2), n BIGINT UNSIGNED)", database)
    values = ", ".join(f"({n}, {n}.5, {2**64 - 1 - n})" for n in range(200))
    mysql_server.sql(f"INSERT INTO t VALUES {values}; ANALYZE TABLE t", database)
    options = stream_options(mysql_server, database, output="rows", rowImage="both", **{"include.schema.changes": True})
    job = parse_options(options)
    reader = CdcReader(job, row_reading(job, spark_schema(job)))
    found, start = [], INITIAL
    while (end := json.loads(json.dumps(reader.latestOffset(start, ALL)))) != start:
        if found and "snapshot" in start:
            mysql_server.sql("UPDATE t SET price = price + 1 WHERE id IN (3, 150)", database)
        found += [batch for partition in reader.partitions(start, end) for batch in reader.read(partition)]
        start = end
    read = pa.Table.from_batches(found).to_pylist()
    assert sorted((row["id"], row["n"]) for row in read if row["_op"] == "r") == [
        (n, 2**64 - 1 - n) for n in range(200)
    ]
    changed = [row for row in read if row["_op"] == "u"]
    assert {row["id"] for row in changed} == {3, 150}
    assert min(row["_sequence"] for row in changed) > max(row["_sequence"] for row in read if row["_op"] == "r")
    assert all(str(row["price"]) == f"{row['id']}.50" for row in read if row["_op"] == "r")


def test_a_connection_that_is_lost_within_a_part_loses_and_repeats_nothing(
    mysql_server, database, small_parts, monkeypatch
):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY)", database)
    mysql_server.sql(f"INSERT INTO t VALUES {', '.join(f'({n})' for n in range(200))}; ANALYZE TABLE t", database)
    options = stream_options(mysql_server, database, **{"retriable.restart.connector.wait.ms": 10})
    planned = offsets_in_snapshot(options)
    expected = [tasks(options, start, end) for start, end in planned]
    read, reads = source.MySqlSource.read, itertools.count(1)

    def read_or_fail(self, segment):
        if next(reads) % 4 == 0:
            raise RetriableError("the connection was lost")
        return read(self, segment)

    monkeypatch.setattr(source.MySqlSource, "read", read_or_fail)
    found = [tasks(options, start, end) for start, end in planned]
    assert [[Counter(flat([task])) for task in batch] for batch in found] == [
        [Counter(flat([task])) for task in batch] for batch in expected
    ]
    assert next(reads) > 200 / 7 * 4 / 3


def test_a_table_without_a_key_is_one_part_and_the_same_when_it_is_read_again(
    mysql_server, database, small_parts, caplog
):
    mysql_server.sql(
        "CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (v INT); CREATE TABLE c (id INT PRIMARY KEY)", database
    )
    mysql_server.sql(
        "INSERT INTO a VALUES (1); INSERT INTO b VALUES " + ", ".join(f"({n % 90})" for n in range(300)), database
    )
    options = stream_options(mysql_server, database)
    ((start, end),) = offsets_in_snapshot(options)
    assert [[name for name, _, _ in part["segments"]] for part in end["snapshot"]["parts"]] == [
        [f'"{database}"."{name}"'] for name in "abc"
    ]
    assert "one task reads it, at one go" in caplog.text
    read = flat(tasks(options, start, end))
    mysql_server.sql(
        "DELETE FROM b WHERE v < 20 LIMIT 30; UPDATE b SET v = 7 WHERE v > 80; INSERT INTO b VALUES (3), (500)",
        database,
    )
    assert len(read) == 301
    assert Counter(flat(tasks(options, start, end))) == Counter(read)


@pytest.fixture(scope="module")
def own_server():
    """For what concerns the whole server: purged logs, settings."""
    with MySqlServer(row_metadata="MINIMAL") as server:
        server.sql("CREATE DATABASE own; CREATE TABLE own.t (id INT PRIMARY KEY); INSERT INTO own.t VALUES (1)")
        yield server


def test_a_log_that_is_purged_before_the_rows_are_read_is_named(own_server, tmp_path):
    history = {"schema.history.internal": "file", "schema.history.internal.file.filename": tmp_path / "history"}
    options = stream_options(own_server, "own", **history, **{"include.schema.changes": True})
    end = next_batch(options, INITIAL)
    second = next_batch(options, end)
    for _ in range(2):
        own_server.sql("INSERT INTO own.t SELECT MAX(id) + 1 FROM own.t; FLUSH BINARY LOGS")
    with own_server.connect() as connection:
        last = rows(connection, "SHOW BINARY LOGS")[-1][0]
    own_server.sql(f"PURGE BINARY LOGS TO '{last}'")
    with pytest.raises(PositionLostError, match=r"the snapshot is not done.*binlog_expire_logs_seconds"):
        next_batch(options, end)
    with pytest.raises(PositionLostError, match=r"the snapshot is not done.*binlog_expire_logs_seconds"):
        tasks(options, end, second)


def test_without_structures_for_the_log_a_snapshot_does_not_begin(own_server):
    options = stream_options(own_server, "own")
    with pytest.raises(SourceSetupError, match=r"schema\.history\.internal\.file\.filename"):
        next_batch(options, INITIAL)
    ((start, end),) = offsets_in_snapshot(options)
    assert flat(tasks(options, start, end))
