"""Sample events: what they have is what real events of the table have."""

import json
from dataclasses import replace

import pytest

from support.tables_of_ddl import applied, table
from support.unit_settings import db2_unit_settings, sqlserver_unit_settings, unit_settings
from tailrace.connectors import samples_of
from tailrace.encoding.json import JsonEncoder, JsonFormat
from tailrace.events.samples import OPERATIONS, sample_event
from tailrace.transforms.named_columns import MOMENT, NUMBER, TRUTH, NamedColumn

PLAIN = JsonFormat(schemas=False)
ENCODER = JsonEncoder(PLAIN, PLAIN, PLAIN)
NAMED = (NamedColumn("amount", NUMBER), NamedColumn("paid", TRUTH), NamedColumn("at", MOMENT), NamedColumn("name"))
BY_DATABASE = {"mysql": unit_settings, "sqlserver": sqlserver_unit_settings, "db2": db2_unit_settings}
EVERY_TYPE = """CREATE TABLE t (id INT PRIMARY KEY, a TINYINT(1), b BIT(3), c DECIMAL(5,2), d DATE, e TIME(6), f DATETIME(6), g TIMESTAMP,
    h YEAR, i CHAR(3), j TEXT, k VARBINARY(5), l BLOB, m ENUM('x','y'), n SET('x','y'), o JSON, p POINT, q GEOMETRY, r DOUBLE, s FLOAT,
    u BIGINT UNSIGNED, w VARCHAR(5) DEFAULT 'x', x VECTOR(2))"""


def made(settings, names=("orders",), columns=NAMED):
    samples = samples_of(settings)
    return samples.sampled(settings, samples.made(settings, names, columns))


def records(sampled, operation):
    """(topic, key, value) of each record."""
    found = ENCODER.encode(sample_event(sampled, operation).source_records())
    return [(found.topic, json.loads(found.keys[i]), found.values[i] and json.loads(found.values[i])) for i in range(len(found))]


@pytest.mark.parametrize("database", BY_DATABASE)
def test_every_operation_has_its_images_and_a_delete_its_tombstone(database):
    sampled = made(BY_DATABASE[database]())
    found = {operation: records(sampled, operation) for operation in OPERATIONS}
    images = {op: [value and (value["op"], value["before"], value["after"]) for _, _, value in each] for op, each in found.items()}
    before, after = images["u"][0][1:]
    assert images == {
        "c": [("c", None, before)],
        "u": [("u", before, after)],
        "d": [("d", after, None), None],
        "r": [("r", None, before)],
    }
    assert before["id"] == after["id"]
    assert before["amount"] != after["amount"]
    assert {json.dumps(key) for each in found.values() for _, key, _ in each} == {'{"id": 1}'}
    assert found["r"][0][2]["source"]["snapshot"] == "true"
    assert found["c"][0][2]["source"]["snapshot"] == "false"


def test_what_the_configuration_does_to_values_and_records_is_done():
    settings = unit_settings(
        {"column.mask.with.3.chars": "shop.orders.name", "tombstones.on.delete": False, "provide.transaction.metadata": True}
    )
    sampled = made(settings, ("shop", "orders"))
    assert len(records(sampled, "d")) == 1
    value = records(sampled, "c")[0][2]
    assert value["after"]["name"] == "***"
    assert value["transaction"]["total_order"] == 1


def test_values_may_be_given_and_a_key_stays_all_the_same():
    sampled = replace(made(unit_settings()), values={"name": ("x", "y"), "id": (7, 8)})
    (_, key, value), = records(sampled, "u")
    assert (key, value["before"]["name"], value["after"]["name"]) == ({"id": 7}, "x", "y")


@pytest.mark.parametrize("modes", [{}, {"time.precision.mode": "connect", "decimal.handling.mode": "double"}, {"time.precision.mode": "isostring"}])
def test_each_type_has_a_value(modes):
    settings = unit_settings({"bigint.unsigned.handling.mode": "precise", **modes})
    sampled = samples_of(settings).sampled(settings, table(applied(EVERY_TYPE), "t"))
    after = records(sampled, "c")[0][2]["after"]
    assert len(after) == 23
    assert [name for name, value in after.items() if value is None] == []
    assert (after["m"], after["o"]) == ("x", '{"o":1}')


@pytest.mark.parametrize(
    ("database", "names", "topic"),
    [
        ("mysql", ("shop", "orders"), "dbz.shop.orders"),
        ("mysql", ("orders",), "dbz.db.orders"),
        ("sqlserver", ("orders",), "server1.testDB.dbo.orders"),
        ("sqlserver", ("crm", "orders"), "server1.testDB.crm.orders"),
        ("sqlserver", ("other", "crm", "orders"), "server1.other.crm.orders"),
        ("db2", ("S", "ORDERS"), "server1.S.ORDERS"),
    ],
)
def test_a_made_table_has_the_parts_of_its_name_that_are_given(database, names, topic):
    assert records(made(BY_DATABASE[database](), names, ()), "c")[0][0] == topic
