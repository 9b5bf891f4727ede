"""The demo's reader sees what was committed, each change once, and says so where that is not the case."""

import json
import uuid

import pytest
from confluent_kafka import Producer

from tailrace.cli.demo_reader import Reader
from tailrace.errors import TailraceError
from tailrace_standins.servers.waiting import wait_until

pytestmark = pytest.mark.kafka


def change(pos, op="c", row=0):
    return {
        "op": op,
        "before": None,
        "after": {"id": pos},
        "source": {"file": "mysql-bin.000001", "pos": pos, "row": row},
    }


class Shop:
    """Writes to the topics of a prefix of its own, and reads them."""

    def __init__(self, broker):
        self.prefix = f"demo-{uuid.uuid4().hex[:8]}"
        self.lines = []
        self.reader = Reader({"bootstrap.servers": broker.address}, self.prefix, self.lines.append)
        self._producer = Producer(
            {"bootstrap.servers": broker.address, "transactional.id": self.prefix, "log_level": 0}
        )
        self._producer.init_transactions(30)

    def write(self, *values, topic="inventory.orders", abort=False):
        self._producer.begin_transaction()
        for value in values:
            data = None if value is None else json.dumps(value)
            self._producer.produce(f"{self.prefix}.{topic}", data, json.dumps({"id": 1}))
        self._producer.flush(30)
        (self._producer.abort_transaction if abort else self._producer.commit_transaction)(30)


@pytest.fixture
def shop(kafka_broker):
    shop = Shop(kafka_broker)
    yield shop
    if shop.reader.is_alive():
        shop.reader.stop()


def test_it_shows_what_was_committed_also_in_topics_that_appear_later(shop):
    shop.reader.start()
    shop.write(change(4), change(8))
    shop.write(change(12), topic="inventory.customers")
    wait_until(lambda: shop.reader.changes == 3, 30, lambda: f"{shop.lines}, {shop.reader.error}")
    shop.reader.stop()
    shop.reader.check(3)
    shown = [json.loads(line) for line in shop.lines]
    assert {record["topic"] for record in shown} == {
        f"{shop.prefix}.inventory.{name}" for name in ("orders", "customers")
    }
    assert shown[0]["key"] == {"id": 1}


def test_stopped_it_reads_to_the_end_first(shop):
    shop.write(*(change(pos) for pos in range(500)))
    shop.reader.start()
    shop.reader.stop()
    shop.reader.check(500)


def test_aborted_changes_are_not_seen(shop):
    shop.write(change(4), abort=True)
    shop.write(change(8))
    shop.reader.start()
    shop.reader.stop()
    shop.reader.check(1)
    assert json.loads(shop.lines[0])["value"]["source"]["pos"] == 8


def test_tombstones_and_statements_are_shown_and_are_no_changes(shop):
    shop.write(change(4, op="d"), None, {"ddl": "CREATE TABLE t (id INT)"})
    shop.reader.start()
    shop.reader.stop()
    shop.reader.check(1)
    assert shop.reader.records == 3


def test_a_change_that_comes_twice_is_an_error(shop):
    shop.write(change(4), change(4))
    shop.reader.start()
    shop.reader.stop()
    with pytest.raises(TailraceError, match="1 of them more than once"):
        shop.reader.check(1)


def test_a_change_that_does_not_come_is_an_error(shop):
    shop.write(change(4), change(4, row=1))
    shop.reader.start()
    shop.reader.stop()
    with pytest.raises(TailraceError, match=r"3 rows were changed, but .* got 2 changes"):
        shop.reader.check(3)
