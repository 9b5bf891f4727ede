"""Each row has the structure of its moment after a fail-over to a server whose log files have lower numbers."""

import json
from pathlib import Path

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from support.mysql_frames import parse_options
from support.mysql_settings import settings_for, stream_options
from support.reading import Read, begin, read_on
from support.replicas import follow, replicate
from tailrace.connectors.base import Lane
from tailrace.source.cdc_source import INITIAL, CdcReader
from tailrace_standins.servers.mysql_server import MySqlServer

pytestmark = pytest.mark.mysql
DATABASE = "structures_failover"
TOPIC = f"test.{DATABASE}.t"
LANES = 2


@pytest.fixture(scope="module")
def pair():
    """A source with high file numbers, and its replica with low ones."""
    with MySqlServer(row_metadata="MINIMAL") as source, MySqlServer(row_metadata="MINIMAL") as replica:
        source.sql("FLUSH BINARY LOGS;" * 8)
        replicate(source, replica)
        yield source, replica


@pytest.fixture
def servers(pair):
    source, _ = pair
    source.sql(f"DROP DATABASE IF EXISTS {DATABASE}; CREATE DATABASE {DATABASE}")
    source.sql("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9)); CREATE TABLE u (id INT PRIMARY KEY)", DATABASE)
    follow(*pair)
    return pair


def play(pair, statements):
    pair[0].sql(statements, DATABASE)
    follow(*pair)


def options(**more):
    return {"table_include_list": f"{DATABASE}.(t|u)", **more}


def in_file(path):
    return {"schema_history_internal": "file", "schema_history_internal_file_filename": path}


def after_images(read, topic=TOPIC):
    return [value["after"] for value in read.payloads(topic)]


def test_a_restart_in_the_midst_of_a_fail_over_with_changes_of_structure(servers):
    source, replica = servers
    here, read = begin(source, **options())
    there = settings_for(replica, **options())
    play(servers, "INSERT INTO t VALUES (1, 'a'); ALTER TABLE t CHANGE v x VARCHAR(9)")
    read_on(here, read)
    play(servers, "INSERT INTO t VALUES (2, 'b'); ALTER TABLE t CHANGE x y VARCHAR(9); INSERT INTO t VALUES (3, 'c')")
    read_on(there, read)
    play(servers, "INSERT INTO t VALUES (4, 'd'); ALTER TABLE t CHANGE y z VARCHAR(9); INSERT INTO t VALUES (5, 'e')")
    read_on(there, read)
    play(servers, "INSERT INTO t VALUES (6, 'f')")
    read_on(here, read)
    assert [list(row.items())[-1] for row in after_images(read)] == [
        ("v", "a"),
        ("x", "b"),
        ("y", "c"),
        ("y", "d"),
        ("z", "e"),
        ("z", "f"),
    ]


def test_a_transaction_prepared_across_a_restart_has_the_structure_of_its_moment(servers):
    """Its rows stand far behind what was read of the other server, whose file numbers were higher."""
    source, replica = servers
    here, read = begin(source, **options())
    there = settings_for(replica, **options())
    play(servers, "ALTER TABLE t CHANGE v x VARCHAR(9); INSERT INTO t VALUES (1, 'a')")
    read_on(here, read)
    play(servers, "XA START 'one'; INSERT INTO t VALUES (2, 'b'); XA END 'one'; XA PREPARE 'one'")
    play(servers, "INSERT INTO u VALUES (1); ALTER TABLE u ADD COLUMN w INT FIRST; INSERT INTO u VALUES (5, 2)")
    read_on(there, read)
    assert read.progress.restart["is_prepared"]
    play(servers, "XA COMMIT 'one'; INSERT INTO u VALUES (6, 3)")
    read_on(there, read)
    assert after_images(read) == [{"id": 1, "x": "a"}, {"id": 2, "x": "b"}]
    assert after_images(read, f"test.{DATABASE}.u") == [{"id": 1}, {"w": 5, "id": 2}, {"w": 6, "id": 3}]


@pytest.mark.parametrize("prepared", [False, True])
def test_a_history_that_only_the_file_has_is_taken_up_to_the_progress(servers, tmp_path, prepared):
    source, replica = servers
    kept = in_file(tmp_path / "history")
    here, read = begin(source, **options(**kept))
    there = settings_for(replica, **options(**kept))
    play(servers, "ALTER TABLE t CHANGE v x VARCHAR(9); INSERT INTO t VALUES (1, 'a')")
    read_on(here, read)
    if prepared:
        play(servers, "XA START 'p'; INSERT INTO t VALUES (2, 'b'); XA END 'p'; XA PREPARE 'p'; FLUSH BINARY LOGS")
        servers[1].sql("FLUSH BINARY LOGS")
        play(servers, "ALTER TABLE u ADD COLUMN w INT")
    else:
        play(servers, "INSERT INTO t VALUES (2, 'b')")
    read_on(there, read)
    told, read.history = len(read.history), []
    play(servers, "XA COMMIT 'p'" if prepared else "INSERT INTO t VALUES (3, 'c')")
    play(servers, "INSERT INTO t VALUES (4, 'd')")
    read_on(there, read)
    assert [row["x"] for row in after_images(read)] == (["a", "b", "d"] if prepared else ["a", "b", "c", "d"])
    assert len(read.history) == told


def test_lanes_have_the_structure_of_each_moment(servers):
    source, replica = servers
    here, start = begin(source, **options())
    there = settings_for(replica, **options())
    reads = [Read(start.progress, list(start.history)) for _ in range(LANES)]
    play(servers, "ALTER TABLE t CHANGE v x VARCHAR(9); INSERT INTO t VALUES (1, 'a'); INSERT INTO u VALUES (1)")
    for lane, read in enumerate(reads):
        read_on(here, read, lane=Lane(lane, LANES))
    play(servers, "XA START 'l'; INSERT INTO t VALUES (2, 'b'); INSERT INTO u VALUES (2); XA END 'l'; XA PREPARE 'l'")
    for lane, read in enumerate(reads):
        read_on(there, read, lane=Lane(lane, LANES))
    play(servers, "XA COMMIT 'l'")
    for lane, read in enumerate(reads):
        read_on(there, read, lane=Lane(lane, LANES))
    assert [row for read in reads for row in after_images(read)] == [{"id": 1, "x": "a"}, {"id": 2, "x": "b"}]
    assert [row for read in reads for row in after_images(read, f"test.{DATABASE}.u")] == [{"id": 1}, {"id": 2}]


class Stream:
    """A stream of DataFrames as Spark drives it; each batch is planned and read by new objects."""

    def __init__(self, pair, path: Path) -> None:
        self.pair = pair
        self.path = path
        self.end = INITIAL
        self.on(pair[0])

    def on(self, server):
        given = {
            "snapshot.mode": "no_data",
            "schema.history.internal": "file",
            "schema.history.internal.file.filename": self.path,
        }
        self.options = stream_options(server, DATABASE, **given)

    def plan(self):
        planned = CdcReader(parse_options(self.options)).latestOffset(self.end, ReadAllAvailable())
        return json.loads(json.dumps(planned))

    def rows(self, end):
        """What the batch up to `end` holds of `t`, without going on."""
        reader = CdcReader(parse_options(self.options))
        batches = (batch for each in reader.partitions(self.end, end) for batch in reader.read(each))
        records = [row for batch in batches for row in batch.to_pylist() if row["topic"] == TOPIC]
        return [json.loads(row["value"])["after"] for row in records]

    def next(self):
        end = self.plan()
        rows = self.rows(end)
        self.end = end
        return rows


@pytest.fixture
def stream(servers, tmp_path):
    begun = Stream(servers, tmp_path / "history")
    assert begun.next() == []
    return begun


def test_a_dataframe_has_the_structure_of_each_moment(servers, stream):
    play(servers, "INSERT INTO t VALUES (1, 'a'); ALTER TABLE t CHANGE v x VARCHAR(9); INSERT INTO t VALUES (2, 'b')")
    assert stream.next() == [{"id": 1, "v": "a"}, {"id": 2, "x": "b"}]
    stream.on(servers[1])
    play(servers, "INSERT INTO t VALUES (3, 'c')")
    assert stream.next() == [{"id": 3, "x": "c"}]
    play(servers, "INSERT INTO t VALUES (4, 'd'); ALTER TABLE t CHANGE x y VARCHAR(9)")
    assert stream.next() == [{"id": 4, "x": "d"}]
    play(servers, "INSERT INTO t VALUES (5, 'e')")
    assert stream.next() == [{"id": 5, "y": "e"}]
    stream.on(servers[0])
    play(servers, "INSERT INTO t VALUES (6, 'f')")
    assert stream.next() == [{"id": 6, "y": "f"}]


def test_a_batch_that_is_run_again_on_the_other_server_is_what_it_was(servers, stream):
    """What the first attempt has added to the file does not count, nor does it stand there twice."""
    play(servers, "INSERT INTO t VALUES (1, 'a')")
    assert stream.next() == [{"id": 1, "v": "a"}]
    play(
        servers,
        "ALTER TABLE t DROP COLUMN v; INSERT INTO t VALUES (2); ALTER TABLE t ADD COLUMN w INT; INSERT INTO t VALUES (3, 4)",
    )
    end = stream.plan()
    first = stream.rows(end)
    told = stream.path.read_text()
    stream.on(servers[1])
    assert stream.rows(end) == first == [{"id": 2}, {"id": 3, "w": 4}]
    assert stream.path.read_text() == told
    stream.on(servers[0])
    assert stream.rows(end) == first
    stream.end = end
    stream.on(servers[1])
    play(servers, "INSERT INTO t VALUES (5, 6)")
    assert stream.next() == [{"id": 5, "w": 6}]
