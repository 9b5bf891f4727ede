"""`tailrace run` into a real broker: two runs of one connector, and what shows before Spark is started."""

import json
import os
import subprocess
import sys
import time
import uuid
from functools import partial
from pathlib import Path

import psutil
import pytest

from support.cutting_proxy import CuttingProxy
from support.every_scenario import only_with_all
from support.kafka_reading import read_topics
from support.live_run import LiveRun
from tailrace_standins.servers.ports import HOST, free_port

pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.slow]
ROOT = Path(__file__).parents[2]
WAITING = "waiting up to"


SLEEPS = """
import os, signal
import tailrace.cli.main as main
from tailrace.sinks.kafka.claiming import Claiming
from tailrace.source.preflight import Preflight
with_spark, writer = Preflight.with_spark, Claiming._writer
def sleep():
    os.kill(os.getpid(), signal.SIGSTOP)
def and_sleep(look, stopping):
    with_spark(look, stopping)
    sleep()
def sleep_and_fence(claiming, lane, stack):
    Claiming._writer = writer
    sleep()
    return writer(claiming, lane, stack)
def fence_and_sleep(claiming, lane, stack):
    Claiming._writer = writer
    fencing = writer(claiming, lane, stack)
    sleep()
    return fencing
"""
FENCES = "when it is about to fence"
SETTING = {
    "before it claims": "Preflight.with_spark = and_sleep",
    FENCES: "Claiming._writer = sleep_and_fence",
    "when it has fenced": "Claiming._writer = fence_and_sleep",
}


class Sleeping(LiveRun):
    """Its driver stands still, once, when it has its lease and Spark."""

    def __init__(self, when, *given):
        super().__init__(*given)
        self._when = when

    def _command(self, *options):
        command = super()._command(*options)
        at = command.index("-m")
        return [*command[:at], "-c", f"{SLEEPS}{SETTING[self._when]}\nmain.main()", *command[at + 2 :]]

    def is_suspended(self):
        return psutil.Process(self._process.pid).status() == psutil.STATUS_STOPPED


class Shop:
    """A connector of a database of its own, and its runs."""

    def __init__(self, server, broker, database, folder):
        self._server, self._broker, self._folder = server, broker, folder
        self.database, self.prefix = database, f"two-{uuid.uuid4().hex[:8]}"
        self._rows = 0
        self._runs = []
        server.sql(f"CREATE TABLE {database}.t (id int PRIMARY KEY)")

    def config(self, **changed):
        """A configuration file; each has a server id of its own, so that MySQL lets two read at once."""
        settings = {
            "connector.class": "mysql",
            "database.hostname": HOST,
            "database.port": self._server.port,
            "database.user": self._server.user,
            "database.password": self._server.password,
            "database.server.id": 100_000 + uuid.uuid4().int % 1_000_000,
            "table.include.list": f"{self.database}.t",
            "topic.prefix": self.prefix,
            "snapshot.mode": "initial",
            "retriable.restart.connector.wait.ms": 500,
            **changed,
        }
        path = self._folder / f"{uuid.uuid4().hex}.json"
        path.write_text(json.dumps({"name": self.prefix, "config": settings}))
        return path

    def run(self, *options, kind=LiveRun, **changed):
        folder = self._folder / f"run-{len(self._runs)}"
        folder.mkdir()
        run = kind(folder, self.config(**changed), f"kafka:{self._broker.address}", [])
        self._runs.append(run)
        run.start(*options)
        return run

    def delivers(self):
        """A row that is written now arrives."""
        self._rows += 1
        self._server.sql(f"INSERT INTO {self.database}.t VALUES ({self._rows})")
        until(lambda: len(self.delivered()) >= self._rows)

    def delivered(self):
        reads = read_topics(self._broker.address, [f"{self.prefix}.{self.database}.t"])
        return sorted(json.loads(read.key)["payload"]["id"] for read in reads)

    def delivered_once(self):
        assert self.delivered() == list(range(1, self._rows + 1))

    def close(self):
        for run in self._runs:
            run.kill_all()


@pytest.fixture
def shop(mysql_server, kafka_broker, database, tmp_path):
    shop = Shop(mysql_server, kafka_broker, database, tmp_path)
    yield shop
    shop.close()


def until(condition, seconds=180):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.2)


@pytest.mark.spark
def test_a_second_run_refuses_takes_over_when_told_and_goes_on_at_once_after_a_kill(shop):
    first = shop.run()
    shop.delivers()
    second = shop.run()
    assert second.wait(90) == 7, second.log.read_text()
    assert "is being delivered to by process" in second.log.read_text()
    shop.delivers()
    third = shop.run("--take-over")
    assert first.wait(120) == 7, first.log.read_text()
    assert "was taken over by" in first.log.read_text()
    shop.delivers()
    third.kill_all()
    fourth = shop.run()
    shop.delivers()
    assert fourth.stop() == 0
    fifth = shop.run("--available-now")
    assert fifth.wait(120) == 0
    for run in (third, fourth, fifth):
        assert WAITING not in run.log.read_text()
    shop.delivered_once()


@pytest.mark.spark
@pytest.mark.parametrize(
    "when", [pytest.param(when, marks=() if when == FENCES else only_with_all) for when in SETTING]
)
def test_a_run_that_stood_still_while_it_began_ends_and_the_one_that_took_over_delivers_on(shop, when):
    first = shop.run(kind=partial(Sleeping, when))
    until(lambda: first.is_suspended() or first.ended() is not None)
    second = shop.run()
    shop.delivers()
    assert WAITING in second.log.read_text()
    first.go_on()
    assert first.wait(120) == 7, first.log.read_text()
    assert "was taken over by" in first.log.read_text()
    for _ in range(2):
        time.sleep(1)
        shop.delivers()
    assert second.stop() == 0, second.log.read_text()
    shop.delivered_once()


@pytest.mark.spark
def test_a_run_that_stood_still_while_fewer_lanes_took_over_does_not_say_that_progress_was_lost(shop):
    first = shop.run(**{"tasks.max": 3})
    shop.delivers()  # the lanes may be claimed once more, as the snapshot has ended
    first.stand_still()
    second = shop.run(**{"tasks.max": 1})
    shop.delivers()
    first.go_on()
    assert first.wait(120) == 7, first.log.read_text()
    assert "was taken over by" in first.log.read_text()
    shop.delivers()
    assert second.stop() == 0, second.log.read_text()
    shop.delivered_once()


@pytest.mark.spark
def test_a_run_that_starts_before_its_database_comes_up_with_it(shop, mysql_server):
    port = free_port()
    run = shop.run(**{"database.port": port})
    until(lambda: "trying again" in run.log.read_text() or run.ended() is not None)
    with CuttingProxy(HOST, mysql_server.port, port):
        shop.delivers()
        assert run.stop() == 0, run.log.read_text()


def without_java(*arguments):
    """The command where Spark can't start: exit code and what it says."""
    environment = {**os.environ, "JAVA_HOME": "/nowhere", "PATH": "/nowhere", "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", NO_SPARK, "run", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stderr


NO_SPARK = """
import tailrace.cli.running as running, tailrace.cli.main as main
def start_session(**_):
    raise SystemExit(77)
running.start_session = start_session
main.main()
"""


def test_a_wrong_password_shows_before_spark_starts_and_disturbs_no_run(shop, kafka_broker):
    config = shop.config(**{"database.password": "wrong-word"})
    code, said = without_java(str(config), "--to", f"kafka:{kafka_broker.address}")
    assert (code, "Access denied" in said, "wrong-word" in said) == (3, True, False)
    code, said = without_java(str(shop.config()), "--to", f"kafka:{kafka_broker.address}")
    assert (code, WAITING in said) == (77, False)


def test_where_nothing_is_to_be_tried_again_servers_that_are_away_show_before_spark_starts(shop, kafka_broker):
    away = shop.config(**{"database.port": free_port(), "errors.max.retries": 0})
    code, said = without_java(str(away), "--to", f"kafka:{kafka_broker.address}")
    assert (code, "connecting to MySQL" in said) == (8, True)
