"""A standalone master that has given the application up ends the run; one that has no executors to give does not."""

import threading
from types import SimpleNamespace

import pytest
from py4j.protocol import Py4JError

from tailrace.errors import RetriableError
from tailrace.source import lost_application
from tailrace.source.lost_application import ApplicationWatch


class Cluster:
    """What the watch asks of a session: the executors that are there, and the master."""

    def __init__(self, master="spark://master:7077", **conf):
        self.executors, self.knows, self.asked = 0, True, []
        self.conf = conf
        scala = SimpleNamespace(
            maxNumConcurrentTasks=lambda _: self.executors,
            resourceProfileManager=lambda: SimpleNamespace(defaultResourceProfile=lambda: None),
            requestTotalExecutors=self._asked_for,
            requestExecutors=self._asked_for,
        )
        nothing = SimpleNamespace(Map=lambda: SimpleNamespace(empty=dict))
        self.session = SimpleNamespace(
            sparkContext=SimpleNamespace(
                master=master,
                getConf=lambda: self.conf,
                _jsc=SimpleNamespace(sc=lambda: scala),
                _jvm=SimpleNamespace(scala=SimpleNamespace(Predef=nothing)),
            )
        )

    def _asked_for(self, number, *_):
        self.asked.append(number)
        return self.knows() if callable(self.knows) else self.knows


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(lost_application, "time", SimpleNamespace(monotonic=lambda: now.seconds))
    return now


def looked(watch, clock, seconds, stopping=lambda: False):
    """As a run looks, once a second."""
    for _ in range(seconds):
        clock.seconds += 1
        watch.look(stopping)


def closed():
    raise Py4JError("io.netty.channel.StacklessClosedChannelException\n\tat io.netty.channel.AbstractChannel")


@pytest.mark.parametrize("answer", [False, closed])
def test_the_master_is_asked_when_there_was_no_executor_for_a_minute_and_ends_the_run_if_it_does_not_know_it(clock, answer):
    cluster = Cluster()
    watch = ApplicationWatch(cluster.session)
    cluster.executors = 2
    looked(watch, clock, 300)
    cluster.executors, cluster.knows = 0, answer
    looked(watch, clock, 50)
    assert cluster.asked == []
    with pytest.raises(RetriableError, match="spark://master:7077 has given this application up"):
        looked(watch, clock, 20)
    assert cluster.asked == [2**31 - 1]


@pytest.mark.parametrize(
    ("conf", "asked"),
    [
        ({}, 2**31 - 1),
        ({"spark.executor.instances": "3"}, 3),
        ({"spark.dynamicAllocation.enabled": "true"}, 1),
    ],
)
def test_one_that_knows_it_and_has_none_to_give_is_waited_for_and_asked_for_no_more_than_before(clock, conf, asked):
    cluster = Cluster(**conf)
    looked(ApplicationWatch(cluster.session), clock, 200)
    assert set(cluster.asked) == {asked}


def test_one_that_does_not_answer_is_waited_for(clock):
    cluster = Cluster()

    def away():
        raise Py4JError("org.apache.spark.rpc.RpcTimeoutException: Cannot receive any reply from master:7077 in 120 seconds")

    cluster.knows = away
    looked(ApplicationWatch(cluster.session), clock, 100)
    assert cluster.asked


def test_a_stop_does_not_wait_for_an_answer(clock):
    cluster, ends = Cluster(), threading.Event()
    cluster.knows = lambda: ends.wait(60)
    looked(ApplicationWatch(cluster.session), clock, 70, stopping=lambda: True)
    ends.set()


@pytest.mark.parametrize("master", ["local[2]", "yarn", "k8s://https://host:443"])
def test_other_masters_are_not_asked(clock, master):
    cluster = Cluster(master)
    cluster.knows = False
    looked(ApplicationWatch(cluster.session), clock, 200)
    assert cluster.asked == []
