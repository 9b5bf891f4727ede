"""Keys and tables of a SQL Server that change while its snapshot is taken, or shortly before."""

import itertools
import threading

import pytest
from tests.connectors.sqlserver.snapshots.conftest import changes_behind

from support.snapshotting import taken
from tailrace.errors import PositionLostError, StructureError

MADE = "CREATE UNIQUE INDEX u ON dbo.t (k)"
CONSTRAINT = "ALTER TABLE dbo.t ADD CONSTRAINT u UNIQUE (k)"
SWAPPED = "EXEC sp_rename 'dbo.t', 't_old'; EXEC sp_rename 'dbo.t_new', 't'"


def filled(database, name="t", key=MADE, type_="int", index=None):
    """A captured table with a key and 30 rows, all captured; `index`: that its instance names."""
    database.sql(f"CREATE TABLE dbo.{name} (k {type_} NOT NULL, v varchar(20)); {key.replace('dbo.t ', f'dbo.{name} ')}")
    database.capture(name, index=index)
    database.sql(f"INSERT dbo.{name} VALUES " + ", ".join(f"({k + 100}, '{name}{k}')" for k in range(30)))
    database.capture_all()


def at_chunk(number, in_between, doing):
    """Do something before a chunk is read."""
    chunks = itertools.count()
    in_between.append(lambda: next(chunks) == number and doing())


def test_a_key_that_was_made_before_the_deletes_that_it_needed_were_captured_loses_no_row(sqlserver, settings_for):
    """GIVEN a capture job that lags behind, WHEN of equal rows one is deleted, so that there can be a key, THEN the snapshot begins
    behind the delete."""
    sqlserver.sql("CREATE TABLE dbo.t (k int NOT NULL, v varchar(20))")
    sqlserver.capture("t")
    sqlserver.sql("INSERT dbo.t VALUES (5, 'a'), (5, 'b')")
    sqlserver.capture_all()
    sqlserver.sql("DELETE dbo.t WHERE v = 'b'")
    sqlserver.sql(MADE)
    settings, resuming = settings_for(), threading.Timer(0.5, sqlserver.resume)
    resuming.start()
    try:
        snapshot = taken(settings)
    finally:
        resuming.join()
        sqlserver.pause()
    topic = f"s.{sqlserver.name}.dbo.t"
    assert [(row["k"], row["v"]) for row in snapshot.rows(topic)] == [(5, "a")]
    assert topic not in changes_behind(settings, snapshot)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("stop_every", [None, 1])
@pytest.mark.parametrize(
    ("make", "drop", "again"),
    [
        (MADE, "DROP INDEX u ON dbo.t", MADE),
        (CONSTRAINT, "ALTER TABLE dbo.t DROP CONSTRAINT u", CONSTRAINT),
        (MADE, "ALTER INDEX u ON dbo.t DISABLE", "ALTER INDEX u ON dbo.t REBUILD"),
        (CONSTRAINT, "ALTER INDEX u ON dbo.t DISABLE", "ALTER INDEX u ON dbo.t REBUILD"),
    ],
    ids=["index", "constraint", "disabled index", "disabled constraint"],
)
def test_an_index_that_is_dropped_or_disabled_and_made_again_stops_the_snapshot(
    sqlserver, settings_for, in_between, stop_every, make, drop, again
):
    """In between two rows have the key 125. The log tells of the second one first, so the first would count as absent at P."""
    filled(sqlserver, key=make)
    twice = "INSERT dbo.t VALUES (125, 'twice'); DELETE dbo.t WHERE v = 't25'"
    at_chunk(2, in_between, lambda: sqlserver.sql(f"{drop}; {twice}; {again}"))
    with pytest.raises(StructureError, match=r"the key k \(index u\), by which the snapshot reads it, was changed or made anew"):
        taken(settings_for(), 1, stop_every, between=sqlserver.step, counts=lambda batch: bool(batch.records))


@pytest.mark.usefixtures("small_chunks")
def test_so_does_one_that_is_dropped(sqlserver, settings_for, in_between):
    filled(sqlserver)
    at_chunk(2, in_between, lambda: sqlserver.sql("DROP INDEX u ON dbo.t; INSERT dbo.t VALUES (125, 'twice')"))
    with pytest.raises(StructureError, match="by which the snapshot reads it, was changed"):
        taken(settings_for(), between=sqlserver.step)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("stop_every", [None, 1])
@pytest.mark.parametrize(
    ("index", "more"),
    [
        (None, "ALTER TABLE dbo.t ADD CONSTRAINT pk PRIMARY KEY NONCLUSTERED (k); CREATE INDEX i ON dbo.t (v)"),
        ("u", "ALTER TABLE dbo.t ADD CONSTRAINT pk PRIMARY KEY CLUSTERED (k); ALTER INDEX u ON dbo.t REBUILD"),
    ],
    ids=["others", "the one that the instance names is rebuilt"],
)
def test_another_index_and_a_primary_key_that_are_made_meanwhile_do_not(
    sqlserver, settings_for, in_between, stop_every, index, more
):
    filled(sqlserver, index=index)
    at_chunk(2, in_between, lambda: sqlserver.sql(more))
    rows = taken(settings_for(), 1, stop_every, between=sqlserver.step, counts=lambda batch: bool(batch.records)).rows(f"s.{sqlserver.name}.dbo.t")
    assert [row["k"] for row in rows] == list(range(100, 130))


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    "builds", ["ALTER TABLE dbo.t ADD CONSTRAINT pk PRIMARY KEY CLUSTERED (k)", "ALTER TABLE dbo.t REBUILD", "ALTER INDEX u ON dbo.t REBUILD"]
)
def test_an_index_that_is_built_anew_stops_it_without_need_as_nothing_tells_it_from_one_that_was_disabled(
    sqlserver, settings_for, in_between, builds
):
    filled(sqlserver)
    at_chunk(2, in_between, lambda: sqlserver.sql(builds))
    with pytest.raises(StructureError, match="by which the snapshot reads it, was changed or made anew"):
        taken(settings_for(), between=sqlserver.step)


@pytest.mark.usefixtures("small_chunks")
def test_a_key_whose_column_becomes_longer_is_read_by_further(sqlserver, settings_for, in_between):
    filled(sqlserver, type_="varchar(3)")
    longer = "ALTER TABLE dbo.t ALTER COLUMN k varchar(50) NOT NULL; INSERT dbo.t VALUES ('1000 and longer', 'x'), ('129 too', 'y')"
    at_chunk(2, in_between, lambda: sqlserver.sql(longer))
    rows = taken(settings_for(), between=sqlserver.step).rows(f"s.{sqlserver.name}.dbo.t")
    assert sorted(row["k"] for row in rows) == [str(k) for k in range(100, 130)]


@pytest.mark.usefixtures("small_chunks")
def test_another_table_that_gets_the_name_stops_the_snapshot(sqlserver, settings_for, in_between):
    filled(sqlserver)
    filled(sqlserver, "t_new")
    at_chunk(2, in_between, lambda: sqlserver.sql(SWAPPED))
    with pytest.raises(PositionLostError, match=r"no capture instance of .* or another table has got this name"):
        taken(settings_for(table_include_list="dbo[.]t"), between=sqlserver.step)


@pytest.mark.parametrize(
    ("key", "index", "error"),
    [(MADE, None, StructureError), (MADE, "u", StructureError), ("", None, PositionLostError)],
    ids=["key", "key that the instance names", "no key"],
)
def test_so_does_one_that_gets_it_before_the_first_row_is_read(sqlserver, settings_for, key, index, error):
    """The process that planned the snapshot may have ended."""
    filled(sqlserver, key=key, index=index)
    filled(sqlserver, "t_new", key=key, index=index)
    with pytest.raises(error):
        taken(settings_for(table_include_list="dbo[.]t"), between=lambda: sqlserver.sql(SWAPPED))
