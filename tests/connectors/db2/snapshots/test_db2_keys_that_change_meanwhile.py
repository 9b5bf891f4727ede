"""Keys and tables of a Db2 that change while its snapshot is taken, or shortly before."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any, Final

import pytest
from tests.connectors.db2.snapshots.conftest import changes_behind

from support.snapshotting import taken
from tailrace.errors import PositionLostError, StructureError
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers

T: Final = "s.S.T"
INDEX: Final = "CREATE UNIQUE INDEX S.U ON S.T (K)"
PLAIN: Final = "CREATE INDEX S.U ON S.T (K)"
UNPRIMARY: Final = "ALTER TABLE S.T DROP PRIMARY KEY"
PRIMARY: Final = "ALTER TABLE S.T ADD CONSTRAINT P PRIMARY KEY (K)"
SettingsFor = Callable[..., Any]
InBetween = list[Callable[[], object]]


def filled(db2: Database, *keys: str) -> None:
    """A captured table with keys and 30 rows, all captured."""
    db2.sql("CREATE TABLE S.T (K INTEGER NOT NULL, V VARCHAR(20))", *keys)
    db2.register("S.T")
    db2.sql("INSERT INTO S.T VALUES " + ", ".join(f"({k}, 'v{k}')" for k in range(30)))
    db2.replication.step()


def at_chunk(number: int, in_between: InBetween, *statements: str, db2: Database) -> None:
    """Execute statements before a chunk is read."""
    chunks = itertools.count()
    in_between.append(lambda: next(chunks) == number and db2.sql(*statements))


@pytest.mark.db2_stand_in("a Capture program that waits")
def test_a_key_that_was_made_before_the_deletes_that_it_needed_were_captured_loses_no_row(
    db2: Database, settings_for: SettingsFor
) -> None:
    """GIVEN a Capture program that lags behind, WHEN of equal rows one is deleted, so that there can be a key, THEN the snapshot
    begins behind the delete."""
    db2.sql("CREATE TABLE S.T (K INTEGER NOT NULL, V VARCHAR(20))")
    db2.register("S.T")
    db2.sql("INSERT INTO S.T VALUES (5, 'a'), (5, 'b')")
    db2.replication.step()
    db2.sql("DELETE FROM S.T WHERE V = 'b'")
    db2.sql(INDEX)
    settings, starting = settings_for(), threading.Timer(0.5, db2.replication.start, [0.02])
    starting.start()
    try:
        snapshot = taken(settings)
    finally:
        starting.join()
        db2.replication.stop()
    assert [(row["K"], row["V"]) for row in snapshot.rows(T)] == [(5, "a")]
    assert T not in changes_behind(settings, snapshot)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("stop_every", [None, 1])
@pytest.mark.parametrize(
    ("before", "make", "drop"),
    [([], INDEX, "DROP INDEX S.U"), ([], PRIMARY, UNPRIMARY), ([PLAIN], PRIMARY, UNPRIMARY)],
    ids=["index", "constraint", "index that the constraint makes unique"],
)
def test_an_index_that_is_dropped_and_made_again_stops_the_snapshot(
    db2: Database,
    settings_for: SettingsFor,
    in_between: InBetween,
    stop_every: int | None,
    before: list[str],
    make: str,
    drop: str,
) -> None:
    """In between two rows have the key 25. The log tells of the second one first, so the first would count as absent at P."""
    filled(db2, *before, make)
    twice = "INSERT INTO S.T VALUES (25, 'twice')", "DELETE FROM S.T WHERE V = 'v25'"
    at_chunk(2, in_between, drop, *twice, make, db2=db2)
    with pytest.raises(StructureError, match=r"the key K \(index [UP]\), by which the snapshot reads it, was changed or made anew"):
        taken(settings_for(), 1, stop_every, between=db2.replication.step, counts=lambda batch: bool(batch.records))


@pytest.mark.usefixtures("small_chunks")
def test_so_does_one_that_is_dropped(db2: Database, settings_for: SettingsFor, in_between: InBetween) -> None:
    filled(db2, INDEX)
    at_chunk(2, in_between, "DROP INDEX S.U", "INSERT INTO S.T VALUES (25, 'twice')", db2=db2)
    with pytest.raises(StructureError, match="by which the snapshot reads it, was changed"):
        taken(settings_for(), between=db2.replication.step)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("stop_every", [None, 1])
def test_another_index_and_a_primary_key_that_are_made_meanwhile_do_not(
    db2: Database, settings_for: SettingsFor, in_between: InBetween, stop_every: int | None
) -> None:
    filled(db2, INDEX)
    at_chunk(2, in_between, PRIMARY, "CREATE INDEX S.I ON S.T (V)", db2=db2)
    rows = taken(settings_for(), 1, stop_every, between=db2.replication.step, counts=lambda batch: bool(batch.records)).rows(T)
    assert [row["K"] for row in rows] == list(range(30))


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("stop_every", [None, 1])
@pytest.mark.parametrize(
    ("keys", "alters"), [([INDEX, PRIMARY], [UNPRIMARY, PRIMARY]), ([PRIMARY], ["ALTER TABLE S.T ADD COLUMN N INTEGER"])]
)
def test_nor_do_a_constraint_that_is_made_anew_over_a_unique_index_and_a_new_column(
    db2: Database, settings_for: SettingsFor, in_between: InBetween, stop_every: int | None, keys: list[str], alters: list[str]
) -> None:
    filled(db2, *keys)
    at_chunk(2, in_between, *alters, db2=db2)
    rows = taken(settings_for(), 1, stop_every, between=db2.replication.step, counts=lambda batch: bool(batch.records)).rows(T)
    assert [row["K"] for row in rows] == list(range(30))


@pytest.mark.db2_stand_in("a registration that outlives its table")
@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("keys", [[PRIMARY], []], ids=["key", "no key"])
def test_a_table_that_is_made_anew_stops_the_snapshot_as_a_registration_would(
    db2: Database, settings_for: SettingsFor, in_between: InBetween, keys: list[str]
) -> None:
    filled(db2, *keys)
    anew = ["DROP TABLE S.T", "CREATE TABLE S.T (K INTEGER NOT NULL, V VARCHAR(20))", *keys]
    if keys:
        at_chunk(2, in_between, *anew, db2=db2)
    else:
        db2.sql(*anew)
    with pytest.raises(PositionLostError, match=r"no active registration of \S*S\.T .* or the table was made anew"):
        taken(settings_for(), between=db2.replication.step)
