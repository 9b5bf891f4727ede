"""Tables that are asked for while a DataFrame is delivered, on a real server: at their right place, the same however often."""

import itertools
import json
import random
from collections import Counter

import pyarrow as pa
import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes

from support.key_writer import KeyWriter
from support.meanwhile import before_first_call
from support.mysql_frames import parse_options
from support.mysql_settings import stream_options
from support.signalling import execute, signal, signal_table
from tailrace.connectors.mysql.connection import rows
from tailrace.connectors.mysql.snapshots import requested_parts, source
from tailrace.connectors.shared import signal_polling
from tailrace.connectors.shared.snapshots import chunk_sizes, part_assembly
from tailrace.errors import RetriableError, SourceSetupError
from tailrace.source.cdc_source import INITIAL, CdcReader, PartPartition
from tailrace.source.frame_reading import row_reading, spark_schema

pytestmark = pytest.mark.mysql
SEED = random.SystemRandom().randrange(1 << 30)
ALL = ReadAllAvailable()


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(part_assembly, "ROWS_OF_A_PART", 60)


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_LEAST", 7)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_MOST", 7)


class Stream:
    """A stream as Spark drives it; each batch is planned by a new process from what the checkpoint has."""

    def __init__(self, server, database, **options):
        signals = {
            "signal.data.collection": f"{database}.signals",
            "snapshot.mode": "no_data",
            "signal.poll.interval.ms": 1,
        }
        self.options = stream_options(server, database, **{**signals, **options})
        self.end = INITIAL
        self.batches = []

    def reader(self):
        return CdcReader(parse_options(self.options))

    def next(self, limit=ALL, reader=None):
        """One batch: whether there was one."""
        reader = reader or self.reader()
        end = json.loads(json.dumps(reader.latestOffset(self.end, limit)))
        reader.stop()
        if end == self.end:
            return False
        self.batches.append((self.end, end, self.read(self.end, end)))
        self.end = end
        return True

    def run(self, until=None):
        """All batches that there are, or until `until()`."""
        for _ in range(200):
            if not self.next() or (until is not None and until()):
                return self
        raise AssertionError(f"there is always one more batch: {self.end}")

    def read(self, start, end):
        """What each task of a batch gives: rows as tuples of columns."""
        reader = self.reader()
        return [[plain(batch) for batch in reader.read(each)] for each in reader.partitions(start, end)]

    @property
    def left(self):
        return [table["table"] for table in self.end.get("signalled", {}).get("tables", ())]

    def events(self, topic):
        """(key, value) of a topic's records in the order of batches, and of positions within each."""
        found = []
        for _, _, tasks in self.batches:
            of_batch = [row for row in flat(tasks) if row[0] == topic]
            found += sorted(of_batch, key=lambda row: row[6])
        return [(row[2], json.loads(row[3])) for row in found]

    def marked(self, topic):
        return [(value["op"], value["source"]["snapshot"]) for _, value in self.events(topic)]


def plain(batch):
    return [tuple(map(str, row.values())) for row in batch.to_pylist()]


def flat(tasks):
    return [row for task in tasks for batch in task for row in batch]


def consumed(events):
    """The rows that a consumer has in the end; a key is read once at most, and then tells what is known of it already."""
    known, reads = {}, Counter()
    for key, value in events:
        if value["op"] == "r":
            reads[key] += 1
            assert known.get(key, value["after"]) == value["after"], f"stale: {value}"
        elif value["op"] == "c":
            assert known.get(key) is None, f"created twice: {value}"
        else:
            assert known.get(key, value["before"]) == value["before"], f"out of order: {value}"
        known[key] = value["after"]
    assert max(reads.values()) == 1
    return {key: row for key, row in known.items() if row is not None}


def table(server, database, kind="INT", keys=range(900)):
    server.sql(f"CREATE TABLE t (k {kind} PRIMARY KEY, v VARCHAR(300))", database)
    values = ", ".join(f"('{key}', 'first')" for key in keys)
    server.sql(f"INSERT INTO t VALUES {values}; ANALYZE TABLE t", database)


KEYS = {"INT": list(range(900)), "VARCHAR(20)": [f"{('k', 'K', 'ä', 'z')[n % 4]}{n}" for n in range(900)]}


@pytest.mark.parametrize("kind", KEYS)
def test_a_table_is_read_beside_the_log_whoever_writes_and_the_same_when_it_is_read_again(
    mysql_server, database, small_parts, small_chunks, kind
):
    print(f"seed {SEED}")
    table(mysql_server, database, kind, KEYS[kind][::2])
    signal_table(mysql_server, database)
    stream = Stream(mysql_server, database).run()
    topic = f"test.{database}.t"
    with KeyWriter(mysql_server, database, KEYS[kind], SEED) as writer:
        execute(mysql_server, database, f"{database}.t")
        stream.run(
            until=lambda: stream.batches and not stream.left and any("snapshot" in e for _, e, _ in stream.batches)
        )
    assert writer.error is None, f"seed {SEED}"
    stream.run()
    planned = [batch for batch in stream.batches if "snapshot" in batch[1]]
    assert len(planned) > 2
    assert max(len(tasks) for _, _, tasks in planned) == 4, "the log and three parts"
    for start, end, tasks in planned:
        again = stream.read(start, end)
        assert [Counter(flat([task])) for task in again] == [Counter(flat([task])) for task in tasks], f"seed {SEED}"
    with mysql_server.connect(database) as connection:
        now = rows(connection, "SELECT k, v FROM t")
    found = consumed(stream.events(topic))
    assert sorted((row["k"], row["v"]) for row in found.values()) == sorted(now), f"seed {SEED}"
    marks = {(value["op"], value["source"]["snapshot"]) for _, value in stream.events(topic)}
    assert ("r", "incremental") in marks
    assert stream.end.get("signalled", {}).keys() == {"marks"}


def test_a_snapshot_rests_goes_on_and_is_stopped_as_signals_say(mysql_server, database, small_parts, caplog):
    table(mysql_server, database)
    signal_table(mysql_server, database)
    options = {"snapshot.max.threads": 1, "notification.enabled.channels": "log"}
    caplog.set_level("INFO")
    stream = Stream(mysql_server, database, **options).run()
    execute(mysql_server, database, f"{database}.t")
    stream.run(until=lambda: stream.left)
    signal(mysql_server, database, "two", "pause-snapshot")
    stream.run()
    assert stream.left, "it rests"
    read = len(stream.marked(f"test.{database}.t"))
    signal(mysql_server, database, "three", "resume-snapshot")
    stream.next()
    stream.next()
    assert len(stream.marked(f"test.{database}.t")) > read
    assert stream.left
    signal(mysql_server, database, "four", "stop-snapshot", **{"data-collections": [f"{database}.t"]})
    stream.run()
    keys = [json.loads(key)["k"] for key, value in stream.events(f"test.{database}.t")]
    assert keys == list(range(len(keys)))
    assert read < len(keys) < 900
    told = [line.split("type='")[1].split("'")[0] for line in caplog.messages if "Notification Service" in line]
    assert told == ["STARTED", "PAUSED", "RESUMED", "ABORTED"]


def test_a_line_of_a_file_counts_with_the_offset_that_is_written_and_once(
    mysql_server, database, small_parts, tmp_path, monkeypatch
):
    table(mysql_server, database)
    file = tmp_path / "signals.txt"
    options = {"signal.data.collection": "", "signal.enabled.channels": "file", "signal.file": file}
    options |= {"retriable.restart.connector.wait.ms": 1, "include.schema.changes": True}
    stream = Stream(mysql_server, database, **options).run()
    data = {"data-collections": [f"{database}.t"], "type": "incremental"}
    file.write_text(json.dumps({"id": "one", "type": "execute-snapshot", "data": data}) + "\n")
    stream.reader().latestOffset(stream.end, ALL)  # of a process that dies before Spark has written this down
    listen, failures = signal_polling.ChannelPoller.poll, itertools.count(1)

    def hear_and_fail(self, signalled, position):
        heard = listen(self, signalled, position)
        if next(failures) < 3:
            raise RetriableError("the connection was lost")
        return heard

    monkeypatch.setattr(signal_polling.ChannelPoller, "poll", hear_and_fail)
    reader = stream.reader()
    while stream.next(reader=reader):
        pass
    assert stream.marked(f"test.{database}.t") == [("r", "incremental")] * 900
    file.write_text("")
    assert not stream.run().left
    assert len(stream.marked(f"test.{database}.t")) == 900


def test_rows_of_the_signal_table_count_that_come_while_the_stream_is_there(mysql_server, database):
    table(mysql_server, database, keys=[1, 2])
    signal_table(mysql_server, database)
    execute(mysql_server, database, f"{database}.t", id_="old")
    stream, topic = Stream(mysql_server, database).run(), f"test.{database}.t"
    assert stream.marked(topic) == []
    execute(mysql_server, database, f"{database}.t", id_="new")
    assert len(stream.run().marked(topic)) == 2
    mysql_server.sql("UPDATE signals SET data = CONCAT(data, ' ')", database)
    assert len(stream.run().marked(topic)) == 2
    mysql_server.sql("DELETE FROM signals", database)
    stream.run()
    execute(mysql_server, database, f"{database}.t", id_="new")
    assert len(stream.run().marked(topic)) == 4
    assert len([row for _, _, tasks in stream.batches for row in flat(tasks) if row[0].endswith("signals")]) == 6


def test_a_signal_table_that_is_away_comes_back_with_what_was_seen_of_it(mysql_server, database, caplog):
    table(mysql_server, database, keys=[1, 2])
    signal_table(mysql_server, database)
    stream, topic = Stream(mysql_server, database).run(), f"test.{database}.t"
    execute(mysql_server, database, f"{database}.t")
    stream.run()
    mysql_server.sql("RENAME TABLE signals TO away", database)
    stream.run()
    assert f"the signal table {database}.signals is not there" in caplog.text
    mysql_server.sql("RENAME TABLE away TO signals", database)
    assert len(stream.run().marked(topic)) == 2


def test_a_signal_table_with_too_many_rows_is_named(mysql_server, database, monkeypatch):
    monkeypatch.setattr(signal_polling, "MOST_ROWS", 2)
    signal_table(mysql_server, database)
    mysql_server.sql("INSERT INTO signals VALUES ('1', 'log', ''), ('2', 'log', '')", database)
    stream = Stream(mysql_server, database).run()
    mysql_server.sql("INSERT INTO signals VALUES ('3', 'log', '')", database)
    with pytest.raises(SourceSetupError, match=rf"{database}\.signals has more than 2 rows.*delete"):
        stream.next()


def test_only_rows_that_meet_the_condition_are_read_and_no_change_is_lost(
    mysql_server, database, small_parts, small_chunks
):
    table(mysql_server, database)
    signal_table(mysql_server, database)
    stream, topic = Stream(mysql_server, database).run(), f"test.{database}.t"
    condition = {"data-collection": f"{database}.t", "filter": "k % 3 = 0"}
    execute(mysql_server, database, f"{database}.t", **{"additional-conditions": [condition]})
    stream.run(until=lambda: stream.left)
    mysql_server.sql("UPDATE t SET v = 'second' WHERE k IN (0, 600, 601)", database)
    events = consumed(stream.run().events(topic))
    assert sorted(json.loads(key)["k"] for key in events) == sorted({*range(0, 900, 3), 601})
    assert {row["k"] for row in events.values() if row["v"] == "second"} == {0, 600, 601}


def test_a_row_that_changes_before_it_is_read_is_left_to_the_log_where_a_condition_chooses(mysql_server, database):
    table(mysql_server, database, keys=[1, 2, 3])
    signal_table(mysql_server, database)
    stream, topic = Stream(mysql_server, database).run(), f"test.{database}.t"
    condition = {"data-collection": f"{database}.t", "filter": "v = 'first'"}
    execute(mysql_server, database, f"{database}.t", **{"additional-conditions": [condition]})
    end = json.loads(json.dumps(stream.reader().latestOffset(stream.end, ALL)))
    mysql_server.sql("UPDATE t SET v = 'second' WHERE k = 2; UPDATE t SET v = 'first' WHERE k = 2", database)
    read = [json.loads(row[3]) for row in flat(stream.read(stream.end, end)) if row[0] == topic]
    assert [value["after"]["k"] for value in read] == [1, 3]


def test_the_surrogate_key_is_the_order_of_reading(mysql_server, database, small_parts):
    mysql_server.sql("CREATE TABLE t (k INT PRIMARY KEY, v INT NOT NULL)", database)
    mysql_server.sql(f"INSERT INTO t VALUES {', '.join(f'({n}, {-n})' for n in range(300))}; ANALYZE TABLE t", database)
    signal_table(mysql_server, database)
    stream, topic = Stream(mysql_server, database).run(), f"test.{database}.t"
    execute(mysql_server, database, f"{database}.t", **{"surrogate-key": "v"})
    stream.run(until=lambda: stream.left)
    first = {value["after"]["k"] for _, value in stream.events(topic)}
    assert first
    assert min(first) > 100, "the greatest keys have the smallest values"
    assert sorted(json.loads(key)["k"] for key, _ in stream.run().events(topic)) == list(range(300))


def test_tables_that_can_not_be_read_are_named_and_the_others_are_read(mysql_server, database, caplog):
    mysql_server.sql(
        "CREATE TABLE a (v INT); CREATE TABLE b (k INT PRIMARY KEY); CREATE TABLE c (k INT PRIMARY KEY)", database
    )
    mysql_server.sql("INSERT INTO a VALUES (1); INSERT INTO c VALUES (1)", database)
    signal_table(mysql_server, database)
    stream = Stream(mysql_server, database).run()
    execute(mysql_server, database, f"{database}.(a|b|c)", f"{database}.signals", "mysql.user")
    stream.next()
    execute(mysql_server, database, f"{database}.b", f"{database}.c", id_="2")
    signal(mysql_server, database, "3", "pause-snapshot")
    stream.next()
    mysql_server.sql("DROP TABLE b", database)
    signal(mysql_server, database, "4", "resume-snapshot")
    assert stream.run().marked(f"test.{database}.c") == [("r", "incremental")] * 2
    assert (
        f"the snapshot of {database}.b that a signal asked for ends here, and the log goes on: there is no"
        in caplog.text
    )
    assert (
        f"the snapshot of {database}.a that a signal asked for ends here, and the log goes on: it has neither"
        in caplog.text
    )
    assert "names 'mysql.user', which no captured table matches" in caplog.text
    assert {row[0].split(".")[-1] for _, _, tasks in stream.batches for row in flat(tasks)} == {"c", "signals"}


@pytest.mark.parametrize(
    ("statement", "more", "key"),
    [
        ("ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (v, k)", {}, "(index PRIMARY)"),
        (
            "ALTER TABLE t MODIFY v VARCHAR(300) COLLATE utf8mb4_bin NOT NULL",
            {"surrogate-key": "v"},
            "(the surrogate key leads)",
        ),
    ],
)
def test_a_key_that_is_changed_on_the_way_ends_its_snapshot_and_the_log_goes_on(
    mysql_server, database, small_parts, caplog, monkeypatch, statement, more, key
):
    monkeypatch.setattr(source, "ATTEMPTS", 1)
    table(mysql_server, database)
    mysql_server.sql("ALTER TABLE t MODIFY v VARCHAR(300) NOT NULL", database)
    signal_table(mysql_server, database)
    stream = Stream(mysql_server, database).run()
    execute(mysql_server, database, f"{database}.t", **more)
    stream.run(until=lambda: stream.left)
    end = json.loads(json.dumps(stream.reader().latestOffset(stream.end, ALL)))
    mysql_server.sql(f"{statement}; INSERT INTO t VALUES (1000, 'x')", database)
    stream.batches.append((stream.end, end, stream.read(stream.end, end)))
    stream.end = end
    stream.next()
    assert f"{key}, by which the snapshot reads it, was changed" in caplog.text
    assert "the key that it is read by was changed" in caplog.text
    assert not stream.run().left
    assert stream.marked(f"test.{database}.t")[-1] == ("c", "false")


def test_a_better_key_that_is_made_on_the_way_does_not(mysql_server, database, small_parts, caplog):
    mysql_server.sql("CREATE TABLE t (k INT NOT NULL, v INT NOT NULL, UNIQUE u (k))", database)
    mysql_server.sql(f"INSERT INTO t VALUES {', '.join(f'({n}, {n})' for n in range(900))}; ANALYZE TABLE t", database)
    signal_table(mysql_server, database)
    stream = Stream(mysql_server, database).run()
    execute(mysql_server, database, f"{database}.t")
    stream.run(until=lambda: stream.left)
    mysql_server.sql("ALTER TABLE t ADD PRIMARY KEY (v)", database)
    stream.run()
    assert sorted(value["after"]["k"] for _, value in stream.events(f"test.{database}.t")) == list(range(900))
    assert "ends here" not in caplog.text


def test_a_blocking_snapshot_whose_key_is_made_behind_its_position_is_planned_again(
    mysql_server, database, monkeypatch, caplog
):
    mysql_server.sql("CREATE TABLE t (k INT NOT NULL, v VARCHAR(9)); INSERT INTO t VALUES (5, 'a'), (5, 'b')", database)
    signal_table(mysql_server, database)
    stream = Stream(mysql_server, database).run()
    late = "DELETE FROM t WHERE v = 'b'; ALTER TABLE t ADD UNIQUE u (k)"
    before_first_call(monkeypatch, requested_parts, "keys_now", lambda: mysql_server.sql(late, database))
    data = {"data-collections": [f"{database}.t"], "type": "blocking"}
    signal(mysql_server, database, "one", "execute-snapshot", **data)
    stream.run()
    assert stream.marked(f"test.{database}.t") == [("d", "false"), ("r", "true")]
    assert "has to wait, and the log goes on: the keys of tables were altered while a snapshot of them was planned" in caplog.text


def test_while_tables_are_read_in_a_blocking_snapshot_the_log_waits(mysql_server, database, small_parts):
    table(mysql_server, database)
    mysql_server.sql("CREATE TABLE u (id INT PRIMARY KEY); INSERT INTO u VALUES (1), (2)", database)
    signal_table(mysql_server, database)
    stream = Stream(mysql_server, database, **{"include.schema.changes": True}).run()
    begun = len(stream.batches)
    condition = {"data-collection": f"{database}.t", "filter": f"SELECT * FROM {database}.t WHERE k % 2 = 0"}
    mysql_server.sql("UPDATE t SET v = 'second' WHERE k = 4", database)
    data = {"data-collections": [f"{database}.t", f"{database}.u"], "additional-conditions": [condition]}
    signal(mysql_server, database, "one", "execute-snapshot", type="blocking", **data)
    stream.next()
    mysql_server.sql("UPDATE t SET v = 'third' WHERE k IN (4, 800); INSERT INTO u VALUES (3)", database)
    stream.run()
    t, u = (stream.marked(f"test.{database}.{name}") for name in "tu")
    assert t == [("u", "false"), *[("r", "true")] * 448, *[("u", "false")] * 2]
    assert u == [("r", "true"), ("r", "true"), ("c", "false")]
    assert all(value["after"]["k"] % 2 == 0 for _, value in stream.events(f"test.{database}.t"))
    first, *others, last = stream.batches[begun:]
    assert {end["position"]["pos"] for _, end, _ in (first, *others)} == {first[1]["position"]["pos"]}
    ddl = [json.loads(row[3])["ddl"] for row in flat(first[2]) if row[0] == "test"]
    assert [text.split(" (")[0] for text in ddl] == [
        *(f"DROP TABLE IF EXISTS `{database}`.`{name}`" for name in "tu"),
        *(f"CREATE TABLE `{name}`" for name in "tu"),
    ]
    assert "snapshot" not in last[1]


def test_a_statement_that_can_not_be_read_ends_the_blocking_snapshot_only(mysql_server, database, caplog):
    table(mysql_server, database, keys=[1])
    signal_table(mysql_server, database)
    stream = Stream(mysql_server, database).run()
    condition = {"data-collection": f"{database}.t", "filter": "SELECT nothing FROM t"}
    data = {"data-collections": [f"{database}.t"], "additional-conditions": [condition]}
    signal(mysql_server, database, "one", "execute-snapshot", type="blocking", **data)
    mysql_server.sql("INSERT INTO t VALUES (2, 'x')", database)
    assert stream.run().marked(f"test.{database}.t") == [("c", "false")]
    assert "the signal's additional-conditions: the statement can't be read instead of" in caplog.text


@pytest.mark.parametrize("allowed", [True, False])
@pytest.mark.parametrize("kind", ["incremental", "blocking"])
def test_what_a_signal_brings_chooses_rows_and_does_nothing_else(mysql_server, database, caplog, kind, allowed):
    """GIVEN a condition that brings a second statement, or any where none is allowed, THEN the log goes on without it."""
    table(mysql_server, database, keys=[1])
    mysql_server.sql("CREATE TABLE victim (id INT PRIMARY KEY); INSERT INTO victim VALUES (7)", database)
    signal_table(mysql_server, database)
    stream = Stream(mysql_server, database, **{"tailrace.signal.conditions": allowed}).run()
    begun, harmless = ("1=1", "k = 1") if kind == "incremental" else (f"SELECT * FROM {database}.t",) * 2
    hostile = f"{begun}); DROP TABLE {database}.victim; SELECT (1"
    condition = {"data-collection": f"{database}.t", "filter": hostile if allowed else harmless}
    data = {"data-collections": [f"{database}.t"], "additional-conditions": [condition]}
    signal(mysql_server, database, "one", "execute-snapshot", type=kind, **data)
    mysql_server.sql("INSERT INTO t VALUES (2, 'x')", database)
    assert stream.run().marked(f"test.{database}.t") == [("c", "false")]
    assert "the signal's additional-conditions are refused" in caplog.text
    mysql_server.sql("DELETE FROM victim", database)


def test_typed_rows_of_a_table_that_is_asked_for_are_the_newest_of_their_batch(mysql_server, database, small_parts):
    table(mysql_server, database, keys=range(200))
    mysql_server.sql("CREATE DATABASE IF NOT EXISTS ops_of_signals", database)
    mysql_server.sql("DROP TABLE IF EXISTS signals", "ops_of_signals")
    signal_table(mysql_server, "ops_of_signals")
    names = {"table.include.list": f"{database}.t", "signal.data.collection": "ops_of_signals.signals"}
    stream = Stream(mysql_server, database, output="rows", **names)
    job = parse_options(stream.options)
    reader = CdcReader(job, row_reading(job, spark_schema(job)))
    found, start = [], INITIAL
    for step in range(40):
        end = json.loads(json.dumps(reader.latestOffset(start, ALL)))
        of_batch = [batch for partition in reader.partitions(start, end) for batch in reader.read(partition)]
        found.append(pa.Table.from_batches(of_batch).to_pylist() if of_batch else [])
        if step == 1:
            execute(mysql_server, "ops_of_signals", f"{database}.t")
        if step in (1, 2):
            mysql_server.sql("UPDATE t SET v = CONCAT(v, '!') WHERE k IN (1, 199)", database)
        if step > 3 and start == end:
            break
        start = end
    state = {}
    for of_batch in found:
        for row in sorted(of_batch, key=lambda row: row["_sequence"]):
            state[row["k"]] = row["v"]
    assert state == {k: "first!!" if k in (1, 199) else "first" for k in range(200)}
    read = Counter(row["k"] for of_batch in found for row in of_batch if row["_op"] == "r")
    assert read == dict.fromkeys(range(200), 1)
    mysql_server.sql("DROP DATABASE ops_of_signals", database)


def test_available_now_reads_what_was_asked_for_to_its_end(mysql_server, database, small_parts):
    table(mysql_server, database)
    signal_table(mysql_server, database)
    stream = Stream(mysql_server, database).run()
    execute(mysql_server, database, f"{database}.t")
    reader = stream.reader()
    reader.prepareForTriggerAvailableNow()
    while stream.next(reader=reader):
        mysql_server.sql("INSERT INTO signals VALUES (UUID(), 'log', '{\"message\": \"it goes on\"}')", database)
        assert len(stream.batches) < 30
    assert Counter(stream.marked(f"test.{database}.t")) == {("r", "incremental"): 900}


def test_with_a_limit_of_bytes_the_log_comes_first(mysql_server, database, small_parts):
    table(mysql_server, database, keys=range(200))
    signal_table(mysql_server, database)
    stream = Stream(mysql_server, database).run()
    execute(mysql_server, database, f"{database}.t")
    for n in range(20):
        mysql_server.sql(f"INSERT INTO t VALUES ({1000 + n}, REPEAT('x', 290))", database)
    kinds = []
    while stream.next(limit=ReadMaxBytes(2000)):
        kinds.append("snapshot" in stream.end)
    assert kinds[0] is False
    assert kinds == sorted(kinds), "batches of the log, then with tables"
    assert kinds[-1]
    assert Counter(stream.marked(f"test.{database}.t")) == {("c", "false"): 20, ("r", "incremental"): 220}


def test_without_gtids_a_lock_on_the_one_table_makes_it_exact_and_structures_are_those_of_the_moment(
    mysql_minimal, tmp_path, small_parts, small_chunks, caplog
):
    print(f"seed {SEED}")
    mysql_minimal.sql("DROP DATABASE IF EXISTS asked; CREATE DATABASE asked")
    table(mysql_minimal, "asked", keys=range(400))
    signal_table(mysql_minimal, "asked")
    history = {"schema.history.internal": "file", "schema.history.internal.file.filename": tmp_path / "history"}
    stream = Stream(mysql_minimal, "asked", **history).run()
    execute(mysql_minimal, "asked", "asked.t")
    with mysql_minimal.connect() as connection:
        before = rows(connection, "SHOW GLOBAL STATUS LIKE 'Com_flush'")
    with KeyWriter(mysql_minimal, "asked", range(500), SEED) as writer:
        stream.run(until=lambda: stream.left)
    assert writer.error is None
    mysql_minimal.sql("ALTER TABLE t ADD COLUMN w INT DEFAULT 7; UPDATE t SET w = 8 WHERE k > 350", "asked")
    with KeyWriter(mysql_minimal, "asked", range(500), SEED) as writer:
        stream.run(until=lambda: not stream.left)
    stream.run()
    with mysql_minimal.connect("asked") as connection:
        now = rows(connection, "SELECT k, v, w FROM t")
        assert rows(connection, "SHOW GLOBAL STATUS LIKE 'Com_flush'") == before, "no lock on all tables"
    reads = [value["after"] for _, value in stream.events("test.asked.t") if value["op"] == "r"]
    assert len(reads) == len({row["k"] for row in reads})
    last = {key: value["after"] for key, value in stream.events("test.asked.t")}
    found = sorted((row["k"], row["v"], row.get("w", 7)) for row in last.values() if row is not None)
    assert found == sorted(now), f"seed {SEED}"
    assert "not claimed" not in caplog.text


def test_parts_beside_the_log_are_replicas_of_their_own(mysql_server, database, small_parts):
    table(mysql_server, database)
    signal_table(mysql_server, database)
    stream = Stream(mysql_server, database).run()
    execute(mysql_server, database, f"{database}.t")
    end = stream.reader().latestOffset(stream.end, ALL)
    log, *parts = stream.reader().partitions(stream.end, end)
    assert not isinstance(log, PartPartition)
    assert [partition.part.number for partition in parts] == [1, 2, 3]
    assert all("signalled" not in partition.end for partition in parts)


def test_while_an_xa_transaction_is_prepared_the_log_goes_on_and_the_tables_wait(mysql_server, database, caplog):
    table(mysql_server, database, keys=[1, 2])
    signal_table(mysql_server, database)
    stream, topic = Stream(mysql_server, database).run(), f"test.{database}.t"
    execute(mysql_server, database, f"{database}.t")
    with mysql_server.connect(database) as connection, connection.cursor() as cursor:
        for statement in ("XA START 'x'", "UPDATE t SET v = 'second' WHERE k = 1", "XA END 'x'", "XA PREPARE 'x'"):
            cursor.execute(statement)
    assert stream.next()
    assert stream.left
    assert stream.marked(topic) == []
    assert "what a signal asked for has to wait, and the log goes on" in caplog.text
    mysql_server.sql("XA ROLLBACK 'x'")
    assert stream.run().marked(topic) == [("r", "incremental")] * 2


def test_what_is_asked_while_the_stream_begins_with_the_tables_comes_behind_them(mysql_server, database, small_parts):
    table(mysql_server, database, keys=range(200))
    signal_table(mysql_server, database)
    stream, topic = Stream(mysql_server, database, **{"snapshot.mode": "initial"}), f"test.{database}.t"
    stream.next()
    execute(mysql_server, database, f"{database}.t")
    assert stream.run().marked(topic) == [("r", "true")] * 200 + [("r", "incremental")] * 200
