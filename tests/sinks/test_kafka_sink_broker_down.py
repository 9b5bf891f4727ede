"""A broker that dies under the sink: the sink is lost, the next one goes on, and readers see each record once."""

import time

import pytest

from support.kafka_sinks import Place, progress
from tailrace.errors import RetriableError, SinkLostError
from tailrace_standins.servers.kafka_broker import KafkaBroker

pytestmark = [pytest.mark.kafka, pytest.mark.slow]


@pytest.fixture
def broker():
    broker = KafkaBroker().start()
    yield broker
    broker.discard()


@pytest.fixture
def place(broker):
    place = Place(broker.address, producer__override__transaction__timeout__ms="8000")
    place.claimed()
    yield place
    place.close()


def opened_at_last(place):
    deadline = time.monotonic() + 90
    while True:
        sink = place.sink()
        try:
            return sink, sink.open(0)
        except RetriableError:
            sink.close()
            if time.monotonic() > deadline:
                raise


def test_a_broker_killed_in_a_transaction_costs_only_the_transaction(broker, place):
    sink = place.opened()
    sink.write(place.records([1]))
    sink.commit(progress(1), [{"ddl": "a"}])
    sink.write(place.records([2]))
    broker.kill()
    with pytest.raises(SinkLostError):
        sink.commit(progress(2), [{"ddl": "b"}])
    began = time.monotonic()
    sink.close()
    assert time.monotonic() - began < 15
    broker.start()
    sink, opened = opened_at_last(place)
    assert opened.progress == progress(1)
    assert list(opened.history) == [{"ddl": "a"}]
    sink.write(place.records([2]))
    sink.commit(progress(2), [{"ddl": "b"}])
    place.sees([1, 2])
