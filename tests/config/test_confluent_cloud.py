"""Confluent Cloud's own names for Debezium's connectors, and its own properties."""

import pytest

from support.configurations import MINIMAL, MYSQL, SQL_SERVER, SQL_SERVER_MINIMAL
from tailrace.connectors.load import from_mapping
from tailrace.errors import ConfigError, UnsupportedError

V1 = {"connector.class": "MySqlCdcSource", "after.state.only": "false"}
V2 = {"connector.class": "MySqlCdcSourceV2"}


def refused(properties, error=UnsupportedError):
    with pytest.raises(error) as raised:
        from_mapping(MINIMAL | properties)
    return str(raised.value)


@pytest.mark.parametrize("name", ["MySqlCdcSourceV2", "mysqlcdcsourcev2"])
def test_its_class_is_debeziums_connector_and_its_json_has_no_schemas(name):
    settings = from_mapping(MINIMAL | {"connector.class": name})
    assert settings.connector_class == MYSQL
    assert settings.key_converter_schemas_enable is False
    assert settings.value_converter_schemas_enable is False
    assert settings.warnings == settings.notes == ()


def test_so_is_that_of_sql_server():
    settings = from_mapping(SQL_SERVER_MINIMAL | {"connector.class": "SqlServerCdcSourceV2", "output.data.format": "json"})
    assert settings.connector_class == SQL_SERVER
    assert settings.value_converter_schemas_enable is False


def test_confluents_package_of_debezium_2_is_debeziums_connector_with_debeziums_defaults():
    settings = from_mapping(MINIMAL | {"connector.class": "io.debezium.connector.v2.mysql.MySqlConnectorV2"})
    assert settings.connector_class == MYSQL
    assert settings.value_converter_schemas_enable is True


def test_debeziums_own_class_knows_nothing_of_its_properties():
    settings = from_mapping(MINIMAL | {"output.data.format": "AVRO", "after.state.only": "true"})
    assert settings.value_converter_schemas_enable is True
    (warning,) = settings.warnings
    assert warning.startswith("output.data.format, after.state.only: each is a property of Confluent's own connectors")


@pytest.mark.parametrize("name", ["output.data.format", "output.key.format"])
@pytest.mark.parametrize("value", ["AVRO", "JSON_SR", "PROTOBUF", "STRING"])
def test_another_format_is_named(name, value):
    assert f"{name} is {value!r}: that format is not supported yet" in refused(V2 | {name: value})


def test_only_the_state_after_is_a_transform():
    assert "after.state.only is 'true': that is the transform" in refused(V2 | {"after.state.only": "true"})
    assert from_mapping(MINIMAL | V2 | {"after.state.only": "false"}).warnings == ()


def test_it_is_the_first_versions_default():
    message = refused({"connector.class": "MySqlCdcSource"})
    assert "after.state.only is 'true' by default with this class" in message
    assert "set after.state.only=false" in message


def test_the_first_versions_defaults_count_and_its_age_is_told():
    settings = from_mapping(MINIMAL | V1)
    assert settings.skipped_operations == frozenset()
    assert settings.schema_name_adjustment_mode == "avro"
    (warning,) = settings.warnings
    assert "is Debezium 1.x" in warning
    assert "tailrace.event.shape=2.1" in warning
    assert from_mapping(MINIMAL | V1 | {"skipped.operations": "t"}).skipped_operations == {"t"}


def test_topics_of_sql_servers_first_version_had_no_database_in_them():
    properties = V1 | {"connector.class": "SqlServerCdcSource"}
    (warning,) = from_mapping(SQL_SERVER_MINIMAL | properties).warnings
    assert "tailrace.event.shape=1.4, which also keeps the database's name out of topics" in warning


def test_decimals_in_json_have_their_property():
    assert from_mapping(MINIMAL | V2 | {"json.output.decimal.format": "BASE64"}).value_converter_decimal_format == "BASE64"
    assert "json.output.decimal.format is 'NUMERIC': that is not supported yet" in refused(V2 | {"json.output.decimal.format": "NUMERIC"})


def test_topics_that_are_compacted_are_asked_for_by_connects_property():
    assert from_mapping(MINIMAL | V2 | {"cleanup.policy": "delete"}).warnings == ()
    assert "set topic.creation.default.cleanup.policy" in refused(V2 | {"cleanup.policy": "compact"})


def test_its_login_is_not_ours_and_no_secret_is_shown():
    settings = from_mapping(MINIMAL | V2 | {"kafka.api.key": "K3Y", "kafka.api.secret": "s3cr3t"})
    (warning,) = settings.warnings
    assert warning.startswith("kafka.api.key, kafka.api.secret: no effect")
    assert "s3cr3t" not in repr(settings)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("io.debezium.connector.mariadb.MariaDbConnector", "that database is not supported yet"),
        ("io.debezium.connector.informix.InformixConnector", "that database is not supported yet"),
        ("oracle", "that database is not supported yet"),
        ("PostgresCdcSourceV2", "that connector is not supported yet"),
        ("OracleXStreamSource", "that connector is not supported yet"),
        ("io.confluent.connect.jdbc.JdbcSinkConnector", "that is a sink connector"),
        ("MySqlSink", "that is a sink connector"),
        ("io.confluent.connect.jdbc.JdbcSourceConnector", "reads no log"),
        ("org.apache.kafka.connect.mirror.MirrorSourceConnector", "reads no database"),
    ],
)
def test_another_class_is_told_what_it_is(name, words):
    assert f"connector.class is {name!r}: " in (message := refused({"connector.class": name}))
    assert words in message


def test_a_class_that_nobody_knows_is_wrong():
    assert "no such class is known" in refused({"connector.class": "com.example.Shop"}, ConfigError)
    assert "no such class is known" in refused({"value.converter": "com.example.ShopConverter"}, ConfigError)


@pytest.mark.parametrize("side", ["key", "value", "header"])
@pytest.mark.parametrize(
    "name",
    [
        "org.apache.kafka.connect.converters.PacketConverter",
        "io.confluent.connect.replicator.util.ByteArrayConverter",
        "io.apicurio.registry.utils.converter.avro.AvroConverter",
        "io.debezium.converters.PacketConverter",
        "com.snowflake.kafka.connector.records.SnowflakeJsonConverter",
        "Avro",
    ],
)
def test_a_converter_of_another_format_is_named(side, name):
    message = refused({f"{side}.converter": name})
    assert f"{side}.converter is {name!r}: that converter is not supported yet" in message
