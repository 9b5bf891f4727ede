"""The configuration of signals, incremental snapshots and notifications."""

import pickle

import pytest

from support.configurations import MINIMAL, SQL_SERVER_MINIMAL
from tailrace.connectors.load import from_mapping
from tailrace.errors import ConfigError
from tailrace.schema.tables import TableId

BY_KAFKA = {"signal.enabled.channels": "source, kafka", "signal.kafka.bootstrap.servers": "k:9092"}


def settings(properties):
    return from_mapping(MINIMAL | properties)


def refused(properties):
    with pytest.raises(ConfigError) as raised:
        settings(properties)
    return str(raised.value)


def test_without_a_word_about_them_signals_come_from_nowhere_and_notifications_go_nowhere():
    usual = settings({})
    assert (usual.signal_data_collection, usual.signal_enabled_channels) == ((), ("source",))
    assert (usual.signal_poll_interval_ms, usual.signal_file) == (5000, "file-signals.txt")
    assert (usual.signal_kafka_topic, usual.signal_kafka_groupid) == ("shop-signal", "kafka-signal")
    assert usual.signal_kafka_poll_timeout_ms == 100
    assert usual.notification_enabled_channels == ()
    assert usual.incremental_snapshot_chunk_size is None


def test_all_of_them_together():
    given = settings(
        BY_KAFKA
        | {
            "signal.data.collection": "ops.debezium_signal",
            "signal.enabled.channels": "source,kafka,file",
            "signal.kafka.topic": "signals",
            "signal.kafka.groupId": "g",
            "signal.kafka.poll.timeout.ms": "0",
            "signal.poll.interval.ms": "100",
            "signal.file": "/var/lib/signals",
            "notification.enabled.channels": "log,sink",
            "notification.sink.topic.name": "told",
            "incremental.snapshot.chunk.size": "1",
            "read.only": "true",
        }
    )
    assert given.warnings == ()
    assert given.signal_enabled_channels == ("source", "kafka", "file")
    assert (given.signal_kafka_topic, given.notification_sink_topic_name) == ("signals", "told")
    assert given.incremental_snapshot_chunk_size == 1


def test_the_channels_of_the_jvm_are_passed_over():
    found = settings({"signal.enabled.channels": "source,jmx", "notification.enabled.channels": "jmx"})
    assert (found.signal_enabled_channels, found.notification_enabled_channels) == (("source",), ())
    assert found.warnings == (
        "signal.enabled.channels is 'source,jmx': jmx is ignored: it belongs to the JVM; use kafka or file",
        "notification.enabled.channels is 'jmx': jmx is ignored: it belongs to the JVM; use sink or log",
    )


@pytest.mark.parametrize(
    ("properties", "says"),
    [
        ({"signal.enabled.channels": "pigeon"}, "'pigeon' is not among its values: source, kafka, file"),
        ({"notification.enabled.channels": "sink"}, "notification.sink.topic.name is missing"),
        ({"notification.sink.topic.name": "a b", "notification.enabled.channels": "sink"}, "letters, digits, dots"),
        ({"signal.enabled.channels": "kafka"}, "signal.kafka.bootstrap.servers is missing"),
        (BY_KAFKA | {"signal.kafka.topic": "a b"}, "letters, digits, dots"),
        ({"signal.enabled.channels": "file", "tasks.max": "2"}, "use kafka or source for signals, or set tasks.max=1"),
        ({"signal.data.collection": "debezium_signal"}, "debezium_signal must be database.table"),
        ({"signal.data.collection": "a.b.c"}, "a.b.c must be database.table"),
        ({"signal.data.collection": "ops.s, ops."}, "'ops.' is not the name of a table; it must be database.table"),
        ({"signal.data.collection": "ops.a.b.c.d"}, "it must be database.table"),
        ({"signal.data.collection": '"".t'}, "must be database.table"),
        ({"signal.data.collection": "mysql.s"}, "mysql.s is in a system schema"),
        ({"signal.poll.interval.ms": "0"}, "signal.poll.interval.ms"),
        ({"incremental.snapshot.chunk.size": "0"}, "a whole number from 1"),
    ],
    ids=str,
)
def test_what_can_not_be_is_named_with_what_to_do(properties, says):
    assert says in refused(properties)


@pytest.mark.parametrize(
    ("properties", "says"),
    [
        ({"signal.kafka.topic": "s"}, "signal.kafka.topic has no effect: signal.enabled.channels has no kafka"),
        ({"signal.consumer.client.id": "s"}, "signal.consumer.client.id has no effect: signal.enabled.channels has no kafka"),
        ({"signal.file": "s"}, "signal.file has no effect: signal.enabled.channels has no file"),
        (
            {"notification.sink.topic.name": "n"},
            "notification.sink.topic.name has no effect: notification.enabled.channels has no sink",
        ),
        ({"incremental.snapshot.allow.schema.changes": "true"}, "is ignored: structures may always change"),
        ({"incremental.snapshot.watermarking.strategy": "insert_delete"}, "is ignored: nothing is written to the source"),
        (BY_KAFKA | {"signal.consumer.max.poll.records": "5"}, "signal.consumer.max.poll.records is ignored"),
    ],
    ids=str,
)
def test_what_does_nothing_is_warned_about(properties, says):
    (warning,) = settings(properties).warnings
    assert says in warning


def test_properties_of_the_signal_topics_consumer_are_kept_by_their_own_names_and_secret():
    given = settings(BY_KAFKA | {"signal.consumer.sasl.password": "hunter2", "signal.consumer.auto.offset.reset": "latest"})
    assert given.signal_consumer == {"sasl.password": "hunter2", "auto.offset.reset": "latest"}
    assert given.warnings == ()
    assert "hunter2" not in f"{given!r} {given.redacted()}"


def test_signal_tables_are_captured_whatever_the_lists_leave_out():
    tables = settings(
        {
            "database.include.list": "shop",
            "table.include.list": "shop.orders",
            "signal.data.collection": 'ops.Signals, shop."a.b"',
        }
    ).tables
    assert tables.matches(TableId("ops", "", "Signals"))
    assert tables.matches(TableId("shop", "", "a.b"))
    assert tables.matches(TableId("ops", "", "signals")), "names come in lower case from a server with lower_case_table_names=1"
    assert not tables.matches(TableId("ops", "", "other"))
    assert not tables.matches(TableId("shop", "", "items"))
    assert tables.matches_database("ops")
    assert not tables.matches_database("crm")
    assert pickle.loads(pickle.dumps(tables)) == tables  # noqa: S301 - made here


def test_signal_tables_are_captured_whatever_the_lists_exclude():
    lists = {"table.exclude.list": r"ops\..*", "database.exclude.list": "tmp"}
    tables = settings(lists | {"signal.data.collection": "ops.s,tmp.s"}).tables
    assert tables.matches(TableId("ops", "", "s"))
    assert tables.matches(TableId("tmp", "", "s"))
    assert not tables.matches(TableId("ops", "", "t"))
    assert not tables.matches(TableId("tmp", "", "t"))


def test_a_signal_table_is_in_a_database_that_is_read():
    given = SQL_SERVER_MINIMAL | {"database.names": "shop", "signal.data.collection": "Shop.dbo.signals"}
    assert from_mapping(given).signal_data_collection == ("Shop.dbo.signals",)
    with pytest.raises(ConfigError, match=r"ops.dbo.signals is in a database that is not read.*database.names"):
        from_mapping(given | {"signal.data.collection": "ops.dbo.signals"})
