"""Random work, captured late, read in pieces by several kinds of readers: nothing lost, nothing twice, all in order.

Transactions change tables of random types, and commit or roll back; the log is captured at any time, with or without its
synchpoints; tables get columns, online or by a new registration; pruning removes what was read. The readers stop after any
batch: one has one lane and transaction metadata, one three lanes, one windows of some seconds. The events of each are compared
with the workload's own record.
"""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest
from tests.connectors.db2.workloads import Reader, Workload, by_key

from support.db2_reading import is_given, settings_of
from tailrace.connectors.change_tables import window_tables
from tailrace_standins.servers.db2_server import Database

pytestmark = [pytest.mark.drivers, pytest.mark.slow]
EXAMPLES = int(os.environ.get("TAILRACE_TEST_WORKLOADS", "2"))  # each takes a few seconds
STEPS = 40
CHOICES = ("work",) * 12 + ("step",) * 5 + ("half",) * 2 + ("read",) * 8 + ("online", "anew", "prune")
STAND_IN_ONLY = ("half", "prune")
EVERYTHING = "9999-12-31-00.00.00.000000"


@pytest.mark.parametrize("number", range(EXAMPLES))
def test_every_reader_tells_what_was_committed(db2: Database, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(window_tables, "FIRST_ROWS", 3)
    monkeypatch.setattr(window_tables, "MOST_ROWS", 3)
    seed = random.SystemRandom().randrange(1 << 32)
    print("seed", seed)
    work = Workload(db2, seed)
    plain = {"decimal_handling_mode": "string", "tailrace_registered_anew": "accept"}
    readers = {
        "one lane": Reader(settings_of(db2, provide_transaction_metadata="true", **plain), 1),
        "three lanes": Reader(settings_of(db2, **plain), 3),
        "windows of two seconds": Reader(settings_of(db2, streaming_query_timespan_seconds="2", **plain), 1),
    }
    run(work, list(readers.values()))
    for name, reader in readers.items():
        for table in work.tables:
            check(work, reader, table, f"{name}, {table}, seed {seed}")
    expected = [Counter({f"S.{name}": len(events) for name, events in each.items()}) for each in work.transactions]
    assert readers["one lane"].ends() == [(each.total(), each) for each in expected]
    for name, model in work.tables.items():
        assert [key for (key,) in db2.sql(f"SELECT ID FROM S.{name} ORDER BY ID")] == sorted(model.rows)


def run(work: Workload, readers: list[Reader]) -> None:
    """The steps; at the end everybody has read everything."""
    choices = [each for each in CHOICES if not is_given(work.database) or each not in STAND_IN_ONLY]
    for _ in range(STEPS):
        choice = work.chance.choice(choices)
        if choice == "work":
            work.work()
        elif choice == "step":
            work.database.replication.step()
        elif choice == "half":
            work.database.replication.capture()
        elif choice == "read":
            work.chance.choice(readers).read_some(work.chance)
        else:
            catch_up(work, readers)
            if choice == "prune":
                work.database.replication.prune(EVERYTHING)
            else:
                work.add_column(anew=choice == "anew")
    catch_up(work, readers)


def catch_up(work: Workload, readers: list[Reader]) -> None:
    """All is captured, and read."""
    work.database.replication.step()
    for reader in readers:
        reader.read_all()


def check(work: Workload, reader: Reader, table: str, what: str) -> None:
    """Transactions in their order, and within each the events of every key in theirs."""
    expected = [by_key(each[table]) for each in work.transactions if table in each]
    assert [by_key(each) for each in reader.told(table)] == expected, what
    positions = reader.positions(table)
    assert positions == sorted(positions), what

