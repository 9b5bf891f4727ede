"""`tailrace run` with several lanes, ended in different ways within a backlog, then with other topic names or fewer lanes: each
row is delivered once, in its table's order, and the names change at one position.
"""

import contextlib
import json
import signal
import time
import uuid
from collections import Counter
from functools import partial

import pytest

from support.every_scenario import only_with_all
from support.kafka_reading import read_topics
from support.live_run import LiveRun, send
from support.mysql_settings import properties_for
from tailrace.connectors.load import from_mapping
from tailrace.sinks import open_sink
from tailrace.streaming.jobs import source_name

SECONDS = 180
TABLES = [f"t{n}" for n in range(8)]
ATTEMPTS = 6
TRANSACTIONS, ROWS = 120, 40
INSERT = "INSERT INTO {} (v) VALUES " + ", ".join(["(REPEAT('x', 600))"] * (ROWS // len(TABLES)))
TRANSACTION = f"BEGIN; {'; '.join(INSERT.format(table) for table in TABLES)}; COMMIT;"
pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]


class Shop:
    """A connector's tables, its configuration as it is now, and the command that runs it."""

    def __init__(self, server, database, broker, folder):
        self.prefix = f"apart{uuid.uuid4().hex[:8]}"
        self._server, self._database, self._broker = server, database, broker
        self._config = folder / "connector.json"
        for table in TABLES:
            server.sql(f"CREATE TABLE {table} (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(700))", database)
        self.run = LiveRun(folder, self._config, f"kafka:{broker.address}", [server.port])

    def configure(self, lanes, delimiter, **further):
        self._properties = properties_for(
            self._server,
            topic_prefix=self.prefix,
            database_include_list=self._database,
            tasks_max=lanes,
            topic_delimiter=delimiter,
            value_converter_schemas_enable=False,
            **{"producer.override.batch.size": 1 << 20, **further},
        )
        self._config.write_text(json.dumps({"name": self.prefix, "config": self._properties}))

    def write(self):
        self._server.sql(TRANSACTION * TRANSACTIONS, self._database)

    def recorded(self):
        settings = from_mapping(self._properties)
        sink = open_sink(
            f"kafka:{self._broker.address}", source=source_name(settings), run="looking", document=self._properties
        )
        try:
            return sink.recorded()
        finally:
            sink.close()

    def to_the_head(self):
        self.run.start("--available-now")
        assert self.run.wait(SECONDS) == 0, self.run.log.read_text()

    def end_apart(self, end, *options):
        """Run into a backlog and end the run by `end`, until the lanes stand at different positions."""
        for _ in range(ATTEMPTS):
            self.end_while_one_is_held(end, *options)
            if not self.recorded().is_at_one_position:
                return
        pytest.fail("the lanes always stop at one position")

    def end_while_one_is_held(self, end, *options):
        """Run into a backlog and ask for the end by `end`, when a lane has moved and another one can't."""
        self.write()
        before = self.recorded()
        self.run.start(*options)
        until(lambda: len(self.run.task_pids()) > 1, self.run)
        with held(self.run.task_pids()[0]):  # else both may be at the log's end by then
            until(partial(self.has_moved, before), self.run)
            end()
            time.sleep(0.5)  # a stop is there when it goes on
        self.run.wait(60)

    def has_moved(self, before):
        return self.recorded().progress != before.progress

    def assert_each_row_once(self, delimiters):
        """And none of an older name behind one of a newer."""
        for table in TABLES:
            topics = [delimiter.join((self.prefix, self._database, table)) for delimiter in delimiters]
            reads = sorted(read_topics(self._broker.address, topics), key=lambda each: topics.index(each.topic))
            ids = [json.loads(read.value)["after"]["id"] for read in reads]
            ((written,),) = self._server.sql(f"SELECT COUNT(*) FROM {table}", self._database)
            assert ids == list(range(1, written + 1)), (table, Counter(ids).most_common(3), len(ids), written)


def until(condition, run):
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, run.log.read_text()
        assert run.ended() in {None, 0}, run.log.read_text()
        time.sleep(0.01)


@contextlib.contextmanager
def held(pid):
    """Nothing goes on in the process."""
    send([pid], signal.SIGSTOP)
    try:
        yield
    finally:
        send([pid], signal.SIGCONT)


@pytest.fixture
def shop(mysql_server, database, kafka_broker, tmp_path):
    made = Shop(mysql_server, database, kafka_broker, tmp_path)
    yield made
    made.run.kill_all()


def stopped(shop):
    assert shop.run.stop() == 0, shop.run.log.read_text()


@only_with_all  # test_routed_lanes_apart.py does much the same, and on each landing
@pytest.mark.parametrize("how", ["killed", "stopped"])
def test_other_topic_names_after_lanes_were_left_apart(shop, how):
    shop.configure(2, ".")
    shop.to_the_head()
    if how == "killed":
        shop.end_apart(shop.run.kill_all)
    else:
        shop.end_apart(shop.run.ask_to_stop, "--stop-timeout", "0")
        assert shop.run.ended() == 0, shop.run.log.read_text()
        assert "the lanes have stopped at different positions" in shop.run.log.read_text()
    shop.configure(2, "-")
    shop.to_the_head()
    assert "2 lanes to one position under the topic names of before" in shop.run.log.read_text()
    shop.write()
    shop.to_the_head()
    shop.assert_each_row_once(".-")


@only_with_all
def test_fewer_lanes_than_were_left_apart_follow_the_log_on_as_many_cores(shop):
    shop.configure(4, ".")
    shop.to_the_head()
    shop.end_apart(shop.run.kill_all)
    shop.configure(2, "-")
    shop.run.start()
    until(lambda: shop.recorded().lanes == 2, shop.run)
    shop.write()
    stopped(shop)
    shop.to_the_head()
    shop.assert_each_row_once(".-")


def test_a_stop_within_a_backlog_brings_lanes_to_one_position(shop):
    shop.configure(2, ".")
    shop.to_the_head()
    for _ in range(ATTEMPTS):
        shop.end_while_one_is_held(shop.run.ask_to_stop, "--stop-timeout", "60")
        assert shop.run.ended() == 0, shop.run.log.read_text()
        claim, log = shop.recorded(), shop.run.log.read_text()
        assert claim.is_at_one_position, log
        assert "different positions" not in log
        if "to one position, before the end" in log:
            break
    else:
        pytest.fail("the lanes were never apart")
    shop.configure(3, "-")
    shop.to_the_head()
    assert "to one position" not in shop.run.log.read_text()
    shop.assert_each_row_once(".-")
