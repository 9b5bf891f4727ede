"""The channels of signals together: what a look gives, and which marks belong to it."""

import json
import subprocess
import sys
import time
import uuid

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from support.unit_settings import unit_settings
from tailrace.signals.channels import SignalChannels
from tailrace.signals.model import Channel

SECONDS = 20
SOON = {"signal.poll.interval.ms": 1}


@pytest.fixture
def opened():
    """Makes channels that are closed in the end."""
    made = []

    def make(properties, marks=None, **more):
        made.append(SignalChannels(unit_settings(SOON | properties), marks or {}, **more))
        return made[-1]

    yield make
    for channels in made:
        channels.close()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file-signals.txt"


@pytest.fixture
def by_file(path):
    return {"signal.enabled.channels": "file", "signal.file": path}


def message(id_):
    return json.dumps({"id": id_, "type": "pause-snapshot"})


def write(path, *ids):
    with path.open("a") as file:
        file.writelines(message(id_) + "\n" for id_ in ids)


def looked(channels, enough=1):
    """What comes until there is enough."""
    found, deadline = [], time.monotonic() + SECONDS
    while len(found) < enough:
        assert time.monotonic() < deadline, f"only {found}"
        found += channels.poll()
    return found


def ids(received):
    return [each.signal.id for each in received]


def test_without_channels_beside_the_log_nothing_waits_and_nothing_comes(opened):
    channels = opened({"signal.data.collection": "shop.signals"})
    assert channels.wait_ms(500) == 500
    assert channels.poll() == []
    assert channels.marks == {}


def test_without_channels_beside_the_log_no_client_of_kafka_is_loaded():
    program = (
        "import sys; from support.unit_settings import unit_settings; from tailrace.signals.channels import SignalChannels; "
        "settings = unit_settings(); before = set(sys.modules); SignalChannels(settings, {}).poll(); "
        "assert not set(sys.modules) - before, set(sys.modules) - before; assert 'tailrace.signals.kafka_topic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env={"PYTHONPATH": ":".join(sys.path)})


def test_the_first_look_is_at_once_and_the_next_when_it_is_time(opened, path, by_file):
    channels = opened({**by_file, "signal.poll.interval.ms": 3_600_000})
    assert channels.wait_ms(500) == 1
    write(path, "a")
    assert ids(channels.poll()) == ["a"]
    write(path, "b")
    assert channels.poll() == []
    assert channels.wait_ms(500) == 500
    assert 500 < channels.wait_ms(10_000_000) <= 3_600_000


def test_signals_of_the_file_come_once_and_their_mark_is_the_last_ones(opened, path, by_file):
    channels = opened(by_file)
    write(path, "a", "b")
    a, b = looked(channels, 2)
    assert (a.signal.channel, a.marks) == (Channel.FILE, {})
    assert b.marks == channels.marks == {"file": b.marks["file"]}
    write(path, "c")
    (c,) = looked(channels)
    assert (c.signal.id, c.marks["file"] != b.marks["file"]) == ("c", True)


def test_a_reader_that_begins_with_the_marks_goes_on_and_one_that_lost_them_gets_all_again(opened, path, by_file):
    write(path, "a")
    (a,) = looked(opened(by_file))
    write(path, "b")
    assert ids(looked(opened(by_file, a.marks))) == ["b"]
    assert ids(looked(opened(by_file), 2)) == ["a", "b"]


def test_several_lanes_leave_the_file_to_one_that_is_alone(opened, path, by_file):
    write(path, "a")
    several = opened(by_file, lanes=2)
    assert (several.poll(), several.wait_ms(500)) == ([], 500)
    assert ids(looked(opened(by_file, lanes=1))) == ["a"]


@pytest.fixture
def topic(kafka_broker):
    name = f"{uuid.uuid4().hex[:8]}-signal"
    admin = AdminClient({"bootstrap.servers": kafka_broker.address})
    admin.create_topics([NewTopic(name, 1, 1)])[name].result(SECONDS)
    return name


@pytest.fixture
def by_kafka(kafka_broker, topic):
    """The topic has its usual name, made of the prefix."""
    return {
        "topic.prefix": topic.removesuffix("-signal"),
        "signal.enabled.channels": "kafka",
        "signal.kafka.bootstrap.servers": kafka_broker.address,
        "signal.kafka.groupId": f"group-{topic}",
    }


@pytest.fixture
def send(kafka_broker, topic):
    producer = Producer({"bootstrap.servers": kafka_broker.address, "linger.ms": 0})

    prefix = topic.removesuffix("-signal")

    def send(*ids, key=prefix):
        for id_ in ids:
            producer.produce(topic, message(id_), key)
        assert producer.flush(SECONDS) == 0

    return send


@pytest.mark.kafka
def test_signals_of_the_topic_have_the_offset_behind_them(opened, by_kafka, send):
    send("a", "b")
    a, b = looked(opened(by_kafka), 2)
    assert [(each.signal.id, each.marks) for each in (a, b)] == [("a", {"kafka": 1}), ("b", {"kafka": 2})]
    assert ids(looked(opened(by_kafka, a.marks))) == ["b"]


@pytest.mark.kafka
def test_a_topic_that_is_read_from_its_end_has_a_mark_before_the_first_signal(opened, by_kafka, send):
    send("old")
    from_end = {**by_kafka, "signal.consumer.auto.offset.reset": "latest"}
    channels, deadline = opened(from_end), time.monotonic() + SECONDS
    while not channels.marks:
        assert time.monotonic() < deadline
        assert channels.poll() == []
    send("others", key="another")
    send("new")
    (new,) = looked(opened(from_end, channels.marks))
    assert (new.signal.id, channels.marks, new.marks) == ("new", {"kafka": 1}, {"kafka": 3})


@pytest.mark.kafka
def test_both_channels_keep_their_marks_beside_each_other(opened, by_kafka, by_file, path, send):
    write(path, "line")
    send("record")
    channels = opened(by_kafka | by_file | {"signal.enabled.channels": "kafka,file"})
    received = looked(channels, 2)
    assert sorted(ids(received)) == ["line", "record"]
    assert set(received[-1].marks) == {"file", "kafka"}
    assert channels.marks == received[-1].marks
