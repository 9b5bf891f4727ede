"""The lease of a target, kept in a file: who goes on, who refuses, and when."""

import json
import multiprocessing
import os
import threading
from contextlib import closing

import pytest
from attrs import evolve

from tailrace.errors import ConfigError, FencedError, RetriableError, StoppedError
from tailrace.sinks import lease as leases
from tailrace.sinks import lease_file
from tailrace.sinks.holder import Holder
from tailrace.sinks.lease import Lease, Record
from tailrace.sinks.lease_file import FILE, LeaseFile, fields_of

ELSEWHERE = "another-boot pid:[1]"
FOREVER = 600.0


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "out" / "_tailrace"


@pytest.fixture
def new_lease(folder):
    opened = []

    def new(run, **options):
        opened.append(Lease(LeaseFile(folder), "files:out", run, **options))
        return opened[-1]

    yield new
    for each in opened:
        each.close()


def take(lease, *, take_over=False, told=None, stopping=lambda: False):
    lease.take((told if told is not None else []).append, stopping, take_over=take_over)
    return lease


def left(folder, **holder):
    """A lease that somebody has left there."""
    folder.mkdir(parents=True, exist_ok=True)
    record = Record(holder=evolve(Holder(run="left"), **holder), beat=7)
    (folder / FILE).write_text(json.dumps(fields_of(record)))


def holder_of(folder):
    return LeaseFile(folder).read().holder.run


def no_waiting(monkeypatch):
    """A wait for a lease would end the test with another error."""
    monkeypatch.setattr(Lease, "_wait_out", lambda *_: pytest.fail("waited"))


def quick(monkeypatch):
    monkeypatch.setattr(leases, "BEAT_SECONDS", 0.05)
    monkeypatch.setattr(leases, "LOOK_SECONDS", 0.01)


def test_the_first_run_has_it_at_once_and_a_clean_end_leaves_it_to_the_next(new_lease, folder, monkeypatch):
    no_waiting(monkeypatch)
    take(new_lease("one")).close()
    assert LeaseFile(folder).read().released
    take(new_lease("two"))
    assert holder_of(folder) == "two"


def test_a_run_that_is_alive_and_idle_is_not_disturbed(new_lease, folder, monkeypatch):
    quick(monkeypatch)
    monkeypatch.setattr(leases, "LEASE_SECONDS", FOREVER)
    first, told = take(new_lease("one")), []
    with pytest.raises(FencedError, match=rf"by process {os.getpid()} on \S+, since 2\d{{3}}-.* UTC.*; do this"):
        take(new_lease("two", remedy="do this"), told=told)
    assert "waiting up to" in told[0]
    first.check()
    assert holder_of(folder) == "one"


def test_a_dead_process_of_this_machine_is_taken_over_at_once(new_lease, folder, monkeypatch):
    no_waiting(monkeypatch)
    child = multiprocessing.get_context("spawn").Process(target=os.getpid)
    child.start()
    pid = child.pid
    child.join()
    left(folder, pid=pid)
    take(new_lease("two"))
    assert holder_of(folder) == "two"


def test_another_process_with_the_id_of_a_dead_one_is_not_taken_for_it(new_lease, folder, monkeypatch):
    no_waiting(monkeypatch)
    left(folder, started="1")
    take(new_lease("two"))
    assert holder_of(folder) == "two"


@pytest.mark.parametrize(
    "holder",
    [
        {"place": ELSEWHERE, "pid": 2**22 + 1},
        {"place": "", "pid": 2**22 + 1},
        {"place": ELSEWHERE, "host": "same-name"},
        {"started": ""},
    ],
)
def test_what_can_not_be_known_to_be_dead_is_waited_for_and_then_taken_over(new_lease, folder, monkeypatch, holder):
    quick(monkeypatch)
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.3)
    left(folder, **holder)
    told = []
    take(new_lease("two"), told=told)
    assert len(told) == 1
    assert holder_of(folder) == "two"


def test_a_run_of_another_machine_whose_record_changes_is_alive(new_lease, folder, monkeypatch):
    quick(monkeypatch)
    monkeypatch.setattr(leases, "LEASE_SECONDS", FOREVER)
    left(folder, place=ELSEWHERE, since_ms=0)
    record = LeaseFile(folder).read()
    beat = threading.Timer(0.2, lambda: LeaseFile(folder).write(evolve(record, beat=8), after=record))
    beat.start()
    with pytest.raises(FencedError, match="since 1970-01-01 00:00:00 UTC: only one run may"):
        take(new_lease("two"))
    beat.join()


def test_a_lease_that_is_given_back_meanwhile_is_not_waited_for_any_longer(new_lease, folder, monkeypatch):
    quick(monkeypatch)
    monkeypatch.setattr(leases, "LEASE_SECONDS", FOREVER)
    left(folder, place=ELSEWHERE)
    record = LeaseFile(folder).read()
    back = threading.Timer(0.2, lambda: LeaseFile(folder).write(evolve(record, released=True), after=record))
    back.start()
    take(new_lease("two"))
    back.join()
    assert holder_of(folder) == "two"


def test_take_over_does_not_wait_and_the_other_run_learns_of_it(new_lease, folder, monkeypatch):
    quick(monkeypatch)
    no_waiting(monkeypatch)
    first = take(new_lease("one"))
    take(new_lease("two"), take_over=True)
    first._beats.join(30)
    with pytest.raises(FencedError, match=r"was taken over by process \d+ on .*, another run"):
        first.check()
    first.close()
    assert holder_of(folder) == "two"
    assert not LeaseFile(folder).read().released


def test_one_that_stood_still_finds_another_run_when_it_looks(new_lease, folder, monkeypatch):
    monkeypatch.setattr(leases, "BEAT_SECONDS", FOREVER)
    first = take(new_lease("one"))
    first.confirm()
    assert LeaseFile(folder).read().beat == 1
    second = take(new_lease("two"), take_over=True)
    first.check()
    for _ in range(2):
        with pytest.raises(FencedError, match="was taken over by process"):
            first.confirm()
    second.confirm()
    assert (holder_of(folder), LeaseFile(folder).read().beat) == ("two", 1)
    second.close()
    with pytest.raises(FencedError, match="was taken over by process"):
        first.confirm()


def test_what_a_stop_has_left_behind_finds_that_the_lease_was_given_back(new_lease, folder):
    first = take(new_lease("one"))
    first.close()
    take(new_lease("two"))
    with pytest.raises(StoppedError, match="given its lease back"):
        first.confirm()
    assert holder_of(folder) == "two"


@pytest.mark.parametrize("error", [RetriableError("away"), ConfigError("denied")])
def test_a_look_at_a_target_that_is_away_is_tried_again_and_one_that_refuses_is_none(new_lease, monkeypatch, error):
    monkeypatch.setattr(leases, "BEAT_SECONDS", FOREVER)
    lease = take(new_lease("one"))

    def fail(*_, **__):
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(LeaseFile, "write", fail)
        if isinstance(error, RetriableError):
            with pytest.raises(RetriableError, match="away"):
                lease.confirm()
        else:
            lease.confirm()
    lease.confirm()


def test_a_lease_that_a_process_is_writing_which_stands_still_is_tried_again(new_lease, folder, monkeypatch):
    monkeypatch.setattr(lease_file, "LOCK_SECONDS", 0.1)
    left(folder, started="1")
    with LeaseFile(folder)._locked(), pytest.raises(RetriableError, match=r"held by another process for 0\.1 s"):
        new_lease("two")._take(print, lambda: False, take_over=False)
    take(new_lease("two"))


def test_a_stop_ends_the_wait(new_lease, folder, monkeypatch):
    quick(monkeypatch)
    monkeypatch.setattr(leases, "LEASE_SECONDS", FOREVER)
    left(folder, place=ELSEWHERE)
    with pytest.raises(StoppedError):
        take(new_lease("two"), stopping=lambda: True)
    assert holder_of(folder) == "left"


def test_of_many_that_start_at_once_exactly_one_goes_on(new_lease, monkeypatch):
    quick(monkeypatch)
    monkeypatch.setattr(leases, "LEASE_SECONDS", FOREVER)
    start, ends = threading.Barrier(8), []

    def contend(lease):
        start.wait()
        try:
            take(lease)
        except FencedError as error:
            ends.append(error)
        else:
            ends.append(None)

    threads = [threading.Thread(target=contend, args=(new_lease(f"run {n}"),)) for n in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert ends.count(None) == 1
    assert len(ends) == 8


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"run": "x"}', '{"beat": "many"}', '{"pid": []}'])
def test_a_record_that_says_nothing_is_waited_for(new_lease, folder, monkeypatch, text):
    quick(monkeypatch)
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.2)
    folder.mkdir(parents=True)
    (folder / FILE).write_text(text)
    take(new_lease("two"))
    assert holder_of(folder) == "two"


def test_a_run_that_can_not_write_its_record_goes_on(new_lease, folder, monkeypatch):
    quick(monkeypatch)
    tried = threading.Event()

    class Full(LeaseFile):
        def write(self, record, *, after):
            if after is not None:
                tried.set()
                raise RetriableError("no space is left")
            return super().write(record, after=after)

    with closing(Lease(Full(folder), "files:out", "one")) as lease:
        take(lease)
        assert tried.wait(30)
        lease.check()


def test_a_record_that_was_removed_is_written_again(new_lease, folder, monkeypatch):
    quick(monkeypatch)
    lease = take(new_lease("one"))
    (folder / FILE).unlink()
    written = threading.Event()
    while not (folder / FILE).exists():
        assert not written.wait(0.01)
    lease.check()


def test_a_folder_that_can_not_be_made_is_named(new_lease, folder):
    folder.parent.parent.mkdir(parents=True, exist_ok=True)
    folder.parent.write_text("a file")
    with pytest.raises((ConfigError, RetriableError), match="out"):
        take(new_lease("one"))


def test_a_zombie_is_dead(folder):
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        os.read(read, 1)
        os._exit(0)
    holder = evolve(Holder(run="x"), pid=pid, started="")
    assert not holder.is_gone()
    from tailrace.sinks import holder as module

    holder = evolve(holder, started=module.start_time(pid))
    assert not holder.is_gone()
    os.write(write, b"x")
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert holder.is_gone()
    os.waitpid(pid, 0)
    assert holder.is_gone()
