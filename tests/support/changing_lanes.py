"""Consecutive runs of `tailrace` over the same tables, each with different topic names and lanes, and each killed.

The runs use the code of real ones (`source/run.py`, without Spark: the test does the turns, one lane after the other in any
order), deliver into a real broker, and end between two commits of any lane. Every run has another `topic.delimiter`, so that
a topic's name shows the configuration with which its records were delivered. At the end each row's changes must be there once
and in order, over the topics in the order of the runs: nothing in an older run's topics may follow what a newer one's has.
"""

import json
import random
import re
from collections import defaultdict
from contextlib import closing
from types import SimpleNamespace

import pytest

from support.kafka_reading import read_topics
from tailrace.connectors.base import Lane
from tailrace.signals.moved_work import is_at_work
from tailrace.sinks.kafka.sink import KafkaSink
from tailrace.source import run, task
from tailrace.source.job import Job, Pace
from tailrace.source.slices import Turn
from tailrace.source.stop_time import StopTime
from tailrace.source.task import deliver

TABLES = [f"T{n}" for n in range(6)]
SPARK = SimpleNamespace(sparkContext=SimpleNamespace(master="local[3]", defaultParallelism=3, getConf=dict))
MOST_TURNS = 5  # of following the log
LINK = SimpleNamespace(let_tasks_work=lambda: None)


class KilledError(Exception):
    """The process has died here."""


class Runs:
    """Runs of one connector.

    Attributes:
        notices: of the last run.
        queries: the jobs of all queries.

    Args:
        source: has the `properties(**more)` of its connector, and `settle()`: all that was written is in the log.
        broker: a Kafka broker.
        chance: decides in which order lanes come by.
        monkeypatch: pytest's.

    """

    def __init__(self, source, broker, chance, monkeypatch):
        self.notices = []
        self.queries = []
        self.runs = 0
        self.naming = by_delimiter
        self._source = source
        self._broker = broker
        self._chance = chance
        self._left = None
        monkeypatch.setattr(run._Run, "_kept_up", lambda _, job, *, available_now: self._turns(job, available_now))
        commit = KafkaSink.commit

        def counted(sink, progress, history):
            if self._left == 0:
                raise KilledError
            commit(sink, progress, history)
            self._left = None if self._left is None else self._left - 1

        monkeypatch.setattr(KafkaSink, "commit", counted)
        is_over = task._Delivery._is_over
        monkeypatch.setattr(task._Delivery, "_is_over", lambda turn: is_over(turn) or _has_nothing_to_read(turn))

    def job(self, lanes, **more):
        """The job of the next run."""
        self.runs += 1
        properties = self._source.properties(
            tasks_max=str(lanes), key_converter_schemas_enable="false", value_converter_schemas_enable="false",
            **self.naming(self.runs), **more,
        )  # fmt: skip
        return Job(
            document=properties,
            source="test",
            target=f"kafka:{self._broker.address}",
            lanes=lanes,
            snapshot_lanes=3 if properties["snapshot.mode"] == "initial" else None,
            pace=Pace(commit_seconds=0, max_retries=0, slice_seconds=60.0),
        )

    def start(self, lanes, commits=None, *, available_now=True, **more):
        """A run to the head of the log, or to its death after so many commits; whether it came to its end.

        Without `available_now` it follows the log until all is read that signals asked for.
        """
        self._source.settle()
        job = self.job(lanes, **more)
        self._left = commits
        self.notices.clear()
        try:
            run._Run(SPARK, "", LINK, StopTime(lambda: False), self.notices.append).deliver(job, available_now=available_now)
        except KilledError:
            return False
        finally:
            self._left = None
        return True

    def recorded(self, lanes=1):
        """What the sink has recorded."""
        self.runs -= 1
        with closing(self.job(lanes).new_sink()) as sink:
            return sink.recorded()

    def asked_for_is_done(self):
        """Whether nothing is left of what signals asked for."""
        return not any(is_at_work(progress.signalled) for progress in self.recorded().progress)

    def rows(self):
        """By table and id: the operation and the value of each record, in the order in which they were delivered.

        Names do not tell that: lanes that stand apart may go back to those under which they began. Records of MySQL must be
        in the order of the log within each topic, too.
        """
        found, places = defaultdict(list), defaultdict(list)
        name = re.compile(rf"{re.escape(self._source.prefix)}\.e\d+\..*")
        reads = read_topics(self._broker.address, name.fullmatch)
        for read in sorted(reads, key=lambda each: each.timestamp):  # of the processing; within a topic as they are
            if read.value is not None:
                value = json.loads(read.value)
                row, source = value["after"] or value["before"], value["source"]
                if source["table"] not in TABLES:
                    continue
                found[source["table"], row["ID"]].append((value["op"], row["V"]))
                if "row" in source and value["op"] != "r":
                    places[read.topic].append((source["file"], source["pos"], source["row"]))
        for topic, told in places.items():
            assert told == sorted(told), topic
        return found

    def _turns(self, job, available_now):
        self.queries.append(job)
        if available_now:
            self._turn(job, None if job.snapshot else job.until or job.new_connector().head())
            return False
        for _ in range(MOST_TURNS):
            self._turn(job, None)
            if self.asked_for_is_done():
                return False
        pytest.fail(f"what was asked for does not come to its end: {self.recorded()}")

    def _turn(self, job, until):
        for number in self._chance.sample(range(job.lanes), job.lanes):
            deliver(job, Turn(Lane(number, job.lanes), True, "", until, snapshot=bool(job.snapshot)))


def by_delimiter(run):
    """Properties by which topics have another delimiter in each run."""
    return {"topic_delimiter": f".e{run}."}


def by_regex_router(run):
    """Properties by which a transform renames topics, in each run to others."""
    return {
        "transforms": "route",
        "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
        "transforms.route.regex": r"([^.]+)\.(.*)",
        "transforms.route.replacement": f"$1.e{run}.$2",
    }


def by_any_chain(seed):
    """Properties by which transforms name topics, in each run in another way: each table has its own, or several share one."""

    def named(run):
        old, new = r"([^.]+)\..*", rf"$1.e{run}"
        chains = [
            by_regex_router(run),
            _routers((old, f"{new}.all")),
            _routers((rf"{old}T[0-2]", f"{new}.low"), (rf"{old}T[3-5]", f"{new}.high")),
            _routers((rf"{old}T[0-3]", f"{new}.low"), (r"([^.]+)\.(.*T[45])", f"{new}.$2")),
            _routers(
                (rf"{old}T[0-4]", f"{new}.most"),
                (rf"{old}T5", f"{new}.last"),
                type_="io.debezium.transforms.ByLogicalTableRouter",
            ),
            _routers((old, f"{new}.all")) | by_delimiter(run),
            by_delimiter(run),
        ]
        return random.Random(f"{seed} {run}").choice(chains)

    return named


def _routers(*routes, type_="org.apache.kafka.connect.transforms.RegexRouter"):
    prefix = "topic." if type_.endswith("TableRouter") else ""
    found = {"transforms": ",".join(f"r{number}" for number in range(len(routes)))}
    for number, (regex, replacement) in enumerate(routes):
        found[f"transforms.r{number}.type"] = type_
        found[f"transforms.r{number}.{prefix}regex"] = regex
        found[f"transforms.r{number}.{prefix}replacement"] = replacement
    return found


def _has_nothing_to_read(turn):
    """Whether a turn that follows the log has done all that signals asked for."""
    progress = turn._progress
    return not turn._turn.is_bounded and progress is not None and not is_at_work(progress.signalled)


class Rows:
    """Rows of `TABLES` that are written, and what was written of each: `V` counts up from 0."""

    def __init__(self, source, chance):
        self.versions = {}
        self._source = source
        self._chance = chance

    def write(self, transactions, rows=12):
        """So many transactions, each of so many new rows and changed ones of all tables."""
        for _ in range(transactions):
            self._source.transaction([self._statement() for _ in range(rows)])

    def _statement(self):
        table = self._chance.choice(TABLES)
        known = [id_ for name, id_ in self.versions if name == table]
        if known and self._chance.random() < 0.5:
            id_ = self._chance.choice(known)
            self.versions[table, id_] += 1
            return f"UPDATE {table} SET V = {self.versions[table, id_]} WHERE ID = {id_}"
        id_ = len(self.versions)
        self.versions[table, id_] = 0
        return f"INSERT INTO {table} (ID, V) VALUES ({id_}, 0)"


def assert_each_change_once(found, rows):
    """Nothing is lost, doubled or out of order; a read event that comes first tells of the changes before it."""
    wrong = {}
    for key in {*found, *rows.versions}:
        told = found.get(key, [])
        changed = [value for op, value in told if op != "r"]
        first = told[0][1] if told and told[0][0] == "r" else -1
        wanted = list(range(first + 1, rows.versions.get(key, -1) + 1))
        if changed != wanted:
            wrong[key] = told, wanted
    if wrong:
        lost = sum(len(set(wanted) - {value for _, value in got}) for got, wanted in wrong.values())
        pytest.fail(f"{len(wrong)} of {len(rows.versions)} rows are wrong, {lost} changes lost: {dict(list(wrong.items())[:5])}")
