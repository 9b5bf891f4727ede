"""The Kafka sink gets into a broker that asks for encryption and passwords, told by either library's names."""

import logging
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from confluent_kafka import KafkaError
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12
from tests.support.jks import jks
from tests.support.unit_settings import unit_settings

from tailrace.errors import ConfigError, RetriableError, TailraceError
from tailrace.kafka import tokens
from tailrace.kafka.options import sink_clients
from tailrace.kafka.tail import Tail
from tailrace.kafka.tokens import Token
from tailrace.kafka.whole_topic import WholeTopic
from tailrace.schema_history.configured import schema_history_of
from tailrace.sinks.kafka.sink import KafkaSink
from tailrace_standins.servers.kafka_broker import KafkaBroker
from tailrace_standins.servers.kafka_security import Certificates, Security, unsecured_token
from tailrace_standins.servers.waiting import wait_until

pytestmark = pytest.mark.kafka

WRONG = "hunter2-s3cr3t"
STORE = "st0re-s3cr3t"
Properties = dict[str, str]


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def by_password(certificates: Certificates, kafka_broker: object) -> Iterator[KafkaBroker]:
    """A broker with TLS where users log in by PLAIN or SCRAM."""
    with KafkaBroker(security=Security("SASL_SSL", certificates=certificates)) as broker:
        yield broker


@pytest.fixture(scope="module")
def by_certificate(certificates: Certificates, kafka_broker: object) -> Iterator[KafkaBroker]:
    """A broker with TLS where users show a certificate."""
    with KafkaBroker(security=Security("SSL", certificates=certificates, client_certificate=True)) as broker:
        yield broker


def get_in(broker: KafkaBroker, prefix: str, properties: Properties) -> None:
    """Take the sink over: producer, consumer and admin client each have to get in for it."""
    overrides = {f"producer.override.{name}": text for name, text in properties.items()}
    sink = KafkaSink(broker.address, unit_settings({"topic.prefix": prefix} | overrides), "source", "run")
    try:
        assert sink.claim(1).lanes == 1
    finally:
        sink.close()


def jaas(module: str, name: str, password: str) -> str:
    package = "plain" if module == "PlainLoginModule" else "scram"
    return f'org.apache.kafka.common.security.{package}.{module} required username="{name}" password="{password}";'


def javas(broker: KafkaBroker, mechanism: str, password: str | None = None) -> Properties:
    security = broker.security
    module = "PlainLoginModule" if mechanism == "PLAIN" else "ScramLoginModule"
    return {
        "security.protocol": security.protocol,
        "sasl.mechanism": mechanism,
        "sasl.jaas.config": jaas(module, security.user, password or security.password),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(security.certificates.ca),
    }


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_password_by_javas_names_lets_all_clients_in(by_password, mechanism):
    get_in(by_password, f"java-{mechanism}", javas(by_password, mechanism))


def test_a_password_by_librdkafkas_names_lets_all_clients_in(by_password):
    get_in(by_password, "librdkafka", by_password.security.client_options())


def test_each_client_may_have_a_login_of_its_own(by_password):
    own = {f"consumer.override.{name}": text for name, text in javas(by_password, "PLAIN").items()}
    producer = {f"producer.override.{name}": text for name, text in javas(by_password, "SCRAM-SHA-512").items()}
    sink = KafkaSink(by_password.address, unit_settings({"topic.prefix": "own"} | own | producer), "source", "run")
    assert sink.claim(1).lanes == 1
    sink.close()


def test_pem_within_the_properties_works_even_on_one_line(by_password):
    properties = javas(by_password, "PLAIN")
    text = Path(properties.pop("ssl.truststore.location")).read_text()
    get_in(by_password, "pem-text", properties | {"ssl.truststore.certificates": " ".join(text.split("\n"))})


def test_a_trust_store_of_javas_newer_format_is_read(by_password, tmp_path):
    ca = x509.load_pem_x509_certificate(by_password.security.certificates.ca.read_bytes())
    store = tmp_path / "trust.p12"
    content = pkcs12.serialize_key_and_certificates(None, None, None, [ca], BestAvailableEncryption(STORE.encode()))
    store.write_bytes(content)
    properties = javas(by_password, "PLAIN") | {"ssl.truststore.type": "PKCS12", "ssl.truststore.location": str(store)}
    get_in(by_password, "p12", properties | {"ssl.truststore.password": STORE})
    store.write_bytes(jks(STORE, trusted=[ca]))
    get_in(by_password, "jks", properties | {"ssl.truststore.type": "JKS", "ssl.truststore.password": STORE})


def identity_pem(pair) -> Properties:
    both = pair.key.parent / "both.pem"
    both.write_bytes(pair.key.read_bytes() + pair.certificate.read_bytes())
    return {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(both), "ssl.key.password": STORE}


def identity_texts(pair) -> Properties:
    return {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.key": pair.key.read_text().replace("\n", " "),
        "ssl.keystore.certificate.chain": pair.certificate.read_text(),
        "ssl.key.password": STORE,
    }


def identity_pkcs12(pair) -> Properties:
    key = serialization.load_pem_private_key(pair.key.read_bytes(), STORE.encode())
    certificate = x509.load_pem_x509_certificate(pair.certificate.read_bytes())
    store = pair.key.parent / "identity.p12"
    store.write_bytes(
        pkcs12.serialize_key_and_certificates(b"me", key, certificate, None, BestAvailableEncryption(STORE.encode()))
    )
    return {"ssl.keystore.type": "PKCS12", "ssl.keystore.location": str(store), "ssl.keystore.password": STORE}


def identity_librdkafka(pair) -> Properties:
    return {
        "ssl.key.location": str(pair.key),
        "ssl.certificate.location": str(pair.certificate),
        "ssl.key.password": STORE,
    }


def identity_jks(pair) -> Properties:
    key = serialization.load_pem_private_key(pair.key.read_bytes(), STORE.encode())
    certificate = x509.load_pem_x509_certificate(pair.certificate.read_bytes())
    store = pair.certificate.with_suffix(".jks")
    store.write_bytes(jks(STORE, keys=[(key, [certificate])]))
    return {"ssl.keystore.location": str(store), "ssl.keystore.password": STORE}


@pytest.mark.parametrize(
    "identity", [identity_pem, identity_texts, identity_pkcs12, identity_jks, identity_librdkafka]
)
def test_a_certificate_of_our_own_lets_all_clients_in(by_certificate, certificates, identity):
    pair = certificates.issue(identity.__name__, password=STORE)
    trust = {"security.protocol": "SSL", "ssl.truststore.location": str(certificates.ca)}
    get_in(by_certificate, identity.__name__, trust | identity(pair))


def test_a_user_needs_no_other_rights_than_the_guide_lists():
    security = Security("SASL_PLAINTEXT", mechanism="PLAIN")
    with KafkaBroker(security=security, authorize=True, auto_create=False) as broker:
        with pytest.raises(ConfigError, match="authorization failed"):
            get_in(broker, "shop", security.client_options())
        grant_what_the_guide_lists(broker, security.user, "shop")
        wait_until(lambda: gets_in(broker, "shop"), 30, lambda: "the rights are not enough")


def gets_in(broker: KafkaBroker, prefix: str) -> bool:
    try:
        get_in(broker, prefix, broker.security.client_options())
    except ConfigError:
        return False  # rights reach a broker with a delay
    return True


def grant_what_the_guide_lists(broker: KafkaBroker, user: str, prefix: str) -> None:
    kinds, may = ResourceType, AclOperation
    names = (
        (kinds.TOPIC, prefix, [may.WRITE, may.DESCRIBE, may.CREATE]),
        (kinds.TOPIC, f"__tailrace-progress.{prefix}", [may.WRITE, may.DESCRIBE, may.READ, may.CREATE]),
        (kinds.TOPIC, f"__tailrace-history.{prefix}", [may.WRITE, may.DESCRIBE, may.READ, may.CREATE]),
        (kinds.TRANSACTIONAL_ID, f"tailrace-{prefix}-", [may.WRITE, may.DESCRIBE]),
    )
    rules = [
        AclBinding(kind, name, ResourcePatternType.PREFIXED, f"User:{user}", "*", right, AclPermissionType.ALLOW)
        for kind, name, rights in names
        for right in rights
    ]
    admin = AdminClient({"bootstrap.servers": broker.plain_address})
    for done in admin.create_acls(rules).values():
        done.result(15)


def complaint(attempt: Callable[[], None], secrets: list[str], caplog, capfd, kind=TailraceError) -> str:
    """What is said when it fails; nothing that was said holds a secret."""
    caplog.set_level(logging.DEBUG)
    with pytest.raises(kind) as raised:
        attempt()
    said = "".join(capfd.readouterr()) + caplog.text + f"{raised.value!r} {raised.value}"
    for secret in secrets:
        assert secret not in said
    return str(raised.value)


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-512"])
def test_a_wrong_password_is_said_and_not_shown(by_password, mechanism, caplog, capfd):
    properties = javas(by_password, mechanism, WRONG)
    message = complaint(lambda: get_in(by_password, "wrong", properties), [WRONG], caplog, capfd)
    assert "uthentication failed" in message


def test_a_login_that_is_refused_while_a_run_is_idle_ends_it_and_is_said(by_password, caplog, capfd):
    """librdkafka goes on trying, and a call only says that its time is over: that would be tried again for ever."""
    get_in(by_password, "refused", javas(by_password, "PLAIN"))
    overrides = {f"producer.override.{name}": text for name, text in javas(by_password, "PLAIN", WRONG).items()}
    tail = Tail(sink_clients(by_password.address, unit_settings(overrides)).consumer, timeout=3)
    for attempt in (tail.newest, tail.everything):
        asked = partial(attempt, "__tailrace-progress.refused", 0)
        message = complaint(asked, [WRONG], caplog, capfd, ConfigError)
        assert "partition 0 of the topic __tailrace-progress.refused can't be read: " in message
        assert "uthentication failed" in message
    tail.close()


@pytest.mark.parametrize("attempt", ["partitions", "read", "append"])
def test_so_it_is_for_the_topic_of_the_schema_history(by_password, caplog, capfd, attempt):
    get_in(by_password, "refused", javas(by_password, "PLAIN"))
    overrides = {f"producer.override.{name}": text for name, text in javas(by_password, "PLAIN", WRONG).items()}
    clients = sink_clients(by_password.address, unit_settings(overrides))
    topic = WholeTopic(name="__tailrace-progress.refused", clients=clients, what="the schema history", timeout=3)
    given = {"partitions": [], "read": [[0]], "append": [[(b"k", b"v")], 0]}[attempt]
    message = complaint(lambda: getattr(topic, attempt)(*given), [WRONG], caplog, capfd, ConfigError)
    assert message.startswith("the topic __tailrace-progress.refused of the schema history can't be ")
    assert "uthentication failed" in message


@pytest.mark.parametrize("attempt", ["read", "append"])
def test_a_refusal_that_has_passed_explains_nothing_that_comes_later(by_password, attempt):
    get_in(by_password, "passed", javas(by_password, "PLAIN"))
    overrides = {f"producer.override.{name}": text for name, text in javas(by_password, "PLAIN").items()}
    clients = sink_clients(by_password.address, unit_settings(overrides))
    topic = WholeTopic(name="__tailrace-progress.passed", clients=clients, what="the schema history")
    topic._background_errors.options["error_cb"](KafkaError(KafkaError._AUTHENTICATION, "refused"))
    assert isinstance(topic._in_vain("read", "nothing came"), ConfigError)
    getattr(topic, attempt)(*{"read": [[0]], "append": [[(b"k", b"v")], 0]}[attempt])
    assert isinstance(topic._in_vain("read", "nothing came"), RetriableError)


def test_an_authority_that_is_not_trusted_is_said(by_password, tmp_path, caplog, capfd):
    other = Certificates(tmp_path).ca
    properties = javas(by_password, "PLAIN") | {"ssl.truststore.location": str(other)}
    secrets = [by_password.security.password]
    message = complaint(lambda: get_in(by_password, "untrusted", properties), secrets, caplog, capfd)
    assert "certificate verify failed" in message


def test_a_certificate_that_is_not_shown_is_missed(by_certificate, certificates, caplog, capfd):
    trust = {"security.protocol": "SSL", "ssl.truststore.location": str(certificates.ca)}
    message = complaint(lambda: get_in(by_certificate, "anonymous", trust), [], caplog, capfd)
    assert "SSL" in message


def test_talking_without_encryption_to_a_broker_with_it_is_said(by_certificate, caplog, capfd):
    tail = Tail(sink_clients(by_certificate.address, unit_settings()).consumer, timeout=2)
    message = complaint(lambda: tail.topics(["t"]), [], caplog, capfd)
    tail.close()
    assert "perhaps security.protocol is not what they ask for" in message


def test_a_password_that_does_not_open_a_key_is_said_before_anything_connects(certificates, caplog, capfd):
    pair = certificates.issue("closed", password=STORE)
    properties = {"security.protocol": "SSL"} | identity_librdkafka(pair) | {"ssl.key.password": WRONG}
    nowhere = KafkaBroker()
    message = complaint(lambda: get_in(nowhere, "closed", properties), [WRONG, STORE], caplog, capfd)
    assert "ssl.key.location" in message


def test_a_password_that_does_not_open_a_store_is_said_before_anything_connects(certificates, caplog, capfd):
    pair = certificates.issue("closed-store", password=STORE)
    properties = {"security.protocol": "SSL"} | identity_pkcs12(pair)
    nowhere = KafkaBroker()
    for wrong in (
        {"security.protocol": "SSL"} | identity_jks(pair) | {"ssl.keystore.password": WRONG},
        {"security.protocol": "SSL"} | identity_jks(pair) | {"ssl.key.password": WRONG},
        properties | {"ssl.keystore.password": WRONG},
        {"ssl.truststore.location": properties["ssl.keystore.location"], "ssl.truststore.password": WRONG},
    ):
        message = complaint(lambda given=wrong: get_in(nowhere, "closed", given), [WRONG, STORE], caplog, capfd)
        assert "store" in message


def test_the_schema_history_logs_in_by_its_own_properties(by_password):
    names = {"topic": "history", "bootstrap.servers": by_password.address}
    given = {f"schema.history.internal.kafka.{name}": text for name, text in names.items()}
    given |= {f"schema.history.internal.producer.{name}": text for name, text in javas(by_password, "PLAIN").items()}
    record = {"source": {"server": "s"}, "position": {"file": "log.000001", "pos": 4}, "ddl": "CREATE TABLE t (a INT)"}
    assert schema_history_of(unit_settings(given)).append([record]) == 1
    assert schema_history_of(unit_settings(given)).load() == [record]


def test_a_broker_that_asks_for_tokens_gets_them_from_each_client(by_password, monkeypatch):
    asked = []

    def signed(options):
        asked.append(options["tailrace.msk.region"])
        return Token(*unsecured_token(by_password.security.user, 600))

    monkeypatch.setattr(tokens, "_signed", signed)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    get_in(
        by_password,
        "by-token",
        {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "AWS_MSK_IAM",
            "sasl.jaas.config": "software.amazon.msk.auth.iam.IAMLoginModule required;",
            "sasl.client.callback.handler.class": "software.amazon.msk.auth.iam.IAMClientCallbackHandler",
            "ssl.truststore.location": str(by_password.security.certificates.ca),
        },
    )
    assert set(asked) == {"eu-central-1"}
