"""The server's local times as UTC, and the time in the source block: of the commit, or of reading."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from support.sqlserver_reading import NOW_US, Read, batches, begin, read_on, settings_of, started
from support.streaming_frames import next_batch, options_of
from support.streaming_frames import read as read_frame
from support.unit_settings import sqlserver_unit_settings
from tailrace.config.time_zones import TimeZone
from tailrace.connectors.findings import Level
from tailrace.connectors.sqlserver import local_times
from tailrace.connectors.sqlserver.checks import check
from tailrace.errors import ConfigError
from tailrace.source.cdc_source import INITIAL
from tailrace_standins.servers.sqlserver_server import Database, StandInServer

PARIS = "Europe/Paris"
SUMMER, WINTER = "2026-10-24T22:30:00", "2026-10-25T03:30:00"  # around the hour that Paris has twice, in UTC


def us(text: str) -> int:
    return (dt.datetime.fromisoformat(text) - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)  # noqa: DTZ001


@pytest.mark.parametrize(
    ("shown", "earlier", "later"),
    [
        ("2026-07-01T12:00:00", "2026-07-01T10:00:00", "2026-07-01T10:00:00"),
        ("2026-12-01T12:00:00", "2026-12-01T11:00:00", "2026-12-01T11:00:00"),
        ("2026-10-25T02:30:00", "2026-10-25T00:30:00", "2026-10-25T01:30:00"),
        ("2026-03-29T02:30:00", "2026-03-29T01:30:00", "2026-03-29T01:30:00"),  # which the clock never showed
    ],
)
def test_what_a_clock_may_have_meant(shown: str, earlier: str, later: str) -> None:
    found = local_times.candidates(PARIS, np.array([us(shown)]))
    assert [int(each[0]) for each in found] == [us(earlier), us(later)]


@pytest.fixture(scope="module")
def server() -> Iterator[StandInServer]:
    with StandInServer() as made:
        yield made


@pytest.fixture
def database(server: StandInServer) -> Iterator[Database]:
    """A table on a server in Paris."""
    server.command("zone", PARIS)
    made = server.create_database()
    made.sql("CREATE TABLE t (id int PRIMARY KEY)")
    made.capture("t")
    yield made
    server.command("clock", None)
    server.command("zone", None)
    made.drop()


class Writer:
    """Commits one row after the other, each at a time that is given in UTC; the last clock is that of reading."""

    def __init__(self, server: StandInServer, database: Database) -> None:
        self._server, self._database, self._id = server, database, 0

    def write(self, *times: str) -> None:
        for time in times:
            self._id += 1
            self._server.command("clock", f"{time}+00:00")
            self._database.sql(f"INSERT t VALUES ({self._id})")
            self._database.capture_all()


@pytest.fixture
def writer(server: StandInServer, database: Database) -> Writer:
    server.command("clock", "2026-10-24T20:00:00+00:00")
    return Writer(server, database)


def times(read: Read) -> list[str]:
    """When each change was, in UTC."""
    return [_shown(record["value"]["source"]["ts_ms"]) for record in read.of(".t")]


def _shown(ms: int) -> str:
    return dt.datetime.fromtimestamp(ms / 1000, dt.UTC).strftime("%Y-%m-%dT%H:%M:%S")


@pytest.mark.drivers
@pytest.mark.parametrize("mode", ["direct", "function"])
def test_the_rules_of_the_servers_zone_hold_whatever_its_clock_says_now(
    database: Database, writer: Writer, mode: str
) -> None:
    settings = settings_of(database, database_server_timezone=PARIS, data_query_mode=mode)
    read = started(settings)
    writer.write(SUMMER, "2026-10-25T00:10:00", "2026-10-25T00:50:00", "2026-10-25T01:20:00", "2026-10-25T01:55:00", WINTER)
    assert times(read_on(settings, read)) == [
        SUMMER, "2026-10-25T00:10:00", "2026-10-25T00:50:00", "2026-10-25T01:20:00", "2026-10-25T01:55:00", WINTER,
    ]  # fmt: skip


@pytest.mark.drivers
def test_without_the_zone_the_offset_of_now_is_taken_off(database: Database, writer: Writer) -> None:
    settings = settings_of(database)
    read = started(settings)
    writer.write(SUMMER, WINTER)
    assert times(read_on(settings, read)) == ["2026-10-24T23:30:00", WINTER]


@pytest.mark.drivers
def test_an_hour_that_comes_twice_is_told_apart_by_idle_entries_and_across_windows(
    server: StandInServer, database: Database, writer: Writer
) -> None:
    settings = settings_of(database, database_server_timezone=PARIS, max_iteration_transactions="1")
    read = started(settings)
    writer.write("2026-10-25T00:05:00")
    read_on(settings, read)
    server.command("clock", "2026-10-25T00:40:00+00:00")
    server.command("note_idle", database.name)
    writer.write("2026-10-25T01:20:00")  # 02:20, behind 02:40
    read_on(settings, read)
    writer.write("2026-10-25T01:59:00")
    read_on(settings, read)
    assert times(read) == ["2026-10-25T00:05:00", "2026-10-25T01:20:00", "2026-10-25T01:59:00"]


@pytest.mark.drivers
def test_a_transaction_that_began_in_the_first_of_two_like_hours_keeps_its_begin(
    server: StandInServer, database: Database, writer: Writer
) -> None:
    settings = settings_of(database, database_server_timezone=PARIS)
    read = started(settings)
    writer.write("2026-10-25T00:50:00")
    database.sql("BEGIN TRAN; INSERT t VALUES (100)")
    server.command("clock", "2026-10-25T01:10:00+00:00")
    database.sql("COMMIT")
    database.capture_all()
    assert times(read_on(settings, read)) == ["2026-10-25T00:50:00", "2026-10-25T00:50:00"]


@pytest.mark.drivers
@pytest.mark.parametrize(
    ("properties", "ends"),
    [
        ({}, False),
        ({"data_query_mode": "function"}, True),
        ({"source_timestamp_mode": "commit"}, True),
        ({"tailrace_event_shape": "2.1"}, True),
        ({"tailrace_event_shape": "1.4"}, True),
    ],
)
def test_the_time_of_a_change_is_that_of_its_commit_where_debezium_or_the_configuration_says_so(
    server: StandInServer, database: Database, writer: Writer, properties: dict[str, str], ends: bool
) -> None:
    settings = settings_of(database, database_server_timezone=PARIS, **properties)
    read = started(settings)
    writer.write("2026-07-01T12:00:00")
    database.sql("BEGIN TRAN; INSERT t VALUES (100)")
    server.command("clock", "2026-07-01T12:10:00+00:00")
    database.sql("COMMIT")
    database.capture_all()
    assert times(read_on(settings, read))[1] == ("2026-07-01T12:10:00" if ends else "2026-07-01T12:00:00")


@pytest.mark.drivers
@pytest.mark.parametrize("zone", ["+05:30", "IST"])
def test_a_zone_may_be_an_offset_or_a_short_name(database: Database, writer: Writer, zone: str) -> None:
    settings = settings_of(database, database_server_timezone=zone)
    read = started(settings)
    writer.write("2026-12-01T12:00:00")  # 13:00 on the server's clock, which is not in that zone
    assert times(read_on(settings, read)) == ["2026-12-01T07:30:00"]


@pytest.mark.drivers
def test_a_zone_that_the_servers_clock_is_not_in_is_told(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    local_times.warn_of_other_offset.cache_clear()
    wrong = settings_of(database, database_server_timezone="Asia/Tokyo")
    with caplog.at_level(logging.WARNING):
        read_on(wrong, begin(wrong))
        read_on(wrong, begin(wrong))
    assert caplog.text.count("Asia/Tokyo (database.server.timezone) is +09:00") == 1
    (told,) = [each for each in check(wrong) if "database.server.timezone" in each.what]
    assert told.level is Level.WARNING
    right = settings_of(database, database_server_timezone=PARIS)
    assert not [each for each in check(right) if "database.server.timezone" in each.what]


@pytest.mark.drivers
def test_in_processing_mode_a_change_tells_when_it_was_read(database: Database, writer: Writer) -> None:
    settings = settings_of(database, source_timestamp_mode="processing")
    read = started(settings)
    writer.write(SUMMER, WINTER)
    sources = [record["value"]["source"] for record in read_on(settings, read).of(".t")]
    now = {"ts_ms": NOW_US // 1000, "ts_us": NOW_US, "ts_ns": NOW_US * 1000}
    assert [{name: source[name] for name in now} for source in sources] == [now, now]
    assert {source["commit_lsn"] for source in sources} != {None}


@pytest.mark.drivers
def test_how_far_reading_is_behind_is_counted_from_the_commit_in_processing_mode_too(
    database: Database, writer: Writer
) -> None:
    settings = settings_of(database, source_timestamp_mode="processing")
    read = started(settings)
    writer.write(WINTER)
    assert us(WINTER) // 1000 in [batch.source_ts_ms for batch in batches(settings, read)]


@pytest.mark.drivers
def test_the_rows_of_a_frame_have_the_same_times_whenever_they_are_read(
    server: StandInServer, database: Database, writer: Writer
) -> None:
    options: dict[str, Any] = options_of(database, database_server_timezone=PARIS)
    start = next_batch(options, INITIAL)
    writer.write("2026-10-25T00:50:00", "2026-10-25T01:20:00")
    end = next_batch(options, start)
    rows = read_frame(options, start, end)
    server.command("clock", "2027-07-01T00:00:00+00:00")
    assert read_frame(options, start, end) == rows


@pytest.mark.parametrize("zone", ["Europe/Pariss", "+19:00", "local", "+02:00:30"])
def test_a_zone_that_is_none_is_refused(zone: str) -> None:
    with pytest.raises(ConfigError, match=r"database.server.timezone is .* must be a time zone"):
        sqlserver_unit_settings({"database.server.timezone": zone})


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("Z", TimeZone(None)),
        ("UTC", TimeZone(None)),
        ("+02:00", TimeZone(None, 120)),
        ("-0330", TimeZone(None, -210)),
        ("UTC+1", TimeZone(None, 60)),
        ("EST", TimeZone(None, -300)),
        ("CET", TimeZone("CET")),
        ("PST", TimeZone("America/Los_Angeles")),
        (PARIS, TimeZone(PARIS)),
    ],
)
def test_zones_are_named_as_java_names_them(text: str, zone: TimeZone) -> None:
    assert sqlserver_unit_settings({"database.server.timezone": text}).server_zone == zone
