"""The link between driver and tasks."""

import threading
from contextlib import closing

import pytest

from tailrace.errors import DriverAwayError, TailraceError
from tailrace.link import Link, Reporter, kept


def test_messages_have_been_handled_when_sending_returns():
    handled = []
    with (
        closing(Link(lambda kind, content: handled.append((kind, content)))) as link,
        closing(Reporter(link.address)) as task,
    ):
        task.report({"changes": 7})
        assert handled == [("figures", {"changes": 7})]
        task.notice("ü")
        assert handled[1:] == [("notice", "ü")]


def test_no_thread_stays_behind_a_closed_link():
    before = set(threading.enumerate())
    for _ in range(5):
        link = Link(lambda *_: None)
        link.close()
        link.close()
    assert set(threading.enumerate()) <= before


def test_the_handler_is_called_by_one_thread_at_a_time():
    inside = []

    def handle(kind, content):
        inside.append(1)
        assert len(inside) == 1
        inside.pop()

    def talk(address):
        with closing(Reporter(address)) as task:
            for _ in range(200):
                task.notice("x")
            assert task.connected

    with closing(Link(handle)) as link:
        threads = [threading.Thread(target=talk, args=(link.address,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def test_a_stop_reaches_tasks_that_run_and_tasks_to_come():
    with closing(Link(lambda kind, content: None)) as link, closing(Reporter(link.address)) as task:
        task.notice("x")
        assert not task.stopping()
        link.stop_tasks()
        task.notice("x")
        assert task.stopping()
        with closing(Reporter(link.address)) as later:
            assert later.stopping()


def test_threads_of_a_task_can_talk_at_once():
    """The heartbeat's statement, say, fails on a thread of its own and writes to the log."""
    heard = []
    with closing(Link(lambda kind, content: heard.append(content))) as link, closing(Reporter(link.address)) as task:
        threads = [threading.Thread(target=lambda n=n: [task.notice(f"{n} {i}") for i in range(100)]) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert task.connected
    assert sorted(heard) == sorted(f"{n} {i}" for n in range(4) for i in range(100))


def test_a_task_without_a_link_goes_on():
    for address in ("", "/nowhere/link"):
        task = Reporter(address)
        task.notice("nobody hears this")
        assert not task.connected
        assert not task.stopping()


def test_texts_are_kept_for_processes_of_this_machine_the_newest_of_them():
    with closing(Link(lambda kind, content: None)) as link:
        places = [link.keep(f"text {n}") for n in range(4)]
        assert [kept(place) for place in places[1:]] == ["text 1", "text 2", "text 3"]
        with pytest.raises(EOFError):
            kept(places[0])
        assert not any("text" in path.name for path in link.folder.iterdir())


@pytest.mark.parametrize("error", [KeyError("x"), OSError(28, "No space left on device"), SystemExit(1)])
def test_what_a_handler_raises_ends_no_connection(error, caplog):
    def handle(kind, content):
        if content == "bad":
            raise error
        heard.append(content)

    heard = []
    with closing(Link(handle)) as link, closing(Reporter(link.address)) as task:
        task.notice("bad")
        task.notice("good")
        assert (heard, task.connected, task.stopping(), task.failure) == (["good"], True, False, None)
    assert "a message of a task (notice) could not be shown" in caplog.text


def test_what_a_handler_says_must_end_the_run_is_told_to_the_tasks():
    def handle(kind, content):
        raise TailraceError("nobody reads the events")

    with closing(Link(handle)) as link, closing(Reporter(link.address)) as task:
        task.send("events", ["{}"])
        assert task.stopping()
        with pytest.raises(TailraceError, match="nobody reads the events"):
            task.raise_failure()


def test_a_closed_link_hears_nothing_more():
    heard = []
    with closing(Link(lambda kind, content: heard.append(content))) as link, closing(Reporter(link.address)) as task:
        task.notice("before")
        link.close()
        task.notice("after")
        assert task.stopping()
        with pytest.raises(DriverAwayError):
            task.raise_stopped()
    assert heard == ["before"]
