"""How Kafka's clients are set up from a configuration that was written for Java's."""

import pickle
from pathlib import Path

import pytest
from tests.support.configurations import MINIMAL
from tests.support.unit_settings import unit_settings

from tailrace.config.java_names import BY_CLIENT, TABLES, Handling
from tailrace.connectors.load import from_mapping
from tailrace.docs.configuration import introduction
from tailrace.errors import ConfigError
from tailrace.kafka.jaas import read_jaas
from tailrace.kafka.librdkafka import knows
from tailrace.kafka.option_check import try_options
from tailrace.kafka.options import Clients, history_clients, signal_consumer, sink_clients

NAMES = Path(__file__).parent / "kafka_4_3_client_names.txt"
SECRET = "hunter2-s3cr3t"
WEAK = {"tailrace.delivery.guarantee": "at-least-once"}
HISTORY = {
    "schema.history.internal.kafka.topic": "history",
    "schema.history.internal.kafka.bootstrap.servers": "h:9092",
}
KERBEROS = {
    "security.protocol": "SASL_PLAINTEXT",
    "sasl.mechanism": "GSSAPI",
    "sasl.kerberos.service.name": "kafka",
    "sasl.jaas.config": 'com.sun.security.auth.module.Krb5LoginModule required keyTab="/k" principal="me@EXAMPLE.ORG";',
}


def clients(properties: dict[str, object] | None = None, servers: str = "k:9092") -> Clients:
    return sink_clients(servers, unit_settings(properties))


def producer(properties: dict[str, object] | None = None) -> dict[str, str]:
    more = {
        name if name.startswith("tailrace.") else f"producer.override.{name}": v
        for name, v in (properties or {}).items()
    }
    return dict(clients(more).producer)


def refused(properties: dict[str, object]) -> str:
    with pytest.raises(ConfigError) as raised:
        clients(properties)
    return str(raised.value)


def test_the_producer_is_safe_and_bounded_when_nothing_is_said():
    options = producer()
    assert options["bootstrap.servers"] == "k:9092"
    assert (options["acks"], options["enable.idempotence"], options["compression.type"]) == ("-1", "true", "lz4")
    assert options["partitioner"] == "murmur2_random", "where Java puts a key"
    assert int(options["queue.buffering.max.kbytes"]) == 64 * 1024
    assert int(options["delivery.timeout.ms"]) < int(options["transaction.timeout.ms"]) == 60_000
    assert int(producer({"max.request.size": 100_000_000})["queue.buffering.max.kbytes"]) * 1024 > 100_000_000
    assert producer({"max.request.size": 100_000_000, "buffer.memory": 33_554_432})["queue.buffering.max.kbytes"] == "32768"
    at_least_once = {"tailrace.delivery.guarantee": "at-least-once", "delivery.timeout.ms": 0}
    assert producer(at_least_once)["delivery.timeout.ms"] == "120000", "0 would be for ever"
    assert options["message.max.bytes"] == "1048576"
    assert "transactional.id" not in options, "each lane has one of its own"


def test_consumers_read_what_is_committed_and_tell_the_end():
    options = clients({"consumer.override.enable.auto.commit": "true"}).consumer
    assert options["isolation.level"] == "read_committed"
    assert options["enable.auto.commit"] == "false"
    assert options["enable.partition.eof"] == "true"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"buffer.memory": 33554432}, {"queue.buffering.max.kbytes": "32768"}),
        ({"buffer.memory": 1}, {"queue.buffering.max.kbytes": "1"}),
        ({"batch.size": 524288, "linger.ms": 20}, {"batch.size": "524288", "linger.ms": "20"}),
        ({"max.request.size": 5000000}, {"message.max.bytes": "5000000"}),
        ({"request.timeout.ms": 20000}, {"request.timeout.ms": "20000", "socket.timeout.ms": "20000"}),
        ({"request.timeout.ms": 90000}, {"request.timeout.ms": "90000", "socket.timeout.ms": "60000"}),
        ({"delivery.timeout.ms": 30000}, {"delivery.timeout.ms": "30000"}),
        ({"delivery.timeout.ms": 2147483647}, {"delivery.timeout.ms": "60000"}),
        ({"message.timeout.ms": 30000}, {"delivery.timeout.ms": "30000"}),
        ({"transaction.timeout.ms": 20000}, {"transaction.timeout.ms": "20000", "delivery.timeout.ms": "15000"}),
        ({"compression.type": "GZIP", "compression.gzip.level": 9}, {"compression.type": "gzip", "compression.level": "9"}),
        ({"compression.codec": "none"}, {"compression.type": "none"}),
        ({"compression.lz4.level": 9}, {"compression.level": "9"}),
        ({"send.buffer.bytes": -1, "receive.buffer.bytes": 70000}, {"socket.send.buffer.bytes": "0", "socket.receive.buffer.bytes": "70000"}),
        ({"connections.max.idle.ms": -1}, {"connections.max.idle.ms": "0"}),
        ({"acks": "All"}, {"acks": "-1"}),
        ({"request.required.acks": "-1"}, {"acks": "-1"}),
        ({"client.id": " me "}, {"client.id": "me"}),
        ({"ssl.endpoint.identification.algorithm": ""}, {"ssl.endpoint.identification.algorithm": "none"}),
        ({"socket.keepalive.enable": "true"}, {"socket.keepalive.enable": "true"}),
        ({"queue.buffering.max.messages": 5000}, {"queue.buffering.max.messages": "5000"}),
        ({"bootstrap.servers": "k:9092"}, {"bootstrap.servers": "k:9092"}),
        ({"partitioner.class": "org.apache.kafka.clients.producer.internals.DefaultPartitioner"}, {"partitioner": "murmur2_random"}),
        ({"acks": "1", **WEAK}, {"acks": "1", "enable.idempotence": "false", "max.in.flight.requests.per.connection": "1"}),
        ({"enable.idempotence": "false", **WEAK}, {"acks": "-1", "max.in.flight.requests.per.connection": "1"}),
        (WEAK, {"enable.idempotence": "true", "acks": "-1", "delivery.timeout.ms": "120000", "max.in.flight.requests.per.connection": "3"}),
        ({}, {"max.in.flight.requests.per.connection": "3"}),
        ({"max.in.flight.requests.per.connection": 4}, {"max.in.flight.requests.per.connection": "4"}),
    ],
    ids=str,
)  # fmt: skip
def test_a_property_has_the_name_that_the_client_library_knows(given, expected):
    options = producer(given)
    assert {name: options.get(name) for name in expected} == expected


def test_a_level_of_another_compression_does_not_count():
    assert "compression.level" not in producer({"compression.gzip.level": 9})


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"acks": "1"}, "producer.override.acks is '1', with which nothing is delivered exactly once"),
        ({"enable.idempotence": "false"}, "set tailrace.delivery.guarantee=at-least-once"),
        ({"partitioner.class": "com.example.Mine"}, "producer.override.partitioner.class can't be had: Java classes"),
        ({"interceptor.classes": "com.example.Mine"}, "interceptor.classes can't be had"),
        ({"bootstrap.servers": "other:9092"}, "bootstrap.servers names other brokers than k:9092"),
        ({"buffer.memory": "much"}, "producer.override.buffer.memory: it must be a whole number"),
        ({"linger.ms": "soon"}, "has a value that it can't have"),
        ({"max.in.flight.requests.per.connection": "50"}, "max.in.flight"),
        ({"transaction.timeout.ms": "long"}, "producer.override.transaction.timeout.ms must be a whole number"),
        ({"security.protocol": "SASL_SSL"}, "Kerberos (GSSAPI), which is also what is meant where no mechanism is named"),
        (KERBEROS, "sasl.mechanism: Kerberos (GSSAPI)"),
        ({"sasl.login.callback.handler.class": "software.amazon.msk.auth.iam.IAMClientCallbackHandler"}, "Java classes"),
        ({"ssl.truststore.location": "/nowhere.jks"}, "ssl.truststore.location: /nowhere.jks can't be read: No such file"),
        ({"ssl.truststore.type": "BKS"}, "ssl.truststore.type is 'BKS': it must be PEM, PKCS12 or JKS"),
    ],
    ids=str,
)  # fmt: skip
def test_what_can_not_be_had_is_named(given, says):
    assert says in refused({f"producer.override.{name}": text for name, text in given.items()})


def test_at_least_once_needs_an_answer_for_each_record():
    assert "nobody learns whether a record arrived" in refused({"producer.override.acks": "0", **WEAK})


def test_other_clients_must_not_read_what_is_not_committed():
    assert "isolation.level can't be had" in refused({"consumer.override.isolation.level": "read_uncommitted"})
    assert (
        clients({"consumer.override.isolation.level": "read_committed"}).consumer["isolation.level"] == "read_committed"
    )


def test_each_client_has_its_own_properties():
    made = clients({"consumer.override.fetch.max.wait.ms": 10, "admin.override.request.timeout.ms": 5000})
    assert made.consumer["fetch.wait.max.ms"] == "10"
    assert made.admin["socket.timeout.ms"] == "5000"
    assert "fetch.wait.max.ms" not in {**made.producer, **made.admin}


def test_the_producers_security_counts_for_the_others_unless_they_have_their_own():
    security = {
        "producer.override.security.protocol": "SASL_PLAINTEXT",
        "producer.override.sasl.mechanism": "SCRAM-SHA-512",
        "producer.override.sasl.jaas.config": jaas("ScramLoginModule", "writer", SECRET),
    }
    own = {
        "consumer.override.security.protocol": "SASL_PLAINTEXT",
        "consumer.override.sasl.mechanism": "PLAIN",
        "consumer.override.sasl.username": "reader",
        "consumer.override.sasl.password": "other",
    }
    made = clients(security | own)
    assert made.admin["sasl.username"] == made.producer["sasl.username"] == "writer"
    assert made.admin["sasl.password"] == SECRET
    assert (made.consumer["sasl.username"], made.consumer["sasl.mechanism"]) == ("reader", "PLAIN")


def test_the_clients_of_the_history_have_their_brokers_and_properties():
    made = history_clients(
        unit_settings(
            HISTORY
            | {
                "schema.history.internal.producer.security.protocol": "SSL",
                "schema.history.internal.producer.max.request.size": 9000000,
                "schema.history.internal.consumer.client.id": "me",
                "producer.override.acks": "1",
            }
        )
    )
    assert {options["bootstrap.servers"] for options in (made.producer, made.consumer, made.admin)} == {"h:9092"}
    assert {options["security.protocol"] for options in (made.producer, made.consumer, made.admin)} == {"ssl"}
    assert made.producer["message.max.bytes"] == "9000000"
    assert made.producer["acks"] == "-1"
    assert made.consumer["client.id"] == "me"


def test_a_wrong_property_of_the_history_is_named_with_its_prefix():
    wrong = {"schema.history.internal.consumer.fetch.min.bytes": "few"}
    with pytest.raises(ConfigError, match=r"schema\.history\.internal\.consumer\.fetch\.min\.bytes"):
        history_clients(unit_settings(HISTORY | wrong))


SIGNALS = {"signal.enabled.channels": "kafka", "signal.kafka.bootstrap.servers": "s:9092"}


def signal_options(properties: dict[str, object] | None = None) -> dict[str, str]:
    more = {f"signal.consumer.{name}": value for name, value in (properties or {}).items()}
    return signal_consumer(unit_settings(SIGNALS | more))


def test_the_consumer_of_signals_has_its_own_brokers_and_group_and_begins_at_the_beginning():
    assert signal_options() == {
        "bootstrap.servers": "s:9092",
        "group.id": "kafka-signal",
        "auto.offset.reset": "earliest",
        "isolation.level": "read_committed",
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"auto.offset.reset": "latest"}, {"auto.offset.reset": "latest"}),
        ({"isolation.level": "read_uncommitted"}, {"isolation.level": "read_uncommitted"}),
        ({"group.id": "mine"}, {"group.id": "mine"}),
        ({"fetch.max.wait.ms": 50, "request.timeout.ms": 9000}, {"fetch.wait.max.ms": "50", "socket.timeout.ms": "9000"}),
        ({"enable.auto.commit": "true", "max.poll.records": "9"}, {"enable.auto.commit": None, "max.poll.records": None}),
        ({"bootstrap.servers": "s:9092", "auto.offset.reset": ""}, {"auto.offset.reset": "earliest"}),
    ],
    ids=str,
)
def test_the_consumer_of_signals_is_told_in_javas_words(given, expected):
    options = signal_options(given)
    assert {name: options.get(name) for name in expected} == expected


def test_the_consumer_of_signals_logs_in_by_its_own_properties():
    login = f'org.apache.kafka.common.security.plain.PlainLoginModule required username="me" password="{SECRET}";'
    options = signal_options({"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.jaas.config": login})
    assert (options["sasl.username"], options["sasl.password"], options["security.protocol"]) == ("me", SECRET, "sasl_ssl")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"fetch.min.bytes": "few"}, "signal.consumer.fetch.min.bytes has a value that it can't have"),
        ({"auto.offset.reset": "somewhere"}, "signal.consumer.auto.offset.reset has a value that it can't have"),
        ({"interceptor.classes": "com.example.Mine"}, "signal.consumer.interceptor.classes can't be had"),
        ({"bootstrap.servers": "k:9092"}, "signal.consumer.bootstrap.servers names other brokers than s:9092"),
    ],
    ids=str,
)
def test_a_wrong_property_of_the_consumer_of_signals_is_named(given, says):
    with pytest.raises(ConfigError) as raised:
        signal_options(given)
    assert says in str(raised.value)


def jaas(module: str, name: str, password: str) -> str:
    package = "plain" if module.startswith("Plain") else "scram"
    return f'org.apache.kafka.common.security.{package}.{module} required username="{name}" password="{password}";'


@pytest.mark.parametrize(
    ("text", "password"),
    [
        ('a.b.PlainLoginModule required username="u" password="p";', "p"),
        ("a.b.PlainLoginModule required username='u' password='p \"q\"' ;", 'p "q"'),
        ('a.b.PlainLoginModule required\n  username="u"\n  password="a\\"b\\\\c;=";', 'a"b\\c;='),
        ('a.b.PlainLoginModule REQUIRED // who\n username=u password = "//no comment";', "//no comment"),
        ('/* two\nlines */ a.b.PlainLoginModule optional password=";" username="=";', ";"),
    ],
)
def test_a_login_is_read_as_java_reads_it(text, password):
    login = read_jaas(text)
    assert login.module == "PlainLoginModule"
    assert login.options["password"] == password
    assert password not in repr(login) or len(password) == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (jaas("PlainLoginModule", "u", SECRET).rstrip(";"), "it must end with a semicolon"),
        (jaas("PlainLoginModule", "u", SECRET) * 2, "one login module only"),
        (jaas("PlainLoginModule", "u", SECRET).replace(" required", ""), "must be followed by required"),
        (jaas("PlainLoginModule", "u", SECRET).replace('password="', 'password "'), 'option 2 of the login module must be written name="value"'),
        (jaas("PlainLoginModule", "u", SECRET).replace('";', ";"), "the quotation mark at character 88 is not closed"),
        (jaas("PlainLoginModule", "u", SECRET).replace("username", "user"), "PlainLoginModule needs the option username"),
        (f'com.example.OtherModule required password="{SECRET}";', "the login module must be one of PlainLoginModule"),
        ("", "it must end with a semicolon"),
    ],
)  # fmt: skip
def test_a_login_that_can_not_be_read_is_named_and_never_shown(text, says):
    message = refused({"producer.override.sasl.jaas.config": text})
    assert message.startswith("producer.override.sasl.jaas.config: ")
    assert says in message
    assert "s3cr3t" not in message


def test_a_login_by_token_goes_to_the_endpoint():
    options = producer(
        {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "OAUTHBEARER",
            "sasl.login.callback.handler.class": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
            "sasl.oauthbearer.token.endpoint.url": "https://id.example.org/token",
            "sasl.jaas.config": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required "
            f'clientId="app" clientSecret="{SECRET}" scope="kafka" extension_cluster="c1";',
        }
    )
    taken = {name.removeprefix("sasl.oauthbearer."): text for name, text in options.items() if ".oauthbearer." in name}
    assert taken == {
        "method": "oidc",
        "token.endpoint.url": "https://id.example.org/token",
        "client.id": "app",
        "client.secret": SECRET,
        "scope": "kafka",
        "extensions": "cluster=c1",
    }


def test_clients_hide_their_options_and_settings_keep_pickling():
    settings = unit_settings(
        {
            "producer.override.security.protocol": "SASL_PLAINTEXT",
            "producer.override.sasl.mechanism": "PLAIN",
            "producer.override.sasl.jaas.config": jaas("PlainLoginModule", "u", SECRET),
        }
    )
    made = sink_clients("k:9092", pickle.loads(pickle.dumps(settings)))  # noqa: S301 - made here
    assert made.producer["sasl.password"] == SECRET
    assert SECRET not in f"{made!r} {made} {settings!r}"


@pytest.mark.parametrize("line", NAMES.read_text().splitlines())
def test_every_property_of_javas_clients_is_in_the_table(line):
    kind, name = line.split()
    assert name in BY_CLIENT[kind]


def test_every_row_of_the_table_is_on_the_reference_page_and_says_why_it_is_not_taken():
    page = introduction()
    for row in (row for rows in TABLES.values() for row in rows):
        assert f"| `{row.name}` |" in page
        if row.handling in {Handling.REFUSED, Handling.IGNORED}:
            assert row.says
        else:
            assert row.to or row.says


@pytest.mark.parametrize("name", sorted({name for rows in TABLES.values() for row in rows for name in row.to}))
def test_the_client_library_knows_every_name_that_properties_are_taken_under(name):
    assert knows(name)


NUMBERS = sorted(
    (kind, row.name)
    for kind, rows in BY_CLIENT.items()
    for row in rows.values()
    if row.handling is Handling.TRANSLATED
    and row.name.endswith((".ms", ".bytes", ".level", "batch.size", "buffer.memory", ".connection"))
)


@pytest.mark.parametrize(("kind", "name"), [each for each in NUMBERS if each[1] != "transaction.timeout.ms"])
@pytest.mark.parametrize("number", ["0", "305000", "2147483647"])
def test_of_a_number_that_is_right_in_java_the_nearest_is_taken(kind, name, number):
    row = BY_CLIENT[kind][name]
    for option in row.to:
        if "backoff" in option or option == "fetch.max.bytes":
            continue  # which depend on another
        try_options(kind, {option: row.convert(number)}, "")


def test_what_is_no_number_is_left_to_the_client_library():
    assert producer({"linger.ms": "0.5"})["linger.ms"] == "0.5"
    assert "has a value that it can't have" in refused({"producer.override.batch.size": "many"})


@pytest.mark.parametrize(
    "name", ["poll.interval.ms", "sasl.config", "lingr.ms", "key.deserializer", "confluent.monitoring.interceptor.security.protocol"]
)
def test_what_nobody_knows_is_left_out_with_a_warning(name):
    settings = unit_settings({f"producer.override.{name}": "1"})
    assert any(f"producer.override.{name} is not a property of Kafka's " in each for each in settings.warnings)
    assert name not in sink_clients("k:9092", settings).producer


def test_what_nobody_knows_is_an_error_where_all_is_to_be_known():
    with pytest.raises(ConfigError, match=r"lingr\.ms is not a property of Kafka's clients, and has no effect; is linger\.ms meant"):
        from_mapping(MINIMAL | {"producer.override.lingr.ms": "1"}, strict=True)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("security.protcol", "security.protocol"), ("sasl.jaas.confg", "sasl.jaas.config"), ("partitoner.class", "partitioner.class")],
)
def test_what_is_nearly_a_property_of_security_or_partitions_is_an_error(name, meant):
    with pytest.raises(ConfigError, match=f"{name} is not a property of Kafka's clients; did you mean {meant}"):
        unit_settings({f"schema.history.internal.consumer.{name}": "x"})


def test_beside_the_right_one_a_misspelt_property_of_security_is_a_warning():
    settings = unit_settings({"signal.consumer.security.protcol": "SSL", "signal.consumer.security.protocol": "SSL"})
    assert any("security.protcol is not a property" in each for each in settings.warnings)


def test_interceptors_that_only_count_are_no_obstacle():
    name = "io.confluent.monitoring.clients.interceptor.MonitoringProducerInterceptor"
    assert "interceptor.classes" not in producer({"interceptor.classes": name})
