"""The throwaway broker: what the crash tests rely on."""

import os
import shutil
import signal
import subprocess
import sys

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic, ResourceType

from support.cutting_proxy import CuttingProxy
from support.kafka_reading import read_topics
from tailrace_standins.servers.kafka_broker import GivenBroker, KafkaBroker, Unavailable
from tailrace_standins.servers.kafka_security import Certificates, Security
from tailrace_standins.servers.ports import free_port, is_free, is_open
from tailrace_standins.servers.waiting import wait_until

pytestmark = pytest.mark.kafka

QUIET = {"log_level": 0}
STARTS_AND_WAITS = """
import sys, time
from tailrace_standins.servers.kafka_broker import KafkaBroker
broker = KafkaBroker().start()
print(broker.pid, broker.directory, flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def own(kafka_broker):
    """A broker to be killed; where the shared one can't be had, this one can't either."""
    with KafkaBroker(partitions=3) as broker:
        yield broker


@pytest.fixture
def certificates(tmp_path):
    return Certificates(tmp_path / "certificates")


def send(broker_options, topic, *values, **options):
    """Produce, and wait until it is acknowledged; raises what a failed delivery says."""
    failures = []
    producer = Producer({**broker_options, **QUIET, "message.timeout.ms": 15_000, **options})
    for value in values:
        producer.produce(topic, value, partition=0, on_delivery=lambda error, _: error and failures.append(error))
    assert producer.flush(30) == 0
    if failures:
        raise KafkaException(failures[0])


def commit(broker, transactional_id, topic, *values):
    producer = Producer({"bootstrap.servers": broker.address, "transactional.id": transactional_id, **QUIET})
    producer.init_transactions(30)
    producer.begin_transaction()
    for value in values:
        producer.produce(topic, value, partition=0)
    producer.commit_transaction(30)


def values_of(broker, topic):
    return [read.value for read in read_topics(broker.address, [topic])]


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_it_takes_transactions(kafka_broker):
    commit(kafka_broker, "harness-1", "harness-transactions", b"one", b"two")
    assert values_of(kafka_broker, "harness-transactions") == [b"one", b"two"]


def test_topics_appear_with_the_number_of_partitions_that_was_asked_for(own):
    send(own.client_options(), "three", b"x")
    assert len(AdminClient({"bootstrap.servers": own.address}).list_topics("three").topics["three"].partitions) == 3


def test_records_are_kept_however_old_their_timestamps_are(own):
    """A test's records are of 1970 or 2023, and by default a broker deletes them while the test runs."""
    topic = ConfigResource(ResourceType.TOPIC, "of-1970")
    send(own.client_options(), topic.name, b"x")
    admin = AdminClient({"bootstrap.servers": own.address})
    limits = admin.describe_configs([topic])[topic].result()
    assert (limits["retention.ms"].value, limits["retention.bytes"].value) == ("-1", "-1")


def test_after_a_kill_it_keeps_its_data_and_its_port(own):
    address = own.address
    send(own.client_options(), "kept", b"before", acks="all")
    own.kill()
    assert not own.running()
    assert not is_open(own.port)
    own.start()
    assert own.address == address
    assert values_of(own, "kept") == [b"before"]


def test_what_was_committed_right_before_a_kill_is_visible_after_it(own):
    """The broker may not have marked it in its partitions yet; see `kafka_fencing`."""
    commit(own, "harness-2", "committed", b"one")
    own.kill()
    own.start()
    wait_until(lambda: values_of(own, "committed") == [b"one"], 15, lambda: "the commit's mark is lost")


def test_after_a_stop_it_keeps_its_data(own):
    send(own.client_options(), "stopped", b"before", acks="all")
    own.restart()
    assert values_of(own, "stopped") == [b"before"]


def test_held_still_it_keeps_its_connections_and_answers_nothing(own):
    producer = Producer({"bootstrap.servers": own.address, "message.timeout.ms": 60_000, **QUIET})
    producer.produce("still", b"one")
    assert producer.flush(30) == 0
    own.pause()
    producer.produce("still", b"two")
    assert producer.flush(0.5) == 1
    own.resume()
    assert producer.flush(30) == 0


def test_a_broker_that_was_held_still_can_be_stopped(own):
    own.pause()
    own.stop()
    assert not own.running()
    own.start()


def test_clients_go_where_the_broker_says_it_is(own):
    own.stop()
    with CuttingProxy("127.0.0.1", own.port) as proxy, KafkaBroker(port=own.port, advertised_port=proxy.port) as broker:
        assert broker.address == proxy.address
        send(broker.client_options(), "through", b"x")
        proxy.block()
        with pytest.raises(KafkaException):
            send(broker.client_options(), "through", b"y", **{"message.timeout.ms": 1000})
        assert [read.value for read in read_topics(broker.plain_address, ["through"])] == [b"x"]


def test_discarded_it_leaves_nothing():
    broker = KafkaBroker().start()
    pid, directory = broker.pid, broker.directory
    assert directory.is_dir()
    broker.discard()
    assert is_gone(pid)
    assert not directory.exists()
    assert is_free(broker.port)


def test_it_dies_with_the_process_that_started_it():
    parent = subprocess.Popen([sys.executable, "-c", STARTS_AND_WAITS], stdout=subprocess.PIPE, text=True)
    pid, directory = parent.stdout.readline().split()
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    wait_until(lambda: is_gone(int(pid)), 10, lambda: f"the broker {pid} lives on")
    shutil.rmtree(directory)


def test_a_broker_that_ends_while_starting_shows_its_log(kafka_broker):
    port = free_port()
    broker = KafkaBroker(port=port, properties={"num.io.threads": 1, "listeners": f"CLIENT://127.0.0.1:{port}"})
    with pytest.raises(Unavailable, match=r"(?i)listener"):
        broker.start()
    broker.discard()


def test_properties_that_are_given_win(tmp_path):
    broker = KafkaBroker(directory=tmp_path, properties={"message.max.bytes": 1000})
    with broker:
        with pytest.raises(KafkaException) as failure:
            send(broker.client_options(), "large", b"x" * 5000)
        assert failure.value.args[0].code() == KafkaError.MSG_SIZE_TOO_LARGE
    assert tmp_path.is_dir(), "a directory that was given stays"


@pytest.mark.parametrize(
    ("protocol", "mechanism", "client_certificate"),
    [("SASL_PLAINTEXT", "PLAIN", False), ("SASL_SSL", "SCRAM-SHA-512", False), ("SSL", "", True)],
)
def test_a_secured_broker_lets_in_who_says_what_it_asks_for(certificates, protocol, mechanism, client_certificate):
    tls = certificates if protocol.endswith("SSL") else None
    security = Security(protocol, mechanism=mechanism, certificates=tls, client_certificate=client_certificate)
    with KafkaBroker(security=security) as broker:
        send(broker.client_options(), "secret", b"x")
        assert [read.value for read in read_topics(broker.plain_address, ["secret"])] == [b"x"]
        with pytest.raises(KafkaException):
            AdminClient({**broker.client_options(), **wrong(security), **QUIET}).list_topics(timeout=2)


def wrong(security):
    if security.protocol.startswith("SASL"):
        return {"sasl.password": "guessed"}
    return {"ssl.key.location": "", "ssl.certificate.location": ""}


def test_users_may_do_only_what_they_are_allowed():
    security = Security("SASL_PLAINTEXT", mechanism="PLAIN")
    with KafkaBroker(security=security, authorize=True) as broker:
        admin = AdminClient({"bootstrap.servers": broker.plain_address})
        admin.create_topics([NewTopic("closed", 1)])["closed"].result(15)
        with pytest.raises(KafkaException) as refusal:
            send(broker.client_options(), "closed", b"x")
        assert refusal.value.args[0].code() == KafkaError.TOPIC_AUTHORIZATION_FAILED
        send({"bootstrap.servers": broker.plain_address}, "closed", b"x")


def test_a_given_broker_is_its_address():
    assert GivenBroker("kafka:9092").address == "kafka:9092"
