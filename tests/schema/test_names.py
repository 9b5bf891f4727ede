"""Names of topics, schemas and fields; the expected ones are real Debezium's."""

import pytest
from tests.support.unit_settings import unit_settings

from tailrace.errors import StructureError
from tailrace.schema.names import Names, field_name_adjuster, sanitized_topic, schema_name_adjuster
from tailrace.schema.tables import TableId


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("dbz.d_keys.sélect", "dbz.d_keys.s_lect"),
        ("dbz.d_keys.we ird-N@me!1", "dbz.d_keys.we_ird-N_me_1"),
        ("dbz.d.😀", "dbz.d.__"),
        (".", "_"),
        ("..", "__"),
        ("x" * 300, "x" * 249),
    ],
)
def test_what_kafka_does_not_allow_in_a_topic_becomes_underscores(name, topic):
    assert sanitized_topic(name) == topic


def test_topics_are_named_after_prefix_database_and_table():
    names = Names(unit_settings({"topic.delimiter": "_", "topic.transaction": "tx"}))
    assert names.topic(TableId("shop", "", "orders")) == "dbz_shop_orders"
    assert names.transaction_topic == "dbz_tx"
    assert names.schema_change_topic == "dbz"
    assert names.heartbeat_topic == "__debezium-heartbeat_dbz"


def test_two_tables_that_share_a_topic_are_told_of(caplog):
    names = Names(unit_settings())
    names.topic(TableId("shop", "", "a b"))
    assert "share the topic" not in caplog.text
    names.topic(TableId("shop", "", "a_b"))
    assert "the tables shop.a b and shop.a_b share the topic dbz.shop.a_b" in caplog.text


@pytest.mark.parametrize(
    ("mode", "name", "adjusted"),
    [
        ("none", "1-d.é", "1-d.é"),
        ("avro", "my-server.d_odd-näme 1.täble.Value", "my_server.d_odd_n_me_1.t_ble.Value"),
        ("avro", "1st.t", "_1st.t"),
        ("avro_unicode", "dbz.d_defaults.policies", "dbz.d_u005fdefaults.policies"),
        ("avro_unicode", "_é", "_u005f_u00e9"),
        ("avro_unicode", "1ʃ", "_u0031_u283"),
        ("avro", "", ""),
    ],
)
def test_schema_names_are_made_fit_for_avro(mode, name, adjusted):
    assert schema_name_adjuster(mode)(name) == adjusted


@pytest.mark.parametrize(
    ("mode", "name", "adjusted"),
    [
        ("avro", "a.b", "a_b"),
        ("avro", "1st", "_1st"),
        ("avro", "_x", "_x"),
        ("avro_unicode", "a.b", "a_u002eb"),
    ],
)
def test_dots_do_not_stay_in_field_names(mode, name, adjusted):
    assert field_name_adjuster(mode)(name) == adjusted


def test_two_columns_that_become_one_field_stop_the_connector():
    names = Names(unit_settings({"field.name.adjustment.mode": "avro"}))
    with pytest.raises(
        StructureError, match=r"'a-b' and 'a.b' of d.t both become the field 'a_b'.*avro_unicode"
    ):
        names.fields(TableId("d", "", "t"), ["a-b", "a.b"])
