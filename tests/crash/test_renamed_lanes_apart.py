"""Lanes that stand apart when transforms give topics other names: no topic gets older changes behind newer ones.

On a real MySQL and broker, without Spark: lanes are made to stand apart by delivering with one of them only, as a kill would leave
them.
"""

import json
import uuid
from contextlib import closing

import pytest
from attrs import evolve

from support.kafka_reading import read_topics
from support.mysql_settings import properties_for
from tailrace.connectors.base import Lane
from tailrace.source import lane_alignment
from tailrace.source.job import Pace
from tailrace.source.slices import Turn
from tailrace.source.task import deliver
from tailrace.streaming.jobs import load_job
from tailrace.streaming.targets import Target

pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.slow]
LANES = 3
TABLES = [f"t{n}" for n in range(9)]


class Shop:
    """A connector whose lanes are delivered one by one, and whose topics its transforms name."""

    def __init__(self, server, database, broker, folder):
        self.prefix = f"ren{uuid.uuid4().hex[:8]}"
        self._server, self._database, self._broker, self._folder = server, database, broker, folder
        for table in TABLES:
            server.sql(f"CREATE TABLE {table} (id INT PRIMARY KEY, v INT)", database)
        self.written = 0

    def route(self, regex, replacement, **more):
        """The configuration from now on."""
        route = {"type": "org.apache.kafka.connect.transforms.RegexRouter", "regex": regex, "replacement": replacement}
        config = self._folder / "connector.json"
        properties = properties_for(
            self._server,
            topic_prefix=self.prefix,
            database_include_list=self._database,
            include_schema_changes="false",
            value_converter_schemas_enable="false",
            tasks_max=LANES,
            transforms="r",
            **{f"transforms.r.{name}": text for name, text in route.items()},
            **more,
        )
        config.write_text(json.dumps({"name": self.prefix, "config": properties}))
        job, _ = load_job(config, Target.parse(f"kafka:{self._broker.address}", self._folder / "checkpoint"))
        self.job = evolve(job, pace=Pace(commit_seconds=0, slice_seconds=60.0), lanes=LANES)

    def write(self):
        """One row of each table, in an order that is not that of their names."""
        for table in sorted(TABLES, key=lambda each: (int(each[1:]) * 7 + self.written) % 9):
            self._server.sql(f"INSERT INTO {table} VALUES ({self.written}, 0)", self._database)
        self.written += 1

    def deliver(self, *lanes, job=None):
        job = job or self.job
        until = job.until or job.new_connector().head()
        for number in lanes or range(job.lanes):
            deliver(job, Turn(Lane(number, job.lanes), True, "", until))

    def claimed(self):
        with closing(self.job.new_sink()) as sink:
            return lane_alignment.claimed(self.job, sink)

    def meet(self):
        """The lanes to one position, as a run with this configuration brings them there, then to the head."""
        meeting = lane_alignment.to_one_position(self.job, self.claimed(), lambda question: question())
        self.deliver(job=meeting)
        assert not lane_alignment.is_needed(self.job, self.claimed())
        self.write()
        self.deliver()
        return meeting

    def read(self):
        """(topic, table, id, place in the log) of each record, in the order of its topic."""
        found = []
        for read in read_topics(self._broker.address, lambda name: name.startswith(self.prefix)):
            value = json.loads(read.value)
            source, row = value["source"], value["after"]
            found.append((read.topic.removeprefix(self.prefix), source["table"], row["id"], (source["file"], source["pos"])))
        return found


@pytest.fixture
def shop(mysql_server, database, kafka_broker, tmp_path):
    """Its tables have topics of their own; each lane is behind the one before by a change of each table."""
    made = Shop(mysql_server, database, kafka_broker, tmp_path)
    made.route(r"(.*)\.[^.]*\.(t\d)", "$1-$2")
    made.deliver(job=evolve(made.job, lanes=made.claimed().lanes))  # a sink begins with one lane
    made.claimed()
    made.write()
    made.deliver(0, 1)
    made.write()
    made.deliver(0)
    made.write()
    return made


def assert_in_order(records):
    """Each row once, and each topic in the order of the log."""
    assert sorted((table, id_) for _, table, id_, _ in records) == sorted((table, id_) for table in TABLES for id_ in range(4))
    for topic in {each[0] for each in records}:
        places = [place for name, _, _, place in records if name == topic]
        assert places == sorted(places), topic


def test_tables_of_both_lanes_come_into_one_topic_where_the_lanes_meet(shop):
    shop.route(r"(.*)\.[^.]*\.t\d", "$1-all")
    assert shop.meet().keeps_names
    records = shop.read()
    assert_in_order(records)
    assert [(table, id_) for topic, table, id_, _ in records if topic == "-all" and id_ < 2] == []


def test_names_that_bring_nothing_together_are_there_at_once(shop):
    shop.route(r"(.*)\.[^.]*\.(t\d)", "$1-new-$2")
    assert not shop.meet().keeps_names
    records = shop.read()
    assert_in_order(records)
    assert {id_ for topic, _, id_, _ in records if topic.startswith("-new-")} == {0, 1, 2, 3}


def test_names_made_of_names_that_change_too_are_those_of_before_or_of_now(shop):
    shop.route(r"([^_]*)_.*_(t\d)", "$1-new-$2", topic_delimiter="_")
    assert shop.meet().keeps_names
    records = shop.read()
    assert_in_order(records)
    assert {topic for topic, *_ in records} <= {f"-{table}" for table in TABLES} | {f"-new-{table}" for table in TABLES}
