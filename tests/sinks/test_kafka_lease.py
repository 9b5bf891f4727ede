"""The lease of a connector's lanes, in a topic of a real broker."""

import json
import threading
from contextlib import closing

import pytest
from attrs import evolve
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

from support.kafka_sinks import Place, eventually, progress
from support.unit_settings import unit_settings
from tailrace.errors import ConfigError, FencedError, RetriableError
from tailrace.kafka.options import sink_clients
from tailrace.sinks import lease as leases
from tailrace.sinks.holder import Holder
from tailrace.sinks.kafka.lease_topic import LeaseTopic
from tailrace.sinks.kafka.names import names_of
from tailrace.sinks.lease import Lease, NoLeaseError, Record
from tailrace_standins.servers.kafka_broker import KafkaBroker
from tailrace_standins.servers.kafka_security import Security
from tailrace_standins.servers.ports import free_port

pytestmark = pytest.mark.kafka
ELSEWHERE = "another-boot pid:[1]"
FOREVER = 600.0
LITERAL, ALLOW = ResourcePatternType.LITERAL, AclPermissionType.ALLOW


@pytest.fixture
def place(kafka_broker):
    place = Place(kafka_broker.address)
    yield place
    place.close()


@pytest.fixture
def topic(place):
    """Makes places of the lease."""
    opened = []

    def new(**properties):
        settings = unit_settings({"topic.prefix": place.prefix, **properties})
        clients = sink_clients(place.address, settings)
        opened.append(LeaseTopic(clients, names_of(settings).lease, settings.topic_creation))
        return opened[-1]

    yield new
    for each in opened:
        each.close()


@pytest.fixture
def new_lease(topic):
    opened = []

    def new(run):
        opened.append(Lease(topic(), "kafka:b", run))
        return opened[-1]

    yield new
    for each in opened:
        each.close()


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(leases, "BEAT_SECONDS", 0.2)
    monkeypatch.setattr(leases, "LOOK_SECONDS", 0.05)
    return monkeypatch


def take(lease, *, take_over=False, notice=lambda _: None):
    lease.take(notice, lambda: False, take_over=take_over)
    return lease


def waited(_):
    pytest.fail("waited")


def test_a_lease_that_was_given_back_or_whose_process_is_dead_is_had_at_once(new_lease, topic):
    take(new_lease("one"), notice=waited).close()
    take(new_lease("two"), notice=waited)
    assert topic().read().holder.run == "two"
    dead = evolve(Holder(run="dead"), started="1")
    there = topic()
    assert there.write(Record(holder=dead), after=there.read()) is not None
    take(new_lease("three"), notice=waited)
    assert topic().read().holder.run == "three"


def test_a_second_run_refuses_while_the_first_is_alive_and_idle(new_lease, quick):
    quick.setattr(leases, "LEASE_SECONDS", FOREVER)
    first = take(new_lease("one"))
    with pytest.raises(FencedError, match=r"kafka:b is being delivered to by process \d+ on"):
        take(new_lease("two"))
    first.check()


def test_a_run_of_another_machine_is_taken_over_when_its_record_does_not_change(new_lease, topic, quick):
    quick.setattr(leases, "LEASE_SECONDS", 0.5)
    there, told = topic(), []
    there.read()
    there.write(Record(holder=evolve(Holder(run="far"), place=ELSEWHERE)), after=None)
    take(new_lease("two"), notice=told.append)
    assert len(told) == 1
    assert there.read().holder.run == "two"


def test_take_over_does_not_wait_and_the_other_learns_of_it(new_lease, quick):
    first = take(new_lease("one"))
    take(new_lease("two"), take_over=True, notice=waited)
    first._beats.join(60)
    with pytest.raises(FencedError, match="was taken over by"):
        first.check()


def test_of_many_that_start_at_once_exactly_one_goes_on(new_lease, topic, quick):
    quick.setattr(leases, "LEASE_SECONDS", FOREVER)
    topic().read()  # which makes the topic
    start, ends = threading.Barrier(5), []

    def contend(lease):
        start.wait()
        try:
            take(lease)
        except FencedError:
            ends.append("refused")
        else:
            ends.append("goes on")

    threads = [threading.Thread(target=contend, args=(new_lease(f"run {n}"),)) for n in range(5)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(ends) == ["goes on", *["refused"] * 4]


def test_a_record_that_did_not_come_where_it_was_to_be_counts_for_nobody(topic):
    mine, other = topic(), topic()
    first = Record(holder=Holder(run="one"))
    written = mine.write(first, after=mine.read())
    late = evolve(written, beat=1)
    true_send = LeaseTopic._send

    def send(self, fields):
        true_send(other, {**fields, "run": "other"})
        true_send(self, fields)

    mine._send = send.__get__(mine)
    assert mine.write(late, after=written) is None
    assert topic().read().holder.run == "other"


def test_what_others_write_there_is_not_understood_and_not_obeyed(place, topic):
    mine = topic()
    mine.write(Record(holder=Holder(run="one")), after=mine.read())
    for text in (b"{", b"[1]", b'{"at": "x"}', b'{"at": 0, "run": "two"}'):
        place.put(place.own("lease"), None, text)
    assert topic().read().holder.run == "one"


def test_the_topic_is_small_and_of_one_partition(place, topic):
    topic().read()
    found = place.admin.list_topics(timeout=10).topics[place.own("lease")]
    assert len(found.partitions) == 1


def test_it_keeps_nobody_from_reading_the_progress(place, new_lease, topic, quick):
    """The lanes' transactions and the driver's records have nothing to do with each other."""
    lease = take(new_lease("one"))
    place.claimed(run="one")
    sink = place.opened(run="one")
    sink.write(place.records([1]))
    there, pause = topic(), threading.Event()
    while there.read().beat < 3:
        assert not pause.wait(0.05)
    sink.commit(progress(1), [])
    place.sees([1])
    lease.check()
    assert {json.loads(read.key)["lane"] for read in place.read_own("progress")} == {0}


def test_a_progress_topic_of_ones_own_has_its_lease_beside_it(topic):
    settings = unit_settings({"topic.prefix": "shop", "tailrace.progress.topic": "cdc.progress"})
    assert names_of(settings).lease == "cdc.progress.lease"


def test_brokers_that_are_away_are_worth_another_attempt(monkeypatch):
    monkeypatch.setattr("tailrace.sinks.kafka.lease_topic.ANSWER_SECONDS", 1.0)
    settings = unit_settings({"topic.prefix": "shop"})
    clients = sink_clients(f"127.0.0.1:{free_port()}", settings)
    with closing(LeaseTopic(clients, "lease", settings.topic_creation)) as there, pytest.raises(RetriableError):
        there.read()


def test_without_rights_on_the_topic_a_run_goes_on_without_and_with_a_wrong_password_it_does_not():
    security = Security("SASL_PLAINTEXT", mechanism="PLAIN")
    with KafkaBroker(security=security, authorize=True) as broker:
        with (
            closing(strange_place(broker)) as there,
            pytest.raises(NoLeaseError, match=r"create the topic __tailrace-lease\.s"),
        ):
            there.read()
        grant(broker, AclOperation.READ, AclOperation.DESCRIBE, AclOperation.CREATE)
        with closing(strange_place(broker)) as there:
            eventually(lambda: reads(there), True)
            with pytest.raises(NoLeaseError, match="can't be written to"):
                there.write(Record(holder=Holder(run="one")), after=None)
        grant(broker, AclOperation.WRITE)
        with closing(strange_place(broker)) as there:
            eventually(lambda: writes(there), True)
        with closing(strange_place(broker, password="wrong")) as there, pytest.raises(ConfigError) as raised:
            there.read()
        assert not isinstance(raised.value, NoLeaseError)
        assert "wrong" not in str(raised.value)


def strange_place(broker, **changed):
    """As a user that has no rights but those that are granted."""
    options = evolve(broker.security, **changed).client_options()
    settings = unit_settings({"topic.prefix": "s", **{f"producer.override.{name}": it for name, it in options.items()}})
    return LeaseTopic(sink_clients(broker.address, settings), names_of(settings).lease, settings.topic_creation)


def grant(broker, *rights):
    rules = [
        AclBinding(ResourceType.TOPIC, "__tailrace-lease.s", LITERAL, f"User:{broker.security.user}", "*", right, ALLOW)
        for right in rights
    ]
    admin = AdminClient({"bootstrap.servers": broker.plain_address})
    for done in admin.create_acls(rules).values():
        done.result(15)


def reads(there):
    """Rights reach a broker with a delay."""
    try:
        return there.read() is None
    except NoLeaseError:
        return False


def writes(there):
    try:
        found = there.read()
        return there.write(Record(holder=Holder(run="one")), after=found) is not None
    except NoLeaseError:
        return False
