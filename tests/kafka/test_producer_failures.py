"""What librdkafka's errors mean for a lane."""

import pytest

from tailrace.errors import ConfigError, DeliveryError, FencedError, SinkLostError, UnsupportedError
from tailrace.kafka.failures import error_of
from tailrace.kafka.librdkafka import librdkafka


def meaning(code):
    return error_of(librdkafka().problem(code), "committing", "broker down")


@pytest.mark.parametrize("code", [-144, 90, 47])
def test_fencing_ends_the_task(code):
    assert type(meaning(code)) is FencedError


@pytest.mark.parametrize("code", [-185, -195, -192, 7, 16, 45, 48, 49, 59, 120, -1, 99999])
def test_what_leaves_open_how_much_arrived_asks_for_the_sink_to_be_opened_again(code):
    error = meaning(code)
    assert type(error) is SinkLostError
    assert "broker down" in str(error)


@pytest.mark.parametrize("code", [3, -188])
def test_a_topic_that_was_deleted_or_is_not_known_to_each_broker_yet_is_looked_up_again(code):
    error = meaning(code)
    assert type(error) is SinkLostError
    assert "topics are looked up again; the client says: broker down" in str(error)


@pytest.mark.parametrize(
    ("code", "kind", "remedy"),
    [
        (10, DeliveryError, "max.message.bytes"),
        (17, DeliveryError, "topic.prefix"),
        (87, DeliveryError, "key"),
        (29, ConfigError, "Write"),
        (53, ConfigError, "tailrace.transactional.id.prefix"),
        (50, ConfigError, "transaction.timeout.ms"),
        (-169, ConfigError, "sasl"),
        (76, ConfigError, "compression"),
        (-165, UnsupportedError, "at-least-once"),
    ],
)
def test_what_would_never_get_through_says_what_to_change(code, kind, remedy):
    error = meaning(code)
    assert type(error) is kind
    assert remedy in str(error)
    assert str(error).startswith("committing: ")
    assert librdkafka().name_of(code) in str(error)
