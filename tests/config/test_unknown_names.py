"""Names that are no property: what each sort of them is told, and which of them stop a connector."""

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from support.configurations import DB2_MINIMAL, MINIMAL, SQL_SERVER_MINIMAL
from tailrace.config.name_kinds import EVERYWHERE, NAME_KINDS
from tailrace.connectors.load import from_mapping, load
from tailrace.connectors.registry import SPECS
from tailrace.errors import ConfigError

EACH = {"MySQL": MINIMAL, "SQL Server": SQL_SERVER_MINIMAL, "Db2": DB2_MINIMAL}


def said(properties, database="MySQL"):
    """The one warning about them, which changes nothing else."""
    plain, found = from_mapping(EACH[database]), from_mapping(EACH[database] | properties)
    (warning,) = found.warnings
    assert found.tables == plain.tables
    return warning


def refused(properties, database="MySQL", **options):
    with pytest.raises(ConfigError) as raised:
        from_mapping(EACH[database] | properties, **options)
    return str(raised.value)


MISTAKES = [
    ("MySQL", "_comment", "is taken for a comment"),
    ("MySQL", "_table.include.list", "is taken for a comment"),
    ("SQL Server", "//", "is taken for a comment"),
    ("SQL Server", "# the orders", "is taken for a comment"),
    ("MySQL", "__CONFLUENT__", "is taken for a comment"),
    ("MySQL", "kafka.api.key", "is a property of Confluent's own connectors"),
    ("MySQL", "after.state.only", "is a property of Confluent's own connectors"),
    ("MySQL", "output.data.format", "is a property of Confluent's own connectors"),
    ("MySQL", "slot.name", "is a property of the PostgreSQL connector"),
    ("SQL Server", "plugin.name", "is a property of the PostgreSQL connector"),
    ("SQL Server", "log.mining.strategy", "is a property of the Oracle connector"),
    ("SQL Server", "mongodb.connection.string", "is a property of the MongoDB connector"),
    ("SQL Server", "cdc.change.tables.schema", "is a property of another connector"),
    ("SQL Server", "database.server.id", "and SQL Server needs no such number"),
    ("SQL Server", "database.ssl.mode", "driver.encrypt"),
    ("SQL Server", "gtid.source.includes", "it is MySQL's"),
    ("MySQL", "database.names", "the databases are chosen with database.include.list"),
    ("MySQL", "database.include", "leaves no database out, in Debezium neither"),
    ("SQL Server", "transform", "their names are in transforms"),
    ("MySQL", "database.dbname", "the databases are chosen with database.include.list"),
    ("MySQL", "schema.include.list", "MySQL has no schemas"),
    ("MySQL", "max.iteration.transactions", "is a property of another connector"),
    ("SQL Server", "database.name", "the databases are named with database.names"),
    ("Db2", "database.names", "the database is named with database.dbname"),
    ("Db2", "database.cdcschema", "the schema of the control tables is named with cdc.control.schema"),
    ("Db2", "database.include.schema.changes", "Debezium's property is include.schema.changes"),
    ("Db2", "database.encrypt", "set driver.sslConnection"),
    ("Db2", "database.ssl.mode", "driver.sslConnection"),
    ("Db2", "database.server.id", "and Db2 needs no such number"),
    ("Db2", "data.query.mode", "is a property of another connector"),
    ("MySQL", "database.username", "the login is database.user"),
    ("MySQL", "delete.enabled", "is a property of sink connectors"),
    ("MySQL", "topics", "is a property of sink connectors"),
    ("SQL Server", "insert.mode", "is a property of sink connectors"),
    ("SQL Server", "incrementing.column.name", "or of the JDBC source"),
    ("MySQL", "acks", "write producer.override.acks"),
    ("MySQL", "linger.ms", "write producer.override.linger.ms"),
    ("MySQL", "max.poll.records", "write consumer.override.max.poll.records"),
    ("MySQL", "consumer.session.timeout.ms", "write consumer.override.session.timeout.ms"),
    ("SQL Server", "producer.compression.type", "write producer.override.compression.type"),
    ("SQL Server", "bootstrap.servers", "is a property of Kafka Connect's worker"),
    ("MySQL", "exactly.once.source.support", "is a property of Kafka Connect's worker"),
    ("MySQL", "errors.deadletterqueue.topic.name", "only sink connectors have a dead letter queue"),
    ("MySQL", "errors.log.include.message", "did you mean errors.log.include.messages? It has no effect"),
    ("MySQL", "kafka.topic", "the brokers are named by --to"),
    ("MySQL", "schema.history.internal.kafka.security.protocol", "schema.history.internal.producer.security.protocol"),
    ("MySQL", "database.history.sasl.mechanism", "schema.history.internal.consumer.sasl.mechanism"),
    ("MySQL", "schema.history.internal.kafka.replication.factor", "the topic of the schema history has no such property"),
    ("MySQL", "schema.history.internal.redis.address", "in no other store than a file or a Kafka topic"),
    ("MySQL", "debezium.sink.type", "is a property of Debezium Server"),
    ("SQL Server", "debezium.source.max.batch.size", "Debezium Server's prefix goes; did you mean max.batch.size?"),
    ("MySQL", "database.server.ids", "did you mean database.server.id? That one is set as well, and counts"),
    ("MySQL", "max.batch.sizes", "did you mean max.batch.size? It has no effect"),
    ("MySQL", "snapshot.delay\u200b.ms", "it has an invisible character or a blank in it; did you mean snapshot.delay.ms?"),
    ("MySQL", "consumer.overrides.client.id", "did you mean consumer.override.client.id?"),
    ("MySQL", "snapshot.minimal.locks", "snapshot.locking.mode says which locks are taken"),
    ("MySQL", "database.serverId", "did you mean database.server.id? That one is set as well, and counts"),
    ("SQL Server", "database.trustservercertificate", "did you mean database.trustServerCertificate? It has no effect"),
    ("MySQL", "", '"" is not a property'),
    ("MySQL", "frobnication", "is not a property of the MySQL connector, and has no effect"),
]


@pytest.mark.parametrize(("database", "name", "words"), MISTAKES)
def test_a_name_that_is_no_property_gets_its_words_and_has_no_effect(database, name, words):
    warning = said({name: "x"}, database)
    assert words in warning


@pytest.mark.parametrize(("database", "name", "words"), MISTAKES)
def test_with_strict_it_is_an_error(database, name, words):
    assert words in refused({name: "x"}, database, strict=True)


@pytest.mark.parametrize("sort", NAME_KINDS, ids=lambda sort: sort.title)
def test_the_example_of_a_sort_is_told_what_the_page_says(sort):
    assert f"{sort.example} {sort.verdict(sort.example)}" == said({sort.example: "x"})


@pytest.mark.parametrize(
    ("database", "name", "meant"),
    [
        ("MySQL", "table.include.lists", "table.include.list"),
        ("MySQL", "tabel.include.list", "table.include.list"),
        ("MySQL", "table_include_list", "table.include.list"),
        ("MySQL", "Table.Include.List", "table.include.list"),
        ("MySQL", "table.include", "table.include.list"),
        ("MySQL", "table.white.list", "table.whitelist"),
        ("MySQL", "decimal.handling.modes", "decimal.handling.mode"),
        ("MySQL", "colum.exclude.list", "column.exclude.list"),
        ("MySQL", "tombstone.on.delete", "tombstones.on.delete"),
        ("MySQL", "schema.history.internal.store.only.captured.table.ddl", "schema.history.internal.store.only.captured.tables.ddl"),
        ("SQL Server", "data.query.modes", "data.query.mode"),
        ("MySQL", "skip.operations", "skipped.operations"),
        ("MySQL", "value.converter.schema.enable", "value.converter.schemas.enable"),
        ("MySQL", "table.include.list ", "table.include.list"),
        ("MySQL", "\ufefftable.include.list", "table.include.list"),
        ("MySQL", "colum.mask.with.12.chars", "column.mask.with.<n>.chars"),
        ("MySQL", "column.mask.hash.SHA-256.salt.abc", "column.mask.hash.<algorithm>.with.salt.<salt>"),
        ("MySQL", "database.includeList", "database.include.list"),
        ("SQL Server", "schema.includes.list", "schema.include.list"),
        ("SQL Server", "snapshot.isolation.modes", "snapshot.isolation.mode"),
        ("SQL Server", "debezium.source.table.include.list", "table.include.list"),
        ("Db2", "cdc.control.schemas", "cdc.control.schema"),
        ("Db2", "db2.platfrom", "db2.platform"),
    ],
)
def test_what_is_nearly_a_property_that_changes_records_is_an_error(database, name, meant):
    message = refused({name: "x"}, database)
    assert message.endswith(f"did you mean {meant}?")


@pytest.mark.parametrize("name", ["tailrace.progress.topics", "tailrace.slice", "tailrace.frobnication"])
def test_a_name_that_only_tailrace_can_have_is_an_error(name):
    assert f"{name} is no property of tailrace's own" in refused({name: "x"})


def test_it_is_none_where_the_right_one_is_set_as_well():
    warning = said({"table.include": "shop.orders", "table.include.list": ""})
    assert warning.endswith("That one is set as well, and counts")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("table.include\udfff.list", r"table.include\udfff.list"),
        ("table.include.list\u200b", r"table.include.list\u200b is not"),
        ("table.include.list\u00a0", r"table.include.list\u00a0 is not"),
        ("table.include.list ", r"table.include.list\u0020 is not"),
        ("\ttable.include.list", r"\u0009table.include.list is not"),
    ],
)
def test_what_nobody_sees_is_shown(name, shown):
    assert shown in refused({name: "shop.orders"})


def test_an_invisible_character_in_a_value_is_shown():
    warning = said({"heartbeat.action.query": "SELECT 1\u200b"})
    assert warning == (
        "heartbeat.action.query is 'SELECT 1\\u200b', with an invisible character: is 'SELECT 1' meant?"
    )
    assert r"'shop\u200b'" in refused({"topic.prefix": "shop\u200b"})


def test_a_secret_with_an_invisible_character_is_not_shown():
    assert from_mapping(MINIMAL | {"database.password": "hunter2\u200b"}).warnings == ()


@pytest.mark.parametrize(
    ("database", "missing", "written"),
    [
        ("SQL Server", "database.names", "database.name"),
        ("Db2", "database.dbname", "database.name"),
        ("MySQL", "database.user", "database.username"),
        ("MySQL", "database.hostname", "database.host"),
        ("MySQL", "database.server.id", "database.server.ids"),
    ],
)
def test_beside_a_property_that_is_missing_stands_the_name_that_was_written(database, missing, written):
    properties = {name: value for name, value in EACH[database].items() if name != missing} | {written: "1"}
    with pytest.raises(ConfigError) as raised:
        from_mapping(properties)
    assert f"{missing} is missing" in str(raised.value)
    assert f"- {written} is not a property" in str(raised.value)


@pytest.mark.parametrize(
    "name",
    [
        "column.mask.hash.SHA-256.salt.s3cr3t",
        "colum.mask.hash.SHA-256.with.salt.s3cr3t",
        "column.mask.hash.SHA-256.with.sal.s3cr3t",
        "column.mask.hash.s3cr3t",
    ],
)
def test_a_salt_in_a_misspelt_name_is_not_shown(name):
    assert "s3cr3t" not in refused({name: "shop.orders.id"})


def test_the_value_of_a_name_that_has_no_effect_is_not_filled():
    assert said({"_database.password": "${env:TAILRACE_NO_SUCH}"}) == "_database.password is taken for a comment"


def test_a_file_of_debezium_server_is_told_by_its_prefix():
    with pytest.raises(ConfigError, match=r"names begin with debezium\.source\., as Debezium Server has them"):
        from_mapping({f"debezium.source.{name}": value for name, value in MINIMAL.items()})


def test_names_of_one_sort_are_told_together():
    found = from_mapping(MINIMAL | {"_comment": "x", "_table.include.list": "y", "acks": "1"})
    assert found.warnings == (
        "_comment, _table.include.list: each is taken for a comment",
        "acks is a property of Kafka's clients, without effect here as in Kafka Connect: write producer.override.acks",
    )


def test_so_are_those_of_one_family():
    found = from_mapping(MINIMAL | {"offset.storage": "x", "offset.flush.interval.ms": "1", "offsets.topic": "y"})
    assert found.warnings == (
        "offset.storage, offset.flush.interval.ms: each is ignored: progress is kept with the sink",
        "offsets.topic is ignored: progress is kept with the sink",
    )


def test_a_file_is_read_strictly_too(tmp_path):
    path = tmp_path / "shop.properties"
    path.write_text("".join(f"{name}={value}\n" for name, value in {**MINIMAL, "frobnication": "1"}.items()))
    assert len(load(path).warnings) == 1
    with pytest.raises(ConfigError, match="frobnication is not a property"):
        load(path, strict=True)


def test_two_values_for_one_property_are_an_error_when_strict():
    assert "topic.prefix is set to 'shop'" in refused({"database.server.name": "other"}, strict=True)


NAMES = sorted(
    (kind.database, name)
    for kind in SPECS.values()
    for name in kind.tables.by_name
    if kind.tables.changes_records(name) and name not in {"connector.class", "database.names", "database.dbname"}  # which are required
)
SLIPS = st.sampled_from(["", "s", "x", "."])


@settings(max_examples=200)
@given(st.sampled_from(NAMES), st.integers(0, 60), SLIPS)
def test_a_slip_in_the_name_of_what_changes_records_is_never_passed_over(known, place, slip):
    """One letter more, or less: either it is another property, or a name of its own, or the answer is an error that names it."""
    database, name = known
    tables = next(kind.tables for kind in SPECS.values() if kind.database == database)
    written = name[: place % len(name)] + slip + name[place % len(name) + (not slip) :]
    assume(tables.current_name(written) not in tables.by_name)
    assume(not any(re.fullmatch(pattern, written) for pattern in {**tables.meant, **EVERYWHERE}))  # `transform`
    properties = {each: value for each, value in EACH[database].items() if each != name}
    with pytest.raises(ConfigError, match="did you mean"):
        from_mapping(properties | {written: "x"})
