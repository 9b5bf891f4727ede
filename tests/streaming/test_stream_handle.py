"""A stream's handle and what it hands on, without Spark."""

import logging
import threading
from contextlib import closing
from types import SimpleNamespace

import pytest

from tailrace import State, Stream
from tailrace.errors import ConfigError, PositionLostError, RetriableError, TailraceError
from tailrace.link import Link
from tailrace.streaming import handle
from tailrace.streaming.messages import Messages

FIGURES = {
    "task": "a", "lane": 0, "changes": 3, "records": 4, "bytes": 50, "commits": 1, "skipped": 0, "delivered": "p3",
    "lag_ms": 1500, "snapshot": None,
}  # fmt: skip


@pytest.fixture
def heard():
    return {"notices": [], "progress": [], "events": []}


@pytest.fixture
def messages(heard):
    return Messages(heard["notices"].append, heard["progress"].append, heard["events"].append)


@pytest.fixture
def stream_of(messages, monkeypatch):
    """Makes a running stream of which a function is the whole work."""
    monkeypatch.setattr(handle, "MORE_SECONDS", 1.0)
    monkeypatch.setattr(handle, "COMMIT_SECONDS", 0.0)
    with closing(Link(messages.handle)) as link:
        closed = []

        def make(work):
            monkeypatch.setattr(handle, "run_on", work)
            target = SimpleNamespace(discard=lambda: closed.append("target"))
            look = SimpleNamespace(close=lambda: closed.append("lease"))
            stream = Stream(None, None, target, link, look, messages, available_now=False, stop_seconds=0.5)
            threading.Thread(target=stream._run, daemon=True).start()
            stream.closed = closed
            return stream

        yield make


def until_stopped(*_, stop_requested, say, **__):
    say("reading the log")
    while not stop_requested():
        threading.Event().wait(0.005)
    return True


def test_figures_of_all_tasks_are_summed_and_handed_on(messages, heard):
    messages.handle("figures", FIGURES)
    messages.handle("figures", {**FIGURES, "task": "b", "lane": 1, "changes": 2, "lag_ms": -1, "delivered": "p5"})
    status = messages.status()
    assert (status.changes, status.records, status.delivered, status.lag_seconds) == (5, 8, "p5", None)
    assert heard["progress"][0].lag_seconds == 1.5
    assert heard["progress"][-1] == status


def test_notices_and_log_lines_go_to_the_logger_and_events_to_their_function(messages, heard, caplog):
    caplog.set_level(logging.INFO, "tailrace.stream")
    messages.handle("notice", "trying again")
    messages.handle("log", [logging.INFO, "a line"])
    messages.handle("events", ["{}", "[]"])
    assert [(each.levelname, each.message) for each in caplog.records] == [("WARNING", "trying again"), ("INFO", "a line")]
    assert (heard["notices"], heard["events"]) == (["trying again"], ["{}", "[]"])


def test_a_function_of_the_users_that_fails_is_logged_and_disturbs_nothing(caplog):
    messages = Messages(lambda text: 1 / 0, None, None)
    messages.handle("notice", "trying again")
    assert "ZeroDivisionError" in caplog.text


def test_a_stream_runs_until_it_is_stopped_and_gives_everything_back(stream_of):
    stream = stream_of(until_stopped)
    assert not stream.await_termination(0.05)
    assert (stream.is_active, stream.status.state) == (True, State.RUNNING)
    stream.stop()
    assert (stream.is_active, stream.status.state, stream.exception) == (False, State.STOPPED, None)
    assert stream.closed == ["target", "lease"]
    stream.stop()


@pytest.mark.parametrize("kind", ["figures", "notice", "events"])
def test_a_function_of_the_users_may_ask_for_the_end_and_can_not_wait_for_it(stream_of, messages, kind):
    waited = []

    def end(_):
        stream.stop()
        waited.append(stream.is_active)
        with pytest.raises(TailraceError, match="can't wait for the stream that calls them"):
            stream.await_termination(10)

    for name in ("_on_notice", "_on_progress", "_on_event"):
        setattr(messages, name, end)
    stream = stream_of(until_stopped)
    messages.handle(kind, {"figures": FIGURES, "notice": "text", "events": ["{}"]}[kind])
    assert (waited, stream.await_termination(10)) == ([True], True)
    assert (stream.status.state, stream.exception) == (State.STOPPED, None)


def test_the_end_of_a_with_block_stops_it_and_an_error_of_the_block_stays(stream_of):
    with stream_of(until_stopped) as stream:
        pass
    assert stream.status.state is State.STOPPED
    with pytest.raises(KeyError), stream_of(until_stopped) as stream:
        raise KeyError
    assert not stream.is_active


def test_a_stream_that_has_delivered_all_that_was_wanted_is_done(stream_of):
    stream = stream_of(lambda *_, **__: False)
    assert stream.await_termination(10)
    assert stream.status.state is State.DONE


def test_the_error_of_a_stream_is_raised_where_it_is_waited_for_as_it_was_raised_in_a_task(stream_of, heard):
    raised = "Traceback\ntailrace.errors.PositionLostError: the log was purged: begin anew"

    def fail(*_, **__):
        error = type("StreamingQueryException", (Exception,), {"__module__": "pyspark.errors"})
        raise error(raised)

    stream = stream_of(fail)
    for wait in (stream.await_termination, stream.stop):
        with pytest.raises(PositionLostError, match="the log was purged: begin anew"):
            wait()
    assert isinstance(stream.exception, PositionLostError)
    assert (stream.status.state, stream.is_active) == (State.FAILED, False)
    assert heard["notices"] == ["the stream has failed: the log was purged: begin anew"]


def test_an_error_of_tailraces_own_stays_itself(stream_of):
    error = ConfigError("name another")

    def fail(*_, **__):
        raise error

    stream = stream_of(fail)
    with pytest.raises(ConfigError) as found:
        stream.await_termination(10)
    assert found.value is error


def test_a_function_that_asks_for_the_end_when_it_is_told_of_a_failure_changes_nothing(stream_of, messages):
    def fail(*_, **__):
        raise ConfigError("name another")

    messages._on_notice = lambda _: stream.stop()
    asked = threading.Event()
    stream = stream_of(lambda *_, **__: asked.wait(10) and fail())
    asked.set()
    with pytest.raises(ConfigError, match="name another"):
        stream.await_termination(10)
    assert stream.status.state is State.FAILED


def test_a_stop_that_is_asked_for_before_it_runs_shows_until_the_end(stream_of):
    asked, seen = threading.Event(), []

    def work(*_, say, **__):
        asked.wait(10)
        say("reading the log")
        seen.append(stream.status.state)
        return True

    stream = stream_of(work)
    stream._messages.become(State.STOPPING)
    asked.set()
    assert stream.await_termination(10)
    assert (seen, stream.status.state) == ([State.STOPPING], State.STOPPED)


def test_a_stream_that_does_not_end_in_time_says_so(stream_of):
    release = threading.Event()
    stream = stream_of(lambda *_, **__: release.wait(30))
    with pytest.raises(RetriableError, match="the stream does not end"):
        stream.stop(timeout=0)
    assert stream.status.state is State.STOPPING
    release.set()


def test_what_the_function_for_events_did_not_take_is_an_error(messages):
    """So its records do not count as delivered."""

    def fails(line):
        raise ValueError("hunter2")

    messages._on_event = fails
    with pytest.raises(TailraceError, match=r"on_event has failed \(ValueError\)"):
        messages.handle("events", ["{}"])
