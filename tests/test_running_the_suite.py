"""What makes the suite quick: how its files are shared among workers, and the archive of Spark's classes."""

import fcntl
import os
import subprocess
from types import SimpleNamespace

import pytest

from support import spark_archive
from support.scheduling import Files

CONFIG = SimpleNamespace(option=SimpleNamespace(loadscopereorder=False), getvalue=lambda name: ["2*popen"])
FILES = ("a", "b", "connectors/mysql/log/c", "d", "connectors/mysql/rows/e", "f")
TESTS = [f"tests/{file}.py::test_{number}" for file in FILES for number in range(4)]


class Worker:
    """Runs what it is given, one after the other."""

    shutting_down = False

    def __init__(self):
        self.given, self.done = [], []
        self.gateway = SimpleNamespace(id=id(self))

    def send_runtest_some(self, numbers):
        self.given += numbers

    def shutdown(self):
        self.shutting_down = True

    def file(self, number):
        return TESTS[number].partition("::")[0]


@pytest.fixture
def workers():
    return [Worker(), Worker()]


@pytest.fixture
def files(workers):
    made = Files(CONFIG)
    for worker in workers:
        made.add_node(worker)
        made.add_node_collection(worker, TESTS)
    made.schedule()
    return made


def run(files, workers):
    while any(len(worker.done) < len(worker.given) for worker in workers):
        for worker in workers:
            if len(worker.done) < len(worker.given):
                worker.done.append(worker.given[len(worker.done)])
                files.mark_test_complete(worker, worker.done[-1])


def test_each_test_runs_once_and_a_file_in_one_worker(files, workers):
    run(files, workers)
    assert sorted(number for worker in workers for number in worker.done) == list(range(len(TESTS)))
    first, second = ({worker.file(number) for number in worker.done} for worker in workers)
    assert first
    assert second
    assert not first & second
    assert files.tests_finished
    assert not files.has_pending
    assert all(worker.shutting_down for worker in workers)


def test_files_that_compile_the_same_run_in_one_worker(files, workers):
    run(files, workers)
    compiling = [{worker.file(number) for number in worker.done if "mysql" in TESTS[number]} for worker in workers]
    assert sorted(map(len, compiling)) == [0, 2]


def test_what_has_run_is_not_looked_through_again(files, workers):
    run(files, workers)
    assert sum(len(given) for given in files.assigned_work.values()) <= len(workers)


def test_what_a_lost_worker_had_is_run_by_the_other(files, workers):
    lost, other = workers
    assert files.remove_node(lost) == TESTS[lost.given[0]]
    run(files, [other])
    assert sorted(other.done) == list(range(len(TESTS)))


@pytest.fixture
def archive(monkeypatch, tmp_path):
    monkeypatch.delenv(spark_archive.VARIABLE, raising=False)
    monkeypatch.setattr(spark_archive, "_archive", lambda: tmp_path / "spark.jsa")
    spark_archive._make.cache_clear()
    yield tmp_path / "spark.jsa"
    spark_archive._make.cache_clear()
    os.environ.pop(spark_archive.VARIABLE, None)


@pytest.fixture
def java(monkeypatch, archive):
    """Stands for the process that writes the archive: it writes it, or fails."""
    told = SimpleNamespace(starts=0, fails=False)

    def run(command, *, env, **_):
        told.starts += 1
        (option,) = (each for each in env[spark_archive.VARIABLE].split() if "=" in each)
        if told.fails:
            raise subprocess.CalledProcessError(1, command)
        archive.with_name(option.rpartition("/")[2]).write_text("classes")

    monkeypatch.setattr(spark_archive.subprocess, "run", run)
    return told


def test_the_archive_is_made_once_and_used(archive, java):
    spark_archive.use()
    assert os.environ.pop(spark_archive.VARIABLE).endswith(f"-XX:SharedArchiveFile={archive}")
    assert archive.read_text() == "classes"
    spark_archive.use()
    assert spark_archive.VARIABLE in os.environ
    assert java.starts == 1


def test_while_another_process_makes_it_sessions_start_without(archive, java):
    with archive.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        spark_archive.use()
        assert spark_archive.VARIABLE not in os.environ
    spark_archive.use()
    assert spark_archive.VARIABLE in os.environ


def test_where_it_can_not_be_made_sessions_start_without_and_it_is_tried_once(archive, java):
    java.fails = True
    spark_archive.use()
    spark_archive.use()
    assert java.starts == 1
    assert spark_archive.VARIABLE not in os.environ
    assert not archive.exists()


def test_options_that_are_given_are_left_as_they_are(archive, java, monkeypatch):
    monkeypatch.setenv(spark_archive.VARIABLE, "-Xmx3g")
    spark_archive.use()
    assert os.environ[spark_archive.VARIABLE] == "-Xmx3g"
    assert java.starts == 0
