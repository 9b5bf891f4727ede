"""Sample events of real tables: the structures are the server's, and nothing is read of their rows."""

import json

import pytest

from support.mysql_settings import settings_for
from tailrace.connectors import samples_of
from tailrace.connectors.load import from_mapping
from tailrace.encoding.json import JsonEncoder, JsonFormat
from tailrace.events.samples import sample_event

PLAIN = JsonFormat(schemas=False)
ENCODER = JsonEncoder(PLAIN, PLAIN, PLAIN)


def inserts(settings):
    """Topic, key and row of an insert into each captured table."""
    samples = samples_of(settings)
    found = [
        ENCODER.encode(sample_event(samples.sampled(settings, table), "c").source_records())
        for _, table in sorted(samples.structures(settings).items())
    ]
    return {each.topic: (json.loads(each.keys[0]), json.loads(each.values[0])["after"]) for each in found}


@pytest.mark.mysql
def test_those_of_mysql(mysql_server, database):
    mysql_server.sql("CREATE TABLE orders (nr INT PRIMARY KEY, item VARCHAR(20), price DECIMAL(5,2))", database)
    mysql_server.sql("CREATE TABLE signals (id VARCHAR(9), type VARCHAR(9), data TEXT)", database)
    settings = settings_for(
        mysql_server,
        database_include_list=database,
        table_include_list=f"{database}.orders",
        signal_data_collection=f"{database}.signals",
        decimal_handling_mode="string",
    )
    (found,) = inserts(settings).items()
    assert found == (f"test.{database}.orders", ({"nr": 1}, {"nr": 1, "item": "item 1", "price": "1.5"}))


@pytest.mark.drivers
def test_those_of_db2(db2):
    db2.sql("CREATE TABLE S.ORDERS (NR INTEGER NOT NULL PRIMARY KEY, ITEM VARCHAR(20), BORN DATE)")
    db2.register("S.ORDERS")
    db2.replication.step()
    ((topic, (key, row)),) = inserts(from_mapping(db2.properties())).items()
    assert (topic.rpartition(".")[2], key, row) == ("ORDERS", {"NR": 1}, {"NR": 1, "ITEM": "ITEM 1", "BORN": 20455})
