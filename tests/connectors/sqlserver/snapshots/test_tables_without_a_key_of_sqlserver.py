"""Tables without a key: their rows are those at one position, with duplicates, whatever is written meanwhile."""

import random
from collections import Counter

import pytest
from tests.connectors.sqlserver.snapshots.conftest import changes_behind
from tests.connectors.sqlserver.snapshots.writing import SEED

from support.snapshotting import keyed, taken
from tailrace.connectors.load import from_mapping
from tailrace.connectors.sqlserver.snapshots import views
from tailrace.errors import SnapshotLockError

COLUMNS = ("n", "v", "f", "b", "d", "big")


@pytest.fixture
def table(sqlserver):
    """Rows of which many are equal, in types that are no keys, too."""
    sqlserver.sql(
        "CREATE TABLE dbo.k (n int, v nvarchar(20), f float, b bit, d decimal(8, 2), big nvarchar(max), c AS n * 2)"
    )
    sqlserver.capture("k")
    for n in range(12):
        sqlserver.sql(
            f"INSERT dbo.k (n, v, f, b, d, big) VALUES ({n % 4}, N'v{n % 2}', {n % 2}.5, {n % 2}, {n % 3}, N'big')"
        )
    sqlserver.sql("INSERT dbo.k (n) VALUES (NULL), (NULL)")
    sqlserver.capture_all()
    return sqlserver


@pytest.fixture
def writer(table):
    """Who inserts equal rows, updates some, and deletes some, and has the log scanned now and then."""
    print(f"seed {SEED}")
    own = random.Random(SEED)

    def between():
        for _ in range(own.randint(0, 2)):
            n = own.randint(0, 4)
            table.sql(
                own.choice(
                    (
                        f"INSERT dbo.k (n, v, f, b, d, big) VALUES ({n}, N'v0', 0.5, 0, 0, N'big')",
                        f"DELETE TOP (1) dbo.k WHERE n = {n}",
                        f"UPDATE TOP (1) dbo.k SET n = {own.randint(0, 4)} WHERE n = {n}",
                        f"UPDATE TOP (1) dbo.k SET big = N'{n}' WHERE n = {n}",
                    )
                )
            )
        if own.random() < 0.7:
            table.step()

    return between


def contents(database):
    return Counter(tuple(map(plain, row)) for row in database.sql(f"SELECT {', '.join(COLUMNS)} FROM dbo.k"))


def plain(value):
    return value if value is None or isinstance(value, str) else float(value)


def told(rows):
    return Counter(tuple(plain(row[name]) for name in COLUMNS) for row in rows)


def settings_of(database, **more):
    return from_mapping(
        database.properties(
            snapshot_mode="initial",
            decimal_handling_mode="double",
            key_converter_schemas_enable="false",
            value_converter_schemas_enable="false",
            **more,
        )
    )


@pytest.mark.parametrize("versions", ["ON", "OFF"])
@pytest.mark.parametrize("stop_every", [None, 2])
def test_the_rows_are_those_of_the_position_and_the_log_makes_the_table_of_them(table, writer, versions, stop_every):
    """GIVEN a writer, WHEN the table is read in a transaction of its own or under a lock, THEN what was delivered is what the
    table held at P, and with the log what it holds."""
    table.sql(f"ALTER DATABASE [{table.name}] SET ALLOW_SNAPSHOT_ISOLATION {versions}")
    settings, at_p = settings_of(table), contents(table)
    under_lock = versions == "OFF"
    snapshot = taken(
        settings, 1, stop_every, between=table.step if under_lock else writer, counts=lambda b: bool(b.records)
    )
    topic = f"s.{table.name}.dbo.k"
    assert told(snapshot.rows(topic)) == at_p, f"seed {SEED}"
    table.capture_all()
    held = told(snapshot.rows(topic))
    for _, value in keyed(changes_behind(settings, snapshot).get(topic, [])):
        if value["before"] is not None and value["op"] == "d":
            held.subtract(told([value["before"]]))
        if value["op"] == "c":
            held.update(told([value["after"]]))
        if value["op"] == "u":
            held.subtract(told([value["before"] | {"big": value["before"]["big"] or value["after"]["big"]}]))
            held.update(told([value["after"]]))
    assert +held == contents(table), f"seed {SEED}"


def test_writers_wait_only_where_there_are_no_row_versions(table, caplog):
    for versions in ("ON", "OFF"):
        table.sql(f"ALTER DATABASE [{table.name}] SET ALLOW_SNAPSHOT_ISOLATION {versions}")
        table.sql("SET LOCK_TIMEOUT 50")
        outcomes = []

        def between(outcomes=outcomes):
            try:
                table.sql("INSERT dbo.k (n) VALUES (99)")
                outcomes.append("written")
            except Exception as error:
                outcomes.append("waited" if "Lock request time out" in str(error) else str(error))
            table.step()

        taken(settings_of(table), between=between)
        assert set(outcomes) == ({"written"} if versions == "ON" else {"written", "waited"})
        assert ("read under a shared lock" in caplog.text) == (versions == "OFF")
    table.sql("SET LOCK_TIMEOUT -1")


def test_a_lock_that_is_not_to_be_had_is_told_of(table, monkeypatch):
    monkeypatch.setattr(views, "MOMENT_SECONDS", 0.01)
    other = table.server.connect(table.name)
    try:
        other.cursor().execute("BEGIN TRANSACTION; INSERT dbo.k (n) VALUES (5)")
        with pytest.raises(SnapshotLockError, match="Lock request time out"):
            taken(settings_of(table, snapshot_lock_timeout_ms="0"), between=table.step)
    finally:
        other.close()
