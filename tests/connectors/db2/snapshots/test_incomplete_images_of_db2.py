"""Images that change tables have only in part: without large objects, or without what was before an update."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from tests.connectors.db2.snapshots.conftest import changes_behind
from tests.connectors.db2.snapshots.test_initial_snapshot_of_db2 import assert_exact
from tests.connectors.db2.snapshots.writing import Writer

from support.snapshotting import keyed, taken
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers

T: Final = "s.S.T"
SettingsFor = Callable[..., Any]
InBetween = list[Callable[[], object]]


@pytest.mark.usefixtures("small_chunks")
def test_rows_with_large_objects_have_them_and_are_delivered_as_they_are_read(
    db2: Database, settings_for: SettingsFor
) -> None:
    """No change table has their values, so a row that changed meanwhile is the row that was read."""
    db2.sql("CREATE TABLE S.T (K INTEGER NOT NULL PRIMARY KEY, N INTEGER, C CLOB(1000), B BLOB(100), X XML)")
    db2.register("S.T")
    db2.sql(*(f"INSERT INTO S.T VALUES ({k}, {k}, 'text ß', BLOB(X'00FF'), '<a>ü</a>')" for k in range(30)))
    db2.replication.step()
    steps = iter(range(1000))

    def between() -> None:
        n = next(steps)
        if n < 10:
            db2.sql(f"UPDATE S.T SET N = -1, C = 'new' WHERE K = {29 - n}", f"DELETE FROM S.T WHERE K = {15 - n}")
        db2.replication.step()

    settings = settings_for()
    snapshot = taken(settings, between=between)
    db2.replication.step()
    rows = {row["K"]: row for row in snapshot.rows(T)}
    assert len(rows) == len(snapshot.rows(T))
    assert {row["C"] for row in rows.values()} == {"text ß", "new"}
    assert {(row["B"], row["X"]) for row in rows.values()} == {("AP8=", "<a>ü</a>")}
    held = {k: row["N"] for k, row in rows.items()}
    for _, value in keyed(changes_behind(settings, snapshot)[T]):
        held.pop((value["before"] or value["after"])["K"], None)
        if value["after"] is not None:
            held[value["after"]["K"]] = value["after"]["N"]
    assert held == dict(db2.sql("SELECT K, N FROM S.T"))


def updates_alone(db2: Database, more: str = "") -> None:
    """Have updates of the registered table as one row."""
    db2.sql(
        f"UPDATE ASNCDC.IBMSNAP_REGISTER SET CHG_UPD_TO_DEL_INS = 'N', CD_NEW_SYNCHPOINT = NULL{more} WHERE SOURCE_TABLE = 'T'"
    )
    db2.replication.reinit()


@pytest.mark.usefixtures("small_chunks")
def test_rows_whose_updates_have_no_image_before_are_delivered_as_they_are_read(
    db2: Database, settings_for: SettingsFor, in_between: InBetween
) -> None:
    db2.sql("CREATE TABLE S.T (K INTEGER NOT NULL PRIMARY KEY, N INTEGER)")
    db2.register("S.T")
    updates_alone(db2)
    db2.sql("INSERT INTO S.T VALUES " + ", ".join(f"({k}, 0)" for k in range(30)))
    db2.replication.step()
    steps = iter(range(1, 1000))
    in_between.append(lambda: db2.sql(f"UPDATE S.T SET N = {next(steps)} WHERE K IN (3, 20, 29)"))
    settings = settings_for()
    snapshot = taken(settings, between=db2.replication.step)
    in_between.clear()
    db2.replication.step()
    assert [row["K"] for row in sorted(snapshot.rows(T), key=lambda row: row["K"])] == list(range(30))
    held = {row["K"]: row["N"] for row in snapshot.rows(T)}
    assert held[20] > 0
    assert held[4] == 0
    held |= {value["after"]["K"]: value["after"]["N"] for _, value in keyed(changes_behind(settings, snapshot)[T])}
    assert held == dict(db2.sql("SELECT K, N FROM S.T"))


@pytest.mark.usefixtures("small_chunks")
def test_rows_are_exact_where_updates_have_both_images_in_one_row(
    db2: Database, settings_for: SettingsFor, in_between: InBetween
) -> None:
    writer = Writer(db2, "VARCHAR(20)")
    db2.sql("ALTER TABLE ASNCDC.CDC_S_T ADD COLUMN XK VARCHAR(20)", "ALTER TABLE ASNCDC.CDC_S_T ADD COLUMN XN INTEGER")
    updates_alone(db2, ", BEFORE_IMG_PREFIX = 'X'")
    writer.fill(30)
    snapshot = assert_exact(db2, settings_for(), writer, in_between)
    assert set(snapshot.rows(T)[0]) == {"K", "N"}


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(("columns", "is_told"), [("K", True), ("N", True), ("KN", False)])
def test_images_before_updates_that_lack_values_do_not_count(
    db2: Database, settings_for: SettingsFor, in_between: InBetween, columns: str, is_told: bool
) -> None:
    """What an image lacks would be null in events, and in a key another row. The program may not be told yet to write them."""
    db2.sql("CREATE TABLE S.T (K INTEGER NOT NULL PRIMARY KEY, N INTEGER)")
    db2.register("S.T")
    db2.sql(*(f"ALTER TABLE ASNCDC.CDC_S_T ADD COLUMN X{column} INTEGER" for column in columns))
    updates_alone(db2, ", BEFORE_IMG_PREFIX = 'X'" if is_told else "")
    db2.sql("UPDATE ASNCDC.IBMSNAP_REGISTER SET BEFORE_IMG_PREFIX = 'X' WHERE SOURCE_TABLE = 'T'")
    db2.sql("INSERT INTO S.T VALUES " + ", ".join(f"({k}, {k})" for k in range(10)))
    db2.replication.step()
    in_between.append(lambda: db2.sql("UPDATE S.T SET N = N + 100 WHERE K = 3"))
    settings = settings_for()
    snapshot = taken(settings, between=db2.replication.step)
    in_between.clear()
    db2.replication.step()
    changes = keyed(changes_behind(settings, snapshot)[T])
    assert {(value["op"], value["before"]) for _, value in changes} == {("u", None)}
    held = {row["K"]: row["N"] for row in snapshot.rows(T)}
    assert len(held) == len(snapshot.rows(T)) == 10
    held |= {value["after"]["K"]: value["after"]["N"] for _, value in changes}
    assert held == dict(db2.sql("SELECT K, N FROM S.T"))
