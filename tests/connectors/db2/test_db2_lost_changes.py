"""Changes that are no longer retained: the connector stops where it can't be sure, and says what to do."""

from __future__ import annotations

import datetime as dt
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import pytest

from support.change_table_reading import Read, afters, batches, read_on, started
from support.db2_reading import settings_of, write
from support.encoding import encoded
from tailrace.connectors import connector_for
from tailrace.connectors.base import LogRange, Progress
from tailrace.errors import PositionLostError
from tailrace_standins.servers.db2_server import Database, StandInServer

pytestmark = pytest.mark.drivers
LOST = r"changes behind .* may be lost: pruning .* RETENTION_LIMIT"
HOURS = 3
APPLIED = (
    "INSERT INTO ASNCDC.IBMSNAP_PRUNE_SET VALUES ('KAFKA', 'KAFKAQUAL', 'SET001', CURRENT TIMESTAMP, "
    "X'00000000000000000000000000000007')"
)
"""A subscription of Apply has begun, so that rows may be pruned before their time."""
EVERYTHING = "9999-12-31-00.00.00.000000"


@pytest.fixture
def shop(db2: Database) -> Database:
    """A database with two captured tables, whose changes are kept for twelve hours."""
    db2.sql(
        "CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, A VARCHAR(20))",
        "CREATE TABLE S.OTHER (ID INTEGER NOT NULL PRIMARY KEY)",
        "UPDATE ASNCDC.IBMSNAP_CAPPARMS SET RETENTION_LIMIT = 720",
    )
    db2.register("S.T", "S.OTHER")
    clock(db2, 100)  # SQL Replication was set up long ago
    db2.replication.step()
    return db2


def clock(database: Database, hours: int) -> None:
    """Set the server's clock so many hours ahead."""
    text = (dt.datetime.now(dt.UTC) + dt.timedelta(hours=hours)).isoformat()
    database.replication.command("clock", text)  # type: ignore[attr-defined]


def later(read: Read, hours: int) -> Read:
    """The same place, so many hours after it was reached."""
    ((name, position),) = read.progress.restart.items()
    aged = {name: {**position, "as_of_us": position["as_of_us"] - hours * 3_600_000_000}}
    return replace(read, progress=Progress(read.progress.delivered, aged))


def without_time(read: Read) -> Read:
    """The same place, of which nobody knows when it was reached, as that of an offset of Debezium."""
    ((name, position),) = read.progress.restart.items()
    return replace(read, progress=Progress(read.progress.delivered, {name: {"lsn": position["lsn"]}}))


def rows(read: Read) -> list[object]:
    return afters(read, "S.T")


def test_pruning_of_what_was_read_is_no_loss(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    read_on(settings, read)
    shop.sql(APPLIED)
    shop.replication.prune(EVERYTHING)
    write(shop, "INSERT INTO S.T VALUES (2, 'y')")
    read_on(settings, read)
    assert rows(read) == [{"ID": 1, "A": "x"}, {"ID": 2, "A": "y"}]


@pytest.mark.parametrize("accepts", [False, True])
def test_what_was_deleted_before_its_time_is_noticed(
    shop: Database, accepts: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """As by a cold start of the Capture program, which begins at the log's end: what was captured until then is gone."""
    given = {"tailrace_registered_anew": "accept"} if accepts else {}
    settings = settings_of(shop, **given)
    read = started(settings)
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    read = read_on(settings, read)
    write(shop, "INSERT INTO S.T VALUES (2, 'lost')")
    shop.sql('DELETE FROM ASNCDC."CDC_S_T"', "DELETE FROM ASNCDC.IBMSNAP_UOW")
    write(shop, "INSERT INTO S.T VALUES (3, 'y')")
    if accepts:
        connector_for(settings).require_retained(read.progress, lambda: read.history)
        assert [row["ID"] for row in rows(read_on(settings, read))] == [1, 3]
        assert "does not list" in caplog.text
        return
    gone = "is not listed any more, and pruning can't have taken it yet"
    with pytest.raises(PositionLostError, match=gone):
        connector_for(settings).require_retained(read.progress, lambda: read.history)
    with pytest.raises(PositionLostError, match=gone):
        read_on(settings, read)


def test_a_cold_start_beside_a_running_reader_is_noticed(shop: Database) -> None:
    """The Capture program is another process: its start cuts no connection of the reader."""
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    progress, history = read.progress, tuple(read.history)
    reading = encoded(connector_for(settings).read(LogRange(progress.restart), progress, history), settings)
    while not rows(read):
        read.take(next(reading))
    shop.sql('DELETE FROM ASNCDC."CDC_S_T"', "DELETE FROM ASNCDC.IBMSNAP_UOW")
    write(shop, "INSERT INTO S.T VALUES (3, 'y')")
    with pytest.raises(PositionLostError, match="is not listed any more, and pruning can't have taken it yet"):
        deque(map(read.take, islice(reading, 20)))
    assert [row["ID"] for row in rows(read)] == [1]


@pytest.mark.parametrize("is_seen", [False, True], ids=["while stopped", "while it runs"])
def test_a_limit_that_is_raised_behind_pruning_makes_no_cold_start(shop: Database, is_seen: bool) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    for hours in (100, 108, 116, 124):  # nobody changes anything for a day
        clock(shop, hours)
        write(shop)
        read = read_on(settings, read)
    shop.replication.prune()
    write(shop)
    if is_seen:
        read = read_on(settings, read)
    shop.sql("UPDATE ASNCDC.IBMSNAP_CAPPARMS SET RETENTION_LIMIT = 10080")
    connector_for(settings).require_retained(read.progress, lambda: read.history)
    write(shop, "INSERT INTO S.T VALUES (2, 'y')")
    assert [row["ID"] for row in rows(read_on(settings, read))] == [1, 2]


@pytest.mark.parametrize("aged", [lambda read: later(read, 24), without_time], ids=["old", "of unknown age"])
def test_a_position_that_pruning_may_have_passed_is_lost(shop: Database, aged: Callable[[Read], Read]) -> None:
    settings = settings_of(shop)
    read = started(settings)
    for number in (1, 2, 3):
        write(shop, f"INSERT INTO S.T VALUES ({number}, 'x')")
    shop.replication.prune(EVERYTHING)
    write(shop, "INSERT INTO S.T VALUES (4, 'x')")
    old = aged(read)
    with pytest.raises(PositionLostError, match=LOST):
        read_on(settings, old.fresh())
    with pytest.raises(PositionLostError, match=LOST):
        connector_for(settings).require_retained(old.progress, lambda: old.history)


def test_a_position_that_is_younger_than_the_retention_has_lost_nothing(shop: Database) -> None:
    """Nothing was ever captured before it, so the list of transactions does not reach back to it."""
    settings = settings_of(shop)
    read = later(started(settings), HOURS)
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    connector_for(settings).require_retained(read.progress, lambda: read.history)
    read_on(settings, read)
    assert rows(read) == [{"ID": 1, "A": "x"}]


def test_an_old_position_is_good_as_long_as_a_transaction_before_it_is_listed(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    read = later(read_on(settings, read), 500)
    write(shop, "INSERT INTO S.T VALUES (2, 'y')")
    read_on(settings, read)
    assert rows(read) == [{"ID": 1, "A": "x"}, {"ID": 2, "A": "y"}]


def test_an_old_position_at_the_end_of_the_log_is_good(shop: Database) -> None:
    settings = settings_of(shop)
    read = later(started(settings), 500)
    connector_for(settings).require_retained(read.progress, lambda: read.history)
    before = len(read.records)
    read_on(settings, read)
    assert len(read.records) == before


def test_pruning_while_a_window_is_read_is_noticed_behind_it(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT INTO S.T VALUES (0, 'seen')")
    read = later(read_on(settings, read), 24)
    write(shop, "INSERT INTO S.OTHER VALUES (1)")
    write(shop, "INSERT INTO S.T VALUES (1, 'lost')")
    reading = batches(settings, read)
    assert [records.topic for records in next(reading).records] == ["s.S.OTHER"]
    shop.replication.prune(EVERYTHING)
    with pytest.raises(PositionLostError, match=LOST):
        list(reading)


def test_the_time_of_a_position_moves_on_with_the_log_and_stays_within_a_window(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    (name,) = read.progress.restart
    times = [read.progress.restart[name]["as_of_us"]]
    clock(shop, 101)
    write(shop, "INSERT INTO S.T VALUES (1, 'x')", "INSERT INTO S.OTHER VALUES (1)")
    times += [batch.progress.restart[name]["as_of_us"] for batch in batches(settings, read.fresh())]
    assert times == sorted(times)
    assert times[0] == times[1] < times[-1]


def test_a_database_that_was_restored_to_an_earlier_time_is_noticed(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.replication.command("backup")  # type: ignore[attr-defined]
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    read_on(settings, read)
    shop.replication.command("restore", 0)  # type: ignore[attr-defined]
    with pytest.raises(PositionLostError, match="restored"):
        read_on(settings, read)
    with pytest.raises(PositionLostError, match="restored"):
        connector_for(settings).require_retained(read.progress, lambda: read.history)


def test_a_database_that_was_restored_and_has_passed_the_position_again_is_noticed(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    read = read_on(settings, read)
    shop.replication.command("backup")  # type: ignore[attr-defined]
    write(shop, "INSERT INTO S.T VALUES (2, 'x')")
    read = read_on(settings, read)
    connector_for(settings).require_retained(read.progress, lambda: read.history)
    shop.replication.command("restore", 0)  # type: ignore[attr-defined]
    clock(shop, 101)
    for number in range(3, 9):
        write(shop, f"INSERT INTO S.T VALUES ({number}, 'x')")
    passed = r"its newest transaction up to there was .*; now it is .*: the database was restored"
    with pytest.raises(PositionLostError, match=passed):
        read_on(settings, read)
    with pytest.raises(PositionLostError, match=passed):
        connector_for(settings).require_retained(read.progress, lambda: read.history)


def test_a_database_that_was_restored_to_within_a_window_that_was_begun_is_noticed(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    read = read_on(settings, read)
    shop.replication.command("backup")  # type: ignore[attr-defined]
    write(shop, "INSERT INTO S.OTHER VALUES (99)")
    write(shop, "INSERT INTO S.T VALUES (99, 'x')")
    reading = batches(settings, read)
    read.take(next(reading))
    reading.close()
    assert "until" in next(iter(read.progress.restart.values()))
    shop.replication.command("restore", 0)  # type: ignore[attr-defined]
    clock(shop, 101)
    for number in range(3, 9):
        write(shop, f"INSERT INTO S.OTHER VALUES ({number})")
    for noticed in (
        lambda: read_on(settings, read),
        lambda: connector_for(settings).require_retained(read.progress, lambda: read.history),
    ):
        with pytest.raises(PositionLostError, match=r"newest transaction up to there was .*; now it is .* was restored"):
            noticed()


def test_a_database_without_a_transaction_that_has_one_after_being_restored_is_noticed(shop: Database) -> None:
    settings = settings_of(shop)
    shop.replication.command("backup")  # type: ignore[attr-defined]
    shop.sql("CREATE TABLE S.NOT_REGISTERED (ID INTEGER)", *(f"INSERT INTO S.NOT_REGISTERED VALUES {n}" for n in range(20)))
    shop.replication.step()
    read = started(settings)
    shop.replication.command("restore", 0)  # type: ignore[attr-defined]
    for number in range(9):
        write(shop, f"INSERT INTO S.T VALUES ({number}, 'x')")
    with pytest.raises(PositionLostError, match=r"newest transaction up to there was none; now it is .* was restored"):
        read_on(settings, read)


@pytest.mark.db2_stand_in("a second database")
@pytest.mark.parametrize("has_changes", [False, True])
def test_another_database_of_the_same_name_is_noticed(
    shop: Database, db2_server: StandInServer, has_changes: bool
) -> None:
    """Also one whose Capture program has not told anything yet, and one whose log is far longer."""
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    read = read_on(settings, read)
    other = db2_server.create_database()
    try:
        other.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, A VARCHAR(20))")
        if has_changes:
            other.sql(*(f"INSERT INTO S.T VALUES ({number}, 'not captured')" for number in range(100)))
            other.register("S.T")
            write(other, "INSERT INTO S.T VALUES (1000, 'x')")
        (position,) = read.progress.restart.values()
        moved = replace(read, progress=Progress(read.progress.delivered, {other.database: position}))
        another = "by a list of transactions that was made at .*; now it is one that was made at .*: it is another database"
        with pytest.raises(PositionLostError, match=another):
            read_on(settings_of(other), moved)
        with pytest.raises(PositionLostError, match=another):
            connector_for(settings_of(other)).require_retained(moved.progress, lambda: read.history)
    finally:
        db2_server.drop_database(other)


def test_a_clock_that_was_set_back_makes_no_restored_database(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    for hours in (100, 98, 101):
        clock(shop, hours)
        write(shop, f"INSERT INTO S.T VALUES ({hours}, 'x')")
        connector_for(settings).require_retained(read.progress, lambda: read.history)  # noqa: B023 -- called at once
        read = read_on(settings, read)
    assert [row["ID"] for row in rows(read)] == [100, 98, 101]
