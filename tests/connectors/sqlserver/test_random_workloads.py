"""Random work, captured late, read in pieces by several kinds of readers: nothing lost, nothing twice, all in order.

Transactions change tables of random types, and commit or roll back; the log is scanned at any time; tables get columns
and second instances; the clean-up removes what was read. The readers stop after any batch: one has one lane and
transaction metadata, one three lanes, one uses the query functions. The events of each are compared with the workload's
own record.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.connectors.sqlserver.test_random_values import KINDS
from tests.connectors.sqlserver.workloads import WHOLE_IN_IMAGES, Reader, Workload, by_key

from support.sqlserver_reading import settings_of
from tailrace.connectors.change_tables import window_tables
from tailrace_standins.servers.sqlserver_server import Server

pytestmark = [pytest.mark.drivers, pytest.mark.slow]
EXAMPLES = int(os.environ.get("TAILRACE_TEST_WORKLOADS", "2"))  # each takes a few seconds
STEPS = 40
CHOICES = ("work",) * 12 + ("step",) * 6 + ("read",) * 8 + ("alter",) * 3
POOLS = st.fixed_dictionaries({kind: st.lists(KINDS[kind].values, min_size=2, max_size=4) for kind in WHOLE_IN_IMAGES})


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of a few rows."""
    monkeypatch.setattr(window_tables, "FIRST_ROWS", 3)
    monkeypatch.setattr(window_tables, "MOST_ROWS", 3)


@settings(
    deadline=None,
    max_examples=EXAMPLES,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # one takes seconds: too long to look for a smaller one
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(pools=POOLS, seed=st.integers(0, 2**32))
def test_every_reader_tells_what_was_committed(
    sqlserver_server: Server, small_batches: None, pools: dict[str, list[Any]], seed: int
) -> None:
    database = sqlserver_server.create_database()
    try:
        work = Workload(database, pools, seed)
        readers = {
            "one lane": Reader(settings_of(database, provide_transaction_metadata="true"), 1),
            "three lanes": Reader(settings_of(database), 3),
            "function": Reader(settings_of(database, data_query_mode="function", max_iteration_transactions="2"), 1),
        }
        run(work, list(readers.values()))
        for name, reader in readers.items():
            for table in work.tables:
                check(work, reader, table, f"{name}, {table}, seed {seed}")
        expected = [Counter({name: len(events) for name, events in each.items()}) for each in work.transactions]
        assert readers["one lane"].ends() == [(each.total(), each) for each in expected]
        for name, model in work.tables.items():
            assert [key for (key,) in database.sql(f"SELECT id FROM dbo.{name} ORDER BY id")] == sorted(model.rows)
    finally:
        database.drop()


def run(work: Workload, readers: list[Reader]) -> None:
    """The steps; at the end everybody has read everything."""
    for _ in range(STEPS):
        choice = work.chance.choice(CHOICES)
        if choice == "work":
            work.work()
        elif choice == "step":
            work.database.step()
        elif choice == "read":
            work.chance.choice(readers).read_some(work.chance)
        else:
            if not work.can_alter:
                catch_up(work, readers)
                work.drop_old_instances()
                work.clean_up()
            work.alter()
    catch_up(work, readers)


def catch_up(work: Workload, readers: list[Reader]) -> None:
    """All is captured, and read."""
    work.database.capture_all()
    for reader in readers:
        reader.read_all()


def check(work: Workload, reader: Reader, table: str, what: str) -> None:
    """Transactions in their order, and within each the events of every key in theirs."""
    expected = [by_key(each[table]) for each in work.transactions if table in each]
    assert [by_key(each) for each in reader.told(table)] == expected, what
    positions = reader.positions(table)
    assert positions == sorted(positions), what
