"""Secrets come from elsewhere if wanted, and are never shown."""

import logging
import os
import pickle

import pytest

from support.configurations import MINIMAL
from tailrace.config.entries import hide_login
from tailrace.config.secret import Secret
from tailrace.connectors.load import from_mapping
from tailrace.errors import ConfigError

PASSWORD = "s3cr3t!"


def refused(properties):
    with pytest.raises(ConfigError) as raised:
        from_mapping(MINIMAL | properties)
    return str(raised.value)


def test_a_secret_hides_itself_and_survives_pickling(caplog):
    secret = Secret(PASSWORD)
    logging.getLogger("x").warning("%s %r", secret, [secret])
    assert PASSWORD not in f"{secret} {secret!r} {[secret]} {caplog.text}"
    assert pickle.loads(pickle.dumps(secret)).reveal() == PASSWORD  # noqa: S301 - made here
    assert secret == Secret(PASSWORD) != Secret("other")
    assert not Secret("")


@pytest.mark.parametrize(
    "name",
    [
        "database.password",
        "database.ssl.keystore.password",
        "schema.history.internal.producer.sasl.jaas.config",
        "schema.history.internal.consumer.ssl.key.password",
        "producer.override.ssl.truststore.password",
        "value.converter.basic.auth.user.info",
    ],
)
def test_a_secret_is_in_no_text_about_the_settings(name):
    settings = from_mapping(MINIMAL | {name: PASSWORD})
    assert settings.redacted()[name] == "********"
    assert PASSWORD not in repr(settings)


def test_further_secret_names_are_given_by_a_pattern():
    settings = from_mapping(
        MINIMAL | {"custom.sanitize.pattern": r".*\.client\.id", "producer.override.client.id": PASSWORD}
    )
    assert settings.redacted()["producer.override.client.id"] == "********"


def test_a_salt_is_hidden_though_it_stands_in_a_name():
    settings = from_mapping(MINIMAL | {f"column.mask.hash.MD5.with.salt.{PASSWORD}": "s.t.a"})
    assert "column.mask.hash.MD5.with.salt.********" in settings.redacted()
    assert PASSWORD not in repr(settings)


def test_two_salts_make_two_policies():
    both = {f"column.mask.hash.MD5.with.salt.{salt}": f"s.t.{salt}" for salt in "ab"}
    assert len(from_mapping(MINIMAL | both).column_policies) == 2


def test_a_password_that_is_set_twice_is_not_shown_in_the_warning():
    settings = from_mapping(
        MINIMAL
        | {"database.history.producer.ssl.key.password": "two-s3cr3t"}
        | {"schema.history.internal.producer.ssl.key.password": "one-s3cr3t"}
    )
    (warning,) = settings.warnings
    assert "s3cr3t" not in warning
    assert settings.schema_history_producer["ssl.key.password"] == "one-s3cr3t"


def test_values_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("TAILRACE_TEST_PASSWORD", PASSWORD)
    settings = from_mapping(MINIMAL | {"database.password": "${env:TAILRACE_TEST_PASSWORD}"})
    assert settings.database_password == Secret(PASSWORD)
    assert settings.redacted()["database.password"] == "${env:TAILRACE_TEST_PASSWORD}"


def test_values_come_from_files(tmp_path):
    (tmp_path / "db.properties").write_text(f"password={PASSWORD}\nhost=db7\n")
    (tmp_path / "user").write_text("reader")
    settings = from_mapping(
        MINIMAL
        | {
            "database.password": f"${{file:{tmp_path}/db.properties:password}}",
            "database.hostname": f"${{file:{tmp_path}/db.properties:host}}.example.org",
            "database.user": f"${{directory:{tmp_path}:user}}",
        }
    )
    assert settings.database_password == Secret(PASSWORD)
    assert settings.database_hostname == "db7.example.org"
    assert settings.database_user == "reader"


def test_a_secret_with_a_placeholder_inside_is_hidden_as_a_whole(monkeypatch):
    monkeypatch.setenv("TAILRACE_TEST_PASSWORD", "tail")
    settings = from_mapping(MINIMAL | {"database.password": PASSWORD + "${env:TAILRACE_TEST_PASSWORD}"})
    assert settings.database_password == Secret(PASSWORD + "tail")
    assert settings.redacted()["database.password"] == "********"


def test_a_value_from_elsewhere_is_not_shown_when_it_is_wrong(monkeypatch):
    monkeypatch.setenv("TAILRACE_TEST_PORT", PASSWORD)
    message = refused({"database.port": "${env:TAILRACE_TEST_PORT}"})
    assert "database.port is '${env:TAILRACE_TEST_PORT}': it must be" in message
    assert PASSWORD not in message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("${env:TAILRACE_TEST_ABSENT}", "the environment has no variable TAILRACE_TEST_ABSENT"),
        ("${file:/nowhere/x.properties:a}", "can't read /nowhere/x.properties: No such file or directory"),
        ("${directory:/nowhere:a}", "can't read /nowhere/a"),
        ("${other:a:b}", "names the provider 'other'; there are env, file and directory"),
        ("${vault:a:b}", "names the provider 'vault', a secret of HashiCorp Vault (a)"),
        ("${secrets:shop/login:password}", "mount it as a volume and write ${directory:/MOUNT/PATH:password}"),
        ("${file:/nowhere/password}", "names a file and no key: write ${file:/nowhere/password:KEY}"),
        ("${file:/nowhere/password}", "or ${directory:/nowhere:password} where the file holds the value"),
        ("${directory:/nowhere}", "names no file in the directory: it must be ${directory:/:nowhere}"),
        ("${file:/usr:key}", "/usr is a directory; for a file in it write ${directory:/usr:FILE}"),
        ("${directory:/etc/hosts:key}", "/etc/hosts is a file; for one of its properties write ${file:/etc/hosts:key}"),
        ("${directory:/etc:../etc/hosts}", "'../etc/hosts' is no name of a file in /etc"),
    ],
)
def test_a_placeholder_that_can_not_be_filled_says_why_and_nothing_else(text, says):
    message = refused({"database.hostname": text})
    assert says in message
    assert "missing" not in message


def test_a_file_without_the_key_is_named(tmp_path):
    (tmp_path / "db.properties").write_text("a=1\n")
    assert "has no property 'b'" in refused({"database.password": f"${{file:{tmp_path}/db.properties:b}}"})


@pytest.mark.parametrize(
    "address",
    [
        f"jdbc:mysql://me:{PASSWORD}@db.example.org:3306/shop",
        f"jdbc:sqlserver://db.example.org:1433;user=me;Password={PASSWORD};encrypt=true",
        f"db.example.org?user=me&password={PASSWORD}",
        f"me:{PASSWORD}@db.example.org",
    ],
)
def test_the_password_of_an_address_is_not_shown(address):
    message = refused({"database.hostname": address})
    assert (PASSWORD in message, "db.example.org" in message, "********" in message) == (False, True, True)


@pytest.mark.parametrize("name", ["signal.enabled.channels", "topic.creation.default.replication.factor"])
def test_nor_where_the_address_is_an_item_of_a_list_or_a_number_of_topics(name):
    message = refused({name: f"jdbc:mysql://me:{PASSWORD}@db.example.org/shop"})
    assert (PASSWORD in message, f"{name} is 'jdbc:********@db.example.org/shop'" in message) == (False, True)


@pytest.mark.parametrize("text", ["me@example.org", "INSERT INTO t VALUES ('a:b')", "a.b:c;d.e:f", "db\\.(a|b)@c"])
def test_other_values_are_shown_as_they_are(text):
    assert hide_login(text) == text


@pytest.mark.parametrize("path", ["/dev/zero", "pipe"])
@pytest.mark.parametrize("form", ["${{file:{path}:key}}", "${{directory:{path.parent}:{path.name}}}"])
def test_a_placeholder_reads_no_device_and_no_pipe(tmp_path, path, form):
    os.mkfifo(tmp_path / "pipe")
    assert "it is a device or a pipe, and may never end" in refused({"topic.prefix": form.format(path=tmp_path / path)})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("signal.enabled.channels", "${env:TAILRACE_TEST_PASSWORD}"),
        ("signal.enabled.channels", "source, ${env:TAILRACE_TEST_PASSWORD}"),
        ("notification.enabled.channels", "log,x${env:TAILRACE_TEST_PASSWORD}"),
        ("message.key.columns", "${env:TAILRACE_TEST_PASSWORD}"),
        ("table.include.list", "shop.(${env:TAILRACE_TEST_PASSWORD}"),
        ("column.mask.with.3.chars", "(${env:TAILRACE_TEST_PASSWORD}"),
        ("tasks.max", "${env:TAILRACE_TEST_PASSWORD}"),
        ("topic.creation.default.partitions", "${env:TAILRACE_TEST_PASSWORD}"),
        ("topic.creation.default.replication.factor", "x${env:TAILRACE_TEST_PASSWORD}"),
    ],
)
@pytest.mark.parametrize("secret", [PASSWORD, "pa'ss", "first,second\\x", " blank "])
def test_a_secret_that_a_placeholder_gives_to_the_wrong_property_is_not_shown(name, value, secret, monkeypatch):
    monkeypatch.setenv("TAILRACE_TEST_PASSWORD", secret)
    message = refused({name: value})
    assert name in message
    for part in secret.split(","):
        assert part not in message
    assert "${env:TAILRACE_TEST_PASSWORD}" in message
