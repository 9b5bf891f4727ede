"""Keys that change while a toy database is snapshotted, or that were made when capture lagged."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from tests.connectors.change_tables.test_toy_plans import of_lane, of_part, rows_in
from tests.connectors.change_tables.toy import MADE, NAME, Toy, lsn, table_id
from tests.connectors.change_tables.toy_connector import SIGNALLED, ToyConnector, execute
from tests.connectors.change_tables.toy_dialect import ToyDialect
from tests.connectors.change_tables.toy_planned import ToyPlanned
from tests.connectors.change_tables.toy_snapshots import KEY, Number, ToyReading, ToyTable
from tests.connectors.change_tables.toy_stream import row

from support.signalling import read_all
from tailrace.connectors.base import Lane
from tailrace.connectors.change_tables.snapshots import capture, incremental, key_proofs
from tailrace.connectors.change_tables.snapshots.planning import planned
from tailrace.connectors.change_tables.snapshots.read_tables import ReadTables
from tailrace.connectors.change_tables.snapshots.requested_parts import requested_step
from tailrace.connectors.shared.snapshots.keys import IndexKey
from tailrace.connectors.sqlserver.signal_sql import T_SQL
from tailrace.errors import PositionLostError, RetriableError, StructureError
from tailrace.requested_work.work import BlockingWork, TableWork, Work

A, C = table_id("a"), table_id("c")
FIRST: IndexKey[Any] = IndexKey("k", (Number("k"),), identity="1")
AGAIN: IndexKey[Any] = IndexKey("k", (Number("k"),), identity="2")
PRIMARY: IndexKey[Any] = IndexKey("pk", (Number("v"),), identity="3")
LED: IndexKey[Any] = IndexKey("", (Number("v"), Number("k")), identity="1")
LATELY = MADE + dt.timedelta(seconds=2)
T_C = f"server1.{NAME}.main.c"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "POLL_SECONDS", 0.0)
    monkeypatch.setattr(incremental, "POLL_MS", 1)


def read(toy: Toy, key: IndexKey[Any]) -> ReadTables[Toy, ToyTable]:
    """The table a, of a snapshot that began with a key."""
    if not toy.journal:
        toy.commit(("a", None, row(1, "x")))
    toy.capture()
    dialect = ToyDialect(toy)
    return ReadTables(dialect, toy, lsn(toy.captured), {A: key}, ToyReading(dialect))


def test_an_index_that_is_made_anew_under_its_name_is_not_the_key_that_a_snapshot_began_with(toy: Toy) -> None:
    toy.keys["a"] = [FIRST]
    tables = read(toy, FIRST)
    assert not tables.altered()
    toy.keys["a"] = [AGAIN]
    anew = r"the key k \(index k\), by which the snapshot reads it, was changed or made anew\. Begin the snapshot again: an initial one"
    with pytest.raises(StructureError, match=anew):  # to restore it would not help
        tables.altered()
    with pytest.raises(StructureError):  # also when it is asked again
        tables.altered()
    with pytest.raises(StructureError):
        read(toy, FIRST)


def test_a_key_that_was_stored_without_an_identity_has_that_which_it_is_found_with(toy: Toy) -> None:
    toy.keys["a"] = [FIRST]
    tables = read(toy, IndexKey("k", (Number("k"),)))
    toy.keys["a"] = [AGAIN]
    with pytest.raises(StructureError):
        tables.altered()


def test_a_better_key_that_is_made_meanwhile_is_no_reason_to_stop(toy: Toy) -> None:
    toy.keys["a"] = [FIRST]
    tables = read(toy, FIRST)
    toy.keys["a"] = [PRIMARY, FIRST]
    assert not tables.altered()
    toy.keys["a"] = [PRIMARY]
    with pytest.raises(StructureError):
        tables.altered()


def test_a_surrogate_key_whose_order_changes_stops_a_snapshot_and_so_does_the_key_behind_it(toy: Toy) -> None:
    toy.keys["a"] = [FIRST]
    tables = read(toy, LED)
    toy.kinds["v"] = "another collation"
    with pytest.raises(StructureError, match=r"the key v, k \(the surrogate key leads\).* Restore the columns' types and collations"):
        tables.altered()
    toy.kinds.clear()
    assert not tables.altered()
    toy.keys["a"] = [AGAIN]
    with pytest.raises(StructureError):
        tables.altered()


def test_another_table_that_gets_the_name_stops_a_snapshot(toy: Toy) -> None:
    tables = read(toy, KEY)
    toy.numbers["a"] = 7
    with pytest.raises(PositionLostError, match=r"main\.a: changes behind .* are lost"):
        tables.require_log()


@pytest.fixture
def late(toy: Toy) -> Toy:
    """A toy with a table whose key was made when of two equal rows one had been deleted; that is not captured yet."""
    toy.db.execute("CREATE TABLE c (k INTEGER, v TEXT)")
    toy.enable("c")
    toy.commit(("c", None, row(5, "a")), ("c", None, row(5, "b")))
    toy.capture()
    toy.commit(("c", row(5, "b"), None))
    toy.keys["c"], toy.altered["c"] = [FIRST], LATELY
    return toy


def test_a_snapshot_begins_where_the_keys_of_its_tables_were_there_already(late: Toy) -> None:
    dialect = ToyDialect(late)
    point = planned(dialect, ToyPlanned(), 1)
    assert late.captured == 2
    assert ("c", (5, "a")) in rows_in(of_lane(late, dialect, Lane(0, 1), point))


def test_it_does_not_wait_for_capture_where_the_table_was_altered_long_ago_or_before_it_was_captured(
    late: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    late.altered["c"] = MADE
    planned(ToyDialect(late), ToyPlanned(), 1)
    assert late.captured == 1
    late.altered["c"] = MADE + dt.timedelta(seconds=0.5)
    monkeypatch.setattr(key_proofs, "LONG", dt.timedelta(seconds=0.1))
    planned(ToyDialect(late), ToyPlanned(), 1)
    assert late.captured == 1


def test_it_waits_where_nobody_knows_when_the_table_was_altered_and_for_a_table_that_is_altered_meanwhile_again(
    late: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ToyPlanned, "altered_at", lambda *_: {})
    planned(ToyDialect(late), ToyPlanned(), 1)
    assert late.captured == 2
    moments = (LATELY + dt.timedelta(seconds=n) for n in range(100))
    monkeypatch.setattr(ToyPlanned, "altered_at", lambda *_: {C: next(moments)})
    with pytest.raises(RetriableError, match="altered again and again"):
        planned(ToyDialect(late), ToyPlanned(), 1)


@pytest.mark.parametrize("kind", ["incremental", "blocking"])
def test_rows_that_a_signal_asks_for_are_read_where_their_key_was_there_already(toy: Toy, kind: str) -> None:
    """GIVEN a signal that is heard before the delete, and the key that was made behind that."""
    toy.db.execute("CREATE TABLE c (k INTEGER, v TEXT)")
    toy.enable("c")
    toy.create_signals()
    toy.commit(("c", None, row(5, "a")), ("c", None, row(5, "b")))
    toy.capture()
    followed = ToyConnector(toy, **SIGNALLED).begun()
    execute(toy, kind, "c")
    toy.capture()
    toy.commit(("c", row(5, "b"), None))
    toy.keys["c"], toy.altered["c"] = [FIRST], LATELY
    followed.until(lambda: followed.batches > 4)
    toy.capture()
    read_all(followed)
    found = [(value["op"], (value["after"] or value["before"])["v"]) for value in followed.payloads(T_C)]
    assert found == [("d", "b"), ("r", "a")]


@pytest.mark.parametrize("is_blocking", [False, True])
def test_so_are_those_that_a_planner_reads_in_parts(late: Toy, is_blocking: bool) -> None:
    dialect, start = ToyDialect(late), {NAME: {"lsn": lsn(1).text}}
    work = Work(blocking=BlockingWork({C: None})) if is_blocking else Work((TableWork(C),))
    step = requested_step(dialect, ToyPlanned(), T_SQL, start, work.to_dict(), 2, None)
    assert step is not None
    assert step.point is not None
    assert step.point.restart[NAME]["lsn"] == lsn(2).text
    for content in step.parts if not is_blocking else ():
        assert rows_in(of_part(late, dialect, step.point, content, writes=0)) == [("c", (5, "a"))]


def test_a_blocking_snapshot_is_planned_again_if_a_key_was_made_anew_meanwhile(
    late: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = iter([FIRST, AGAIN])
    monkeypatch.setattr(ToyPlanned, "keys_of", lambda *_: {C: next(keys)})
    work = Work(blocking=BlockingWork({C: None})).to_dict()
    assert requested_step(ToyDialect(late), ToyPlanned(), T_SQL, {NAME: {"lsn": lsn(1).text}}, work, 2, None) is None


def test_a_planner_waits_for_a_key_for_a_while_only(late: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tailrace.connectors.change_tables.snapshots.requested_parts.KEY_SECONDS", 0.0)
    work = Work((TableWork(C),)).to_dict()
    assert requested_step(ToyDialect(late), ToyPlanned(), T_SQL, {NAME: {"lsn": lsn(1).text}}, work, 2, None) is None
