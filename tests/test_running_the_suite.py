"""What makes the suite quick: how its files are shared among workers."""

from types import SimpleNamespace

import pytest

from support.scheduling import Files

CONFIG = SimpleNamespace(option=SimpleNamespace(loadscopereorder=False), getvalue=lambda name: ["2*popen"])
FILES = ("a", "b", "c", "d", "e", "f")
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


def test_what_has_run_is_not_looked_through_again(files, workers):
    run(files, workers)
    assert sum(len(given) for given in files.assigned_work.values()) <= len(workers)


def test_what_a_lost_worker_had_is_run_by_the_other(files, workers):
    lost, other = workers
    assert files.remove_node(lost) == TESTS[lost.given[0]]
    run(files, [other])
    assert sorted(other.done) == list(range(len(TESTS)))
