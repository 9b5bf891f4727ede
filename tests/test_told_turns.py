"""What tasks tell of their turns, by both kinds of links."""

import time
from contextlib import closing

import pytest

from support.cutting_proxy import CuttingProxy
from tailrace import errors
from tailrace.cli.exit_codes import exit_code_for
from tailrace.connectors.db2.errors_of_driver import NoTableError
from tailrace.connectors.sqlserver.errors_of_driver import DeniedError, NoDatabaseError
from tailrace.errors import (
    ConfigError,
    DriverAwayError,
    FencedError,
    MachineRefusedError,
    MissingLocallyError,
    NoSuchHostError,
    PositionLostError,
    RegistryError,
    RetriableError,
    SinkLostError,
    StoppedError,
    TailraceError,
)
from tailrace.link import Link, Reporter
from tailrace.remote_link import RemoteReporter
from tailrace.told_turns import Failure
from tailrace_standins.servers.waiting import wait_until

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, TailraceError)]


class Told:
    """A driver's link, and tasks that have told it of their beginning."""

    def __init__(self, where):
        self.link = Link(lambda kind, content: self.notices.append(content))
        self.link.listen_elsewhere("127.0.0.1")
        self.notices = []
        self.query = ""
        self._where = where
        self._tasks = []

    def begun(self, lane, task, *, turn=5):
        reporter = Reporter(self.link.address) if self._where == "here" else RemoteReporter(self.link.elsewhere.to_dict())
        self._tasks.append(reporter)
        reporter.begin_turn(turn, lane, task, self.query)
        reporter.wait()
        return reporter

    def begin_query(self):
        self.query = self.link.begin_query()

    def is_heard(self, reporter):
        """Wait until all that this task has told arrived."""
        mark = f"mark {len(self.notices)}"
        reporter.notice(mark)
        wait_until(lambda: mark in self.notices, 30, lambda: "nothing arrives")

    def close(self):
        for task in self._tasks:
            task.close()
        self.link.close()


@pytest.fixture(params=["here", "elsewhere"])
def told(request):
    with closing(Told(request.param)) as told:
        yield told


def is_over(reporter):
    reporter.stopping()
    return reporter.turn_is_over()


def soon(condition):
    wait_until(condition, 30, lambda: "nothing happened")


def asked(reporter):
    """Wait until a task has asked at least twice."""
    for _ in range(10):
        reporter.stopping()
        time.sleep(0.1)
    return reporter


def test_a_lane_that_has_ended_its_turn_ends_that_of_the_others(told):
    first, second = told.begun(0, 1), told.begun(1, 2)
    assert not is_over(asked(second))
    first.end_turn()
    soon(lambda: is_over(second))
    assert not second.stopping()


def test_tasks_that_begin_when_the_first_has_ended_have_their_whole_time(told):
    """GIVEN more lanes than cores; the ends of those that were told do not change it."""
    first, second = told.begun(0, 1), told.begun(1, 2)
    first.end_turn()
    told.is_heard(first)
    later, next_turn = told.begun(2, 3), told.begun(0, 4, turn=6)
    second.end_turn()
    told.is_heard(second)
    assert not is_over(asked(later))
    assert not is_over(asked(next_turn))


def test_a_task_that_is_never_at_rest_hears_of_it_with_what_it_tells(told):
    first, busy = told.begun(0, 1), told.begun(1, 2)
    first.end_turn()
    for _ in range(100):
        busy.report({"changes": 1})
        time.sleep(0.02)
        if busy.turn_is_over():
            return
    pytest.fail("it is not told")


def test_a_lane_that_begins_again_after_the_first_end_is_told_at_once(told):
    """GIVEN a lane that was at work at the first end, WHEN its process is killed; the other lanes wait for it alone."""
    first, _ = told.begun(0, 1), told.begun(1, 2)
    first.end_turn()
    told.is_heard(first)
    again = told.begun(1, 3)
    soon(lambda: is_over(again))
    assert not is_over(asked(told.begun(1, 4, turn=6)))


def test_an_end_that_is_heard_late_does_not_end_the_next_turn(told):
    first, second = told.begun(0, 1), told.begun(1, 2)
    next_turn = told.begun(1, 3, turn=6)
    first.end_turn()
    told.is_heard(first)
    assert not is_over(asked(next_turn))
    assert not is_over(second)


def test_what_one_task_has_failed_with_is_told_to_the_others_and_to_further_attempts(told):
    first, second = told.begun(0, 1), told.begun(1, 2)
    first.fail(ConfigError("the password is wrong"))
    soon(second.stopping)
    assert second.failure == Failure("ConfigError", "the password is wrong")
    with pytest.raises(ConfigError, match="the password is wrong"):
        told.begun(0, 3).raise_failure()


def test_another_query_begins_without_what_was_told_before(told):
    first = told.begun(0, 1)
    first.end_turn()
    first.fail(PositionLostError("purged"))
    told.is_heard(first)
    assert told.begun(0, 2).failure is not None
    told.begin_query()
    later = asked(told.begun(0, 3))
    assert (later.failure, later.stopping(), later.turn_is_over()) == (None, False, False)


def test_a_task_that_another_has_replaced_is_not_believed(told):
    old, new = told.begun(0, 1), told.begun(0, 2)
    old.begin_turn(5, 0, 1)  # as a connection that was made again repeats
    old.end_turn()
    old.fail(ConfigError("it was cut off"))
    told.is_heard(old)
    assert told.begun(1, 3).failure is None
    assert not is_over(asked(new))
    new.fail(ConfigError("it is so"))
    soon(new.stopping)
    assert new.failure.text == "it is so"


def test_a_task_of_the_query_before_is_not_believed(told):
    old, query = told.begun(0, 1), told.query
    told.begin_query()
    old.begin_turn(5, 0, 1, query)
    old.fail(ConfigError("it was cut off"))
    told.is_heard(old)
    assert told.begun(0, 2).failure is None
    soon(old.stopping)


def test_nor_is_one_that_is_heard_of_only_now(told):
    """It was on a machine that was cut off, and has a higher number than those of this query have by then."""
    old = told.query
    told.begin_query()
    first, second = told.begun(0, 1), told.begun(1, 2)
    new, told.query = told.query, old
    late = told.begun(0, 3)
    late.end_turn()
    late.fail(ConfigError("it was cut off"))
    told.is_heard(late)
    assert not is_over(asked(second))
    assert (second.failure, second.stopping()) == (None, False)
    soon(late.stopping)
    told.query = new
    first.end_turn()
    soon(lambda: is_over(second))


@pytest.mark.parametrize(
    "kind",
    [
        RetriableError,
        SinkLostError,
        FencedError,
        StoppedError,
        NoSuchHostError,
        MissingLocallyError,
        MachineRefusedError,
        DriverAwayError,
    ],
)
def test_an_error_of_one_task_or_machine_is_left_to_spark_which_tries_again(told, kind):
    first = told.begun(0, 1)
    first.fail(kind("not here, not now"))
    told.is_heard(first)
    assert told.begun(0, 2).failure is None


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_comes_back_as_it_was(kind):
    error = Failure.of(kind("what is wrong: ü")).error()
    assert (type(error), str(error)) == (kind, "what is wrong: ü")


@pytest.mark.parametrize("kind", [DeniedError, NoDatabaseError, NoTableError])
def test_an_error_of_one_database_comes_back_with_its_exit_code(kind):
    error = Failure.of(kind("what is wrong")).error()
    assert str(error) == "what is wrong"
    assert exit_code_for(error) == exit_code_for(kind("what is wrong")) != 1


@pytest.mark.parametrize("kind", ["KeyError", "Any", "annotations", "nothing"])
def test_what_is_no_error_of_tailrace_comes_back_as_its_base(kind):
    assert type(Failure(kind, "x").error()) is TailraceError


def test_an_error_with_numbers_is_told_by_its_text(told):
    first = told.begun(0, 1)
    first.fail(RegistryError("refused", 401, 40101))
    told.is_heard(first)
    assert told.begun(1, 2).failure == Failure("RegistryError", "refused")


def test_a_task_waits_for_a_driver_that_does_not_answer_only_for_a_while():
    with closing(Told("elsewhere")) as told, CuttingProxy("127.0.0.1", told.link.elsewhere.port) as proxy:
        address = {**told.link.elsewhere.to_dict(), "port": proxy.port}
        proxy.close()
        with closing(RemoteReporter(address)) as task:
            task.begin_turn(1, 0, 1)
            began = time.monotonic()
            task.wait(0.2)
            assert 0.2 <= time.monotonic() - began < 5
            task.raise_failure()


def test_a_task_without_a_driver_ends_its_turn_by_its_own_time():
    task = Reporter("")
    task.begin_turn(1, 0, 1)
    task.wait()
    task.fail(ConfigError("nobody hears this"))
    task.end_turn()
    assert not task.stopping()
    assert not task.turn_is_over()
