"""Sections of the log beside a snapshot: over one connection, each change once, each ending between transactions."""

import pytest
from attrs import evolve

from support.mysql_settings import settings_for
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.connectors.mysql.snapshots import sections
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.connectors.mysql.snapshots.source import MySqlSource
from tailrace.connectors.mysql.stream import BinlogStream
from tailrace.connectors.shared.snapshots.keys import stored_keys
from tailrace.snapshot.lane_part import LanePart

pytestmark = pytest.mark.mysql


@pytest.fixture
def settings(mysql_server, database):
    mysql_server.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT)", database)
    return settings_for(mysql_server, database_include_list=database)


@pytest.fixture
def opened(monkeypatch):
    """The streams of the log that were opened."""
    streams, real = [], BinlogStream.__init__

    def counted(self, settings, start, options=None):
        if options is None or not options.is_auxiliary:  # those only ask which file it is
            streams.append(self)
        real(self, settings, start, options)

    monkeypatch.setattr(BinlogStream, "__init__", counted)
    return streams


def source_of_now(settings, **changes):
    """A source that stands at the log's head, with changes of its restart position."""
    point = MySqlConnector(settings).start_point(1)
    keys = stored_keys(LanePart.from_dict(point.progress.snapshot["parts"][0]).keys, ChunkKey.from_dict)
    return MySqlSource(settings, 0, {**point.progress.restart, **changes}, point.history, keys)


@pytest.fixture
def source(settings):
    source = source_of_now(settings)
    yield source
    source.close()


def touched(found):
    """The values of `id` that the sections' changes have, in order."""
    return [
        int(n) for section in found for each in section.touches for n in each.images.keys[0].data[each.images.after]
    ]


def insert(server, database, first, last, size=1):
    """Transactions of so many rows each."""
    with server.connect(database) as connection, connection.cursor() as cursor:
        for begin in range(first, last, size):
            cursor.executemany("INSERT INTO t VALUES (%s, %s)", [(n, 0) for n in range(begin, begin + size)])
            connection.commit()


def test_each_section_goes_on_where_the_last_one_ended_over_one_connection(mysql_server, database, source, opened):
    found = []
    for first in (0, 10, 20):
        insert(mysql_server, database, first, first + 10)
        found += source.changes(None)
    assert touched(found) == list(range(30))
    assert len(found) == 3
    assert len(opened) == 1


def test_what_the_server_sent_behind_a_sections_end_comes_in_the_next(mysql_server, database, source, opened):
    insert(mysql_server, database, 0, 10)
    (first,) = source.changes(None)
    insert(mysql_server, database, 10, 20)
    half = MySqlSource.changes(source, {"until": source._head()})
    insert(mysql_server, database, 20, 30)
    second, third = list(half), list(source.changes(None))
    assert [touched([first]), touched(second), touched(third)] == [[*range(10)], [*range(10, 20)], [*range(20, 30)]]
    assert len(opened) == 1


def test_a_long_section_ends_between_transactions_and_the_next_goes_on_there(
    monkeypatch, mysql_server, database, source, opened
):
    monkeypatch.setattr(sections, "SECTION_BYTES", 1000)
    insert(mysql_server, database, 0, 20_000, size=100)
    found = list(source.changes(None))
    assert touched(found) == list(range(20_000))
    assert len(found) > 1
    assert len(opened) == 1
    places = [RestartPosition.from_dict(section.position["until"]) for section in found]
    assert [len(touched([section])) % 100 for section in found] == [0] * len(found)
    assert [place.to_dict() for place in sorted(places, key=lambda place: place.position)] == [
        section.position["until"] for section in found
    ]


def test_a_section_goes_on_in_the_next_file(mysql_server, database, source, opened):
    insert(mysql_server, database, 0, 10)
    mysql_server.sql("FLUSH BINARY LOGS", database)
    insert(mysql_server, database, 10, 20)
    assert touched(source.changes(None)) == list(range(20))
    mysql_server.sql("FLUSH BINARY LOGS", database)
    assert touched(source.changes(None)) == []
    insert(mysql_server, database, 20, 30)
    assert touched(source.changes(None)) == list(range(20, 30))
    assert len(opened) == 1


def test_a_connection_that_was_idle_so_long_that_the_server_may_drop_it_is_not_used_again(
    mysql_server, database, settings, opened
):
    source = source_of_now(evolve(settings, binlog_net_write_timeout=1))
    insert(mysql_server, database, 0, 10)
    first = list(source.changes(None))
    source._log._read_at -= 0.5
    mysql_server.sql("ALTER TABLE t ADD COLUMN w INT", database)
    insert_wide = "INSERT INTO t VALUES (10, 0, 0), (11, 0, 0)"
    mysql_server.sql(insert_wide, database)
    second = list(source.changes(None))
    source.close()
    assert [touched(first), touched(second)] == [list(range(10)), [10, 11]]
    assert [section.altered for section in first] == [frozenset()]
    assert len(second[0].altered) == 1
    assert len(opened) == 2


def test_a_position_of_another_server_is_found_by_its_gtids(monkeypatch, mysql_server, database, settings, opened):
    monkeypatch.setattr(sections, "SECTION_BYTES", 1000)
    source = source_of_now(settings, server_uuid="6a1f8a1e-6f0b-4f0e-9a53-3f4c0c1d7e55", file="other.000007")
    insert(mysql_server, database, 0, 1000, size=100)
    first = list(source.changes(None))
    insert(mysql_server, database, 1000, 2000, size=100)
    second = list(source.changes(None))
    source.close()
    assert [touched(first), touched(second)] == [list(range(1000)), list(range(1000, 2000))]
    assert len(second) > 1
    assert len(opened) == 1
    assert opened[0].start.gtids is not None
