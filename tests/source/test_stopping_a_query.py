"""A query is stopped when its task has made the last commit, as far as Spark's status tells, without Spark."""

import itertools
from types import SimpleNamespace

import pytest

from tailrace.errors import RetriableError
from tailrace.source import run


class Query:
    """One whose status at each look is given."""

    def __init__(self, looks):
        self._looks = iter(looks)
        self.isActive = True

    @property
    def status(self):
        return {"isTriggerActive": next(self._looks), "isDataAvailable": False}

    def stop(self):
        self.isActive = False

    def exception(self):
        return None


LINK = SimpleNamespace(stop_tasks=lambda: None)


@pytest.fixture(autouse=True)
def short_looks(monkeypatch):
    monkeypatch.setattr(run, "POLL_SECONDS", 0.0)


def test_one_look_at_a_query_that_rests_is_enough_though_it_looks_for_work_again_at_once():
    query = Query([True, True, False, True, True])
    run.stop(query, LINK, 20.0)
    assert not query.isActive


def test_a_task_that_does_not_end_in_time_is_killed_and_that_is_told():
    query = Query(itertools.repeat(True))
    with pytest.raises(RetriableError, match="did not come within"):
        run.stop(query, LINK, 0.05)
    assert not query.isActive
