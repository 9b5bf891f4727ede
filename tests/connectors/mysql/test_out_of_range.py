"""Moments that the time precision has no room for: null and told where the column may be null, else refused by name."""

import logging

import pytest

from support.mysql_settings import settings_for
from support.reading import begin, read_on
from support.snapshotting import taken
from tailrace.errors import LogFormatError, StructureError

pytestmark = pytest.mark.mysql
END_OF_TIME = "INSERT INTO t VALUES (0, '2020-01-01'), (1, '2020-01-02'); INSERT INTO t VALUES (2, '9999-12-31'), (3, '2020-01-03')"
REFUSED = r"column v may not be null and has a value that time\.precision\.mode=nanoseconds has no room for: set it to microseconds"
FAIL, WARN = {"event_converting_failure_handling_mode": "fail"}, {"event_processing_failure_handling_mode": "warn"}


@pytest.fixture
def given(mysql_server, database):
    """Makes a table whose column may be null or not; gives settings and a reading that has its rows before it."""

    def made(null, **more):
        mysql_server.sql(f"CREATE TABLE t (id INT PRIMARY KEY, v DATETIME(6) {null})", database)
        more |= {"time_precision_mode": "nanoseconds", "table_include_list": f"{database}.t"}
        settings, read = begin(mysql_server, **more)
        mysql_server.sql(END_OF_TIME, database)
        return settings, read, settings_for(mysql_server, snapshot_mode="initial", **more)

    return made


def shown(read, database):
    return {value["after"]["id"]: value["after"]["v"] is not None for value in read.payloads(f"test.{database}.t")}


@pytest.mark.parametrize(("converting", "level"), [("warn", logging.WARNING), ("skip", logging.DEBUG)])
def test_where_the_column_may_be_null_it_is_null_and_told(database, given, caplog, converting, level):
    caplog.set_level(logging.DEBUG)
    settings, read, initial = given("NULL", event_converting_failure_handling_mode=converting)
    assert shown(read_on(settings, read), database) == {0: True, 1: True, 2: False, 3: True}
    assert shown(taken(initial), database) == {0: True, 1: True, 2: False, 3: True}
    told = [record.levelno for record in caplog.records if "1 values are null in events" in record.message]
    assert told == [level, level]


@pytest.mark.parametrize(("null", "more", "says"), [("NOT NULL", {}, REFUSED), ("NULL", FAIL, "event.converting.failure.handling.mode=warn")])
def test_elsewhere_the_row_event_is_named_and_in_a_snapshot_the_table(database, given, null, more, says):
    settings, read, initial = given(null, **more)
    with pytest.raises(LogFormatError, match=rf"{database}\.t: the row event at .*: .*{says}"):
        read_on(settings, read)
    with pytest.raises(StructureError, match=rf"{database}\.t: a selected row can't be shown: .*{says}"):
        taken(initial)


def test_only_the_event_that_cannot_be_shown_is_left_out(database, given):
    settings, read, _ = given("NOT NULL", **WARN)
    assert shown(read_on(settings, read), database) == {0: True, 1: True}


def test_a_default_stands_for_null(database, given):
    settings, read, _ = given("NOT NULL DEFAULT '2000-01-01'")
    assert list(shown(read_on(settings, read), database)) == [0, 1, 2, 3]

