"""`tailrace run` from MySQL into Kafka with Avro and transforms: what a consumer with the registry reads."""

import json
import uuid
from decimal import Decimal

import pytest
from tests.support.registries import apicurio

from support.kafka_reading import read_topics
from support.live_run import LiveRun
from support.mysql_settings import properties_for
from tailrace.cli.demo_avro import CONVERTER, RegisteredSchemas

__all__ = ["apicurio"]
pytestmark = [pytest.mark.mysql, pytest.mark.kafka, pytest.mark.registry, pytest.mark.spark, pytest.mark.slow]
SECONDS = 400


def row(id_, note, total, op, **further):
    """A key and a row, as fastavro reads them."""
    return {"id": id_}, {"id": id_, "note": note, "total": total and Decimal(total), **further, "__op": op}


class Shop:
    """A table, its connector with Avro converters, and runs of it to the head of the log."""

    def __init__(self, server, database, broker, registry, folder):
        self.prefix = f"avro{uuid.uuid4().hex[:8]}"
        self._server, self._database, self._broker, self._registry = server, database, broker, registry
        self._config = folder / "connector.json"
        self.run = LiveRun(folder, self._config, f"kafka:{broker.address}", [server.port])

    def configure(self, url, **further):
        converters = {f"{part}.converter": CONVERTER for part in ("key", "value")}
        converters |= {f"{part}.converter.schema.registry.url": url for part in ("key", "value")}
        properties = properties_for(
            self._server,
            topic_prefix=self.prefix,
            table_include_list=f"{self._database}.orders",
            snapshot_mode="initial",
            **converters,
            **further,
        )
        self._config.write_text(json.dumps({"name": self.prefix, "config": properties}))

    def sql(self, text):
        self._server.sql(text, self._database)

    def to_the_head(self):
        self.run.start_to_the_head()
        return self.run.wait(SECONDS)

    def delivered(self, topic):
        decoded = RegisteredSchemas(self._registry.confluent_url).decoded
        return [(decoded(each.key), decoded(each.value)) for each in read_topics(self._broker.address, [topic])]


@pytest.fixture
def shop(mysql_server, database, kafka_broker, apicurio, tmp_path):
    made = Shop(mysql_server, database, kafka_broker, apicurio, tmp_path)
    yield made
    made.run.kill_all()


def test_rows_of_a_table_whose_structure_changes_are_read_with_the_registry(shop, apicurio):
    # GIVEN a table, and rows in place of envelopes in a topic of its name
    shop.configure(
        apicurio.confluent_url,
        **{
            "transforms": "unwrap,route",
            "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
            "transforms.unwrap.delete.tombstone.handling.mode": "delete-to-tombstone",
            "transforms.unwrap.add.fields": "op",
            "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
            "transforms.route.regex": r"(.*)\.[^.]*\.(.*)",
            "transforms.route.replacement": "$1-$2",
        },
    )
    shop.sql("CREATE TABLE orders (id INT PRIMARY KEY, note VARCHAR(50) DEFAULT 'none', total DECIMAL(9,2))")
    shop.sql("INSERT INTO orders VALUES (1, 'größe 😀', 12.50), (2, NULL, NULL)")
    # WHEN it is read, changed, and read on behind an ALTER TABLE
    assert shop.to_the_head() == 0, shop.run.log.read_text()
    shop.sql("UPDATE orders SET total = -0.01 WHERE id = 1; DELETE FROM orders WHERE id = 2")
    shop.sql("ALTER TABLE orders ADD COLUMN paid BOOLEAN DEFAULT NULL; INSERT INTO orders VALUES (3, 'x', 1, 1)")
    assert shop.to_the_head() == 0, shop.run.log.read_text()
    # THEN
    topic = f"{shop.prefix}-orders"
    assert shop.delivered(topic) == [
        row(1, "größe 😀", "12.50", "r"),
        row(2, "none", None, "r"),  # the converter writes the default of a column in place of a null
        row(1, "größe 😀", "-0.01", "u"),
        ({"id": 2}, None),
        row(3, "x", "1.00", "c", paid=1),
    ]
    subjects = {subject for subject, _, _ in RegisteredSchemas(apicurio.confluent_url).versions()}
    assert {f"{topic}-key", f"{topic}-value"} <= subjects


def test_a_registry_that_is_not_there_is_said_and_loses_nothing(shop, apicurio, tmp_path):
    shop.sql("CREATE TABLE orders (id INT PRIMARY KEY, note VARCHAR(50), total DECIMAL(9,2))")
    shop.sql("INSERT INTO orders VALUES (1, 'a', 1)")
    retries = {"errors.max.retries": 0, "value.converter.max.retries": 0, "key.converter.max.retries": 0}
    shop.configure("http://user:geheim@127.0.0.1:9", **retries)
    assert shop.to_the_head() == 8
    assert "127.0.0.1:9" in shop.run.log.read_text()
    shop.configure(apicurio.confluent_url.replace("http://", "http://user:geheim@"))
    assert shop.to_the_head() == 0, shop.run.log.read_text()
    ((key, value),) = shop.delivered(f"{shop.prefix}.{shop._database}.orders")
    assert (key, value["after"]["note"], value["op"]) == ({"id": 1}, "a", "r")
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "connector.json"]
    assert len(kept) > 2  # the logs, and the checkpoint
    assert [path for path in kept if b"geheim" in path.read_bytes()] == []
