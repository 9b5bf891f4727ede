"""A registry that fails while events are delivered: whatever it answers, each change arrives once and in order when it is well again.

On a real MySQL and broker; the registry is one in this process that answers as it is told. Runs die by what it answers, and by kills
between two commits; each goes on with another number of lanes.
"""

import io
import json
import random
import uuid
from collections import defaultdict
from contextlib import closing

import fastavro
import pytest
from attrs import evolve
from tests.support.fake_registry import FakeRegistry

from support.every_scenario import only_with_all
from support.kafka_reading import read_topics
from support.mysql_settings import properties_for
from tailrace.cli.demo_avro import avro_properties
from tailrace.connectors.base import Lane
from tailrace.connectors.mysql import streaming
from tailrace.errors import RegistryError, TailraceError
from tailrace.sinks.kafka.sink import KafkaSink
from tailrace.source.job import Pace
from tailrace.source.slices import Turn
from tailrace.source.task import deliver
from tailrace.streaming.jobs import load_job
from tailrace.streaming.targets import Target

pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.slow]
TABLES = ("orders_1", "orders_2", "people")
SECRET = "hush-hush"
ANSWERS = [
    (500, {"error_code": 50001, "message": "in the backend"}),
    (503, b"<html>busy</html>"),
    (409, {"error_code": 409, "message": "not compatible"}),
    (401, {"error_code": 401, "message": f"who is Basic {SECRET}"}),
    (302, b""),
    (200, b"<html>log in</html>"),
    (200, {"id": "none"}),
    (200, b""),
]
CHAINS = {
    "none": {},
    "unwrapped and renamed": {
        "transforms": "unwrap,route",
        "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
        "transforms.unwrap.delete.tombstone.handling.mode": "rewrite",
        "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
        "transforms.route.regex": r"(.*)\.[^.]*\.(.*)",
        "transforms.route.replacement": "$1.all.$2",
    },
    "one topic of two tables": {
        "transforms": "route",
        "transforms.route.type": "io.debezium.transforms.ByLogicalTableRouter",
        "transforms.route.topic.regex": r"(.*)orders_.*",
        "transforms.route.topic.replacement": "$1orders",
    },
}

QUICK = "one topic of two tables"


class KilledError(Exception):
    """The process has died here."""


class Shop:
    """Tables whose rows count up, and runs of their connector."""

    def __init__(self, server, database, broker, registry, folder, monkeypatch):
        self.prefix = f"r{uuid.uuid4().hex[:8]}"
        self.written = defaultdict(list)
        self.registry = registry
        self.left = None
        self._server, self._database, self._broker, self._folder = server, database, broker, folder
        for table in TABLES:
            self.sql(f"CREATE TABLE {table} (id INT PRIMARY KEY, v INT)")
        commit = KafkaSink.commit

        def counted(sink, progress, history):
            if self.left == 0:
                raise KilledError
            commit(sink, progress, history)
            self.left = None if self.left is None else self.left - 1

        monkeypatch.setattr(KafkaSink, "commit", counted)

    def sql(self, text):
        self._server.sql(text, self._database)

    def write(self, count, chance):
        """So many changes of any tables, each of one row in one statement."""
        statements = []
        for _ in range(count):
            table, id_ = chance.choice(TABLES), chance.randint(1, 5)
            told = self.written[table, id_]
            told.append(len(told))
            known = len(told) > 1
            statements.append(
                f"UPDATE {table} SET v = {told[-1]} WHERE id = {id_}" if known
                else f"INSERT INTO {table} (id, v) VALUES ({id_}, {told[-1]})"
            )  # fmt: skip
        self.sql(";".join(statements))

    def run(self, lanes, chain, commits=None):
        """A run to the head of the log with the lanes in any order; raises what it dies of."""
        config = self._folder / "connector.json"
        url = self.registry.url.replace("http://", f"http://me:{SECRET}@")
        registry = avro_properties(url) | {f"{part}.converter.max.retries": "0" for part in ("key", "value")}
        filters = {"table_include_list": f"{self._database}.*", "include_schema_changes": "false"}
        properties = properties_for(self._server, topic_prefix=self.prefix, **filters, **registry, **chain)
        config.write_text(json.dumps({"name": self.prefix, "config": properties}))
        job, _ = load_job(config, Target.parse(f"kafka:{self._broker.address}", self._folder / "checkpoint"))
        job = evolve(job, pace=Pace(commit_seconds=0, max_retries=0, slice_seconds=60.0), lanes=lanes)
        with closing(job.new_sink()) as sink:
            claim = sink.claim(lanes)
        self.left = commits
        try:
            for number in range(claim.lanes):
                deliver(evolve(job, lanes=claim.lanes), Turn(Lane(number, claim.lanes), True, "", job.new_connector().head()))
        finally:
            self.left = None

    def delivered(self):
        """The values of each row in the order of its topic, as a consumer with the registry reads them."""
        found = defaultdict(list)
        schemas = {}
        for read in read_topics(self._broker.address, lambda name: name.startswith(f"{self.prefix}.")):
            if read.value is None:
                continue
            number = int.from_bytes(read.value[1:5], "big")
            schema = schemas.setdefault(number, fastavro.parse_schema(json.loads(self.registry.text(number))))
            value = fastavro.schemaless_reader(io.BytesIO(read.value[5:]), schema, None)
            row = value.get("after", value)
            found[self._table(read, value), row["id"]].append(row["v"])
        return dict(found)

    def _table(self, read, value):
        return value["source"]["table"] if "source" in value else read.topic.rpartition(".")[2]


@pytest.fixture
def chance():
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    return random.Random(seed)


@pytest.fixture
def shop(mysql_server, database, kafka_broker, tmp_path, monkeypatch):
    monkeypatch.setattr(streaming.LogReader.__init__, "__defaults__", (600, streaming.LARGE_BATCH))
    with FakeRegistry() as registry:
        yield Shop(mysql_server, database, kafka_broker, registry, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "chain", [pytest.param(chain, id=name, marks=[] if name == QUICK else only_with_all) for name, chain in CHAINS.items()]
)
def test_whatever_a_registry_answers_and_whenever_a_run_dies_each_change_arrives_once(shop, chain, chance, caplog):
    died = []
    shop.run(1, chain)
    for step in range(12):
        if step % 4 == 0:
            shop.sql(f"ALTER TABLE {TABLES[step // 4]} ADD COLUMN c{step} INT")  # a schema that the registry has not seen
        shop.write(12, chance)
        shop.registry.faults[:] = chance.choices(ANSWERS, k=chance.randint(0, 2))
        try:
            shop.run(chance.randint(1, 3), chain, commits=chance.choice([None, 0, 1, 3]))
        except (TailraceError, KilledError) as error:
            died.append(error)
    shop.sql(f"ALTER TABLE {TABLES[0]} ADD COLUMN last INT")
    shop.write(40, chance)
    shop.registry.faults[:] = ANSWERS[:1]
    with pytest.raises(TailraceError) as refused:  # whatever chance gave before: one that dies of the registry alone
        shop.run(2, chain)
    died.append(refused.value)
    shop.registry.faults.clear()
    shop.run(2, chain)
    shop.run(2, chain)
    assert shop.delivered() == dict(shop.written)
    assert not [error for error in died if SECRET in str(error)]
    assert SECRET not in caplog.text


def test_a_structure_that_the_registry_refuses_stops_at_it_and_loses_nothing_when_that_is_mended(shop, chance):
    # GIVEN a table whose new structure is refused, between changes of the same batch
    shop.run(1, {})
    shop.write(20, chance)
    shop.run(1, {})
    shop.write(10, chance)
    shop.sql("ALTER TABLE people ADD COLUMN must INT")
    shop.write(30, chance)
    shop.registry.refuses = "must"
    # WHEN it is tried, again and again
    for lanes in (1, 1, 3):
        with pytest.raises(RegistryError, match=r"people-value .*READER_FIELD_MISSING_DEFAULT_VALUE must"):
            shop.run(lanes, {})
    # AND then mended
    shop.registry.refuses = ""
    shop.run(1, {})
    # THEN
    assert shop.delivered() == dict(shop.written)
