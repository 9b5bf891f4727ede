"""The routing: a value that is made of a configuration, stored, compared and read back."""

import json

import pytest

from support.unit_settings import sqlserver_unit_settings, unit_settings
from tailrace.errors import ProgressError
from tailrace.schema.routing import Routing
from tailrace.schema.tables import TableId

ORDERS = TableId("shop", "dbo", "orders")


@pytest.mark.parametrize(
    ("properties", "topic"),
    [
        ({}, "server1.shop.dbo.orders"),
        ({"topic.delimiter": "_"}, "server1_shop_dbo_orders"),
        ({"tailrace.event.shape": "2.1"}, "server1.shop.dbo.orders"),
        ({"tailrace.event.shape": "1.4"}, "server1.dbo.orders"),
    ],
)
def test_it_gives_the_same_topics_again_when_it_was_stored(properties, topic):
    routing = sqlserver_unit_settings(properties).routing
    stored = Routing.from_dict(json.loads(json.dumps(routing.to_dict())))
    assert stored == routing
    assert stored.topic("server1", ORDERS) == topic


def test_only_what_decides_topics_makes_another_one():
    assert unit_settings({"poll.interval.ms": 7, "tailrace.event.shape": "2.1"}).routing == unit_settings().routing
    assert unit_settings({"topic.delimiter": "-"}).routing != unit_settings().routing


def test_a_stored_one_that_lacks_something_has_what_was_done_before_there_was_that():
    assert Routing.from_dict({"delimiter": "_"}) == Routing("_")
    assert Routing.from_dict({}) == Routing()


def test_one_of_a_newer_version_is_refused():
    with pytest.raises(ProgressError, match=r"named by replacement.*a newer one wrote it"):
        Routing.from_dict({"delimiter": ".", "replacement": "x"})
