"""Whether topics keep their names until lanes that stand apart have met: if two lanes would write to one topic, or names mix."""

import pytest

from support.unit_settings import unit_settings
from tailrace.connectors.base import Lane
from tailrace.schema.names import Names
from tailrace.schema.tables import TableId
from tailrace.source.kept_names import are_kept

TABLES = [TableId("shop", "", f"t{n}") for n in range(8)]


def routed(*routes, **more):
    """Settings with a RegexRouter for each expression and replacement."""
    given = {"transforms": ",".join(f"r{n}" for n in range(len(routes)))} if routes else {}
    for n, (regex, replacement) in enumerate(routes):
        given[f"transforms.r{n}.type"] = "org.apache.kafka.connect.transforms.RegexRouter"
        given |= {f"transforms.r{n}.regex": regex, f"transforms.r{n}.replacement": replacement}
    return unit_settings(given | {name.replace("_", "."): text for name, text in more.items()})


PLAIN, TOGETHER, OTHERWISE = routed(), routed((".*t[0-7]", "all")), routed((r"dbz\.(.*)", "new.$1"))
SWAPPED = routed((r"(.*)t0", "$1t0x"), (r"(.*)t1", "$1t0"))


@pytest.mark.parametrize(
    ("now", "before", "kept"),
    [
        (PLAIN, PLAIN, False),
        (TOGETHER, PLAIN, True),
        (PLAIN, TOGETHER, False),
        (OTHERWISE, PLAIN, False),
        (PLAIN, OTHERWISE, False),
        (PLAIN, routed(topic_delimiter="-"), True),
        (routed((".*", "all"), topic_delimiter="-"), PLAIN, True),
    ],
)
def test_they_do_where_lanes_would_share_a_topic_or_the_names_before_the_transforms_change(now, before, kept):
    assert are_kept(now, before.routing, 3, lambda: TABLES) == kept


@pytest.mark.parametrize("lanes", [2, 3, 5, 8])
def test_a_name_that_another_lanes_table_had_is_shared_too(lanes):
    names = Names(PLAIN)
    first, second = ([n for n in range(lanes) if names.is_of(Lane(n, lanes), table)] for table in TABLES[:2])
    assert are_kept(SWAPPED, PLAIN.routing, lanes, lambda: TABLES[:2]) == (first != second)


def test_one_lane_has_one_order_and_the_database_is_not_asked():
    assert not are_kept(TOGETHER, PLAIN.routing, 1, pytest.fail)


def test_topics_that_follow_from_contents_have_no_name_of_before():
    outbox = unit_settings({"transforms": "o", "transforms.o.type": "io.debezium.transforms.outbox.EventRouter"})
    assert not are_kept(outbox, routed(topic_delimiter="-").routing, 3, pytest.fail)
