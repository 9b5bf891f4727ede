"""Tables whose structure or registration changes in ways that a look at the newest times, or at names alone, does not tell."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable
from typing import Any

import pytest

from support.change_table_reading import Read, afters, begin, read_on, started, structures
from support.db2_reading import settings_of, write
from support.encoding import encoded
from support.unit_settings import db2_unit_settings
from tailrace.connectors import connector_for
from tailrace.connectors.base import Lane, LogRange
from tailrace.connectors.db2 import catalog
from tailrace.errors import PositionLostError
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers
CHANGES = 'ASNCDC."CDC_S_T"'


@pytest.fixture
def shop(db2: Database) -> Database:
    """A database with a captured table, and another one that is only there to make transactions."""
    db2.sql(
        "CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, A VARCHAR(20))",
        "CREATE TABLE S.OTHER (ID INTEGER NOT NULL PRIMARY KEY)",
    )
    db2.register("S.T", "S.OTHER")
    db2.replication.step()
    return db2


def following(settings: Any, read: Read) -> Callable[[], None]:
    """A reader that goes on; what is returned reads until it waits."""
    range_ = LogRange(read.progress.restart, None, None, Lane())
    coming = encoded(connector_for(settings).read(range_, read.progress, read.history), settings)

    def to_head() -> None:
        for batch in coming:
            read.take(batch)
            if batch.idle:
                return

    return to_head


def an_hour_back(database: Database) -> None:
    """Set the server's clock back, as at the end of summer."""
    time = dt.datetime.now(dt.UTC) - dt.timedelta(hours=1)
    database.replication.command("clock", time.isoformat())  # type: ignore[attr-defined]


def test_a_column_that_the_change_table_has_before_its_table_is_told_when_the_table_has_it(shop: Database) -> None:
    settings = settings_of(shop)
    read = started(settings)
    shop.sql(f"ALTER TABLE {CHANGES} ADD COLUMN B INTEGER")
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    read_on(settings, read)
    shop.sql("ALTER TABLE S.T ADD COLUMN B INTEGER")
    shop.replication.reinit()
    write(shop, "INSERT INTO S.T VALUES (2, 'y', 3)")
    read_on(settings, read)
    assert afters(read, "S.T") == [{"ID": 1, "A": "x"}, {"ID": 2, "A": "y", "B": 3}]
    assert structures(read)[-1] == ("ALTER", ["ID", "A", "B"])


def test_a_column_that_is_added_after_the_clock_was_set_back_is_told(shop: Database) -> None:
    read = begin(settings_of(shop))
    read_more = following(settings_of(shop), read)
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    read_more()
    an_hour_back(shop)
    shop.sql("ALTER TABLE S.T ADD COLUMN B INTEGER", f"ALTER TABLE {CHANGES} ADD COLUMN B INTEGER")
    shop.replication.reinit()
    write(shop, "INSERT INTO S.T VALUES (2, 'y', 3)")
    read_more()
    assert afters(read, "S.T") == [{"ID": 1, "A": "x"}, {"ID": 2, "A": "y", "B": 3}]


def test_a_table_that_is_registered_anew_after_the_clock_was_set_back_is_no_silence(shop: Database) -> None:
    read = begin(settings_of(shop))
    read_more = following(settings_of(shop), read)
    write(shop, "INSERT INTO S.T VALUES (1, 'x')")
    read_more()
    an_hour_back(shop)
    write(shop, "INSERT INTO S.T VALUES (2, 'lost')")
    shop.unregister("S.T")
    shop.register("S.T")
    write(shop, "INSERT INTO S.T VALUES (3, 'y')")
    with pytest.raises(PositionLostError, match="was dropped before it was read"):
        read_more()


def test_of_several_inactive_tables_the_one_that_is_captured_again_is_told(
    db2: Database, caplog: pytest.LogCaptureFixture
) -> None:
    names = "ABCD"
    db2.sql(*(f"CREATE TABLE S.{name} (ID INTEGER NOT NULL PRIMARY KEY)" for name in names))
    db2.register(*(f"S.{name}" for name in names))
    db2.replication.step()
    read = begin(settings_of(db2))
    read_more = following(settings_of(db2), read)
    state = "UPDATE ASNCDC.IBMSNAP_REGISTER SET STATE = '{}' WHERE SOURCE_TABLE {}"
    for sql in (state.format("I", "IN ('A', 'B', 'C')"), state.format("A", "= 'B'")):
        db2.sql(sql)
        db2.replication.reinit()
        write(db2, "INSERT INTO S.D SELECT COUNT(*) FROM S.D")
        with caplog.at_level(logging.WARNING):
            read_more()
    assert "S.B is captured again" in caplog.text


def test_what_was_changed_before_a_table_was_registered_anew_is_warned_of(
    shop: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing in the control tables tells of those changes."""
    settings = settings_of(shop)
    read = started(settings)
    shop.unregister("S.T")
    shop.sql("INSERT INTO S.T VALUES (1, 'not captured')")
    shop.register("S.T")
    write(shop, "INSERT INTO S.T VALUES (2, 'x')")
    with caplog.at_level(logging.WARNING):
        read_on(settings, read)
    assert afters(read, "S.T") == [{"ID": 2, "A": "x"}]
    assert "S.T was registered anew; what was changed in it while it was not captured is not told" in caplog.text


def test_a_table_that_is_registered_anew_may_begin_later_where_the_gap_is_accepted(shop: Database) -> None:
    settings = settings_of(shop, tailrace_registered_anew="accept")
    read = started(settings)
    shop.sql("CALL ASNCDC.REMOVETABLE('S', 'T')")
    shop.replication.reinit()
    shop.sql("CALL ASNCDC.ADDTABLE('S', 'T')")
    write(shop, "INSERT INTO S.OTHER VALUES (1)")
    read_on(settings, read)
    shop.replication.reinit()
    write(shop, "INSERT INTO S.T VALUES (2, 'x')")
    read_on(settings, read)
    assert afters(read, "S.T") == [{"ID": 2, "A": "x"}]
    assert afters(read, "OTHER") == [{"ID": 1}]


def test_a_table_that_is_registered_between_two_looks_at_the_catalogue_comes_with_the_next() -> None:
    class Looks:
        """The register as it was before, and the columns after."""

        def raw_rows(self, _sql: str) -> list[tuple[Any, ...]]:
            return []

        def rows(self, _sql: str) -> list[tuple[Any, ...]]:
            return [("ASNCDC", "CDC_S_T", "A", "VARCHAR", 40, 0, 1208, "Y", "N", None)]

    assert catalog.other_types(Looks(), db2_unit_settings()) == {}  # type: ignore[arg-type]
