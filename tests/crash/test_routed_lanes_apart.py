"""`tailrace run` with transforms and several lanes: topics that several tables share, rows in place of envelopes; killed within a
backlog, then routed otherwise. Each row is delivered once, in its table's order.
"""

import json
from collections import Counter

import pytest
from tests.crash.test_lanes_apart import TABLES, Shop

from support.kafka_reading import read_topics

pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]
UNWRAP = {
    "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
    "transforms.unwrap.add.fields": "op,table",
}
SHARED = {"low": (r"(.*)\.[^.]*\.t[0-3]", "$1-low"), "high": (r"(.*)\.[^.]*\.t[4-7]", "$1-high")}
APART = {"each": (r"(.*)\.[^.]*\.(t[0-7])", "$1-$2")}


class RoutedShop(Shop):
    """A shop whose tables arrive in topics that transforms name."""

    def route(self, lanes, routes):
        """Each route is an expression and a replacement, by the transform's alias."""
        given = dict(UNWRAP)
        for alias, (regex, replacement) in routes.items():
            given[f"transforms.{alias}.type"] = "org.apache.kafka.connect.transforms.RegexRouter"
            given[f"transforms.{alias}.regex"] = regex
            given[f"transforms.{alias}.replacement"] = replacement
        self.configure(lanes, ".", transforms=",".join(("unwrap", *routes)), **given)

    def assert_rows_once(self, *topics):
        """Rows of all topics, read one topic after the other, are each table's, once and in order."""
        ids = {table: [] for table in TABLES}
        for topic in topics:
            for read in read_topics(self._broker.address, [f"{self.prefix}-{topic}"]):
                row = json.loads(read.value)
                assert set(row) == {"id", "v", "__op", "__table"}
                ids[row["__table"]].append(row["id"])
        for table, found in ids.items():
            ((written,),) = self._server.sql(f"SELECT COUNT(*) FROM {table}", self._database)
            assert found == list(range(1, written + 1)), (table, Counter(found).most_common(3), len(found), written)


@pytest.fixture
def shop(mysql_server, database, kafka_broker, tmp_path):
    made = RoutedShop(mysql_server, database, kafka_broker, tmp_path)
    yield made
    made.run.kill_all()


def test_tables_that_are_routed_otherwise_after_a_kill(shop):
    shop.route(2, SHARED)
    shop.to_the_head()
    shop.end_apart(shop.run.kill_all)
    shop.route(2, APART)
    shop.to_the_head()
    assert "2 lanes to one position under the topic names of before" in shop.run.log.read_text()
    shop.write()
    shop.to_the_head()
    shop.assert_rows_once("low", "high", *TABLES)
