"""Amazon MSK's login with IAM: what Java's properties become, and tokens that are signed here, without a network."""

import base64
import pickle
import socket
import subprocess
import sys
import time
from importlib import import_module
from urllib.parse import parse_qs, urlparse

import pytest
from confluent_kafka.admin import AdminClient
from tests.support.unit_settings import unit_settings

from tailrace.cli.offline_clients import try_clients
from tailrace.config.problems import Problems
from tailrace.errors import ConfigError
from tailrace.kafka import msk, tokens
from tailrace.kafka.client import Client
from tailrace.kafka.options import history_clients, sink_clients
from tailrace.kafka.tokens import Token, client_options, token_source
from tailrace_standins.servers.waiting import wait_until

SECRET = "wJalrXUtnFEMI-of-the-test"
BROKER = "b-1.shop.abc123.c2.kafka.eu-west-1.amazonaws.com:9098"
IAM = "software.amazon.msk.auth.iam"
JAVAS = {
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "AWS_MSK_IAM",
    "sasl.jaas.config": f"{IAM}.IAMLoginModule required;",
    "sasl.client.callback.handler.class": f"{IAM}.IAMClientCallbackHandler",
}
AS_TOKEN = {
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "OAUTHBEARER",
    "sasl.jaas.config": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;",
    "sasl.login.callback.handler.class": f"{IAM}.IAMOAuthBearerLoginCallbackHandler",
    "sasl.client.callback.handler.class": f"{IAM}.IAMOAuthBearerLoginCallbackHandler",
}


@pytest.fixture(autouse=True)
def credentials(monkeypatch):
    """Some in the environment, and nothing of whoever runs this."""
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def clients(properties, broker=BROKER):
    return sink_clients(broker, unit_settings({f"producer.override.{name}": text for name, text in properties.items()}))


def with_jaas(options):
    return JAVAS | {"sasl.jaas.config": f"{IAM}.IAMLoginModule required {options};"}


@pytest.mark.parametrize("properties", [JAVAS, AS_TOKEN, {"sasl.mechanism": "AWS_MSK_IAM", "security.protocol": "SASL_SSL"}])
def test_each_client_gets_tokens_for_the_region_of_the_brokers(properties):
    made = clients(properties)
    for options in (made.producer, made.consumer, made.admin):
        taken = {name: text for name, text in options.items() if name.startswith(("sasl.", "security.", "tailrace."))}
        assert taken == {
            "security.protocol": "sasl_ssl",
            "sasl.mechanism": "OAUTHBEARER",
            "tailrace.msk.region": "eu-west-1",
        }


@pytest.mark.parametrize(
    ("broker", "environment", "region"),
    [
        ("boot-1ab.c1.kafka-serverless.us-east-2.amazonaws.com:9098", {"AWS_REGION": "eu-west-1"}, "us-east-2"),
        (f"proxy:9098,{BROKER}", {}, "eu-west-1"),
        ("b-1.x.y.c2.kafka.cn-north-1.amazonaws.com.cn:9098", {}, "cn-north-1"),
        ("b-1.x.y.c2.kafka.us-gov-west-1.amazonaws.com:9098", {}, "us-gov-west-1"),
        ("proxy:9098", {"AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "x"}, "eu-west-1"),
        ("proxy:9098", {"AWS_DEFAULT_REGION": "eu-west-1"}, "eu-west-1"),
    ],
)
def test_the_region_is_the_addresses_or_the_environments(monkeypatch, broker, environment, region):
    for name, text in environment.items():
        monkeypatch.setenv(name, text)
    assert clients(JAVAS, broker).producer["tailrace.msk.region"] == region


def test_without_a_region_it_is_said_what_to_set():
    with pytest.raises(ConfigError, match=r"the brokers' address \(proxy:9098\) does not name the AWS region: set AWS_REGION"):
        clients(JAVAS, "proxy:9098")


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(msk, "_LIBRARY", "no_such_library")
    with pytest.raises(ConfigError, match=r"pip install 'tailrace\[msk\]'"):
        clients(JAVAS)


def test_on_another_machine_that_is_a_warning(monkeypatch):
    monkeypatch.setattr(msk, "_LIBRARY", "no_such_library")
    problems = Problems(offline=True)
    try_clients(unit_settings({f"producer.override.{name}": text for name, text in JAVAS.items()}), problems)
    assert problems.wrong == []
    assert "pip install 'tailrace[msk]'" in problems.warnings[0]


@pytest.mark.parametrize(
    ("options", "taken"),
    [
        ('awsProfileName="cdc"', {"tailrace.msk.profile": "cdc"}),
        ('awsRoleArn="arn:aws:iam::1:role/cdc"', {"tailrace.msk.role": "arn:aws:iam::1:role/cdc"}),
        (
            'awsRoleArn="arn:aws:iam::1:role/cdc" awsRoleSessionName="s"',
            {"tailrace.msk.role": "arn:aws:iam::1:role/cdc", "tailrace.msk.session": "s"},
        ),
        (
            'awsRoleArn="arn:aws:iam::1:role/cdc" awsStsSessionName="s"',
            {"tailrace.msk.role": "arn:aws:iam::1:role/cdc", "tailrace.msk.session": "s"},
        ),
        ('awsDebugCreds="true" awsMaxRetries="3"', {"tailrace.msk.debug": "true"}),
    ],
)
def test_options_of_the_login_say_whose_credentials_sign(options, taken):
    made = clients(with_jaas(options)).producer
    assert {name: text for name, text in made.items() if name.startswith("tailrace.") and "region" not in name} == taken


@pytest.mark.parametrize(
    ("properties", "says"),
    [
        (with_jaas(f'awsRoleSecretAccessKey="{SECRET}"'), "sasl.jaas.config: the option awsRoleSecretAccessKey is not supported"),
        (with_jaas('awsStsRegion="x"'), "the option awsStsRegion is not supported; set AWS_REGION"),
        (with_jaas('awsProfileName="a" awsRoleArn="b"'), "awsProfileName and awsRoleArn can't be had together"),
        (JAVAS | {"sasl.mechanism": "PLAIN"}, "sasl.mechanism is 'PLAIN': with Amazon's classes for IAM it must be AWS_MSK_IAM"),
        (JAVAS | {"sasl.jaas.config": f"x.PlainLoginModule required password='{SECRET}';"}, "the option password is not supported"),
        ({"sasl.client.callback.handler.class": "com.example.Own"}, "sasl.client.callback.handler.class: Java classes"),
    ],
)
def test_what_can_not_be_had_is_refused_by_name(properties, says):
    with pytest.raises(ConfigError) as caught:
        clients(properties)
    assert str(caught.value).startswith("producer.override.")
    assert says in str(caught.value)
    assert SECRET not in str(caught.value)


def test_the_schema_historys_clients_log_in_likewise():
    history = {
        "schema.history.internal.kafka.topic": "history",
        "schema.history.internal.kafka.bootstrap.servers": BROKER,
        **{f"schema.history.internal.producer.{name}": text for name, text in JAVAS.items()},
    }
    made = history_clients(unit_settings(history))
    assert {each["tailrace.msk.region"] for each in (made.producer, made.consumer, made.admin)} == {"eu-west-1"}


def test_a_token_is_signed_without_a_network(monkeypatch):
    monkeypatch.setattr(socket.socket, "connect", None)
    token = token_source(clients(JAVAS).producer)()
    url = urlparse(base64.urlsafe_b64decode(token.text + "=" * (-len(token.text) % 4)).decode())
    query = parse_qs(url.query)
    assert url.hostname == "kafka.eu-west-1.amazonaws.com"
    assert query["Action"] == ["kafka-cluster:Connect"]
    assert query["X-Amz-Credential"][0].startswith("AKIDEXAMPLE/")
    assert 0 < token.ends_ms / 1000 - time.time() <= 901
    assert SECRET not in url.geturl()


def test_a_profiles_credentials_sign(monkeypatch, tmp_path):
    (tmp_path / "credentials").write_text(f"[cdc]\naws_access_key_id=AKIDPROFILE\naws_secret_access_key={SECRET}\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    token = token_source(clients(with_jaas('awsProfileName="cdc"')).producer)()
    assert b"AKIDPROFILE" in base64.urlsafe_b64decode(token.text + "==")


def test_a_profile_that_is_not_there_is_told():
    with pytest.raises(ConfigError, match=r"no token can be signed for Amazon MSK: ProfileNotFound: .*cdc"):
        client_options(clients(with_jaas('awsProfileName="cdc"')).consumer)


def test_a_roles_credentials_sign(monkeypatch):
    signer = import_module("aws_msk_iam_sasl_signer.MSKAuthTokenProvider")

    asked = []

    def assume(role, session="usual"):
        asked.append((role, session))
        return signer.Credentials("AKIDROLE", SECRET, "t")

    monkeypatch.setattr(signer, "__load_credentials_from_aws_role_arn__", assume)
    options = clients(with_jaas('awsRoleArn="arn:aws:iam::1:role/cdc" awsRoleSessionName="s"')).producer
    assert b"AKIDROLE" in base64.urlsafe_b64decode(token_source(options)().text + "==")
    assert asked == [("arn:aws:iam::1:role/cdc", "s")]


def test_without_credentials_it_is_said_at_once(monkeypatch, tmp_path):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    with pytest.raises(ConfigError, match=r"no AWS credentials are found in the environment, a profile or the machine's role"):
        Client(clients(JAVAS).producer)


def test_the_settings_for_other_processes_hold_no_token_and_no_credentials():
    settings = unit_settings({f"producer.override.{name}": text for name, text in JAVAS.items()})
    made = sink_clients(BROKER, pickle.loads(pickle.dumps(settings)))  # noqa: S301 - made here
    client_options(made.admin)
    told = pickle.dumps(settings) + repr({**made.producer, **made.consumer, **made.admin}).encode()
    assert SECRET.encode() not in told
    assert b"AKIDEXAMPLE" not in told


@pytest.fixture
def signed(monkeypatch):
    """Tokens that end soon; the list of when each was made."""
    made = []

    def sign(_options):
        made.append(time.time())
        return Token(f"token-{len(made)}", int((time.time() + 2) * 1000))

    monkeypatch.setattr(tokens, "_signed", sign)
    return made


def test_the_producer_asks_for_the_next_token_in_time(signed):
    client = Client(clients(JAVAS).producer)
    try:
        wait_until(lambda: len(signed) > 1, 30, lambda: "there is no second token")
    finally:
        client.close(None)


def test_the_other_clients_ask_for_the_next_token_in_time(signed):
    admin = AdminClient(client_options({**clients(JAVAS).admin, "log_level": 0}))
    wait_until(lambda: len(signed) > 1, 30, lambda: "there is no second token")
    del admin


def test_a_token_that_can_not_be_had_later_is_told(monkeypatch):
    given = [Token("token", int((time.time() + 2) * 1000))]

    def sign(_options):
        if given:
            return given.pop()
        raise ConfigError("the role is gone")

    monkeypatch.setattr(tokens, "_signed", sign)
    client = Client(clients(JAVAS).producer)
    try:
        wait_until(lambda: list(client.poll(0)) or "the role is gone" in client.last_errors(), 30, client.last_errors)
    finally:
        client.close(None)


def test_aws_is_not_imported_where_nobody_asks_for_it():
    code = "import sys, tailrace.kafka.client, tailrace.kafka.options; sys.exit('boto3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
