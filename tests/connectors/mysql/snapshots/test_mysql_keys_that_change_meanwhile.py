"""Keys of a MySQL server that change while its snapshot is taken, or shortly before.

Without a key two rows may have what was one before. Then the first change in the log says nothing of the other row.
"""

from contextlib import closing

import pytest
from attrs import evolve

from support.meanwhile import before_first_call
from support.mysql_settings import settings_for
from support.reading import read_on
from support.snapshotting import keyed, linear, taken
from tailrace.config.overrides import LIST, SelectOverride, SelectOverrides
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.connectors.mysql.snapshots import planning, source
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.connectors.mysql.snapshots.source import MySqlSource
from tailrace.connectors.shared.snapshots import chunk_sizes
from tailrace.connectors.shared.snapshots.chunks import Unread
from tailrace.connectors.shared.snapshots.keys import stored_keys
from tailrace.errors import KeyChangedError, StructureError
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.lane_part import LanePart
from tailrace.snapshot.segments import Segment

pytestmark = pytest.mark.mysql
NO_SCHEMAS = {"key_converter_schemas_enable": False, "value_converter_schemas_enable": False}
CHANGED = r"\.t: the key k \(index u\), by which the snapshot reads it, was changed"


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_LEAST", 7)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_MOST", 7)
    monkeypatch.setattr(source, "PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(source, "ATTEMPTS", 2)  # which a new reader begins to count anew


@pytest.fixture
def settings(mysql_server, database):
    return settings_for(mysql_server, database_include_list=database, snapshot_mode="initial", **NO_SCHEMAS)


@pytest.fixture
def filled(mysql_server, database):
    """A table that is read first, and one that is read by a unique index."""
    mysql_server.sql("CREATE TABLE a (k INT NOT NULL, v INT, UNIQUE u (k))", database)
    mysql_server.sql("CREATE TABLE t (k INT NOT NULL, id INT NOT NULL, v VARCHAR(20), UNIQUE u (k), KEY i (v))", database)
    mysql_server.sql("INSERT INTO a VALUES " + ", ".join(f"({n}, {n})" for n in range(40)), database)
    mysql_server.sql("INSERT INTO t VALUES " + ", ".join(f"({n}, {n}, 'v{n}')" for n in range(40)), database)


def at_step(number, doing):
    """Do something between two batches."""
    steps = iter(range(1000))
    return lambda: next(steps) == number and doing()


ANEW = {
    "by other statements, with more columns": (
        "DROP INDEX u ON t; CREATE UNIQUE INDEX u ON t (k, id); INSERT INTO t VALUES (37, 1000, 'second')"
    ),
    "by other statements": (
        "DROP INDEX u ON t; INSERT INTO t VALUES (37, 1000, 'second'); DELETE FROM t WHERE id = 37; CREATE UNIQUE INDEX u ON t (k)"
    ),
    "by ALTER": (
        "ALTER TABLE t DROP INDEX u; INSERT INTO t VALUES (37, 1000, 'second'); DELETE FROM t WHERE id = 37;"
        " ALTER TABLE t ADD UNIQUE u (k)"
    ),
    "under another name for a while": (
        "ALTER TABLE t RENAME INDEX u TO w; ALTER TABLE t DROP INDEX w; INSERT INTO t VALUES (37, 1000, 'second');"
        " DELETE FROM t WHERE id = 37; ALTER TABLE t ADD CONSTRAINT u UNIQUE (k)"
    ),
    "by one statement, with another column for a while": (
        "ALTER TABLE t DROP INDEX u, ADD UNIQUE u (id); INSERT INTO t VALUES (37, 1000, 'second'); DELETE FROM t WHERE id = 37;"
        " ALTER TABLE t DROP INDEX u, ADD UNIQUE u (k)"
    ),
    "nullable for a while": (
        "ALTER TABLE t MODIFY k INT; UPDATE t SET k = NULL WHERE k IN (36, 37); UPDATE t SET k = 1036 - id WHERE k IS NULL;"
        " ALTER TABLE t MODIFY k INT NOT NULL"
    ),
}


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("stop_every", [None, 6])
@pytest.mark.parametrize("step", [2, 9], ids=["waiting", "begun"])
@pytest.mark.parametrize("how", ANEW)
def test_an_index_that_is_made_anew_stops_the_snapshot(mysql_server, database, settings, how, step, stop_every):
    """In between, two rows may have had its key: the row at P would be lost."""
    with pytest.raises(StructureError, match=f"{CHANGED}.*Begin the snapshot again"):
        taken(settings, stop_every=stop_every, between=at_step(step, lambda: mysql_server.sql(ANEW[how], database)))


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    "statements",
    [
        "ALTER TABLE t ADD PRIMARY KEY (id); INSERT INTO t VALUES (1000, 1000, 'new')",
        "ALTER TABLE t ADD UNIQUE u2 (id), DROP INDEX i; DROP INDEX u2 ON t; CREATE UNIQUE INDEX i ON t (id, v)",
        "ALTER TABLE t DROP INDEX u, ADD UNIQUE u (k) COMMENT 'made by the same statement'",
        "ALTER TABLE t MODIFY k BIGINT NOT NULL COMMENT 'wider'",
        "ALTER TABLE t MODIFY K BIGINT NOT NULL, DROP INDEX u, ADD UNIQUE U (K)",
        "DROP INDEX u ON a; INSERT INTO a VALUES (1, 1000)",
    ],
)
def test_what_leaves_the_key_does_not(mysql_server, database, settings, statements):
    """Another index, even a better one; an index that one statement drops and makes; one of a table that is read already."""
    snapshot = taken(settings, between=at_step(9, lambda: mysql_server.sql(statements, database)))
    topic = f"test.{database}.t"
    assert [row.get("k", row.get("K")) for row in snapshot.rows(topic)] == list(range(40))
    linear(keyed(snapshot.topics[topic]), keyed(read_on(settings, snapshot.then()).topics.get(topic, [])))


@pytest.mark.parametrize(
    ("type_", "value", "altered", "advice"),
    [
        ("DATETIME(6)", "2024-01-01 00:00:{:02d}.25", "DATETIME(1)", "Begin the snapshot again"),
        ("VARCHAR(20) COLLATE utf8mb4_bin", "v{:02d}", "CHAR(20) COLLATE utf8mb4_bin", "Begin the snapshot again"),
        ("VARCHAR(20) COLLATE utf8mb4_bin", "v{:02d}", "VARCHAR(20) COLLATE utf8mb4_0900_ai_ci", "Restore the columns'"),
    ],
)
def test_a_key_whose_values_or_whose_order_are_others_stops_it(
    mysql_server, database, settings, type_, value, altered, advice
):
    mysql_server.sql(f"CREATE TABLE t (k {type_} NOT NULL, UNIQUE u (k))", database)
    mysql_server.sql("INSERT INTO t VALUES " + ", ".join(f"('{value.format(n)}')" for n in range(40)), database)
    with pytest.raises(KeyChangedError, match=f"{CHANGED}.*{advice}"):
        taken(settings, between=at_step(3, lambda: mysql_server.sql(f"ALTER TABLE t MODIFY k {altered} NOT NULL", database)))


@pytest.mark.parametrize("type_", ["DATETIME(6)", "VARCHAR(30) COLLATE utf8mb4_bin"])
def test_so_does_one_that_has_its_type_again(mysql_server, database, settings, type_):
    other = {"D": "DATETIME(1)", "V": "CHAR(30)"}[type_[0]]
    mysql_server.sql(f"CREATE TABLE t (k {type_} NOT NULL, UNIQUE u (k))", database)
    mysql_server.sql("INSERT INTO t VALUES " + ", ".join(f"('2024-01-01 00:00:{n:02d}.25')" for n in range(40)), database)
    statements = "; ".join(f"ALTER TABLE t MODIFY k {each} NOT NULL" for each in (other, type_))
    with pytest.raises(KeyChangedError, match=CHANGED):
        taken(settings, between=at_step(3, lambda: mysql_server.sql(statements, database)))


def test_so_does_one_that_is_computed_otherwise(mysql_server, database, settings):
    """Its structure is the same, and each row has another key."""
    mysql_server.sql("CREATE TABLE t (id INT NOT NULL, k INT AS (id) STORED NOT NULL, UNIQUE u (k))", database)
    mysql_server.sql("INSERT INTO t (id) VALUES " + ", ".join(f"({n})" for n in range(40)), database)
    altered = "ALTER TABLE t MODIFY k INT GENERATED ALWAYS AS (40 - id) STORED NOT NULL"
    with pytest.raises(KeyChangedError, match=CHANGED):
        taken(settings, between=at_step(3, lambda: mysql_server.sql(altered, database)))


def opened_source(settings):
    """A source at the log's head."""
    point = MySqlConnector(settings).start_point(1)
    keys = stored_keys(LanePart.from_dict(point.progress.snapshot["parts"][0]).keys, ChunkKey.from_dict)
    return MySqlSource(settings, 0, point.restart, point.history, keys, with_overrides=True)


@pytest.mark.usefixtures("filled")
def test_an_index_that_is_gone_before_the_log_tells_of_it_is_asked_for_again(
    mysql_server, database, settings, monkeypatch
):
    rest = Segment(quoted_id(TableId(database, "", "t")))
    with closing(opened_source(settings)) as opened:
        assert len(opened.read(rest)) == 7
        mysql_server.sql("DROP INDEX u ON t", database)
        assert isinstance(opened.read(rest), Unread)
        monkeypatch.setattr(source, "ATTEMPTS", 1)
        with pytest.raises(KeyChangedError, match=CHANGED):
            opened.read(rest)


@pytest.fixture
def selected(settings, database):
    """The settings with a statement that selects rows; it is read without a hint at the index."""
    override = SelectOverride(TableId(database, "", "t"), f"SELECT * FROM {database}.t WHERE k >= 0", f"{LIST}.{database}.t")
    return evolve(settings, select_overrides=SelectOverrides((override,)))


@pytest.mark.usefixtures("filled")
def test_an_index_that_is_gone_stops_the_reading_of_a_statement_too(mysql_server, database, selected):
    with pytest.raises(KeyChangedError, match=CHANGED):
        taken(selected, between=at_step(9, lambda: mysql_server.sql("DROP INDEX u ON t", database)))


@pytest.mark.usefixtures("filled")
def test_the_statement_is_not_blamed_for_it(mysql_server, database, selected, monkeypatch):
    monkeypatch.setattr(source, "ATTEMPTS", 0)
    with closing(opened_source(selected)) as opened:
        mysql_server.sql("DROP INDEX u ON t", database)
        with pytest.raises(KeyChangedError, match=CHANGED):
            opened.read(Segment(quoted_id(TableId(database, "", "t"))))


@pytest.fixture
def made_late(mysql_server, database, monkeypatch):
    """A table whose key is made when the snapshot's position is taken, and its keys are not looked up yet."""
    mysql_server.sql("CREATE TABLE t (k INT NOT NULL, v VARCHAR(20)); INSERT INTO t VALUES (5, 'a'), (5, 'b')", database)
    late = "DELETE FROM t WHERE v = 'b'; ALTER TABLE t ADD UNIQUE u (k)"
    before_first_call(monkeypatch, planning, "keys_of", lambda: mysql_server.sql(late, database))


@pytest.mark.usefixtures("made_late")
def test_a_key_that_is_made_behind_the_position_has_it_taken_again(database, settings):
    snapshot = taken(settings)
    topic = f"test.{database}.t"
    assert [(row["k"], row["v"]) for row in snapshot.rows(topic)] == [(5, "a")]
    assert topic not in read_on(settings, snapshot.then()).topics


@pytest.mark.usefixtures("made_late")
@pytest.mark.parametrize("stop_every", [None, 1])
def test_where_the_planner_did_not_see_it_the_reader_does(settings, monkeypatch, stop_every):
    monkeypatch.setattr(planning, "altered_since", lambda *_: frozenset())
    with pytest.raises(KeyChangedError, match=CHANGED):
        taken(settings, stop_every=stop_every)
