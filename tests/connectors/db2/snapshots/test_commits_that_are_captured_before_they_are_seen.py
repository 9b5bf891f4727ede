"""A commit is in the log before others see it: the Capture program may have it while a reader still gets the rows before it.

With Db2's default a reader of a row that is locked gets what was committed last (currently committed), without waiting for the
one who has the lock. So a chunk that is read behind a position could lack what was committed before it. WAIT FOR OUTCOME waits.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.connectors.db2.snapshots.conftest import changes_behind
from tests.connectors.db2.snapshots.writing import KEYS

from support.snapshotting import keyed, linear, taken
from tailrace.connectors.db2.snapshots import statements
from tailrace_standins.servers.db2_server import Database

pytestmark = [pytest.mark.drivers, pytest.mark.usefixtures("small_chunks", "always_split")]

T = "s.S.T"
ROWS, FREE = 40, 60
PATIENCE_SECONDS = 20.0


class HeldCommits:
    """Five transactions that are in the log, captured, and seen by nobody else: a delete, two key changes, an update, an insert."""

    def __init__(self, database: Database, literal: Callable[[int], str]) -> None:
        one, two, three, four = random.Random(7).sample(range(ROWS), 4)
        self._database = database
        self._connections = [database.connect() for _ in range(5)]
        for connection, sql in zip(
            self._connections,
            (
                f"DELETE FROM S.T WHERE K = {literal(one)}",
                f"UPDATE S.T SET K = {literal(FREE + 1)}, N = 101 WHERE K = {literal(two)}",
                f"UPDATE S.T SET K = {literal(FREE + 2)}, N = 102 WHERE K = {literal(three)}",
                f"UPDATE S.T SET N = 103 WHERE K = {literal(four)}",
                f"INSERT INTO S.T VALUES ({literal(FREE)}, 104)",
            ),
            strict=True,
        ):
            with connection.cursor() as cursor:
                cursor.execute(sql)
        self._command("hold_commits")
        self._threads = [threading.Thread(target=each.commit, daemon=True) for each in self._connections]
        for each in self._threads:
            each.start()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._command("held_commits") < len(self._threads):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        database.replication.step()

    def release(self) -> None:
        self._command("release_commits")
        for each in self._threads:
            each.join()
        for connection in self._connections:
            connection.close()
        self._connections, self._threads = [], []

    def _command(self, name: str) -> Any:
        return self._database.replication.command(name)  # type: ignore[attr-defined]


@pytest.fixture(params=["INTEGER", "VARCHAR(8) FOR BIT DATA"])
def held(db2: Database, request: pytest.FixtureRequest) -> HeldCommits:
    literal = KEYS[request.param]
    db2.sql(f"CREATE TABLE S.T (K {request.param} NOT NULL PRIMARY KEY, N INTEGER NOT NULL)")
    db2.register("S.T")
    db2.sql(*(f"INSERT INTO S.T VALUES ({literal(k)}, {k})" for k in range(ROWS)))
    db2.replication.step()
    return HeldCommits(db2, literal)


def is_exact(database: Database, settings: Any, snapshot: Any) -> bool:
    database.replication.step()
    read, changed = snapshot.topics.get(T, []), changes_behind(settings, snapshot).get(T, [])
    try:
        rows = linear(keyed(read), keyed(changed))
    except (AssertionError, KeyError):  # a row comes twice, or what was never there goes
        return False
    return sorted(row["N"] for row in rows.values()) == sorted(n for (n,) in database.sql("SELECT N FROM S.T"))


def test_chunks_wait_for_the_outcome_of_transactions(
    db2: Database, held: HeldCommits, settings_for: Callable[..., Any]
) -> None:
    settings = settings_for()
    releasing = threading.Timer(1.0, held.release)
    releasing.start()
    snapshot = taken(settings, 2, between=db2.replication.step)
    releasing.join()
    assert is_exact(db2, settings, snapshot)


def test_without_waiting_rows_would_be_wrong(
    db2: Database, held: HeldCommits, settings_for: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the test before this one is known to notice it."""
    monkeypatch.setattr(statements, "COMMITTED", " WITH CS")
    settings = settings_for()
    snapshot = taken(settings, 2, between=db2.replication.step)
    held.release()
    assert not is_exact(db2, settings, snapshot)
