"""The configuration of the SQL Server connector: its names, its lists, its driver, its combinations."""

import pickle

import pytest
from attrs import evolve

from support.configurations import MINIMAL, SQL_SERVER, SQL_SERVER_MINIMAL
from tailrace.connectors.load import from_mapping
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.errors import ConfigError, UnsupportedError
from tailrace.schema.tables import TableId

CUSTOMERS = TableId("crm", "dbo", "customers")


def settings(**properties):
    """The minimal settings with more; `table_include_list` is `table.include.list`."""
    return with_({name.replace("_", "."): value for name, value in properties.items()})


def with_(properties):
    return from_mapping(SQL_SERVER_MINIMAL | properties)


def refused(properties, error=ConfigError):
    with pytest.raises(error) as raised:
        with_(properties)
    return str(raised.value)


def test_the_class_chooses_the_settings():
    assert type(from_mapping(MINIMAL)) is MySqlSettings
    assert type(from_mapping(SQL_SERVER_MINIMAL)) is SqlServerSettings
    assert with_({"connector.class": "sqlserver"}).connector_class == SQL_SERVER


def test_without_a_class_nothing_else_is_said():
    with pytest.raises(ConfigError) as raised:
        from_mapping({"nonsense": "1"})
    assert str(raised.value) == (
        "configuration: connector.class is missing (Which connector this is: "
        "`io.debezium.connector.mysql.MySqlConnector`, or `mysql` for short; "
        "`io.debezium.connector.sqlserver.SqlServerConnector`, or `sqlserver`; "
        "`io.debezium.connector.db2.Db2Connector`, or `db2`)"
    )


def test_an_unknown_class_is_answered_with_those_that_there_are():
    message = refused({"connector.class": "com.example.Connector", "nonsense": "1"})
    assert "connector.class is 'com.example.Connector': no such class is known; it must be one of" in message
    assert "MySqlConnector" in message
    assert "SqlServerConnector" in message
    assert "nonsense" not in message


def test_a_property_of_another_connector_is_none_of_this_one():
    (warning,) = with_({"database.server.id": "1"}).warnings
    assert warning.startswith("database.server.id is not a property of the SQL Server connector")
    (warning,) = from_mapping(MINIMAL | {"database.names": "a"}).warnings
    assert warning.startswith("database.names is not a property of the MySQL connector")


def test_defaults_are_those_of_debezium():
    found = settings()
    assert found.database_port == 1433
    assert found.time_precision_mode == "adaptive"
    assert found.data_query_mode == "direct"
    assert found.max_iteration_transactions == 500
    assert found.streaming_fetch_size == 0
    assert found.snapshot_locking_mode == "exclusive"
    assert found.snapshot_lock_timeout_ms == 10_000
    assert found.schema_history_internal is None
    assert found.topic_naming_strategy == "io.debezium.schema.SchemaTopicNamingStrategy"
    assert found.warnings == ()


def test_settings_can_be_sent_to_another_process():
    found = settings(table_include_list=r"dbo\..*", message_key_columns="dbo.t:a")
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 - made here


def test_an_isolation_mode_that_was_not_asked_for_can_be_told_from_one_that_was():
    assert settings().snapshot_isolation_mode is None
    assert settings(snapshot_isolation_mode="REPEATABLE_READ").snapshot_isolation_mode == "repeatable_read"
    assert "snapshot.isolation.mode" in refused({"snapshot.isolation.mode": "serializable"})


@pytest.mark.parametrize("timeout", ["10000", "0", "-1"])
def test_a_lock_may_be_waited_for_not_at_all_or_for_ever(timeout):
    assert settings(snapshot_lock_timeout_ms=timeout).snapshot_lock_timeout_ms == int(timeout)


def test_a_lock_time_out_below_for_ever_is_refused():
    assert "it must be a whole number from -1" in refused({"snapshot.lock.timeout.ms": "-2"})


def test_several_databases_are_listed_and_each_once():
    assert settings(database_names="crm, shop").database_names == ("crm", "shop")
    assert "database.names has crm more than once" in refused({"database.names": "crm,shop,CRM"})


def test_tables_are_named_by_schema_and_table_in_every_database():
    tables = settings(table_include_list=r"dbo\.customers,sales\..*").tables
    assert tables.matches(CUSTOMERS)
    assert tables.matches(TableId("shop", "DBO", "Customers"))
    assert tables.matches(TableId("crm", "sales", "orders"))
    assert not tables.matches(TableId("crm", "dbo", "orders"))
    assert not settings(table_include_list=r"crm\.dbo\.customers").tables.matches(CUSTOMERS)


def test_schemas_and_databases_have_lists_of_their_own():
    tables = settings(schema_include_list="dbo", database_exclude_list="test.*").tables
    assert tables.matches(CUSTOMERS)
    assert not tables.matches(TableId("crm", "sales", "orders"))
    assert not tables.matches(TableId("test1", "dbo", "customers"))
    assert "schema.include.list and schema.exclude.list are both set" in refused(
        {"schema.include.list": "a", "schema.exclude.list": "b"}
    )


@pytest.mark.parametrize(
    "table", [("cdc", "dbo_t_CT"), ("CDC", "captured_columns"), ("sys", "x"), ("dbo", "systranschemas")]
)
def test_what_belongs_to_the_server_is_never_captured(table):
    assert not settings(table_include_list=".*").tables.matches(TableId("crm", *table))


def test_a_database_may_be_called_as_one_of_mysqls_own():
    assert settings(database_names="mysql").tables.matches(TableId("mysql", "dbo", "t"))


def test_columns_of_the_value_are_named_by_schema_table_and_column():
    columns = settings(column_exclude_list=r"dbo\.customers\.email").columns
    assert not columns.matches(CUSTOMERS, "Email")
    assert columns.matches(CUSTOMERS, "id")
    assert settings(column_exclude_list=r"crm\.dbo\.customers\.email").columns.matches(CUSTOMERS, "email")


@pytest.mark.parametrize("name", ["dbo.customers.email", "crm.dbo.customers.email"])
def test_rules_for_columns_may_have_the_database_in_front(name):
    found = with_({"column.mask.with.5.chars": name, "column.propagate.source.type": name.replace("email", "id")})
    assert found.column_rule(CUSTOMERS, "email", "varchar").length == 5
    assert found.column_rule(CUSTOMERS, "id", "int") == found.source_types
    assert found.column_rule(CUSTOMERS, "name", "varchar") is None


@pytest.mark.parametrize("name", ["dbo.customers", "crm.dbo.customers"])
def test_key_columns_may_be_given_with_the_database_or_without(name):
    keys = with_({"message.key.columns": f"{name}:email,id"}).message_keys
    assert keys.columns_for(CUSTOMERS, ["id", "email", "name"]) == ("email", "id")
    assert keys.columns_for(TableId("crm", "sales", "customers"), ["id", "email"]) == ()


@pytest.mark.parametrize("name", [r"crm\.dbo\.customers", r'"crm"\."dbo"\."customers"', r"CRM[.]dbo[.]cust.*"])
def test_the_tables_of_a_snapshot_may_be_named_in_full(name):
    tables = with_({"snapshot.include.collection.list": name}).snapshot_tables
    assert tables.matches(CUSTOMERS)
    assert not tables.matches(TableId("shop", "dbo", "customers"))
    assert settings().snapshot_tables.matches(CUSTOMERS)


@pytest.mark.parametrize("name", ["dbo.customers", "DBO.Customers", r"dbo\.cust.*", "sales.x,dbo.customers"])
def test_the_tables_of_a_snapshot_are_named_as_in_lists_of_tables(name):
    tables = with_({"snapshot.include.collection.list": name}).snapshot_tables
    assert tables.matches(CUSTOMERS)
    assert tables.matches(TableId("shop", "dbo", "customers")), "of every database"
    assert not tables.matches(TableId("crm", "sales", "customers"))
    assert not tables.matches(TableId("dbo", "sales", "customers"))


@pytest.mark.parametrize("name", ["dbo.customers", "crm.dbo.customers", "[dbo].[customers]", '[crm]."dbo".customers'])
def test_a_statement_may_be_given_for_a_table_with_the_database_or_without(name):
    found = with_(
        {"snapshot.select.statement.overrides": name, f"snapshot.select.statement.overrides.{name}": "SELECT 1"}
    )
    assert found.select_overrides.of(CUSTOMERS).statement == "SELECT 1"
    assert found.select_overrides.of(TableId("crm", "sales", "customers")) is None


def test_a_statement_for_a_name_without_a_schema_is_refused():
    message = refused({"snapshot.select.statement.overrides": "customers"})
    assert "it must be schema.table or database.schema.table" in message


def test_a_signal_table_is_captured_in_its_database_whatever_the_lists_say():
    tables = evolve(settings(table_include_list=r"dbo\.customers").tables, also=frozenset({TableId("crm", "dbo", "signals")}))
    assert tables.matches(TableId("crm", "dbo", "Signals"))
    assert not tables.matches(TableId("shop", "dbo", "signals"))


def test_a_signal_table_has_all_three_parts():
    message = refused({"signal.data.collection": "dbo.signals"})
    assert "signal.data.collection: dbo.signals must be database.schema.table" in message


def test_signals_are_taken_as_by_any_connector():
    found = with_({"signal.data.collection": "crm.dbo.signals", "signal.enabled.channels": "source,file"})
    assert found.signal_enabled_channels == ("source", "file")
    assert with_({"incremental.snapshot.chunk.size": "5", "incremental.snapshot.option.recompile": "true"}).warnings == ()


def test_the_drivers_properties_are_taken_under_both_prefixes():
    found = with_({"driver.encrypt": "strict", "database.trustServerCertificate": "true"})
    assert (found.driver_encrypt, found.driver_trustservercertificate) == ("strict", True)
    assert found.warnings == ()


def test_of_a_property_of_the_driver_under_both_names_the_new_one_counts():
    found = with_({"database.encrypt": "false", "driver.encrypt": "strict"})
    assert found.driver_encrypt == "strict"
    assert found.warnings == (
        "database.encrypt (now driver.encrypt) is 'false' and has no effect, because driver.encrypt is set to 'strict'",
    )


@pytest.mark.parametrize("name", ["driver.keyStoreLocation", "database.clientCertificate", "driver.failoverPartner"])
def test_what_the_odbc_driver_can_not_and_matters_is_refused(name):
    assert name in refused({name: "x"}, UnsupportedError)


@pytest.mark.parametrize("name", ["driver.sendStringParametersAsUnicode", "database.responseBuffering"])
def test_what_only_the_jdbc_driver_knows_is_ignored_with_a_warning(name):
    assert f"{name} is ignored" in with_({name: "x"}).warnings[0]


def test_where_the_server_is_can_not_be_told_twice():
    assert "set database.hostname" in refused({"driver.databaseName": "crm"}, UnsupportedError)


def test_a_port_makes_the_instances_name_needless():
    assert settings(database_instance="SQL1").instance == "SQL1"
    both = settings(database_instance="SQL1", database_port="1500")
    assert both.instance is None
    assert both.warnings == ("database.instance has no effect: database.port says where the server listens",)


def test_a_login_is_needed_unless_the_driver_has_another_way():
    given = dict(SQL_SERVER_MINIMAL)
    del given["database.user"]
    with pytest.raises(ConfigError, match=r"database\.user is missing"):
        from_mapping(given)
    assert from_mapping(given | {"driver.integratedSecurity": "true"}).database_user is None
    found = from_mapping(given | {"driver.authentication": "ActiveDirectoryMSI"})
    assert found.driver_authentication == "ActiveDirectoryManagedIdentity"


def test_the_processs_own_login_needs_no_name():
    found = with_({"driver.integratedSecurity": "true"})
    assert "database.user has no effect" in found.warnings[0]


def test_a_replica_is_read_with_snapshot_isolation_only():
    assert with_({"driver.applicationIntent": "ReadOnly"}).reads_replica
    assert not settings().reads_replica
    found = with_({"database.applicationIntent": "readonly", "snapshot.isolation.mode": "exclusive"})
    assert "a replica is read with snapshot isolation only" in found.warnings[0]


def test_the_shape_of_debezium_1_4_knows_one_database():
    assert with_({"tailrace.event.shape": "1.4", "database.dbname": "crm", "database.names": "crm"}).warnings == ()
    message = refused({"tailrace.event.shape": "1.4", "database.names": "crm,shop"})
    assert "topics do not have the database's name in that shape" in message
    with pytest.raises(ConfigError, match=r"tailrace\.event\.shape"):
        from_mapping(MINIMAL | {"tailrace.event.shape": "1.4"})


def test_the_old_name_of_the_one_database_is_taken_with_a_warning():
    given = dict(SQL_SERVER_MINIMAL)
    del given["database.names"]
    found = from_mapping(given | {"database.dbname": "crm"})
    assert found.database_names == ("crm",)
    assert "set tailrace.event.shape=1.4" in found.warnings[0]


def test_an_internal_switch_that_changes_events_is_refused():
    name = "internal.change.column.filter.override"
    assert name in refused({name: "true"}, UnsupportedError)
    assert "is ignored" in with_({"internal.streaming.lsn.optimization": "true"}).warnings[0]


@pytest.mark.parametrize(("given", "waits"), [("20", 20), ("5000", 5000), ("600000", 5000)])
def test_the_log_is_looked_at_every_five_seconds_at_least(given, waits):
    assert settings(poll_interval_ms=given).poll_ms == waits


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("snapshot.fetch.size", "as many rows are read at a time as some megabytes hold"),
        ("query.fetch.size", "as many rows are held at a time as some megabytes have"),
        ("max.batch.size", "memory is bounded by"),
        ("max.queue.size", "memory is bounded by"),
        ("max.queue.size.in.bytes", "memory is bounded by"),
    ],
)
def test_a_size_without_effect_says_why(name, reason):
    (warning,) = settings(**{name.replace(".", "_"): "5000"}).warnings
    assert warning.startswith(f"{name} is ignored: {reason}")
