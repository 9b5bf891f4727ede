"""The configuration of the Db2 connector: its names, its one database, TLS, its driver, its combinations."""

import pickle

import pytest

from support.configurations import DB2, DB2_MINIMAL
from tailrace.connectors.db2.config_checks import is_loopback
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.load import from_mapping
from tailrace.connectors.registry import SPECS
from tailrace.errors import ConfigError, UnsupportedError
from tailrace.schema.table_names import signal_tables
from tailrace.schema.tables import TableId

CUSTOMERS = TableId("SHOP", "DB2INST1", "CUSTOMERS")
WITHOUT_TLS = {name: value for name, value in DB2_MINIMAL.items() if name != "driver.sslConnection"}
DEBEZIUMS = {
    "connector.class": DB2,
    "database.hostname": "192.168.99.100",
    "database.port": "50000",
    "database.user": "db2inst1",
    "database.password": "Password!",
    "database.dbname": "mydatabase",
    "topic.prefix": "fullfillment",
    "table.include.list": "MYSCHEMA.CUSTOMERS",
    "schema.history.internal.kafka.bootstrap.servers": "kafka:9092",
    "schema.history.internal.kafka.topic": "schemahistory.fullfillment",
}
OF_DEBEZIUM_1 = {
    "connector.class": DB2,
    "database.hostname": "db2",
    "database.user": "db2inst1",
    "database.password": "Password!",
    "database.dbname": "testdb",
    "database.server.name": "testdb",
    "database.cdcschema": "ASNCDC",
    "table.whitelist": "TESTSCHEMA.customers",
    "database.history.kafka.bootstrap.servers": "kafka:9092",
    "database.history.kafka.topic": "dbhistory.testdb",
}


def settings(**properties):
    """The minimal settings with more; `table_include_list` is `table.include.list`."""
    return with_({name.replace("_", "."): value for name, value in properties.items()})


def with_(properties, given=DB2_MINIMAL):
    found = from_mapping(given | properties)
    assert isinstance(found, Db2Settings)
    return found


def refused(properties, error=ConfigError, given=DB2_MINIMAL):
    with pytest.raises(error) as raised:
        from_mapping(given | properties)
    return str(raised.value)


@pytest.mark.parametrize("name", ["db2", "Db2Connector", DB2])
def test_the_class_chooses_the_settings(name):
    assert with_({"connector.class": name}).connector_class == DB2


def test_defaults_are_those_of_debezium():
    found = settings()
    assert found.database_port == 50000
    assert found.db2_platform == "LUW"
    assert found.control_schema == "ASNCDC"
    assert found.time_precision_mode == "adaptive"
    assert found.decimal_handling_mode == "precise"
    assert found.snapshot_mode == "initial"
    assert found.snapshot_locking_mode == "exclusive"
    assert found.snapshot_lock_timeout_ms == 10_000
    assert found.streaming_query_timespan_seconds == 0
    assert found.topic_naming_strategy == "io.debezium.schema.SchemaTopicNamingStrategy"
    assert found.large_object_placeholder is None
    assert found.warnings == ()


def test_of_the_times_in_the_source_block_the_commit_is_told_unless_debeziums_way_is_asked_for():
    assert not settings().uses_processing_time
    assert settings(source_timestamp_mode="processing").uses_processing_time


def test_settings_can_be_sent_to_another_process():
    found = settings(table_include_list=r"DB2INST1\..*", message_key_columns="DB2INST1.T:A", signal_data_collection="S.T")
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 - made here


def test_the_database_must_be_named_and_is_one():
    without = {name: value for name, value in DB2_MINIMAL.items() if name != "database.dbname"}
    assert "database.dbname is missing" in refused({}, given=without)
    assert "it must be the name or alias of one database" in refused({"database.dbname": "A, B"})


def test_lists_of_databases_may_not_leave_out_the_one_that_is_read():
    assert with_({"database.include.list": "shop"}).warnings == ()
    assert "database.include.list leaves out SHOP" in refused({"database.include.list": "crm"})
    assert "database.exclude.list leaves out SHOP" in refused({"database.exclude.list": "sh.*"})


@pytest.mark.parametrize("shape", ["current", "2.1", "1.4"])
def test_topics_do_not_have_the_database_in_any_shape(shape):
    found = with_({"tailrace.event.shape": shape})
    assert found.routing.topic("shop", CUSTOMERS) == "shop.DB2INST1.CUSTOMERS"


def test_tables_are_named_by_schema_and_table():
    tables = settings(table_include_list=r"DB2INST1\.CUSTOMERS,sales\..*").tables
    assert tables.matches(CUSTOMERS)
    assert tables.matches(TableId("SHOP", "SALES", "ORDERS"))
    assert not tables.matches(TableId("SHOP", "DB2INST1", "ORDERS"))


def test_schemas_have_lists_of_their_own():
    assert not settings(schema_exclude_list="db2inst1").tables.matches(CUSTOMERS)
    assert "schema.include.list and schema.exclude.list are both set" in refused(
        {"schema.include.list": "a", "schema.exclude.list": "b"}
    )


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ("ASNCDC", "CDC_DB2INST1_T"),
        ("asncdc2", "T"),
        ("SYSTOOLS", "T"),
        ("SYSIBM", "SYSTABLES"),
        ("ASN", "IBMSNAP_REGISTER"),
        ("ASN", "ibmqrep_colversion"),
    ],
)
def test_what_belongs_to_the_server_or_to_the_capture_program_is_never_captured(schema, name):
    assert not settings(table_include_list=".*").tables.matches(TableId("SHOP", schema, name))


@pytest.mark.parametrize("table", [("ASN", "CDC"), ("MYSYS", "T"), ("DB2INST1", "MY_IBMSNAP_")])
def test_names_that_only_look_like_those_are_anybodys(table):
    assert settings(table_include_list=".*").tables.matches(TableId("SHOP", *table))


@pytest.mark.parametrize("name", ["DB2INST1.SIGNALS", "SHOP.DB2INST1.SIGNALS", '"DB2INST1"."SIGNALS"', "shop.DB2INST1.SIGNALS"])
def test_a_signal_table_is_named_with_its_database_or_without(name):
    found = with_({"signal.data.collection": name, "table.include.list": "A.B"})
    (table,) = signal_tables(found.signal_data_collection)
    assert (table.catalog.upper(), table.schema, table.name) == ("SHOP", "DB2INST1", "SIGNALS")
    assert found.tables.matches(TableId("SHOP", "DB2INST1", "SIGNALS")), "whatever the lists say"


def test_the_parts_of_a_signal_tables_name_keep_their_quotes():
    (table,) = signal_tables(with_({"signal.data.collection": '"a.b"."say ""so"""'}).signal_data_collection)
    assert table == TableId("SHOP", "a.b", 'say "so"')


def test_a_signal_table_elsewhere_is_refused():
    assert "database.dbname says which one is" in refused({"signal.data.collection": "CRM.DB2INST1.SIGNALS"})
    assert "is in a system schema" in refused({"signal.data.collection": "ASNCDC.SIGNALS"})
    assert "must be schema.table or database.schema.table" in refused({"signal.data.collection": "SIGNALS"})


@pytest.mark.parametrize(
    ("given", "schema"), [("ASNCDC", "ASNCDC"), ("asn1", "ASN1"), ('"asn1"', "asn1"), ('"a ""b"""', 'a "b"')]
)
def test_the_control_schema_is_in_capitals_unless_it_is_quoted(given, schema):
    assert with_({"cdc.control.schema": given}).control_schema == schema


def test_the_schema_of_change_tables_is_none_of_the_configurations_business():
    (warning,) = with_({"cdc.change.tables.schema": "CD"}).warnings
    assert warning.startswith("cdc.change.tables.schema is ignored: `IBMSNAP_REGISTER` tells")


def test_z_os_is_another_platform():
    assert with_({"db2.platform": "zos"}).is_zos
    assert not settings().is_zos
    assert "db2.platform is 'AS400'" in refused({"db2.platform": "AS400"})


def test_a_stop_lsn_is_ignored_anyway():
    (warning,) = with_({"z.stop.lsn.ignore": "true"}).warnings
    assert "`CD_OLD_SYNCHPOINT` is never taken for the end" in warning


def test_a_timespan_of_one_second_is_refused_as_by_debezium():
    assert "streaming.query.timespan.seconds is 1" in refused({"streaming.query.timespan.seconds": "1"})
    assert with_({"streaming.query.timespan.seconds": "120"}).streaming_query_timespan_seconds == 120
    assert "it must be a whole number from 0" in refused({"streaming.query.timespan.seconds": "-1"})


def test_an_isolation_mode_that_was_not_asked_for_can_be_told_from_one_that_was():
    assert settings().snapshot_isolation_mode is None
    assert not settings().lock_timeout_is_final
    found = settings(snapshot_isolation_mode="REPEATABLE_READ")
    assert found.snapshot_isolation_mode == "repeatable_read"
    assert found.lock_timeout_is_final
    assert "snapshot.isolation.mode" in refused({"snapshot.isolation.mode": "snapshot"})


@pytest.mark.parametrize(("given", "meant"), [("schema_only", "no_data"), ("schema_only_recovery", "recovery")])
def test_older_names_of_snapshot_modes_are_taken(given, meant):
    assert settings(snapshot_mode=given).snapshot_mode == meant


def test_what_stands_for_large_objects_is_null_unless_the_placeholder_is_asked_for():
    asked = {"tailrace.large.objects": "placeholder"}
    assert with_(asked).large_object_placeholder == "__debezium_unavailable_value"
    assert with_(asked | {"unavailable.value.placeholder": "?"}).large_object_placeholder == "?"
    (warning,) = with_({"unavailable.value.placeholder": "?"}).warnings
    assert "set tailrace.large.objects=placeholder" in warning


@pytest.mark.parametrize("mode", ["base64", "hex"])
def test_binary_values_are_bytes_in_every_mode_as_in_debezium(mode):
    (warning,) = with_({"binary.handling.mode": mode}).warnings
    assert warning.startswith("binary.handling.mode is ignored: Debezium's Db2 connector gives bytes with all its values")


@pytest.mark.parametrize("name", ["database.user", "database.password", "database.dbname"])
def test_what_the_driver_would_end_at_a_nul_is_refused(name):
    message = refused({name: "first\0second"})
    assert name in message
    assert name != "database.password" or "second" not in message


def test_no_password_goes_over_a_network_without_tls():
    message = refused({}, given=WITHOUT_TLS)
    assert "driver.sslConnection is false: the password would go to db.example.org without TLS" in message
    assert "set driver.sslConnection=true" in message
    assert "tailrace.login.without.tls=true" in message


@pytest.mark.parametrize("asked", ["driver.sslConnection", "database.sslConnection", "tailrace.login.without.tls"])
def test_unless_tls_is_set_or_not_wanted(asked):
    assert with_({asked: "true"}, WITHOUT_TLS).warnings == ()


@pytest.mark.parametrize("mechanism", ["3", "9"])
def test_an_encrypted_password_is_no_tls(mechanism):
    assert "without TLS" in refused({"driver.securityMechanism": mechanism}, given=WITHOUT_TLS)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "::1"])
def test_to_the_machine_itself_it_may_go(host):
    assert is_loopback(host)
    assert with_({"database.hostname": host}, WITHOUT_TLS).warnings == ()


@pytest.mark.parametrize("host", ["db2", "localhost.example.org", "10.0.0.1", "::2", "127.0.0.1.example.org"])
def test_another_machine_is_not_taken_for_it(host):
    assert not is_loopback(host)


@pytest.mark.parametrize("example", [DEBEZIUMS, OF_DEBEZIUM_1], ids=["3.6", "1.x"])
def test_of_debeziums_example_nothing_is_refused_but_the_lack_of_tls(example):
    message = refused({}, given=example)
    assert "\n" not in message, "one problem is told in one line"
    assert "without TLS" in message
    found = with_({"tailrace.login.without.tls": "true"}, example)
    assert found.routing.topic(found.topic_prefix, CUSTOMERS) == f"{found.topic_prefix}.DB2INST1.CUSTOMERS"
    assert [each for each in found.warnings if "cdcschema" not in each] == []


def test_the_drivers_properties_are_taken_under_both_prefixes():
    found = with_({"database.sslTrustStoreLocation": "t.jks", "driver.sslTrustStorePassword": "x"})
    assert (found.driver_sslconnection, found.driver_ssltruststorelocation) == (True, "t.jks")
    assert found.warnings == ()


def test_authorities_stand_in_one_file():
    message = refused({"driver.sslTrustStoreLocation": "t.jks", "driver.sslCertLocation": "ca.pem"})
    assert "driver.sslTrustStoreLocation and driver.sslCertLocation are both set" in message


def test_they_have_no_effect_without_tls():
    given = WITHOUT_TLS | {"tailrace.login.without.tls": "true"}
    (warning,) = with_({"driver.sslCertLocation": "ca.pem"}, given).warnings
    assert warning == "driver.sslCertLocation has no effect: driver.sslConnection is false"


@pytest.mark.parametrize(("given", "taken"), [("3", "3"), ("9", "9"), ("7", "9")])
def test_how_the_password_is_sent_is_jccs_number(given, taken):
    assert with_({"driver.securityMechanism": given}).driver_securitymechanism == taken


@pytest.mark.parametrize(
    ("mechanism", "words"), [("11", "that is Kerberos"), ("13", "set driver.sslConnection=true"), ("18", "a certificate")]
)
def test_what_the_driver_can_not_do_at_login_is_named(mechanism, words):
    assert words in refused({"driver.securityMechanism": mechanism})


def test_names_and_times_of_sessions_have_defaults():
    assert (settings().application, settings().connect_seconds) == ("tailrace", 30)
    found = with_({"driver.clientApplicationInformation": "orders", "driver.loginTimeout": "5"})
    assert (found.application, found.connect_seconds) == ("orders", 5)
    assert with_({"database.loginTimeout": "0"}).connect_seconds == 30
    assert with_({"driver.currentSchema": "DB2INST1"}).driver_currentschema == "DB2INST1"


@pytest.mark.parametrize("name", ["driver.sslKeyStoreLocation", "database.kerberosServerPrincipal", "driver.databaseName"])
def test_what_the_driver_can_not_and_matters_is_refused(name):
    assert name in refused({name: "x"}, UnsupportedError)


@pytest.mark.parametrize(
    "name",
    [
        "driver.retrieveMessagesFromServerOnGetMessage",
        "database.progressiveStreaming",
        "driver.currentLockTimeout",
        "driver.sslVersion",
        "driver.clientRerouteAlternateServerName",
        "driver.traceLevel",
    ],
)
def test_what_only_the_jdbc_driver_knows_is_ignored_with_a_warning(name):
    assert f"{name} is ignored" in with_({name: "x"}).warnings[0]


@pytest.mark.parametrize("name", ["query.fetch.size", "snapshot.fetch.size", "max.batch.size", "max.queue.size"])
def test_a_size_without_effect_says_so(name):
    (warning,) = with_({name: "5000"}).warnings
    assert warning.startswith(f"{name} is ignored: ")


def test_no_secret_is_shown():
    found = with_({"database.password": "s3cr3t", "driver.sslTrustStorePassword": "s3cr3t", "driver.sslTrustStoreLocation": "t"})
    assert "s3cr3t" not in repr(found)
    assert "s3cr3t" not in refused({"database.password": "s3cr3t", "db2.platform": "x"})


def test_confluent_cloud_has_no_such_connector():
    assert SPECS[DB2].cloud == ()
