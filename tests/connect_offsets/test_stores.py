"""Stores of offsets: a file, a topic, and their names."""

import uuid

import pytest

from support.unit_settings import unit_settings
from tailrace.connect_offsets.file import OffsetFile
from tailrace.connect_offsets.stores import open_store
from tailrace.errors import ConfigError, ProgressError


@pytest.fixture
def topic(kafka_broker):
    """The store of a topic that is not there yet."""
    return open_store(f"kafka:{kafka_broker.address}/d-{uuid.uuid4().hex[:8]}-offsets", unit_settings())


@pytest.mark.parametrize("place", ["", "file:", "kafka:h:9092", "kafka:/topic", "redis:h/x", "/tmp/offsets.dat"])
def test_a_place_that_is_none_is_refused_with_the_two_that_are(place):
    with pytest.raises(ConfigError, match=r"file:PATH .* kafka:HOST:PORT/TOPIC"):
        open_store(place, unit_settings())


def test_a_file_that_is_not_there_has_no_entries(tmp_path):
    store = OffsetFile(tmp_path / "new.dat")
    assert (store.exists(), store.load()) == (False, {})


def test_an_entry_goes_into_a_file_beside_the_others(tmp_path):
    store = OffsetFile(tmp_path / "deep" / "offsets.dat")
    store.store(b"a", b"1")
    store.store(b"b", b"2")
    store.store(b"a", b"3")
    assert OffsetFile(tmp_path / "deep" / "offsets.dat").load() == {b"a": b"3", b"b": b"2"}


def test_a_file_of_something_else_is_not_overwritten(tmp_path):
    path = tmp_path / "precious"
    path.write_text("mine")
    with pytest.raises(ProgressError, match="precious is not a file of Kafka Connect's offsets"):
        OffsetFile(path).store(b"a", b"1")
    assert path.read_text() == "mine"


@pytest.mark.kafka
def test_a_topic_that_is_not_there_has_no_entries_and_is_not_made_by_looking(topic):
    assert (topic.exists(), topic.load(), topic.exists()) == (False, {}, False)


@pytest.mark.kafka
def test_the_last_value_of_a_key_counts_whatever_its_partition(topic):
    for number in range(40):
        topic.store(f"k{number % 9}".encode(), str(number).encode())
    last = {f"k{number % 9}".encode(): str(number).encode() for number in range(40)}
    assert topic.load() == last
