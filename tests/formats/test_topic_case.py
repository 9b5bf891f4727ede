"""ChangeTopicCase beside the real one, on names that are in the form they are read as, and on others."""

from itertools import product

import pytest
from tests.formats.chains import kafka, same_chain
from tests.formats.connect_parts import Transform
from tests.formats.golden_lines import golden_lines

from tailrace.schema.topic_cases import TOPIC_CASES

pytestmark = pytest.mark.debezium

TYPE = "com.github.jcustenborder.kafka.connect.transform.common.ChangeTopicCase"
NAMES = (
    "order-lines-2024",
    "order_lines_2024",
    "orderLines2024x",
    "OrderLines",
    "ORDER_LINES",
    "dbserver1.inventory.order_lines",
    "dbserver1.Sales.OrderLine",
    "ÄpfelÖl_x-Y",
    "__a--b_",
    "HTTPServer.x",
    "x",
)


@pytest.mark.parametrize("name", NAMES)
def test_topics_have_the_names_that_the_real_one_gives(connect_parts, name):
    lines = golden_lines("snapshots: initial-with-schemas")[:1]
    renamed = kafka("RegexRouter", {"regex": ".*", "replacement": name})
    for before, after in product(TOPIC_CASES, TOPIC_CASES):
        found = same_chain(connect_parts, lines, (renamed, Transform(TYPE, {"from": before, "to": after})))
        assert found.records == 1
