"""`tailrace demo` as people start it."""

import os
import re
import subprocess
import sys

import pytest
from tests.support.every_scenario import only_with_all
from tests.support.registries import apicurio

__all__ = ["apicurio"]

TIMEOUT = 900


def demo(*arguments, **environment):
    command = [sys.executable, "-m", "tailrace.cli.main", "demo", *arguments]
    return subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )


@pytest.mark.drivers
@pytest.mark.spark
@pytest.mark.slow
def test_it_shows_changes_of_the_stand_in_and_ends_well_when_all_of_them_came(sqlserver_server):
    told = demo("--seconds", "3")
    assert told.returncode == 0, told.stderr
    assert "dbserver1.inventory.dbo." in told.stdout
    assert "done: " in told.stderr.splitlines()[-1]


@pytest.mark.drivers
@pytest.mark.spark
@pytest.mark.slow
def test_it_shows_those_of_the_stand_in_for_db2(db2_server):
    told = demo("--source", "db2", "--seconds", "3")
    assert told.returncode == 0, told.stderr
    assert "dbserver1.DB2INST1." in told.stdout
    assert "done: " in told.stderr.splitlines()[-1]


@pytest.mark.mysql
@pytest.mark.spark
@pytest.mark.slow
def test_it_shows_those_of_a_mysql_as_well(mysql_server):
    told = demo("--source", "mysql", "--seconds", "3")
    assert told.returncode == 0, told.stderr
    assert "dbserver1.inventory." in told.stdout
    assert "done: " in told.stderr.splitlines()[-1]


@pytest.mark.drivers
@pytest.mark.kafka
@pytest.mark.spark
@pytest.mark.slow
def test_into_kafka_it_shows_what_a_consumer_got_and_that_it_got_each_change_once(sqlserver_server, kafka_broker):
    told = demo("--to", "kafka", "--seconds", "3")
    assert told.returncode == 0, told.stderr
    assert "dbserver1.inventory.dbo." in told.stdout
    last = told.stderr.splitlines()[-1]
    assert "a read-committed consumer got" in last
    assert last.endswith("each once")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("mysql", marks=pytest.mark.mysql),
        *[
            pytest.param(name, marks=[pytest.mark.drivers, only_with_all])
            for name in ("sqlserver", "db2")
        ],
    ],
)
@pytest.mark.kafka
@pytest.mark.registry
@pytest.mark.spark
@pytest.mark.slow
def test_as_avro_it_shows_what_a_consumer_with_the_registry_reads_and_the_ids(source, request, kafka_broker, apicurio):
    request.getfixturevalue(f"{source}_server")
    told = demo("--format", "avro", "--source", source, "--seconds", "3")
    assert told.returncode == 0, told.stderr
    assert "dbserver1." in told.stdout
    ids = r"subject dbserver1\.\S+-key, version 1: id \d+\nsubject dbserver1\.\S+-value, version 1: id"
    assert re.search(ids, told.stderr)
    assert told.stderr.splitlines()[-1].endswith("each once")


def test_without_a_broker_it_says_what_is_missing(tmp_path):
    told = demo("--to", "kafka", TAILRACE_KAFKA_JARS=str(tmp_path))
    assert told.returncode == 2
    assert f"the demo needs a Kafka broker for --to kafka: TAILRACE_KAFKA_JARS={tmp_path}" in told.stderr
    assert "Traceback" not in told.stderr


def test_it_watches_nothing_else():
    told = demo("--source", "oracle")
    assert told.returncode == 2
    assert "the demo's shop is on sqlserver, mysql or db2" in told.stderr


def test_it_goes_nowhere_else():
    told = demo("--to", "files:/tmp/events")
    assert told.returncode == 2
    assert "the demo goes to console or kafka" in told.stderr
