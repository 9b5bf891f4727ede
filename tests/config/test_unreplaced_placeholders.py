"""Placeholders of tools that have not been run."""

import pytest

from support.configurations import MINIMAL
from tailrace.config.problems import Problems
from tailrace.config.secret import Secret
from tailrace.connectors.load import from_mapping
from tailrace.errors import ConfigError

PASSWORD = "hunter2-of-the-test"


def refused(properties):
    with pytest.raises(ConfigError) as caught:
        from_mapping(MINIMAL | properties)
    return str(caught.value)


def looked_at(properties):
    problems = Problems(offline=True)
    return from_mapping(MINIMAL | properties, problems=problems), problems


def test_all_properties_with_one_are_named_in_one_sentence():
    message = refused(
        {"database.hostname": "${DB_HOST}", "database.port": "${DB_PORT:3306}", "table.include.list": "${TABLES}"}
    )
    assert message == (
        "configuration: database.hostname, database.port, table.include.list contain ${…} that nothing fills: no config "
        "provider is named; fill them before, e.g. with envsubst, or write ${env:NAME}, which tailrace fills"
    )


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("$DB_HOST", "$NAME"),
        ("{{ db_host }}", "{{…}}"),
        ("<your-host>", "<…>"),
        ("%DB_HOST%", "%NAME%"),
        ("#{db.host}#", "#{…}"),
        ("${secrets.db2.host}", "${…}"),
    ],
)
def test_each_tools_own_are_known(text, style):
    assert f"database.port contains {style} that nothing fills" in refused({"database.port": text})


def test_a_password_may_be_meant_as_it_stands():
    settings = from_mapping(MINIMAL | {"database.password": "a${NAME}b", "database.user": "${USER}"})
    assert settings.database_password == Secret("a${NAME}b")
    assert settings.warnings == (
        "database.user, database.password contain ${…}, as a placeholder has that nothing has filled: it is taken as it stands",
    )


@pytest.mark.parametrize("password", ["<3cats", "a<b>c", "$tail", "pa$$word", "100%", "{x}", "a%b%c"])
def test_a_password_with_such_characters_is_nothing_to_warn_of(password):
    assert not [each for each in from_mapping(MINIMAL | {"database.password": f"x{password}"}).warnings if "password" in each]


def test_where_another_was_not_filled_the_password_was_not_either():
    message = refused({"database.hostname": "${DB_HOST}", "database.password": "${DB_PASSWORD}"})
    assert "database.hostname, database.password contain ${…} that nothing fills" in message


@pytest.mark.parametrize("text", ["${DB_PASSWORD:" + PASSWORD + "}", "${db.password:" + PASSWORD + "}"])
def test_a_default_in_a_placeholder_is_never_shown(text):
    settings = from_mapping(MINIMAL | {"database.password": text})
    assert PASSWORD not in str(settings) + str(settings.given)


def test_a_password_that_looks_like_a_key_of_a_provider_is_never_shown():
    assert PASSWORD not in refused({"database.password": "${password:" + PASSWORD + "}"})


@pytest.mark.parametrize("expression", ["(?<name>shop)\\.orders", "shop\\.orders$", "shop.a{2}"])
def test_expressions_are_no_placeholders(expression):
    assert not from_mapping(MINIMAL | {"table.include.list": expression}).warnings


def test_elsewhere_it_is_a_warning_and_the_value_is_not_known():
    settings, problems = looked_at({"database.hostname": "${DB_HOST}", "database.port": "$PORT"})
    assert problems.unknown == {"database.hostname", "database.port"}
    assert "database.hostname, database.port contain ${…} and $NAME that nothing fills" in settings.warnings[0]


@pytest.mark.parametrize(
    "properties",
    [
        {"max.queue.size": "${env:NOT_HERE}", "max.batch.size": "100000"},
        {"skipped.operations": "${env:NOT_HERE}"},
        {"schema.history.internal.kafka.topic": "${env:NOT_HERE}", "schema.history.internal.kafka.bootstrap.servers": "a:1"},
        {"schema.history.internal": "${env:NOT_HERE}", "schema.history.internal.file.filename": "/x"},
        {"topic.creation.default.partitions": "${env:NOT_HERE}", "topic.creation.default.replication.factor": "1"},
        {"snapshot.select.statement.overrides": "${env:NOT_HERE}", "snapshot.select.statement.overrides.a.b": "select 1"},
        {"signal.enabled.channels": "${env:NOT_HERE}", "signal.kafka.topic": "x"},
        {"tasks.max": "${env:NOT_HERE}", "signal.enabled.channels": "file"},
        {"message.key.columns": "${env:NOT_HERE}"},
    ],
)
def test_nothing_that_needs_an_unknown_value_is_checked(properties):
    settings, problems = looked_at(properties)
    unknown = "${env:NOT_HERE}: the environment has no variable NOT_HERE"
    assert [each for each in settings.warnings if not each.endswith(unknown) and "is ignored" not in each] == []
    assert not problems.wrong


def test_what_is_known_is_checked_all_the_same():
    with pytest.raises(ConfigError, match=r"max.queue.size is 5"):
        looked_at({"database.hostname": "${DB_HOST}", "max.queue.size": "5", "max.batch.size": "10"})


@pytest.mark.parametrize("text", ["$SHOP", "%SHOP%", "https://{{ shop }}/registry", "${SHOP}"])
def test_those_of_a_converter_are_known_as_well(text):
    avro = {"value.converter": "io.confluent.connect.avro.AvroConverter", "value.converter.schema.registry.url": text}
    offline = Problems(offline=True)
    from_mapping(MINIMAL | avro, problems=offline)
    assert "value.converter.schema.registry.url contains" in offline.warnings[0]


def test_a_login_of_a_registry_that_is_not_filled_may_be_filled_elsewhere():
    avro = {"value.converter": "io.confluent.connect.avro.AvroConverter", "value.converter.schema.registry.url": "http://r"}
    login = {"value.converter.basic.auth.credentials.source": "USER_INFO", "value.converter.basic.auth.user.info": "$LOGIN"}
    offline = Problems(offline=True)
    from_mapping(MINIMAL | avro | login, problems=offline)
    assert "value.converter.basic.auth.user.info contains $NAME" in offline.warnings[0]


def test_of_a_transform_only_the_whole_value_may_be_one():
    route = {"transforms": "route", "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter"}
    topics = {"transforms.route.regex": "(?<table>.*)", "transforms.route.replacement": "${table}"}
    assert from_mapping(MINIMAL | route | topics).warnings == ()
    offline = Problems(offline=True)
    from_mapping(MINIMAL | route | topics | {"transforms.route.replacement": "$TOPIC"}, problems=offline)
    assert offline.warnings[0].startswith("transforms.route.replacement contains $NAME")
