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
from tests.connectors.change_tables.toy_snapshots import KEY, Number, ToyCapture, ToyReading, ToyTable
from tests.connectors.change_tables.toy_stream import row

from support.signalling import read_all
from tailrace.connectors.base import Lane, RequestedStep
from tailrace.connectors.change_tables import streaming
from tailrace.connectors.change_tables.instances import Instance, identity
from tailrace.connectors.change_tables.snapshots import capture, incremental, key_proofs, requested_parts
from tailrace.connectors.change_tables.snapshots.key_proofs import KeyProofs
from tailrace.connectors.change_tables.snapshots.planning import part_of, planned
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
    monkeypatch.setattr(streaming, "AGAIN_SECONDS", 0.0)


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


def told(toy: Toy) -> Instance:
    """The instance of the table a, which is captured up to now."""
    toy.commit(("a", None, row(1, "x")))
    toy.capture()
    (instance,) = (each for each in ToyDialect(toy).instances(toy) if each.table == A)
    return instance


@pytest.mark.parametrize("gone", [False, True])
def test_a_table_without_a_key_is_that_of_the_instance_with_which_it_was_told(toy: Toy, gone: bool) -> None:
    begun = identity(told(toy))
    dialect = ToyDialect(toy)
    ReadTables(dialect, toy, lsn(toy.captured), {A: None}, ToyReading(dialect), {A: begun})
    if gone:
        toy.db.execute("DELETE FROM instances WHERE source = 'a'")
    else:
        toy.db.execute("UPDATE instances SET source = 'old' WHERE source = 'a'")
        toy.db.execute("ALTER TABLE a RENAME TO old")
        toy.db.execute("CREATE TABLE a (k INTEGER, v TEXT)")
        toy.numbers["old"] = 7
    toy.enable("a")
    toy.db.execute("UPDATE instances SET start = ? WHERE source = 'a'", (lsn(1).raw,))
    with pytest.raises(PositionLostError, match=r"main\.a: changes behind .* are lost"):
        ReadTables(dialect, toy, lsn(toy.captured), {A: None}, ToyReading(dialect), {A: begun})


def test_another_instance_of_the_same_table_may_tell_its_changes(toy: Toy) -> None:
    begun, dialect = identity(told(toy)), ToyDialect(toy)
    toy.enable("a")
    toy.db.execute("UPDATE instances SET start = ? WHERE number = (SELECT MAX(number) FROM instances)", (lsn(1).raw,))
    tables = ReadTables(dialect, toy, lsn(toy.captured), {A: None}, ToyReading(dialect), {A: begun})
    read = tables.of(A)
    assert read is not None
    assert identity(read.instance) != begun


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


def test_the_log_goes_on_until_a_blocking_snapshot_can_begin(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for capture while there may be changes to deliver."""
    toy.db.execute("CREATE TABLE c (k INTEGER, v TEXT)")
    toy.enable("c")
    toy.create_signals()
    toy.commit(("c", None, row(5, "a")))
    toy.capture()
    followed = ToyConnector(toy, **SIGNALLED).begun()
    toy.keys["c"], toy.altered["c"] = [FIRST], LATELY
    with monkeypatch.context() as stuck:
        stuck.setattr(ToyCapture, "has_passed", lambda *_: False)
        stuck.setattr(ToyCapture, "wait_until_passed", lambda *_: pytest.fail("the lane waits"))
        execute(toy, "blocking", "c")
        toy.capture()
        followed.until(lambda: followed.batches > 4)
        toy.commit(("c", None, row(6, "b")))
        toy.capture()
        followed.until(lambda: bool(followed.payloads(T_C)))
    read_all(followed)
    assert [(value["op"], value["after"]["v"]) for value in followed.payloads(T_C)] == [("c", "b"), ("r", "a"), ("r", "b")]


def test_at_the_end_of_a_range_a_blocking_snapshot_waits_as_no_log_goes_on(late: Toy) -> None:
    dialect = ToyDialect(late)
    proofs = KeyProofs(dialect, ToyPlanned())
    at = [{NAME: {"lsn": lsn(number).text}} for number in (1, 2)]
    assert part_of(dialect, ToyPlanned(), [C], at[0], proofs) is None
    assert late.captured == 1
    assert part_of(dialect, ToyPlanned(), [C], at[0], proofs, waits=True) is None
    assert late.captured == 2
    assert part_of(dialect, ToyPlanned(), [C], at[1], proofs) is not None


def step_of(toy: Toy, work: Work, proofs: KeyProofs[Toy, IndexKey[Any]]) -> RequestedStep | None:
    """The next step of requested work behind the first transaction."""
    start = {NAME: {"lsn": lsn(1).text}}
    return requested_step(ToyDialect(toy), ToyPlanned(), T_SQL, start, work.to_dict(), 2, None, proofs)


@pytest.mark.parametrize("is_blocking", [False, True])
def test_so_are_those_that_a_planner_reads_in_parts(
    late: Toy, is_blocking: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first step notes what capture has to pass, and a later one finds that it has: whatever is not captured since then."""
    monkeypatch.setattr(requested_parts, "KEY_SECONDS", 0.0)
    proofs = KeyProofs(ToyDialect(late), ToyPlanned())
    work = Work(blocking=BlockingWork({C: None})) if is_blocking else Work((TableWork(C),))
    assert step_of(late, work, proofs) is None
    late.commit(("c", None, row(6, "c")))
    late.capture(1)
    step = step_of(late, work, proofs)
    assert step is not None
    assert step.point is not None
    assert step.point.restart[NAME]["lsn"] == lsn(2).text
    for content in step.parts if not is_blocking else ():
        assert rows_in(of_part(late, ToyDialect(late), step.point, content, writes=0)) == [("c", (5, "a"))]


def test_a_key_that_is_altered_while_a_planner_waits_has_to_be_passed_too(
    late: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requested_parts, "KEY_SECONDS", 0.0)
    proofs, work = KeyProofs(ToyDialect(late), ToyPlanned()), Work((TableWork(C),))
    assert step_of(late, work, proofs) is None
    late.commit(("c", None, row(6, "c")))
    late.keys["c"] = [AGAIN]
    late.capture(1)
    assert step_of(late, work, proofs) is None
    late.capture()
    assert step_of(late, work, proofs) is not None


def test_the_first_step_waits_for_a_key_for_a_while(late: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ToyCapture, "has_passed", lambda job, moment: job._toy.capture(1) or job._toy.captured >= moment)
    assert step_of(late, Work((TableWork(C),)), KeyProofs(ToyDialect(late), ToyPlanned())) is not None


def test_a_blocking_snapshot_is_planned_again_if_a_key_was_made_anew_meanwhile(
    late: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    late.capture()
    keys = iter([FIRST, AGAIN])
    monkeypatch.setattr(ToyPlanned, "keys_of", lambda *_: {C: next(keys)})
    work = Work(blocking=BlockingWork({C: None}))
    assert step_of(late, work, KeyProofs(ToyDialect(late), ToyPlanned())) is None


def test_who_waits_for_long_is_told_why(late: Toy, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(requested_parts, "KEY_SECONDS", 0.0)
    monkeypatch.setattr(ToyCapture, "patience", 0.0)
    proofs = KeyProofs(ToyDialect(late), ToyPlanned())
    assert step_of(late, Work((TableWork(C),)), proofs) is None
    assert "the snapshot waits: capture has not passed 2 after" in caplog.text
