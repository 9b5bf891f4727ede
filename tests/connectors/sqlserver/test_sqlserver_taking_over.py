"""Debezium's offsets as positions, and back."""

from __future__ import annotations

import random

import pytest

from support.sqlserver_reading import begin, read_on, settings_of
from tailrace.connectors.base import Progress
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.taking_over import offsets_of, partitions_of, position_of, restart_from, restart_of
from tailrace.errors import ProgressError
from tailrace_standins.servers.sqlserver_server import Database

COMMIT, CHANGE = "00000025:00000d98:00a2", "00000025:00000d58:0002"
OFFSET = {"commit_lsn": COMMIT, "change_lsn": CHANGE, "event_serial_no": 2}


def test_an_offset_within_a_transaction_begins_that_again() -> None:
    position = position_of(OFFSET)
    assert position.lsn.text == "00000025:00000d98:00a1"
    assert position.taken_over is not None
    assert (position.taken_over.commit.text, position.taken_over.change.text) == (COMMIT, CHANGE)
    assert position.taken_over.serial == 2


@pytest.mark.parametrize("change", [None, "NULL"])
def test_an_offset_without_a_change_is_behind_its_transaction(change: str | None) -> None:
    assert position_of({**OFFSET, "change_lsn": change}) == DatabasePosition(position_of(OFFSET).lsn.next())


@pytest.mark.parametrize(
    ("offset", "why"),
    [
        ({**OFFSET, "snapshot": "INITIAL", "snapshot_completed": False}, "within a snapshot"),
        ({**OFFSET, "incremental_snapshot_primary_key": ""}, "incremental snapshot"),
        ({}, "no commit LSN"),
        ({"commit_lsn": "12"}, "no LSN of SQL Server"),
    ],
)
def test_an_offset_that_can_t_be_gone_on_from_says_why(offset: dict[str, object], why: str) -> None:
    with pytest.raises(ProgressError, match=why):
        position_of(offset)


def test_the_offset_of_a_connector_that_only_reads_names_a_place_in_the_signals_topic() -> None:
    assert position_of({**OFFSET, "incremental_snapshot_signal_offset": None}) == position_of(OFFSET)


def test_a_position_that_a_person_gives_names_its_database() -> None:
    own = {"shop": {"lsn": COMMIT}}
    assert restart_from(own) == own
    assert restart_from({"shop": {"commit_lsn": COMMIT, "change_lsn": "NULL"}}) == own
    with pytest.raises(ProgressError, match="names its database"):
        restart_from({"lsn": COMMIT})


@pytest.mark.drivers
@pytest.mark.parametrize("metadata", ["false", "true"])
def test_reading_goes_on_behind_any_event_that_debezium_had_sent(sqlserver: Database, metadata: str) -> None:
    sqlserver.sql("CREATE TABLE a (id int PRIMARY KEY, n int); CREATE TABLE b (id int PRIMARY KEY, n int)")
    sqlserver.capture("a")
    sqlserver.capture("b")
    settings = settings_of(sqlserver, provide_transaction_metadata=metadata, include_schema_changes="false")
    start = begin(settings)
    chance = random.Random(7)
    for number in range(4):
        work = [f"INSERT {table} VALUES ({number * 10 + i}, 0)" for i in range(3) for table in chance.sample("ab", 2)]
        work += [
            f"UPDATE a SET n = n + 1 WHERE id >= {number * 10}",
            f"UPDATE b SET id = {number + 1000} WHERE id = {number * 10}",
        ]
        sqlserver.sql(f"BEGIN TRAN; {'; '.join(work)}; COMMIT")
    sqlserver.capture_all()
    whole = read_on(settings, start.fresh())
    events = [each for each in whole.records if ".dbo." in each["topic"] and each["value"]]
    as_debezium = sorted(
        events,
        key=lambda each: [each["value"]["source"][name] for name in ("commit_lsn", "change_lsn", "event_serial_no")],
    )
    for sent in range(1, len(as_debezium), 5):
        source = as_debezium[sent - 1]["value"]["source"]
        offset = {name: source[name] for name in ("commit_lsn", "change_lsn", "event_serial_no")}
        place = start.fresh()
        place.progress = Progress("", restart_of(settings, [offset]))
        rest = [each for each in read_on(settings, place).records if ".dbo." in each["topic"] and each["value"]]
        assert sorted(map(repr, rest)) == sorted(map(repr, as_debezium[sent:]))
        assert place.progress == whole.progress


@pytest.mark.drivers
def test_a_boundary_becomes_an_offset_that_nothing_of_its_transaction_is_behind(sqlserver: Database) -> None:
    sqlserver.sql("CREATE TABLE a (id int PRIMARY KEY)")
    sqlserver.capture("a")
    settings = settings_of(sqlserver)
    read = begin(settings)
    sqlserver.sql("INSERT a VALUES (1)")
    sqlserver.capture_all()
    read_on(settings, read)
    (offset,) = offsets_of(settings, read.progress)
    lsn = POSITIONS.restart(read.progress.restart)[sqlserver.name].lsn
    assert offset == {"commit_lsn": lsn.text, "change_lsn": "ffffffff:ffffffff:ffff", "event_serial_no": 1}
    assert POSITIONS.restart(restart_of(settings, [offset])).lsns == {sqlserver.name: lsn}
    assert partitions_of(settings)[0] == [{"server": "s", "database": sqlserver.name}, {"server": "s"}]


@pytest.mark.drivers
def test_a_position_within_a_window_has_no_offset(sqlserver: Database) -> None:
    settings = settings_of(sqlserver)
    within = {sqlserver.name: {"lsn": COMMIT, "until": "00000026:00000d98:00a2"}}
    with pytest.raises(ProgressError, match="within a window"):
        offsets_of(settings, Progress("", within))
