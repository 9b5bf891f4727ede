"""Changes that are no longer retained: the connector stops, and says what to do."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from support.sqlserver_reading import afters, batches, read_on, settings_of, started, structures, write
from tailrace.connectors.base import Lane, LogRange
from tailrace.connectors.change_tables import window_tables
from tailrace.connectors.change_tables.window_tables import WindowTables
from tailrace.connectors.sqlserver.reader import SqlServerConnector
from tailrace.errors import PositionLostError, SourceSetupError
from tailrace_standins.servers.sqlserver_server import Database

pytestmark = pytest.mark.drivers

LATER = "WAITFOR DELAY '00:00:00.020'"  # a clean-up takes transactions of one time together


@pytest.mark.parametrize("listed", ["", "dbo.t,dbo.other"])
def test_a_table_that_is_not_captured_any_more_is_left_out_with_a_warning(
    shop: Database, caplog: pytest.LogCaptureFixture, listed: str
) -> None:
    settings = settings_of(shop, table_include_list=listed)
    read = started(settings)
    write(shop, "INSERT t VALUES (1, N'lost'); INSERT other VALUES (1)")
    shop.uncapture("t")
    with caplog.at_level(logging.WARNING):
        read_on(settings, read)
    assert f"{shop.name}.dbo.t is not captured any more" in caplog.text
    assert len(read.of("dbo.other")) == 1
    shop.capture("t")
    write(shop, "INSERT t VALUES (2, N'again')")
    read_on(settings, read)
    assert afters(read) == [{"id": 2, "a": "again"}]
    assert structures(read) == [("DROP", []), ("CREATE", ["id", "a"])]


def test_an_instance_that_was_dropped_before_it_was_read_to_its_end_is_no_silence(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT t VALUES (1, N'lost')")
    shop.uncapture("t")
    shop.capture("t")
    write(shop, "INSERT t VALUES (2, N'x')")
    with pytest.raises(PositionLostError, match=r"dbo\.t: the capture instance dbo_t was dropped before it was read"):
        read_on(settings, read)


def test_an_instance_that_was_replaced_while_nothing_happened_is_no_loss(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT t VALUES (1, N'x')")
    read_on(settings, read)
    shop.uncapture("t")
    shop.sql("ALTER TABLE t ADD b int")
    shop.capture("t")
    write(shop, "INSERT t VALUES (2, N'y', 2)")
    read_on(settings, read)
    assert afters(read) == [{"id": 1, "a": "x"}, {"id": 2, "a": "y", "b": 2}]
    assert structures(read) == [("ALTER", ["id", "a", "b"])]


def test_a_table_that_was_altered_before_it_was_captured_anew_may_have_lost_changes(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "ALTER TABLE t ADD b int")
    shop.uncapture("t")
    shop.capture("t")
    write(shop, "INSERT t VALUES (2, N'x', 2)")
    with pytest.raises(PositionLostError, match="snapshot"):
        read_on(settings, read)


def test_an_instance_that_was_made_anew_and_has_no_beginning_yet_is_no_silence(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT t VALUES (1, N'lost')")
    shop.uncapture("t")
    shop.sql("EXEC sys.sp_cdc_enable_table 'dbo', 't', @role_name = NULL")
    with pytest.raises(PositionLostError, match=r"dbo\.t: .* was dropped .* where the capture job has not come to"):
        read_on(settings, read)


def test_an_instance_that_is_made_anew_while_a_window_is_read_is_no_silence(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT other VALUES (1); INSERT t VALUES (1, N'lost')")
    reading = batches(settings, read)
    assert [records.topic for records in next(reading).records] == [f"{settings.topic_prefix}.{shop.name}.dbo.other"]
    shop.uncapture("t")
    shop.capture("t")
    with pytest.raises(PositionLostError, match=r"dbo\.t: .* dbo_t was dropped and made anew before it was read"):
        list(reading)


def test_what_is_lost_is_lost_to_the_lane_that_reads_it_alone(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql("INSERT t VALUES (1, N'lost')")
    shop.capture("t", instance="t_2")
    write(shop, "INSERT t VALUES (2, N'new')")
    shop.uncapture("t", instance="dbo_t")
    lost = []
    for number in range(3):
        try:
            read_on(settings, read.fresh(), Lane(number, 3))
        except PositionLostError:
            lost.append(number)
    topic = f"{settings.topic_prefix}.{shop.name}.dbo.t"
    assert lost == [number for number in range(3) if Lane(number, 3).owns(topic)]


def test_what_the_clean_up_took_away_before_it_was_read_is_lost(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    for number in (1, 2, 3):
        write(shop, f"INSERT t VALUES ({number}, N'x'); {LATER}")
    shop.clean_up("dbo_t", shop.max_lsn())
    with pytest.raises(PositionLostError, match=r"dbo\.t: changes are lost.*@retention"):
        read_on(settings, read)


def test_the_clean_up_of_what_was_read_is_no_loss(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT t VALUES (1, N'x')")
    read_on(settings, read)
    shop.clean_up("dbo_t", shop.max_lsn())
    write(shop, "INSERT t VALUES (2, N'y')")
    read_on(settings, read)
    assert afters(read) == [{"id": 1, "a": "x"}, {"id": 2, "a": "y"}]


def test_what_the_clean_up_takes_from_an_older_instance_while_it_is_read_is_lost(
    shop: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both instances of the table begin at one LSN then, and the newer one is read from there on."""
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT t VALUES (1, N'lost')")
    shop.capture("t", instance="t_2")
    write(shop, f"{LATER}; INSERT t VALUES (2, N'x')")
    of_tables, place = WindowTables.batches, read.progress.restart[shop.name]["lsn"]

    def cleaned_up(*given: Any) -> Iterator[Any]:
        for instance in ("dbo_t", "t_2"):
            shop.clean_up(instance, shop.max_lsn())
        yield from of_tables(*given)

    monkeypatch.setattr(WindowTables, "batches", cleaned_up)
    with pytest.raises(PositionLostError, match=r"dbo\.t: changes are lost.* instance dbo_t begins .*@retention"):
        read_on(settings, read)
    assert read.progress.restart[shop.name]["lsn"] == place, "the window does not count as delivered"


def test_an_older_instance_that_the_clean_up_has_emptied_is_not_taken_for_one_that_was_dropped(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT t VALUES (1, N'lost')")
    shop.capture("t", instance="t_2")
    write(shop, f"{LATER}; INSERT t VALUES (2, N'x')")
    for instance in ("dbo_t", "t_2"):
        shop.clean_up(instance, shop.max_lsn())
    with pytest.raises(PositionLostError, match=r"dbo\.t: changes are lost.* instance dbo_t begins .*@retention"):
        read_on(settings, read)


def test_a_progress_whose_changes_are_gone_is_out_of_reach(shop: Database) -> None:
    settings = settings_of(shop, table_include_list="dbo.t")
    read = started(settings)
    connector = SqlServerConnector(settings)
    connector.require_retained(read.progress)
    write(shop, f"INSERT t VALUES (1, N'x'); {LATER}; INSERT t VALUES (2, N'x')")
    shop.clean_up("dbo_t", shop.max_lsn())
    with pytest.raises(PositionLostError, match="changes are lost"):
        connector.require_retained(read.progress)


def test_a_progress_whose_instance_was_replaced_is_out_of_reach(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT t VALUES (1, N'lost')")
    shop.uncapture("t")
    shop.capture("t")
    connector = SqlServerConnector(settings)
    with pytest.raises(PositionLostError, match=r"dbo\.t: the capture instance dbo_t was dropped before it was read"):
        connector.require_retained(read.progress, lambda: read.history)


def test_a_table_that_came_later_is_no_gap_in_a_progress(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT t VALUES (1, N'x'); CREATE TABLE late (id int PRIMARY KEY)")
    shop.capture("late")
    write(shop, "INSERT late VALUES (1)")
    SqlServerConnector(settings).require_retained(read.progress, lambda: read.history)
    assert len(read_on(settings, read).of("dbo.late")) == 1


def test_a_table_that_may_not_be_seen_any_more_is_not_passed_over(
    shop: Database, reader: str, login: dict[str, str]
) -> None:
    shop.sql(
        f"GRANT SELECT ON SCHEMA::cdc TO [{reader}]; GRANT SELECT ON dbo.t TO [{reader}]; GRANT SELECT ON dbo.other TO [{reader}]"
    )
    settings = settings_of(shop, **login)
    read = started(settings)
    write(shop, "INSERT t VALUES (1, N'x')")
    shop.sql(f"REVOKE SELECT ON dbo.t FROM [{reader}]")
    wanted = rf"dbo\.t was read up to now.*GRANT SELECT ON \[dbo\]\.\[t\] TO \[{reader}\]"
    with pytest.raises(SourceSetupError, match=wanted):
        read_on(settings, read)
    with pytest.raises(SourceSetupError, match=wanted):
        SqlServerConnector(settings).require_retained(read.progress, lambda: read.history)
    without = settings_of(shop, table_exclude_list="dbo.t", **login)
    assert read_on(without, read.fresh()).of("dbo.t") == []
    shop.sql(f"GRANT SELECT ON dbo.t TO [{reader}]")
    assert afters(read_on(settings, read)) == [{"id": 1, "a": "x"}]


def test_instances_of_tables_that_were_never_seen_are_named(
    shop: Database, reader: str, login: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    shop.sql(f"GRANT SELECT ON SCHEMA::cdc TO [{reader}]; GRANT SELECT ON dbo.other TO [{reader}]")
    settings = settings_of(shop, **login)
    read = started(settings)
    write(shop, "INSERT t VALUES (1, N'x'); INSERT other VALUES (1)")
    with caplog.at_level(logging.WARNING):
        read_on(settings, read)
    assert "the user may not see the tables of the capture instances dbo_t" in caplog.text
    assert [len(read.of(table)) for table in ("dbo.t", "dbo.other")] == [0, 1]


def test_a_table_that_is_new_within_a_window_is_no_gap_where_it_is_resumed(
    shop: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window_tables, "FIRST_ROWS", 2)
    monkeypatch.setattr(window_tables, "MOST_ROWS", 2)
    settings = settings_of(shop)
    read = started(settings)
    write(shop, "INSERT t VALUES (1, N'x'); CREATE TABLE late (id int PRIMARY KEY)")
    shop.capture("late")
    write(shop, "INSERT late VALUES (1), (2), (3); INSERT other VALUES (1); INSERT t VALUES (2, N'y'), (3, N'z')")
    whole = read.fresh()
    for batch in batches(settings, whole.fresh()):
        whole.take(batch)
        rest = read_on(settings, whole.fresh())
        found = [len(whole.of(table)) + len(rest.of(table)) for table in ("dbo.late", "dbo.other", "dbo.t")]
        assert found == [3, 1, 3]
        SqlServerConnector(settings).require_retained(whole.progress, lambda: whole.history)


def test_what_another_lane_has_read_is_not_lost_to_this_one(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    for key in (1, 2, 3):
        shop.sql(f"INSERT t VALUES ({key}, N'x'); {LATER}")
    shop.capture_all()
    shop.clean_up("dbo_t", shop.max_lsn())
    topic, lost = f"{settings.topic_prefix}.{shop.name}.dbo.t", []
    for lane in (Lane(number, 3) for number in range(3)):
        try:
            SqlServerConnector(settings).require_retained(read.progress, lambda: read.history, lane)
        except PositionLostError:
            lost.append(lane)
    assert lost == [lane for lane in (Lane(number, 3) for number in range(3)) if lane.owns(topic)]


def test_a_table_that_may_be_seen_from_now_on_is_read_from_now_on(
    shop: Database, reader: str, login: dict[str, str]
) -> None:
    shop.sql(f"GRANT SELECT ON SCHEMA::cdc TO [{reader}]; GRANT SELECT ON dbo.other TO [{reader}]")
    settings = settings_of(shop, **login)
    read = started(settings)
    write(shop, "INSERT other VALUES (1)")
    following = SqlServerConnector(settings).read(LogRange(read.progress.restart), read.progress, read.history)
    while not read.of("dbo.other"):
        read.take(next(following))
    write(shop, f"GRANT SELECT ON dbo.t TO [{reader}]; INSERT t VALUES (1, N'x')")
    while not read.of("dbo.t") and read.batches < 20:
        read.take(next(following))
    following.close()
    assert afters(read) == [{"id": 1, "a": "x"}]
