"""The link over the network: figures and notices arrive, a stop is told, and nobody else is heard."""

import json
import socket
import ssl
import threading
import time
from contextlib import closing, suppress

import pytest
from attrs import evolve

from support.cutting_proxy import CuttingProxy
from tailrace import remote_link
from tailrace.errors import ConfigError, StoppedError
from tailrace.link import Link
from tailrace.remote_link import RemoteReporter
from tailrace.source.job import Job
from tailrace_standins.servers.waiting import wait_until


@pytest.fixture
def heard():
    return []


@pytest.fixture
def link(heard):
    with closing(Link(lambda kind, content: heard.append((kind, content)))) as link:
        link.listen_elsewhere("127.0.0.1")
        yield link


def reporter_of(link):
    return RemoteReporter(link.elsewhere.to_dict())


def soon(condition):
    wait_until(condition, 30, lambda: "nothing happened")


def test_figures_notices_and_lines_arrive_in_order_and_before_the_task_ends(link, heard):
    with closing(reporter_of(link)) as reporter:
        reporter.report({"lane": 0, "changes": 1})
        reporter.notice("trying again")
        reporter.send("log", [20, "a line"])
    assert heard == [("figures", {"lane": 0, "changes": 1}), ("notice", "trying again"), ("log", [20, "a line"])]


def test_a_stop_is_told_and_taken_back(link):
    with closing(reporter_of(link)) as reporter:
        assert not reporter.stopping()
        link.stop_tasks()
        soon(reporter.stopping)
        link.let_tasks_work()
        soon(lambda: not reporter.stopping())


@pytest.mark.parametrize("changed", ["secret", "certificate"])
def test_nobody_is_heard_without_the_secret_and_no_other_driver_is_believed(link, heard, changed):
    with closing(Link(lambda kind, content: None)) as other:
        other.listen_elsewhere("127.0.0.1")
        wrong = evolve(link.elsewhere, **{changed: getattr(other.elsewhere, changed)})
        link.stop_tasks()
        with closing(RemoteReporter(wrong.to_dict())) as reporter:
            reporter.notice("let me in")
        assert not reporter.stopping()
    assert heard == []


def test_it_is_tls_of_the_newest_kind(link):
    context = ssl.create_default_context(cadata=link.elsewhere.certificate)
    context.check_hostname = False
    with socket.create_connection(("127.0.0.1", link.elsewhere.port)) as plain, context.wrap_socket(plain) as connection:
        assert connection.version() == "TLSv1.3"


def test_a_connection_that_breaks_is_made_again_and_nothing_is_lost(link, heard, monkeypatch):
    monkeypatch.setattr(remote_link, "AGAIN_SECONDS", 0.05)
    with CuttingProxy("127.0.0.1", link.elsewhere.port) as proxy:
        with closing(RemoteReporter(evolve(link.elsewhere, port=proxy.port).to_dict())) as reporter:
            for n in range(20):
                reporter.notice(str(n))
                soon(lambda n=n: ("notice", str(n)) in heard)
                assert proxy.cut() > 0
        assert not reporter.stopping()
    assert [content for _, content in heard] == [str(n) for n in range(20)]


def test_a_message_that_takes_long_to_handle_is_handled_once(heard, monkeypatch):
    monkeypatch.setattr(remote_link, "AGAIN_SECONDS", 0.05)
    monkeypatch.setattr(remote_link, "PATIENCE_SECONDS", 1.0)
    handled = threading.Event()

    def slow(_, content):
        heard.append(content)
        handled.wait(30)

    with closing(Link(slow)) as link:
        link.listen_elsewhere("127.0.0.1")
        with closing(reporter_of(link)) as reporter:
            reporter.notice("a")
            reporter.notice("b")
            soon(lambda: not reporter._messages)  # both were sent again meanwhile
            handled.set()
            soon(lambda: heard == ["a", "b"])
            reporter.notice("c")
            soon(lambda: heard[2:] == ["c"])


def test_a_task_whose_driver_is_gone_for_long_ends(link, monkeypatch):
    monkeypatch.setattr(remote_link, "AGAIN_SECONDS", 0.05)
    monkeypatch.setattr(remote_link, "GONE_SECONDS", 0.2)
    with CuttingProxy("127.0.0.1", link.elsewhere.port) as proxy:
        reporter = RemoteReporter(evolve(link.elsewhere, port=proxy.port).to_dict())
        soon(lambda: reporter._heard_at is not None)
        proxy.close()
        proxy.cut()
        soon(reporter.stopping)
        reporter.close()


def test_a_task_that_never_reached_the_driver_goes_on(monkeypatch):
    monkeypatch.setattr(remote_link, "AGAIN_SECONDS", 0.05)
    monkeypatch.setattr(remote_link, "GONE_SECONDS", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
    with closing(Link(lambda kind, content: None)) as link:
        link.listen_elsewhere("127.0.0.1")
        reporter = RemoteReporter(evolve(link.elsewhere, port=port).to_dict())
        reporter.notice("anybody there?")
        time.sleep(0.3)
        assert not reporter.stopping()
        reporter.close()


def test_an_address_of_another_machine_is_refused(heard):
    with closing(Link(lambda kind, content: None)) as link, pytest.raises(ConfigError, match="--driver-host"):
        link.listen_elsewhere("192.0.2.7")


def test_a_job_takes_the_socket_where_there_is_one_and_the_network_elsewhere(link, tmp_path):
    job = Job(document={}, source="s", target="kafka:h:1", link=link.address, link_elsewhere=link.elsewhere.to_dict())
    again = Job.from_json(job.to_json())
    with closing(again.new_reporter()) as here:
        assert not isinstance(here, RemoteReporter)
    with closing(evolve(again, link=str(tmp_path / "none")).new_reporter()) as elsewhere:
        assert isinstance(elsewhere, RemoteReporter)
    assert json.loads(job.to_json())["link_elsewhere"]["secret"] not in repr(job)


def test_a_socket_at_which_nobody_listens_is_another_machines_of_a_folder_that_they_share(link, tmp_path):
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(tmp_path / "link"))
    left.close()
    assert (tmp_path / "link").exists()
    job = Job(document={}, source="s", target="kafka:h:1", link=str(tmp_path / "link"), link_elsewhere=link.elsewhere.to_dict())
    with closing(job.new_reporter()) as reporter:
        assert isinstance(reporter, RemoteReporter)


def test_a_driver_without_a_file_to_open_hears_its_tasks_again_later(link, heard, monkeypatch):
    accept, refused = link._remote._socket.accept, []

    class Full:
        def __getattr__(self, name):
            return getattr(real, name)

        def accept(self):
            if len(refused) < 3:
                refused.append(1)
                raise OSError(24, "Too many open files")
            return accept()

    real = link._remote._socket
    monkeypatch.setattr(remote_link, "ASK_SECONDS", 0.01)
    monkeypatch.setattr(link._remote, "_socket", Full())
    for text in ("one", "two"):  # the first is accepted by the call that was under way
        with closing(reporter_of(link)) as reporter:
            reporter.notice(text)
    assert (heard, len(refused)) == ([("notice", "one"), ("notice", "two")], 3)


def test_nothing_large_is_read_before_the_secret(link):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.load_verify_locations(cadata=link.elsewhere.certificate)
    with socket.create_connection((link.elsewhere.host, link.elsewhere.port), 10) as plain, context.wrap_socket(plain) as connection:
        connection.sendall((1 << 20).to_bytes(4, "big"))
        assert connection.recv(1) == b""


def test_a_closed_link_tells_tasks_that_are_still_there_to_stop(link, heard):
    with closing(reporter_of(link)) as reporter:
        reporter.notice("before")
        soon(lambda: heard)
        link.close()
        reporter.notice("after")
        soon(reporter.stopping)
        with pytest.raises(StoppedError):
            reporter.raise_stopped()
    assert heard == [("notice", "before")]


def test_strangers_can_not_use_up_the_drivers_connections(link, heard):
    strangers = [socket.create_connection((link.elsewhere.host, link.elsewhere.port), 10) for _ in range(remote_link._UNPROVEN)]
    try:
        with socket.create_connection((link.elsewhere.host, link.elsewhere.port), 10) as one_more:
            assert one_more.recv(1) == b""
    finally:
        for each in strangers:
            each.close()
    with closing(reporter_of(link)) as reporter:  # it tries again until they are gone
        reporter.notice("here I am")
        soon(lambda: heard)


def test_a_stranger_that_sends_byte_by_byte_is_cut_off(monkeypatch):
    monkeypatch.setattr(remote_link, "PATIENCE_SECONDS", 0.5)
    with closing(Link(lambda kind, content: None)) as link:
        link.listen_elsewhere("127.0.0.1")
        context = ssl.create_default_context(cadata=link.elsewhere.certificate)
        context.check_hostname = False
        with socket.create_connection((link.elsewhere.host, link.elsewhere.port)) as plain, context.wrap_socket(plain) as slow:
            slow.sendall((64).to_bytes(4, "big"))
            began = time.monotonic()
            with suppress(OSError):
                for _ in range(60):
                    slow.sendall(b"x")
                    time.sleep(0.2)
            assert time.monotonic() - began < 8


def test_what_is_told_of_a_turn_is_not_dropped_for_the_log_lines_of_a_long_absence():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
    with closing(Link(lambda kind, content: None)) as link:
        link.listen_elsewhere("127.0.0.1")
        with closing(RemoteReporter(evolve(link.elsewhere, port=port).to_dict())) as reporter:
            reporter.begin_turn(1, 0, 7)
            for n in range(remote_link._KEPT + 10):
                reporter.notice(str(n))
            reporter.fail(ConfigError("the password is wrong"))
            assert [kind for kind, _ in reporter._of_turn] == ["turn begun", "turn failed"]
            assert reporter._messages[0] == ("notice", "10")
