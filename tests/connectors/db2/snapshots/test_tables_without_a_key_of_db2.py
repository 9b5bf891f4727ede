"""Tables without a key: their rows are those at one position, with duplicates, whatever is written meanwhile."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import pytest
from tests.connectors.db2.all_types import COLUMNS as ALL_TYPES
from tests.connectors.db2.snapshots.conftest import changes_behind
from tests.connectors.db2.snapshots.writing import SEED

from support.change_table_reading import PLAIN
from support.snapshotting import keyed, taken
from tailrace.connectors.db2.snapshots import views
from tailrace.connectors.load import from_mapping
from tailrace.errors import SnapshotLockError
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers

COLUMNS: Final = ("N", "V", "F", "D")
TOPIC: Final = "s.S.K"
NOT_CARRIED: Final = ("C_BOOLEAN", "C_LONG_VARCHAR", "C_CLOB", "C_DBCLOB", "C_BLOB", "C_XML")  # in change tables


@pytest.fixture
def table(db2: Database) -> Database:
    """Rows of which many are equal, in types that are no keys, too."""
    db2.sql("CREATE TABLE S.K (N INTEGER, V VARCHAR(20), F DOUBLE, D DECIMAL(8, 2))")
    db2.register("S.K")
    db2.sql(*(f"INSERT INTO S.K VALUES ({n % 4}, 'v{n % 2}', {n % 2}.5E0, {n % 3})" for n in range(12)))
    db2.sql("INSERT INTO S.K (N) VALUES (NULL), (NULL)")
    db2.replication.step()
    return db2


@pytest.fixture
def settings(table: Database, settings_for: Callable[..., Any]) -> Any:
    assert table
    return settings_for(decimal_handling_mode="double")


@pytest.fixture
def writer(table: Database) -> Callable[[], None]:
    """Who inserts equal rows, updates some, and deletes some, and has the log captured now and then."""
    print(f"seed {SEED}")
    own = random.Random(SEED)

    def write() -> None:
        for _ in range(own.randint(0, 2)):
            n = own.randint(0, 4)
            table.sql(
                own.choice(
                    (
                        f"INSERT INTO S.K VALUES ({n}, 'v0', 0.5E0, 0)",
                        f"DELETE FROM S.K WHERE N = {n} AND D = {own.randint(0, 2)}",
                        f"UPDATE S.K SET N = {own.randint(0, 4)} WHERE N = {n} AND D = {own.randint(0, 2)}",
                    )
                )
            )
        if own.random() < 0.7:
            table.replication.step()

    return write


def contents(database: Database) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(map(plain, row)) for row in database.sql(f"SELECT {', '.join(COLUMNS)} FROM S.K"))


def plain(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else float(value)


def told(rows: list[Any]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(plain(row[name]) for name in COLUMNS) for row in rows)


@pytest.mark.parametrize("stop_every", [None, 2])
def test_the_rows_are_those_of_the_position_and_the_log_makes_the_table_of_them(
    table: Database, settings: Any, writer: Callable[[], None], monkeypatch: pytest.MonkeyPatch, stop_every: int | None
) -> None:
    """GIVEN a writer, WHEN the table is read under a lock, THEN what was delivered is what the table held at P, and with the log
    what it holds."""
    at_p, opened = contents(table), views.opened

    def written_first(*given: Any) -> Any:
        writer()
        view = opened(*given)
        writer()
        return view

    monkeypatch.setattr(views, "opened", written_first)
    snapshot = taken(settings, 1, stop_every, between=writer, counts=lambda batch: bool(batch.records))
    assert told(snapshot.rows(TOPIC)) == at_p, f"seed {SEED}"
    table.replication.step()
    held = told(snapshot.rows(TOPIC))
    for _, value in keyed(changes_behind(settings, snapshot).get(TOPIC, [])):
        held.subtract(told([value["before"]] if value["before"] is not None else []))
        held.update(told([value["after"]] if value["after"] is not None else []))
    assert +held == contents(table), f"seed {SEED}"


def test_equal_rows_that_a_statement_chooses_are_as_many_as_there_were(
    table: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No image tells whether a row that is gone would be chosen, but a row that equals it does."""
    opened, select = views.opened, "snapshot.select.statement.overrides"

    def first_written(*given: Any) -> Any:
        table.sql("UPDATE S.K SET D = D WHERE N = 1", "DELETE FROM S.K WHERE N = 2 AND D = 1", "DELETE FROM S.K WHERE N = 3")
        return opened(*given)

    table.sql("INSERT INTO S.K VALUES (1, 'v1', 1.5E0, 1), (2, 'v0', 0.5E0, 1), (2, 'v0', 0.5E0, 2)")
    table.replication.step()
    at_p = contents(table)
    monkeypatch.setattr(views, "opened", first_written)
    chosen = {select: "S.K", f"{select}.S.K": "SELECT * FROM S.K WHERE N > 0"}
    given = table.properties(snapshot_mode="initial", decimal_handling_mode="double", **PLAIN)
    snapshot = taken(from_mapping(given | chosen), between=table.replication.step)
    left = contents(table)
    assert told(snapshot.rows(TOPIC)) == Counter({row: n for row, n in at_p.items() if left[row] and (row[0] or 0) > 0})


def test_writers_wait_as_long_as_it_is_read_and_not_until_it_is_captured(
    table: Database, settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    outcomes: list[str] = []
    other = table.connect()
    with other.cursor() as cursor:
        cursor.execute("SET CURRENT LOCK TIMEOUT NOT WAIT")

    def write() -> None:
        try:
            with other.cursor() as cursor:
                cursor.execute("INSERT INTO S.K (N) VALUES (99)")
            other.commit()
            outcomes.append("written")
        except Exception as error:
            outcomes.append("waited" if "ABNUOWRM" in str(error) else str(error))

    real, opened = views.sliced, views.opened

    def read(batches: Any) -> Any:
        for batch in real(batches):
            write()
            yield batch

    def then_written(*given: Any) -> Any:
        view = opened(*given)
        write()
        return view

    monkeypatch.setattr(views, "sliced", read)
    monkeypatch.setattr(views, "opened", then_written)
    taken(settings, between=table.replication.step)
    other.close()
    assert outcomes == ["waited", "written"]
    assert "read under a shared lock" in caplog.text


def test_a_lock_that_is_not_to_be_had_is_told_of(table: Database, settings_for: Callable[..., Any]) -> None:
    other = table.connect()
    try:
        with other.cursor() as cursor:
            cursor.execute("INSERT INTO S.K (N) VALUES (5)")
        with pytest.raises(SnapshotLockError, match=r"S\.K within snapshot\.lock\.timeout\.ms=0.*ABNUOWRM"):
            taken(settings_for(snapshot_lock_timeout_ms="0"), between=table.replication.step)
    finally:
        other.close()


def test_commit_times_of_whole_seconds_are_told_apart(
    table: Database, settings_for: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIVEN a commit right behind the lock, whose time says the second in which the lock was granted, WHEN S is looked for, THEN it
    is before that commit."""
    monkeypatch.undo()  # the margins of real servers
    opened = views.opened

    def then_committed(*given: Any) -> Any:
        view = opened(*given)
        table.sql("INSERT INTO S.K (N) VALUES (99)")
        table.replication.step()
        table.sql(
            "UPDATE ASNCDC.IBMSNAP_UOW SET IBMSNAP_LOGMARKER = IBMSNAP_LOGMARKER - MICROSECOND(IBMSNAP_LOGMARKER) MICROSECONDS"
        )
        return view

    monkeypatch.setattr(views, "opened", then_committed)
    snapshot = taken(settings_for(), between=table.replication.step)
    assert 99 not in [row["N"] for row in snapshot.rows(TOPIC)]
    assert len(snapshot.rows(TOPIC)) == 14


def test_an_empty_table_has_no_rows(db2: Database, settings_for: Callable[..., Any]) -> None:
    db2.sql("CREATE TABLE S.K (N INTEGER)")
    db2.register("S.K")
    db2.replication.step()
    snapshot = taken(settings_for(), between=db2.replication.step)
    assert TOPIC not in snapshot.topics
    assert snapshot.progress.snapshot == {"lanes": 1, "done": True}


@pytest.mark.parametrize(
    "modes",
    [
        {"decimal_handling_mode": "precise", "time_precision_mode": "adaptive"},
        {"decimal_handling_mode": "string", "time_precision_mode": "connect"},
        {"decimal_handling_mode": "double", "time_precision_mode": "isostring"},
    ],
    ids=lambda modes: str(modes["decimal_handling_mode"]),
)
def test_rows_of_all_types_are_told_apart(
    db2: Database, settings_for: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, modes: dict[str, str]
) -> None:
    """GIVEN rows that differ in any one column, WHEN some go and some come between the read and its position, THEN they are those
    that a snapshot of the quiet table has."""
    carried = {name: each for name, each in ALL_TYPES.items() if name not in NOT_CARRIED}
    db2.sql(f"CREATE TABLE S.K ({', '.join(f'{name} {of}' for name, (of, _) in carried.items())})")
    db2.register("S.K")
    whole = f"INSERT INTO S.K VALUES ({', '.join(value for _, value in carried.values())})"
    alone = [f"INSERT INTO S.K ({name}) VALUES ({value})" for name, (_, value) in carried.items()]
    db2.sql(whole, *alone[::2])
    db2.replication.step()
    settings, opened = settings_for(**modes), views.opened

    def then_written(*given: Any) -> Any:
        view = opened(*given)
        db2.sql(whole, *alone, *(f"DELETE FROM S.K WHERE {name} IS NULL AND C_INTEGER IS NULL" for name in list(carried)[:3]))
        return view

    monkeypatch.setattr(views, "opened", then_written)
    snapshot = taken(settings, between=db2.replication.step)
    assert len(snapshot.rows(TOPIC)) == 1 + len(alone[::2])
    db2.replication.step()
    held = Counter(str(row) for row in snapshot.rows(TOPIC))
    for _, value in keyed(changes_behind(settings, snapshot).get(TOPIC, [])):
        held.subtract([str(value["before"])] if value["before"] is not None else [])
        held.update([str(value["after"])] if value["after"] is not None else [])
    monkeypatch.setattr(views, "opened", opened)
    assert +held == Counter(str(row) for row in taken(settings, between=db2.replication.step).rows(TOPIC))
