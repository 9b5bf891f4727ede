"""Real Debezium and tailrace take turns on one connector: together they tell every change once, as Debezium alone does.

Debezium reads a part of a log, tailrace goes on from Debezium's stored offset and schema history, stops, hands back,
and Debezium reads the rest. They stop wherever it hurts: within a row event, between the events of a long transaction,
right behind a statement, within a compressed transaction.
"""

import json
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.differential import cases, debezium, records
from tests.differential.compare import compare

from support.encoding import records_of
from support.every_scenario import EVERY, WHY, only_with_all
from support.kafka_reading import read_topics
from support.mysql_settings import settings_for
from tailrace.cli.main import main
from tailrace.connect_offsets.entries import compact
from tailrace.connect_offsets.stores import open_store
from tailrace.connectors.base import Lane, LogRange
from tailrace.connectors.load import from_mapping
from tailrace.connectors.mysql.positions import BinlogPosition, RestartPosition
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.connectors.mysql.streaming import LogReader
from tailrace.schema_history.configured import schema_history_of
from tailrace.sinks.files import FilesSink
from tailrace.source.slices import Turn
from tailrace.source.task import deliver
from tailrace.streaming.jobs import load_job
from tailrace.streaming.targets import Target
from tailrace_standins.servers.java_jars import Unavailable
from tailrace_standins.servers.kafka_broker import KafkaBroker
from tailrace_standins.servers.mysql_server import MySqlServer

pytestmark = [pytest.mark.debezium, pytest.mark.mysql, pytest.mark.slow]

PREFIX, NAME = "dbz", "differential"
MARKER = "dbz.tailrace_marker.marker"
SMALL_EVENTS = ("--binlog-row-event-max-size=256",)
ROWS = "WITH RECURSIVE s AS (SELECT {first} n UNION ALL SELECT n + 1 FROM s WHERE n < {last}) SELECT n FROM s"
SOME = "INSERT INTO d_over.a (id, v) SELECT n, REPEAT('x', 30) FROM ({rows}) t"


@dataclass(frozen=True)
class Log:
    """A server whose log was played, where Debezium begins in it, where it ends, and what is told when nobody stops it."""

    server: MySqlServer
    offset: dict
    head: dict
    whole: list
    kind: str


def play(port):
    """A log with everything that may lie around a stop."""
    big = SOME.format(rows=ROWS.format(first=1, last=60))
    more = SOME.format(rows=ROWS.format(first=101, last=160))
    cases.run_all(port, ["CREATE DATABASE d_over", "CREATE TABLE d_over.a (id INT PRIMARY KEY, v VARCHAR(90))"])
    cases.run_all(
        port, ["CREATE TABLE d_over.b (n INT)", "INSERT INTO d_over.a VALUES (-1, 'one'), (-2, 'two')", "COMMIT"]
    )
    steps = [f"INSERT INTO d_over.b VALUES ({n})" for n in range(5)]
    cases.run_all(port, ["BEGIN", *steps, big, "UPDATE d_over.a SET v = 'u' WHERE id < 20", *steps, "COMMIT"])
    cases.run_all(
        port, ["ALTER TABLE d_over.b ADD COLUMN w INT DEFAULT 7", "INSERT INTO d_over.b VALUES (8, 9)", "COMMIT"]
    )
    cases.run_all(port, ["DELETE FROM d_over.a WHERE id BETWEEN 10 AND 15", "COMMIT", "FLUSH BINARY LOGS"])
    cases.run_all(port, ["SET binlog_transaction_compression = ON", "BEGIN", more, *_two(steps), "COMMIT"])
    cases.run_all(
        port, ["ALTER TABLE d_over.a ADD COLUMN z INT FIRST", "UPDATE d_over.a SET z = 1 WHERE id > 150", "COMMIT"]
    )
    cases.run_all(port, [*cases.MARKER, "COMMIT"])


def _two(steps):
    return [step.replace("VALUES", "(n) VALUES") for step in steps]


GTID, NO_GTID = "gtid-full", "nogtid-minimal"


@pytest.fixture(scope="module", params=[GTID, NO_GTID])
def log(request, tmp_path_factory):
    gtid = request.param == GTID
    with MySqlServer(gtid=gtid, row_metadata="FULL" if gtid else "MINIMAL", flags=SMALL_EVENTS) as server:
        cases.run_all(server.port, cases.FIRST)
        offset = dict(cases.binlog_position(server.port))
        play(server.port)
        head = dict(MySqlConnector(settings_for(server)).head())
        folder = tmp_path_factory.mktemp("whole")
        properties = of_server(server, folder)
        Path(properties["schema.history.internal.file.filename"]).write_text(debezium.first_history(PREFIX, offset))
        debezium.run(properties, folder / "out.jsonl", marker=MARKER, offset=offset)
        whole = records.read(folder / "out.jsonl")
        assert len(whole) > 150
        yield Log(server, offset, head, whole, request.param)


def in_files(log, folder):
    """Properties with which offsets and history stand in files, and the place of the offsets in words."""
    properties = of_server(log.server, folder)
    return properties, f"file:{properties['offset.storage.file.filename']}"


@pytest.fixture
def broker():
    """A broker with nothing on it: the topics of one prefix are looked at as a whole."""
    try:
        started = KafkaBroker().start()
    except Unavailable as reason:
        pytest.skip(f"no Kafka broker: {reason}")
    yield started
    started.discard()


@pytest.fixture
def topics(log, broker, tmp_path):
    """Properties with which offsets and history stand in topics, and the place of the offsets in words."""
    properties, tag = of_server(log.server, tmp_path), "own"
    return _in_topics(properties, broker.address, tag), f"kafka:{broker.address}/{tag}-offsets"


def of_server(server, folder):
    """What both systems are configured with."""
    usual = {
        "table.include.list": "d_over.*,tailrace_marker.*",
        "extended.headers.enabled": "false",
        "max.batch.size": "7",
        "max.queue.size": "20",
        "key.converter.schemas.enable": "false",
        "value.converter.schemas.enable": "false",
    }
    return debezium.base_properties(server.port, PREFIX, folder) | usual


def _in_topics(properties, address, tag):
    own = {
        k: v
        for k, v in properties.items()
        if "file" not in k and k not in {"offset.storage", "schema.history.internal"}
    }
    return own | {
        "schema.history.internal": "io.debezium.storage.kafka.history.KafkaSchemaHistory",
        "schema.history.internal.kafka.topic": f"{tag}-history",
        "schema.history.internal.kafka.bootstrap.servers": address,
        "offset.storage": "org.apache.kafka.connect.storage.KafkaOffsetBackingStore",
        "offset.storage.topic": f"{tag}-offsets",
        "offset.storage.partitions": "3",
        "offset.storage.replication.factor": "1",
        "bootstrap.servers": address,
    }


class Turns:
    """One connector that changes hands."""

    def __init__(self, log, places, folder):
        self.log = log
        self.properties, self.offsets = places
        self.folder = folder
        self.told = []
        self.runs = 0
        self.config = folder / "connector.json"
        own = {k: v for k, v in self.properties.items() if not k.startswith(("offset.", "bootstrap."))}
        self.config.write_text(json.dumps(own))
        self.settings = from_mapping(own)
        self.out = folder / "target"
        self.to = f"files:{self.out}"

    def begin(self):
        """Where Debezium starts: an offset and a history, stored by our own hand."""
        key = compact([NAME, {"server": PREFIX}]).encode()
        open_store(self.offsets, self.settings).store(key, compact(self.log.offset).encode())
        schema_history_of(self.settings).append([json.loads(debezium.first_history(PREFIX, self.log.offset))])

    def debezium(self, most=0):
        """Debezium goes on from what is stored, for so many records or to the end."""
        self.runs += 1
        out = self.folder / f"debezium-{self.runs}.jsonl"
        debezium.run(self.properties, out, marker=None if most else MARKER, most=most, graceful=True)
        self.told += records.read(out)

    def tailrace(self, stop, block_bytes=300):
        """tailrace goes on from its target's progress, in small steps, until `stop` says so or the log ends."""
        sink = FilesSink(self.out, "mysql dbz", "run")
        with closing(sink):
            sink.claim(1)
            opened = sink.open(0)
            range_ = LogRange(opened.progress.restart, self.log.head)
            reader = LogReader(self.settings, range_, opened.progress, tuple(opened.history), block_bytes=block_bytes)
            batches = reader.batches()
            for batch in batches:
                self._take(batch)
                sink.commit(batch.progress, batch.history)
                if batch.progress.delivered > opened.progress.delivered and stop(self, batch.progress):
                    break
            batches.close()

    def tailrace_into_kafka(self, lanes):
        """tailrace goes on to the log's end with lanes side by side; what a read-committed consumer sees."""
        job, _ = load_job(self.config, Target.parse(self.to, self.folder / "checkpoint"))
        with closing(job.new_sink()) as sink:
            assert sink.claim(lanes).lanes == lanes
        for number in range(lanes):
            deliver(job, Turn(Lane(number, lanes), first=True, floor="", until=self.log.head))
        wanted = {record.topic for record in self.log.whole}
        for read in read_topics(self.properties["bootstrap.servers"], wanted):
            headers = {name: records.loads(text.decode()) for name, text in read.headers.items()}
            self.told.append(records.Record(read.topic, _parsed(read.key), _parsed(read.value), headers))

    def _take(self, batch):
        for found in records_of(batch, self.settings):
            self.told += [of(found, i) for i in range(len(found))]

    def command(self, *arguments):
        """The exit code of an `offsets` command."""
        with pytest.raises(SystemExit) as ended:
            main(
                ["offsets", arguments[0], str(self.config), "--to", self.to, "--name", NAME, *arguments[1:]]
            )
        return ended.value.code

    def take_turns(self, moment):
        """Debezium, tailrace, Debezium."""
        self.begin()
        self.debezium(most=indices(self.log)[moment])
        assert self.command("import", "--from", self.offsets) == 0
        self.tailrace(within_a_transaction)
        while self.command("export", "--into", self.offsets) != 0:
            assert "gtids" not in self.log.offset, (
                "only without GTIDs there are positions that Debezium can't go on from"
            )
            self.tailrace(within_a_transaction)
        if not self.is_at_end:
            self.debezium()

    @property
    def is_at_end(self):
        return self.told[-1].topic == MARKER

    def check(self):
        """Every change once, as Debezium alone tells it."""
        differences = "\n".join(str(each)[:300] for each in compare(self.log.whole, self.told))
        assert not differences, f"{len(self.told)} records instead of {len(self.log.whole)}:\n{differences}"


def of(found, i):
    """A record of ours as those of Debezium are read."""
    key, value = found.keys[i], found.values[i]
    headers = {h.name: records.loads(h.values[i].decode()) for h in found.headers if h.values[i] is not None}
    return records.Record(found.topic, _parsed(key), _parsed(value), headers)


def _parsed(text):
    return None if text is None else records.loads(text.decode("utf-8", "surrogateescape"))


def within_a_transaction(_, progress):
    restart, delivered = RestartPosition.from_dict(progress.restart), BinlogPosition.parse(progress.delivered)
    return delivered > restart.position


def indices(log):
    """How many records of Debezium's lie before the moments where it is stopped."""
    tells_structure = [i for i, r in enumerate(log.whole) if r.topic == PREFIX]
    of_a = [i for i, r in enumerate(log.whole) if r.topic == f"{PREFIX}.d_over.a"]
    return {
        "first": 1,
        "within a transaction": of_a[0] + 12,
        "later in it": of_a[0] + 70,
        "behind a statement": tells_structure[-2] + 1,
        "before a statement": tells_structure[-2],
        "within a compressed transaction": tells_structure[-1] - 20,
        "behind the last statement": tells_structure[-1] + 1,
    }


MOMENTS = (
    "first",
    "within a transaction",
    "later in it",
    "behind a statement",
    "before a statement",
    "within a compressed transaction",
    "behind the last statement",
)
IN_CI = {
    GTID: {"first", "within a transaction", "before a statement", "behind a statement"},
    NO_GTID: {"later in it", "within a compressed transaction", "behind the last statement"},
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_tailrace_goes_on_where_debezium_stopped_and_hands_back(log, tmp_path, moment):
    if not EVERY and moment not in IN_CI[log.kind]:
        pytest.skip(WHY)
    turns = Turns(log, in_files(log, tmp_path), tmp_path)
    turns.take_turns(moment)
    turns.check()


@pytest.mark.kafka
@pytest.mark.parametrize("log", [GTID, pytest.param(NO_GTID, marks=only_with_all)], indirect=True)
@pytest.mark.parametrize("moment", ["later in it", pytest.param("behind a statement", marks=only_with_all)])
def test_so_they_do_with_offsets_and_schema_history_in_topics(log, topics, tmp_path, moment):
    turns = Turns(log, topics, tmp_path)
    turns.take_turns(moment)
    turns.check()


@pytest.mark.kafka
@pytest.mark.parametrize("log", [pytest.param(GTID, marks=only_with_all), NO_GTID], indirect=True)
@pytest.mark.parametrize("lanes", [pytest.param(1, marks=only_with_all), 2])
def test_tailrace_goes_on_into_kafka_with_any_number_of_lanes_and_hands_back(log, topics, tmp_path, lanes):
    turns = Turns(log, topics, tmp_path)
    turns.to = f"kafka:{turns.properties['bootstrap.servers']}"
    turns.begin()
    turns.debezium(most=indices(log)["later in it"])
    assert turns.command("import", "--from", turns.offsets) == 0
    turns.tailrace_into_kafka(lanes)
    assert turns.command("export", "--into", turns.offsets) == 0
    cases.run_all(log.server.port, ["INSERT INTO d_over.b VALUES (77, 77)", *cases.MARKER, "COMMIT"])
    before = len(turns.told)
    turns.debezium()
    assert [r.value["after"].get("n") for r in turns.told[before:] if r.topic == "dbz.d_over.b"] == [77]
    del turns.told[before:]
    turns.check()
