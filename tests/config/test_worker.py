"""The file of a Kafka Connect worker beside a connector's configuration."""

import json

import pytest

from support.configurations import MINIMAL
from tailrace.config.secret import Secret
from tailrace.config.worker import Worker
from tailrace.connectors.load import load, load_with_document
from tailrace.encoding.class_names import JSON
from tailrace.errors import ConfigError, UnsupportedError

GLUE = "com.amazonaws.services.schemaregistry.kafkaconnect.AWSKafkaAvroConverter"
AVRO = "io.confluent.connect.avro.AvroConverter"
PROVIDERS = "org.apache.kafka.common.config.provider"


@pytest.fixture
def loaded(tmp_path):
    """The settings of a connector whose worker's file has these lines."""

    def load_(lines, properties=()):
        return load(*files(tmp_path, lines, properties))

    return load_


def files(folder, lines, properties=()):
    connector, worker = folder / "connector.json", folder / "worker.properties"
    connector.write_text(json.dumps({"name": "shop", "config": MINIMAL | dict(properties)}))
    worker.write_text(lines)
    return connector, Worker.read(worker)


def test_the_workers_converter_counts_where_the_connector_names_none(loaded):
    settings = loaded(f"key.converter={JSON}\nvalue.converter={JSON}\nvalue.converter.schemas.enable=false\n")
    assert (settings.key_converter_schemas_enable, settings.value_converter_schemas_enable) == (True, False)


def test_a_converter_that_is_not_there_yet_is_refused_from_there_too(loaded):
    with pytest.raises(UnsupportedError, match=f"value.converter is '{GLUE}'"):
        loaded(f"value.converter={GLUE}\nvalue.converter.schema.registry.url=http://registry:8081\n")


def test_a_workers_avro_converter_comes_with_its_properties(loaded):
    settings = loaded(f"value.converter={AVRO}\nvalue.converter.schema.registry.url=http://registry:8081\n")
    assert settings.value_converter == AVRO
    assert settings.value_format.connection.urls == ("http://registry:8081",)


def test_a_connector_with_a_converter_takes_none_of_the_workers_properties(loaded):
    settings = loaded("value.converter=x.Y\nvalue.converter.schemas.enable=false\n", {"value.converter": JSON})
    assert settings.value_converter_schemas_enable is True


def test_a_connectors_properties_of_a_converter_without_it_do_not_count(loaded):
    settings = loaded(f"value.converter={JSON}\n", {"value.converter.schemas.enable": "false"})
    assert settings.value_converter_schemas_enable is True
    assert "value.converter.schemas.enable without value.converter" in " ".join(settings.warnings)


def test_settings_of_clients_are_taken_by_their_prefixes(loaded):
    settings = loaded(
        "producer.compression.type=zstd\n"
        "producer.security.protocol=SASL_SSL\n"
        "producer.bootstrap.servers=other:9092\n"
        "producer.linger.ms=5\n"
        "consumer.security.protocol=SSL\n"
        "consumer.isolation.level=read_uncommitted\n"
        "consumer.max.poll.records=7\n"
        "admin.retries=9\n"
        "admin.listeners=http://:9\n"
        "security.protocol=SASL_PLAINTEXT\n"
        "sasl.mechanism=PLAIN\n",
        {"producer.override.linger.ms": "50"},
    )
    assert dict(settings.producer_override) == {
        "compression.type": "zstd",
        "security.protocol": "SASL_SSL",
        "linger.ms": "50",
    }
    assert dict(settings.consumer_override) == {"security.protocol": "SSL"}
    assert dict(settings.admin_override) == {"retries": "9"}


def test_topics_are_made_as_the_worker_says(loaded):
    assert loaded("topic.creation.enable=false\n").topic_creation_enable is False
    assert loaded("topic.creation.enable=false\n", {"topic.creation.enable": "true"}).topic_creation_enable is True


def test_what_has_no_meaning_is_told_by_its_reason(tmp_path):
    _, worker = files(
        tmp_path,
        "group.id=connect\nrest.port=8083\nlisteners=http://:8083\nplugin.path=/usr/share/java\noffset.storage.topic=o\n"
        "config.storage.topic=c\nsecurity.protocol=SSL\nssl.truststore.password=hunter2\nsession.timeout.ms=1\nnonsense=1\n"
        "exactly.once.source.support=enabled\nconnector.client.config.override.policy=All\nerrors.tolerance=all\n"
        "bootstrap.servers=kafka:9092\nkey.converter=x\nproducer.acks=all\nconfig.providers=file\n",
    )
    told = "\n".join(worker.ignored())
    assert "group.id, session.timeout.ms are ignored: there are no workers" in told
    assert "rest.port, listeners are ignored: there is no REST interface" in told
    assert "security.protocol, ssl.truststore.password are ignored: it is for the worker's own clients" in told
    assert "nonsense" not in told
    assert "errors.tolerance is ignored: it belongs into the connector's configuration" in told
    assert "bootstrap.servers" not in told
    assert "hunter2" not in told + repr(worker)


def test_a_name_that_nobody_knows_is_warned_of_with_what_may_be_meant(tmp_path):
    _, worker = files(tmp_path, "nonsense=1\nvlaue.converter=x\nrest.port=1\n")
    assert [each.partition(": ")[2] for each in worker.warnings()] == [
        "nonsense is ignored: that is no property of a Connect worker",
        "vlaue.converter is ignored: that is no property of a Connect worker; did you mean value.converter?",
    ]


def test_kafka_alone_means_the_workers_brokers(tmp_path):
    _, worker = files(tmp_path, "bootstrap.servers=PLAINTEXT://one:9092, two:9093\n")
    assert worker.target("kafka") == "kafka:one:9092,two:9093"
    assert worker.target("kafka:three:1") == "kafka:three:1"
    assert worker.target("console") == "console"


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ("bootstrap.servers=one:9092\noffset.storage.topic=offsets\n", "kafka:one:9092/offsets"),
        ("bootstrap.servers=one:9092\noffset.storage.file.filename=/var/connect.offsets\n", "file:/var/connect.offsets"),
    ],
)
def test_offsets_are_where_the_worker_keeps_them(tmp_path, lines, place):
    assert files(tmp_path, lines)[1].offsets() == place


def test_a_worker_that_does_not_say_where_is_told(tmp_path):
    _, worker = files(tmp_path, "group.id=x\n")
    with pytest.raises(ConfigError, match=r"has no bootstrap.servers: say kafka:HOST:PORT"):
        worker.target("kafka")
    with pytest.raises(ConfigError, match=r"names neither offset.storage.topic nor .*: say --from"):
        worker.offsets()


def test_lines_go_on_and_have_escapes_and_placeholders(loaded, tmp_path, monkeypatch):
    monkeypatch.setenv("TAILRACE_TEST_SECRET", "hunter2")
    settings = loaded(
        '# a comment\nproducer.sasl.jaas.config=x.PlainLoginModule required \\\n    username="u" \\\n'
        '    password\\="${env:TAILRACE_TEST_SECRET}";\nproducer.client.id=caf\\u00e9\n'
    )
    assert settings.producer_override["sasl.jaas.config"] == 'x.PlainLoginModule required username="u" password="hunter2";'
    assert settings.producer_override["client.id"] == "café"


def test_a_provider_has_the_name_that_the_worker_gives_it(loaded, tmp_path):
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "password").write_text("hunter2")
    declared = (
        "config.providers=mounted\n"
        f"config.providers.mounted.class={PROVIDERS}.DirectoryConfigProvider\n"
        f"config.providers.mounted.param.allowed.paths={tmp_path}/secrets\n"
    )
    settings = loaded(declared, {"database.password": f"${{mounted:{tmp_path}/secrets:password}}"})
    assert settings.database_password == Secret("hunter2")


def test_the_mapping_for_other_processes_names_the_placeholder_and_not_its_value(tmp_path, monkeypatch):
    monkeypatch.setenv("TAILRACE_TEST_SECRET", "hunter2")
    declared = f"config.providers=here\nconfig.providers.here.class={PROVIDERS}.EnvVarConfigProvider\n"
    document, settings = load_with_document(
        *files(tmp_path, declared, {"database.password": "${here:TAILRACE_TEST_SECRET}"})
    )
    assert settings.database_password == Secret("hunter2")
    assert document["config"]["database.password"] == "${env:TAILRACE_TEST_SECRET}"


@pytest.mark.parametrize("path", ["/etc/hosts", "{folder}/secrets/../other/x"])
def test_what_a_provider_must_not_look_at_is_refused(loaded, tmp_path, path):
    place = path.format(folder=tmp_path)
    declared = (
        f"config.providers=file\nconfig.providers.file.class={PROVIDERS}.FileConfigProvider\n"
        f"config.providers.file.param.allowed.paths={tmp_path}/secrets\n"
    )
    with pytest.raises(ConfigError, match=r"is not within config.providers.file.param.allowed.paths"):
        loaded(declared, {"database.password": f"${{file:{place}:key}}"})


def test_a_variable_that_is_not_allowed_is_refused(loaded, monkeypatch):
    monkeypatch.setenv("TAILRACE_TEST_SECRET", "hunter2")
    declared = (
        f"config.providers=env\nconfig.providers.env.class={PROVIDERS}.EnvVarConfigProvider\n"
        "config.providers.env.param.allowlist.pattern=CONNECT_.*\n"
    )
    with pytest.raises(ConfigError, match=r"allowlist.pattern does not allow TAILRACE_TEST_SECRET") as caught:
        loaded(declared, {"database.password": "${env:TAILRACE_TEST_SECRET}"})
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("class_name", "says"),
    [
        ("com.example.OwnProvider", "names the provider 'com.example.OwnProvider'"),
        ("io.strimzi.kafka.KubernetesSecretConfigProvider", "a Kubernetes Secret, which Strimzi's provider asks"),
        ("com.amazonaws.kafka.config.providers.SecretsManagerConfigProvider", "a secret of AWS Secrets Manager"),
    ],
)
def test_a_provider_that_is_not_there_is_told_by_what_it_is(loaded, class_name, says):
    with pytest.raises(ConfigError, match=r"database.password: ") as caught:
        loaded(f"config.providers=own\nconfig.providers.own.class={class_name}\n", {"database.password": "${own:a/b:c}"})
    assert says in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ConfigError, match=r"can't read the configuration .*absent.properties: No such file"):
        Worker.read(tmp_path / "absent.properties")
