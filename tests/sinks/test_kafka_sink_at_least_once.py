"""Kafka without transactions: nothing is lost, order holds, and who reads may see a record again."""

import pytest

from support.kafka_sinks import Place, progress
from tailrace.errors import FencedError

pytestmark = pytest.mark.kafka


@pytest.fixture
def place(kafka_broker):
    place = Place(kafka_broker.address, tailrace__delivery__guarantee="at-least-once")
    yield place
    place.close()


def test_records_are_seen_and_the_next_task_goes_on(place):
    place.claimed()
    sink = place.opened()
    sink.write(place.records([1]))
    sink.commit(progress(1), [{"ddl": "a"}])
    sink.close()
    place.sees([1])
    opened = place.sink().open(0)
    assert opened.progress == progress(1)
    assert list(opened.history) == [{"ddl": "a"}]


def test_history_that_came_to_no_commit_does_not_count(place):
    sink = place.opened()
    sink.commit(progress(1), [{"ddl": "a"}])
    place.put(place.own("history"), b'{"lane": 0, "number": 2}', b'{"ddl": "of a task that died"}')
    sink.commit(progress(2), [{"ddl": "b"}])
    sink.close()
    assert list(place.sink().open(0).history) == [{"ddl": "a"}, {"ddl": "b"}]


def test_the_layout_follows_at_a_barrier(place):
    place.claimed(1, run="one")
    sink = place.opened(0, "one")
    sink.commit(progress(1), [{"ddl": "a"}])
    sink.close()
    for lanes in (3, 1, 2):
        assert place.claimed(lanes, run=f"{lanes}").progress == (progress(1),) * lanes
        assert list(place.sink(f"{lanes}").open(lanes - 1).history) == [{"ddl": "a"}]


def test_a_task_of_another_run_refuses(place):
    place.claimed(run="one")
    place.claimed(run="two")
    with pytest.raises(FencedError, match="another run"):
        place.sink("one").open(0)


def test_what_was_aborted_before_does_not_count_when_transactions_are_given_up(place):
    exact = place.opened(tailrace__delivery__guarantee="exactly-once")
    exact.commit(progress(1), [])
    exact.write(place.records([2]))
    exact.close()
    opened = place.sink().open(0)
    assert opened.progress == progress(1)
