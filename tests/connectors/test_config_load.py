"""A configuration becomes settings, or one message about everything that is wrong."""

import json
import pickle

import pytest

from support.configurations import MINIMAL, MYSQL, SQL_SERVER_MINIMAL
from tailrace.config.properties.history import FILE_HISTORY, KAFKA_HISTORY
from tailrace.config.property import Status
from tailrace.connectors.load import from_mapping, load
from tailrace.connectors.mysql import properties as mysql
from tailrace.connectors.sqlserver import properties as sqlserver
from tailrace.errors import ConfigError, UnsupportedError
from tailrace.schema.tables import TableId

TUTORIAL = {
    "name": "inventory-connector",
    "config": {
        "connector.class": MYSQL,
        "tasks.max": "1",
        "database.hostname": "mysql",
        "database.port": "3306",
        "database.user": "debezium",
        "database.password": "dbz",
        "database.server.id": "184054",
        "topic.prefix": "dbserver1",
        "database.include.list": "inventory",
        "schema.history.internal.kafka.bootstrap.servers": "kafka:9092",
        "schema.history.internal.kafka.topic": "schemahistory.inventory",
        "include.schema.changes": "true",
        "snapshot.mode": "schema_only",
    },
}


def refused(properties, error=ConfigError):
    with pytest.raises(error) as raised:
        from_mapping(MINIMAL | properties)
    return str(raised.value)


def test_defaults_are_those_of_debezium():
    settings = from_mapping(MINIMAL)
    assert settings.database_port == 3306
    assert settings.time_precision_mode == "adaptive_time_microseconds"
    assert settings.decimal_handling_mode == "precise"
    assert settings.tombstones_on_delete is True
    assert settings.skipped_operations == {"t"}
    assert settings.errors_max_retries == -1
    assert settings.poll_interval_ms == 500
    assert settings.topic_delimiter == "."
    assert settings.value_converter_schemas_enable is True
    assert settings.tailrace_event_shape == "current"
    assert settings.tailrace_context_headers is False
    assert settings.warnings == ()


def test_a_connector_is_named_as_its_prefix_when_it_has_no_name():
    assert from_mapping(MINIMAL).name == "shop"
    assert from_mapping(MINIMAL | {"name": "orders"}).name == "orders"


def test_the_json_of_kafka_connect_is_taken_as_it_is():
    settings = from_mapping(TUTORIAL)
    assert settings.name == "inventory-connector"
    assert settings.database_server_id == 184054
    assert settings.snapshot_mode == "no_data"
    assert settings.tables.matches(TableId("inventory", "", "customers"))
    assert settings.schema_history_internal_kafka_topic == "schemahistory.inventory"
    assert settings.schema_history_internal == KAFKA_HISTORY, "Debezium's default, where a topic is named"
    assert settings.warnings == ()


def test_old_names_mean_the_same_as_new_ones():
    settings = from_mapping(
        {
            "connector.class": MYSQL,
            "database.server.name": "shop",
            "database.hostname": "db",
            "database.user": "u",
            "database.server.id": 7,
            "database.whitelist": "shop",
            "table.blacklist": "shop.log",
            "database.history": "io.debezium.relational.history.FileDatabaseHistory",
            "database.history.file.filename": "/tmp/history",
            "database.history.store.only.monitored.tables.ddl": "true",
            "database.history.producer.security.protocol": "SSL",
            "snapshot.mode": "schema_only_recovery",
            "sanitize.field.names": "true",
            "event.deserialization.failure.handling.mode": "ignore",
        }
    )
    assert settings.topic_prefix == "shop"
    assert settings.database_include_list == ("shop",)
    assert not settings.tables.matches(TableId("shop", "", "log"))
    assert settings.schema_history_internal_file_filename == "/tmp/history"
    assert settings.schema_history_internal_store_only_captured_tables_ddl is True
    assert settings.snapshot_mode == "recovery"
    assert settings.field_name_adjustment_mode == "avro"
    assert settings.event_processing_failure_handling_mode == "skip"
    assert dict(settings.schema_history_producer) == {"security.protocol": "SSL"}


def test_of_an_old_and_a_new_name_the_new_one_counts():
    assert from_mapping(MINIMAL | {"database.server.name": "shop"}).warnings == ()
    settings = from_mapping({"database.server.name": "other"} | MINIMAL)
    assert settings.topic_prefix == "shop"
    assert settings.warnings == (
        "database.server.name (now topic.prefix) is 'other' and has no effect, because topic.prefix is set to 'shop'",
    )


def test_of_two_old_names_the_one_counts_that_debezium_tries_first():
    prefix = "database.history.store.only."
    names = {f"{prefix}monitored.tables.ddl": "false", f"{prefix}captured.tables.ddl": "true"}
    for given in (names, dict(reversed(names.items()))):
        settings = from_mapping(MINIMAL | given)
        assert settings.schema_history_internal_store_only_captured_tables_ddl is True
        assert len(settings.warnings) == 1


def test_the_names_of_old_transaction_topics_are_refused_because_they_were_whole():
    assert "topic.transaction" in refused({"transaction.topic": "tx"}, UnsupportedError)


def test_everything_that_is_wrong_is_said_at_once():
    message = refused(
        {
            "database.port": "seventy",
            "tombstones.on.delete": "yes",
            "decimal.handling.mode": "exact",
            "colum.exclude.list": "1",
            "transforms": "unwrap",
            "topic.prefix": "a b",
            "database.hostname": None,
        }
    )
    assert message.startswith("configuration: 7 problems\n  - ")
    for part in (
        "database.hostname is missing",
        "database.port is 'seventy': it must be a whole number from 1 to 65535",
        "tombstones.on.delete is 'yes': it must be true or false",
        "decimal.handling.mode is 'exact': it must be one of precise, string, double",
        "topic.prefix is 'a b': it must be letters, digits, dots, hyphens and underscores only",
        "colum.exclude.list is not a property",
        "transforms.unwrap.type is missing: transforms names unwrap",
    ):
        assert part in message


@pytest.mark.parametrize(
    ("name", "value", "typed"),
    [
        ("database.port", 3307, 3307),
        ("database.port", " 3307 ", 3307),
        ("tombstones.on.delete", False, False),
        ("tombstones.on.delete", "FALSE", False),
        ("decimal.handling.mode", "String", "string"),
        ("skipped.operations", "none", frozenset()),
        ("skipped.operations", "c, u", frozenset("cu")),
        ("skipped.operations", "", frozenset("t")),
        ("errors.max.retries", "-1", -1),
        ("time.precision.mode", None, "adaptive_time_microseconds"),
    ],
)
def test_a_value_is_read_by_its_type(name, value, typed):
    assert getattr(from_mapping(MINIMAL | {name: value}), name.replace(".", "_")) == typed


def test_context_headers_are_switched_on_by_either_name():
    assert from_mapping(MINIMAL | {"tailrace.context.headers": "true"}).tailrace_context_headers is True
    assert from_mapping(MINIMAL | {"extended.headers.enabled": "true"}).tailrace_context_headers is True


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("database.port", "0"),
        ("database.port", "70000"),
        ("database.port", 3306.5),
        ("database.port", "3_306"),
        ("database.port", "٣٣"),
        ("database.server.id", "4294967296"),
        ("errors.max.retries", "-2"),
        ("time.precision.mode", "adaptive"),
        ("skipped.operations", "x"),
        ("database.hostname", "db example"),
        ("max.queue.size", "2048"),
        ("source.struct.version", "v3"),
    ],
)
def test_a_value_out_of_range_names_its_property(name, value):
    assert name in refused({name: value})


def test_none_stands_alone_among_skipped_operations():
    assert "none stands alone" in refused({"skipped.operations": "none,t"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("snapshot.mode", "custom"),
        ("snapshot.mode", "when_needed_no_data"),
        ("value.converter", "io.confluent.connect.replicator.util.ByteArrayConverter"),
        ("source.struct.version", "v1"),
        ("table.ignore.builtin", "false"),
        ("connector.class", "io.debezium.connector.postgresql.PostgresConnector"),
        ("database.useSSL", "true"),
        ("driver.sslMode", "VERIFY_IDENTITY"),
    ],
)
def test_what_would_change_the_records_and_is_not_there_yet_is_unsupported(name, value):
    assert name in refused({name: value}, UnsupportedError)


@pytest.mark.parametrize(
    ("mode", "error", "words"),
    [
        ("configuration_based", UnsupportedError, "always reads the tables at each start"),
        ("custom", UnsupportedError, "that is a Java class"),
        ("when_needed_no_data", UnsupportedError, "no_data begins at the log's end"),
        ("never", ConfigError, "Debezium has dropped it"),
        ("sometimes", ConfigError, "it must be one of initial, initial_only"),
    ],
)
def test_a_snapshot_mode_that_is_not_there_is_told_what_to_set(mode, error, words):
    assert words in refused({"snapshot.mode": mode}, error)


def test_a_new_connector_begins_with_a_snapshot_like_debeziums():
    properties = dict(MINIMAL)
    del properties["snapshot.mode"]
    assert from_mapping(properties).snapshot_mode == "initial"


def test_transforms_that_are_java_classes_of_ones_own_are_refused_by_name():
    types = {"a": "io.debezium.transforms.ExtractNewRecordState", "b": "org.example.Mask"}
    properties = {f"transforms.{name}.type": each for name, each in types.items()}
    message = refused({"transforms": "a,b", **properties}, UnsupportedError)
    assert "transforms.b.type is 'org.example.Mask': that class can't be run here" in message
    assert "transforms.a" not in message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("heartbeat.interval.ms", "0"),
        ("signal.enabled.channels", "source"),
        ("signal.enabled.channels", ""),
        ("transforms", ""),
        ("errors.tolerance", "none"),
        ("table.ignore.builtin", "true"),
        ("snapshot.locking.mode", "minimal"),
        ("tasks.max", "4"),
        ("heartbeat.interval.ms", "1000"),
        ("producer.override.compression.type", "lz4"),
        ("header.converter", "org.apache.kafka.connect.json.JsonConverter"),
        ("exactly.once.support", "required"),
        ("incremental.snapshot.watermarking.strategy", "INSERT_INSERT"),
        ("key.converter", "org.apache.kafka.connect.json.JsonConverter"),
    ],
)
def test_switched_off_or_at_its_default_nothing_is_said(name, value):
    assert from_mapping(MINIMAL | {name: value}).warnings == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("snapshot.fetch.size", "2000"),
        ("snapshot.fetch.size", "100"),
        ("driver.connectionTimeZone", "UTC"),
        ("database.autoReconnect", "true"),
        ("producer.override.max.block.ms", "1000"),
        ("schema.history.internal", "io.debezium.storage.s3.history.S3SchemaHistory"),
        ("snapshot.new.tables", "parallel"),
    ],
)
def test_what_only_tunes_is_warned_about(name, value):
    (warning,) = from_mapping(MINIMAL | {name: value}).warnings
    assert warning.startswith(name)


@pytest.mark.parametrize(
    ("minimal", "prop"),
    [
        pytest.param(minimal, prop, id=prop.name)
        for minimal, tables in ((MINIMAL, mysql.TABLES), (SQL_SERVER_MINIMAL, sqlserver.TABLES))
        for prop in tables.properties
        if prop.status is not Status.WORKS
    ],
)
def test_the_default_of_a_property_that_does_nothing_may_be_written_down(minimal, prop):
    if prop.default is None:
        return
    default = ",".join(prop.default) if isinstance(prop.default, tuple) else prop.default
    assert from_mapping(minimal | {prop.name: default}).warnings == ()


def test_a_file_history_needs_its_file_and_a_file_needs_the_file_history():
    history = FILE_HISTORY
    name = "schema.history.internal.file.filename"
    assert f"{name} is missing" in refused({"schema.history.internal": history})
    assert f"set schema.history.internal={history}" in refused({name: "/tmp/x"})
    assert (
        from_mapping(MINIMAL | {"schema.history.internal": history, name: "/tmp/x"}).schema_history_internal
        == history
    )


KAFKA = "schema.history.internal.kafka."


@pytest.mark.parametrize("chosen", [KAFKA_HISTORY, "io.debezium.relational.history.KafkaDatabaseHistory", None])
def test_a_history_in_kafka_needs_its_topic_and_its_brokers(chosen):
    choice = {"schema.history.internal": chosen}
    assert f"{KAFKA}bootstrap.servers is missing" in refused(choice | {f"{KAFKA}topic": "h"})
    assert f"{KAFKA}topic is missing" in refused(choice | {f"{KAFKA}bootstrap.servers": "k:9092"})
    settings = from_mapping(MINIMAL | choice | {f"{KAFKA}topic": "h", f"{KAFKA}bootstrap.servers": "k:9092"})
    assert settings.schema_history_internal == KAFKA_HISTORY
    assert settings.warnings == ()


def test_a_history_in_kafka_that_is_chosen_by_its_class_needs_both():
    message = refused({"schema.history.internal": KAFKA_HISTORY})
    assert f"{KAFKA}topic is missing" in message
    assert f"{KAFKA}bootstrap.servers is missing" in message


def test_brokers_of_the_history_that_can_not_be_filled_are_told_once():
    message = refused({f"{KAFKA}topic": "h", f"{KAFKA}bootstrap.servers": "${env:TAILRACE_NO_SUCH}"})
    assert message.count(f"{KAFKA}bootstrap.servers") == 1


def test_no_history_is_chosen_where_none_is_named():
    assert from_mapping(MINIMAL).schema_history_internal is None


def test_a_topic_beside_another_kind_of_history_has_no_effect():
    memory = {"schema.history.internal": "io.debezium.relational.history.MemorySchemaHistory"}
    settings = from_mapping(MINIMAL | memory | {f"{KAFKA}topic": "h"})
    assert settings.schema_history_internal is None
    assert any(f"{KAFKA}topic has no effect" in warning for warning in settings.warnings)


def test_what_must_be_exactly_once_is_not_delivered_at_least_once():
    weak = {"tailrace.delivery.guarantee": "at-least-once"}
    assert from_mapping(MINIMAL | weak).tailrace_delivery_guarantee == "at-least-once"
    assert from_mapping(MINIMAL).tailrace_delivery_guarantee == "exactly-once"
    assert "exactly.once.support is 'required'" in refused(weak | {"exactly.once.support": "required"})


def test_a_transactional_id_is_not_given_and_the_message_names_the_prefix():
    message = refused({"producer.override.transactional.id": "mine"})
    assert "tailrace.transactional.id.prefix" in message


def test_client_properties_are_kept_by_their_own_names():
    settings = from_mapping(
        MINIMAL
        | {"producer.override.linger.ms": "1", "consumer.override.client.rack": "a", "admin.override.retries": 3}
        | {
            "schema.history.internal.consumer.client.id": "x",
            "producer.override.ssl.endpoint.identification.algorithm": "",
        }
    )
    assert settings.producer_override == {"linger.ms": "1", "ssl.endpoint.identification.algorithm": ""}
    assert settings.consumer_override == {"client.rack": "a"}
    assert settings.admin_override == {"retries": "3"}
    assert settings.schema_history_consumer == {"client.id": "x"}
    assert settings.schema_history_producer == {}


def test_client_properties_show_their_names_only(monkeypatch):
    monkeypatch.setenv("TAILRACE_TEST_PASSWORD", "s3cr3t")
    name = "producer.override.sasl.password"
    settings = from_mapping(MINIMAL | {name: "${env:TAILRACE_TEST_PASSWORD}"})
    assert settings.producer_override["sasl.password"] == "s3cr3t"
    assert "s3cr3t" not in f"{settings!r} {settings.producer_override} {settings.given}"
    assert "sasl.password" in repr(settings.producer_override)
    assert pickle.loads(pickle.dumps(settings)) == settings  # noqa: S301 - made here


@pytest.mark.parametrize(
    ("converter", "schemas", "expected"),
    [
        (None, None, False),
        (None, "false", False),
        ("org.apache.kafka.connect.json.JsonConverter", None, True),
        ("org.apache.kafka.connect.storage.SimpleHeaderConverter", None, False),
        ("org.apache.kafka.connect.storage.SimpleHeaderConverter", "true", False),
    ],
)
def test_connects_simple_headers_are_json_without_schemas(converter, schemas, expected):
    settings = from_mapping(MINIMAL | {"header.converter": converter, "header.converter.schemas.enable": schemas})
    assert settings.header_converter_schemas_enable is expected
    assert settings.warnings == ()


def test_lanes_and_names_of_our_own_topics_are_typed():
    settings = from_mapping(
        MINIMAL | {"tasks.max": "4", "tailrace.progress.topic": "p", "tailrace.transactional.id.prefix": "acl-"}
    )
    assert settings.tasks_max == 4
    assert settings.tailrace_progress_topic == "p"
    assert settings.tailrace_history_topic is None
    assert settings.tailrace_transactional_id_prefix == "acl-"
    assert "tasks.max is '0': it must be a whole number from 1" in refused({"tasks.max": "0"})
    assert "tailrace.history.topic" in refused({"tailrace.history.topic": "a b"})


def test_settings_pickle():
    settings = from_mapping(TUTORIAL)
    assert pickle.loads(pickle.dumps(settings)) == settings  # noqa: S301 - made here


def test_settings_are_read_from_connect_json_flat_json_and_properties(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(TUTORIAL))
    (tmp_path / "b.json").write_text(json.dumps(TUTORIAL["config"] | {"name": TUTORIAL["name"]}))
    lines = [f"{name} = {value}" for name, value in TUTORIAL["config"].items()]
    (tmp_path / "c.properties").write_text("\n".join(["# mine", "name: inventory-connector", *lines]))
    first, second, third = (load(tmp_path / name) for name in ("a.json", "b.json", "c.properties"))
    assert first.redacted() == second.redacted() == third.redacted()
    assert first.database_password == third.database_password
