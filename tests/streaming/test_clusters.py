"""What a job can't do on other machines is said before it starts."""

import json
from types import SimpleNamespace

import pytest
from attrs import evolve

from support.unit_settings import unit_settings
from tailrace.errors import ConfigError, UnsupportedError
from tailrace.source import slots
from tailrace.source.job import Job
from tailrace.streaming import occupied
from tailrace.streaming.clusters import CLEAR_DISKS, CLEARTEXT, is_this_machine, job_for, listen_for
from tailrace.streaming.session_checks import is_connect, require_session
from tailrace.streaming.stream import _config

JOB = Job(document={"topic.prefix": "p"}, source="s", target="kafka:h:1")
SETTINGS = unit_settings({})
AWAY = "spark://192.0.2.1:7077"


@pytest.mark.parametrize(
    ("master", "here"),
    [
        ("local", True), ("local[*]", True), ("local-cluster[2,1,1024]", True), ("spark://127.0.0.1:7077", True),
        ("spark://[::1]:7077", True), ("spark://localhost:1,127.0.0.2:1", True), (AWAY, False),
        ("spark://localhost:1,host:1", False), ("yarn", False), ("k8s://https://127.0.0.1:6443", False),
    ],
)  # fmt: skip
def test_a_master_is_on_this_machine_or_not(master, here):
    assert is_this_machine(master) is here


@pytest.mark.parametrize(
    ("target", "properties", "message"),
    [
        ("files:/data", {}, r"--to files with the master spark://192\.0\.2\.1:7077: its files, locks and renames"),
        ("console:/data", {}, "--to console with the master"),
        ("kafka:h:1", {"signal.enabled.channels": "source,file"}, r"signal\.enabled\.channels has file"),
        (
            "kafka:h:1",
            {
                "schema.history.internal": "io.debezium.storage.file.history.FileSchemaHistory",
                "schema.history.internal.file.filename": "/data/history",
            },
            r"schema\.history\.internal\.file\.filename with the master",
        ),
    ],
)
def test_what_belongs_to_one_machine_is_refused_on_others(target, properties, message):
    settings = unit_settings(properties)
    with pytest.raises(ConfigError, match=message):
        job_for(evolve(JOB, target=target), settings, AWAY)
    assert job_for(evolve(JOB, target=target), settings, "local[2]").target == target


SAFE = {"spark.authenticate": "true", "spark.network.crypto.enabled": "true", "spark.io.encryption.enabled": "true"}


@pytest.mark.parametrize(
    ("lacking", "told"),
    [
        ((), []),
        (("spark.authenticate",), [CLEARTEXT]),
        (("spark.network.crypto.enabled",), [CLEARTEXT]),
        (("spark.io.encryption.enabled",), [CLEAR_DISKS]),
        (SAFE, [CLEARTEXT, CLEAR_DISKS]),
    ],
)
def test_what_is_not_encrypted_between_machines_and_on_their_disks_is_told(lacking, told):
    notices, link = [], SimpleNamespace(listen_elsewhere=lambda *_: None)
    conf = {name: value for name, value in SAFE.items() if name not in lacking}
    context = SimpleNamespace(master=AWAY, getConf=lambda: {"spark.driver.host": "192.0.2.9", **conf})
    listen_for(SimpleNamespace(sparkContext=context), link, notices.append)
    assert notices == told


def test_sessions_that_are_none_or_of_spark_connect_are_refused():
    connect = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    assert is_connect(connect)
    with pytest.raises(UnsupportedError, match=r'spark\.readStream\.format\("mysql-cdc"\)'):
        require_session(connect)
    with pytest.raises(ConfigError, match="this is a str"):
        require_session("spark")
    with pytest.raises(ConfigError, match="was stopped"):
        require_session(SimpleNamespace(sparkContext=SimpleNamespace(_jsc=None)))


@pytest.mark.parametrize("given", ['{"topic.prefix": "p"}', ' \n{"a": 1}'])
def test_a_text_of_json_is_no_path(given):
    assert json.loads(_config(given)) == json.loads(given)


def test_a_path_is_one_also_as_text(tmp_path):
    assert _config(str(tmp_path)) == _config(tmp_path) == tmp_path
    assert _config({"a": 1}) == {"a": 1}


def session(conf=(), *, there=0, master=AWAY):
    """A session whose executors come one by one, each time somebody asks."""
    counts = iter(range(there, 100))
    scala = SimpleNamespace(
        maxNumConcurrentTasks=lambda profile: next(counts),
        resourceProfileManager=lambda: SimpleNamespace(defaultResourceProfile=lambda: None),
    )
    context = SimpleNamespace(
        master=master, getConf=lambda: dict(conf), defaultParallelism=2, _jsc=SimpleNamespace(sc=lambda: scala)
    )
    return SimpleNamespace(sparkContext=context)


def test_a_cluster_is_waited_for_until_there_is_a_core_for_each_lane(monkeypatch):
    monkeypatch.setattr(slots, "POLL_SECONDS", 0)
    told = []
    slots.require_slots(session(), evolve(JOB, lanes=3), told.append, lambda: False, others=1)
    assert told == ["waiting for executors: 4 cores are wanted, and 0 are there so far"]


@pytest.mark.parametrize(
    ("spark", "message"),
    [
        (session(), r"tasks\.max=3 wants 3 tasks at once, beside 2 of the session's other streams, and Spark has 0 cores"),
        (session(master="local[2]"), "Spark has 2 cores"),
        (
            session(
                {
                    "spark.dynamicAllocation.enabled": "true",
                    "spark.dynamicAllocation.maxExecutors": "2",
                    "spark.executor.cores": "2",
                }.items()
            ),
            "dynamic allocation stops at 4",
        ),
    ],
)
def test_too_few_cores_are_refused(spark, message):
    with pytest.raises(ConfigError, match=message):
        slots.require_slots(spark, evolve(JOB, lanes=3), print, lambda: False, others=2, seconds=0)


def test_dynamic_allocation_brings_what_is_wanted_later():
    dynamic = session({"spark.dynamicAllocation.enabled": "true"}.items())
    slots.require_slots(dynamic, evolve(JOB, lanes=30), pytest.fail, lambda: False, seconds=0)


def test_streams_of_one_session_hold_their_cores_until_they_end():
    with occupied.held("app", 3), occupied.held("app", 2), occupied.held("another", 7):
        assert occupied.others("app") == 5
    assert occupied.others("app") == 0
