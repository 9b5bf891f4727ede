"""What Spark says of workers that can't run, in one sentence with the remedy; workers are tried once a session."""

import platform
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from tailrace.errors import ConfigError, RetriableError, StoppedError
from tailrace.streaming import worker_trial
from tailrace.streaming.worker_trial import try_worker
from tailrace.version import __version__

SEEN = {"program": "/opt/python", "python": "3.11.2", "host": "worker-1", "tailrace": __version__}


class Session:
    """One whose worker sees something, or fails; it counts how often it is asked."""

    def __init__(self, seen, *, master="yarn", name="app", conf=()):
        self.asked = 0
        self.groups = []
        self.cancelled = threading.Event()
        self._seen = seen
        self.sparkContext = SimpleNamespace(
            master=master,
            applicationId=name,
            getConf=lambda: SimpleNamespace(contains=lambda name: name in conf),
            pythonExec="python3",
            parallelize=lambda *_: self,
            setJobGroup=lambda group, _: self.groups.append(group),
            cancelJobGroup=lambda group: self.cancelled.set() if self.groups == [group] else None,
        )

    def map(self, function):
        return self

    def collect(self):
        self.asked += 1
        if self._seen is None:  # as without any executor
            self.cancelled.wait(60)
            raise RuntimeError("Job 0 cancelled")
        if isinstance(self._seen, Exception):
            raise self._seen
        return [self._seen]


@pytest.fixture(autouse=True)
def nothing_tried(monkeypatch):
    monkeypatch.setattr(worker_trial, "_CACHED", set())


@pytest.mark.parametrize(
    ("seen", "message"),
    [
        (
            {**SEEN, "missing": "tailrace"},
            r"Spark's workers run /opt/python \(Python 3\.11\.2\) on worker-1, which has no module tailrace: before the session",
        ),
        ({**SEEN, "tailrace": "0.0.1"}, rf"which has tailrace 0\.0\.1, and this is {__version__}: install the same version"),
        (
            RuntimeError('java.io.IOException: Cannot run program "./environment/bin/python": error=2, No such file'),
            r"Spark's workers can't run '\./environment/bin/python'",
        ),
        (
            RuntimeError("Python in worker has different version: 3.9 than that in driver: 3.11, PySpark cannot run"),
            rf"Spark's workers run Python 3\.9, and this is {platform.python_version()}",
        ),
    ],
)
def test_what_a_worker_lacks_is_said(seen, message):
    with pytest.raises(ConfigError, match=message):
        try_worker(Session(seen))


def test_a_task_that_fails_for_another_reason_may_succeed_later():
    with pytest.raises(RetriableError, match="a task that only looks at its Python fails: no executor is left"):
        try_worker(Session(RuntimeError("no executor is left\nat org.apache")))


def test_a_session_is_tried_once_and_another_one_again():
    first, second = Session(SEEN), Session(SEEN, name="another")
    for session in (first, first, second):
        try_worker(session)
    assert (first.asked, second.asked) == (1, 1)


def test_without_an_executor_it_ends_in_time_and_says_what_the_cluster_lacks():
    session = Session(None, master="spark://m:7077")
    with pytest.raises(ConfigError, match=r"no executor has taken a task within 0\.1 s \(spark://m:7077\): the cluster needs"):
        try_worker(session, seconds=0.1)
    assert session.cancelled.is_set()


def test_a_stop_ends_the_wait_for_an_executor():
    session, began = Session(None), time.monotonic()
    with pytest.raises(StoppedError, match="while waiting for executors"):
        try_worker(session, lambda: time.monotonic() > began + 0.1)
    assert session.cancelled.is_set()


def test_the_look_around_tells_what_this_python_has():
    seen = worker_trial._look_around()(0)
    assert (seen["program"], seen["tailrace"]) == (sys.executable, __version__)
    assert "missing" not in seen


@pytest.mark.parametrize(
    ("variables", "conf", "master", "found"),
    [
        ({}, (), "local[2]", sys.executable),
        ({"PYSPARK_PYTHON": "/usr/bin/python3"}, (), "local[2]", "python3"),
        ({}, ("spark.pyspark.python",), "local[2]", "python3"),
        ({}, (), "yarn", "python3"),
    ],
)
def test_workers_of_a_local_session_run_this_python_unless_another_is_named(monkeypatch, variables, conf, master, found):
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    session = Session(SEEN, master=master, conf=conf)
    try_worker(session)
    assert session.sparkContext.pythonExec == found
