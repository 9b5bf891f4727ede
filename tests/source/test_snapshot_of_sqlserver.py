"""The tables at the beginning of a stream of SQL Server: as of one position, whoever writes, the same however often."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadMaxBytes

from support.meanwhile import meanwhile
from support.streaming_frames import batches, job_of, next_batch, tasks
from tailrace.connectors.change_tables.snapshots import capture
from tailrace.connectors.shared.snapshots import chunk_sizes, part_assembly
from tailrace.errors import PositionLostError, SnapshotLockError, UnsupportedError
from tailrace.source.cdc_source import INITIAL
from tailrace_standins.servers.sqlserver_server import Database

pytestmark = pytest.mark.drivers
SEED = random.SystemRandom().randrange(1 << 30)
ROWS = 140
KEYS = {"int": "{}", "nvarchar(20)": "N'k{}'"}


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_assembly, "ROWS_OF_A_PART", 15)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_LEAST", 7)
    monkeypatch.setattr(chunk_sizes, "ROWS_AT_MOST", 7)
    monkeypatch.setattr(capture, "POLL_SECONDS", 0.01)


def options_of(*databases: Database, **more: str) -> dict[str, str]:
    names = [each.name for each in databases]
    plain = {"key_converter_schemas_enable": "false", "value_converter_schemas_enable": "false"}
    given = {"snapshot_mode": "initial", "snapshot_max_threads": "3", **plain, **more}
    return databases[0].server.properties(*names, **given)


@contextmanager
def capturing(*databases: Database) -> Iterator[None]:
    """The capture jobs read the logs."""
    with meanwhile(lambda: [each.step() for each in databases]):
        yield


@contextmanager
def writing(database: Database, key: str) -> Iterator[None]:
    """Somebody changes, takes away and adds rows; the capture job reads along."""
    rng, connection = random.Random(SEED), database.server.connect(database.name)

    def write() -> None:
        n, k = rng.randrange(1000, 1 << 30), key.format(rng.randrange(ROWS))
        with connection.cursor() as cursor:
            cursor.execute(f"UPDATE t SET n = {n} WHERE k = {k} IF @@ROWCOUNT = 0 INSERT t VALUES ({k}, {n})")
            if n % 3 == 0:
                cursor.execute(f"DELETE t WHERE k = {key.format(rng.randrange(ROWS))}")
        database.step()

    with closing(connection), meanwhile(write):
        yield


def events(rows: list[dict[str, Any]], topic: str = ".t") -> list[tuple[str, Any, Any]]:
    """(operation, before, after) of a table's records."""
    values = [json.loads(row["value"]) for row in rows if row["topic"].endswith(topic) and row["value"]]
    return [(value["op"], value["before"], value["after"]) for value in values]


def plain(rows: list[dict[str, Any]]) -> list[str]:
    return [repr(row) for row in rows]


def flat(read: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [row for each in read for row in each]


@pytest.mark.parametrize("kind", KEYS)
def test_rows_are_as_of_one_position_and_the_same_when_they_are_read_again(
    sqlserver: Database, small_parts: None, kind: str
) -> None:
    print(f"seed {SEED}")
    sqlserver.sql(f"CREATE TABLE t (k {kind} NOT NULL PRIMARY KEY, n int)")
    sqlserver.capture("t")
    values = ", ".join(f"({KEYS[kind].format(k)}, {k})" for k in range(0, ROWS, 2))
    sqlserver.sql(f"INSERT t VALUES {values}")
    sqlserver.capture_all()
    options = options_of(sqlserver)
    first = next_batch(options, INITIAL)
    planned, read, again = [(INITIAL, first)], [tasks(options, INITIAL, first)], []
    with writing(sqlserver, KEYS[kind]):
        for start, end in batches(options, first):
            if "snapshot" not in end:
                break
            planned.append((start, end))
            read.append(tasks(options, start, end))
        for start, end in planned:
            again.append(tasks(options, start, end))
    assert len(planned) > 2
    assert max(map(len, read)) == 3
    for one, other in zip(read, again, strict=True):
        assert [Counter(plain(task)) for task in one] == [Counter(plain(task)) for task in other], f"seed {SEED}"
    sqlserver.capture_all()
    table: dict[Any, int] = {}
    for op, _, after in [event for each in read for event in events(flat(each))]:
        assert op == "r"
        assert after["k"] not in table, f"seed {SEED}"
        table[after["k"]] = after["n"]
    assert sorted(table.values()) == list(range(0, ROWS, 2)), "as of the position where it began"
    log = [event for pair in batches(options, planned[-1][1]) for event in events(flat(tasks(options, *pair)))]
    for op, before, after in log:
        assert op in "cud"
        if op != "c":
            assert table.pop(before["k"]) == before["n"], f"seed {SEED}"
        if op != "d":
            table[after["k"]] = after["n"]
    assert log
    assert sorted(table.items()) == sorted(sqlserver.sql("SELECT k, n FROM t")), f"seed {SEED}"


def test_all_tables_of_all_databases_come_with_their_structures_first(sqlserver: Database, small_parts: None) -> None:
    other = sqlserver.server.create_database()
    try:
        for each in (sqlserver, other):
            each.sql("CREATE TABLE t (k int PRIMARY KEY, n int); INSERT t VALUES (1, 1), (2, 2)")
            each.sql("CREATE TABLE bare (n int); INSERT bare VALUES (7), (7)")
            each.capture("t")
            each.capture("bare")
            each.capture_all()
        options = options_of(sqlserver, other, database_names=f"{sqlserver.name.upper()},{other.name}")
        with capturing(sqlserver, other):
            pairs = list(batches(options))
            found = [tasks(options, *pair) for pair in pairs]
        assert {row["topic"] for row in flat(found[0])} == {"s"}
        assert len(flat(found[0])) == 4
        rows = [row for each in found[1:] for row in flat(each)]
        for each in (sqlserver, other):
            assert sorted(after["k"] for _, _, after in events(rows, f"{each.name}.dbo.t")) == [1, 2]
            assert [after["n"] for _, _, after in events(rows, f"{each.name}.dbo.bare")] == [7, 7]
            each.sql("INSERT t VALUES (3, 3)")
            each.capture_all()
        ((start, end),) = batches(options, pairs[-1][1])
        changes = flat(tasks(options, start, end))
        assert [(row["topic"], row["key"]) for row in changes] == [
            (f"s.{name}.dbo.t", '{"k":3}') for name in (sqlserver.name, other.name)
        ]
    finally:
        other.drop()


def test_typed_rows_begin_with_the_table(sqlserver: Database, small_parts: None) -> None:
    sqlserver.sql("CREATE TABLE t (k int PRIMARY KEY, price money)")
    sqlserver.sql(f"INSERT t VALUES {', '.join(f'({k}, 1.5)' for k in range(1, 101))}")
    sqlserver.capture("t")
    options = options_of(sqlserver, output="rows")
    with capturing(sqlserver):
        pairs = list(batches(options, INITIAL, ReadMaxBytes(1 << 25)))
        rows = [row for pair in pairs for row in flat(tasks(options, *pair))]
    assert sorted(row["k"] for row in rows) == list(range(1, 101))
    assert {(row["_op"], str(row["price"])) for row in rows} == {("r", "1.5000")}


def test_changes_that_are_cleaned_up_while_tables_are_read_stop_the_query(
    sqlserver: Database, small_parts: None
) -> None:
    sqlserver.sql("CREATE TABLE t (k int PRIMARY KEY); INSERT t VALUES (1)")
    sqlserver.capture("t")
    options = options_of(sqlserver)
    structures = next_batch(options, INITIAL)
    sqlserver.sql("INSERT t VALUES (2)")
    sqlserver.capture_all()
    sqlserver.uncapture("t")
    sqlserver.capture("t")
    with pytest.raises(PositionLostError, match=r"no capture instance of .*t tells its changes"):
        next_batch(options, structures)


def test_how_large_a_table_is_is_guessed_while_somebody_changes_its_rows(sqlserver: Database) -> None:
    sqlserver.sql("CREATE TABLE t (k int PRIMARY KEY, n int); INSERT t VALUES (1, 1)")
    sqlserver.capture("t")
    options = options_of(sqlserver, snapshot_lock_timeout_ms="0", errors_max_retries="0")
    structures = next_batch(options, INITIAL)
    with closing(sqlserver.server.connect(sqlserver.name)) as holder:
        holder.cursor().execute("BEGIN TRANSACTION; UPDATE t SET n = 2")
        assert next_batch(options, structures)["snapshot"]["parts"]
        holder.cursor().execute("ROLLBACK TRANSACTION")


def test_a_lock_that_somebody_holds_is_not_waited_for_in_silence(
    sqlserver: Database, small_parts: None, caplog: pytest.LogCaptureFixture
) -> None:
    rows = ", ".join(f"({k}, {k})" for k in range(50))
    sqlserver.sql(f"CREATE TABLE t (k int PRIMARY KEY, n int); INSERT t VALUES {rows}")
    sqlserver.capture("t")
    options = options_of(sqlserver, snapshot_lock_timeout_ms="50")
    structures = next_batch(options, INITIAL)
    with closing(sqlserver.server.connect(sqlserver.name)) as holder:
        holder.cursor().execute("BEGIN TRANSACTION; UPDATE t SET n = 2")
        with pytest.raises(SnapshotLockError, match="Lock request time out"):
            next_batch(options, structures)
        assert "trying again" not in caplog.text
        holder.cursor().execute("ROLLBACK TRANSACTION")
    assert next_batch(options, structures)["snapshot"]["parts"]


def test_isolation_modes_of_one_transaction_are_refused_by_name(sqlserver: Database) -> None:
    options = options_of(sqlserver, snapshot_isolation_mode="snapshot")
    with pytest.raises(UnsupportedError, match=r"snapshot.isolation.mode=snapshot: a DataFrame reads tables by tasks"):
        next_batch(options, INITIAL)
    assert job_of(options).with_snapshot
