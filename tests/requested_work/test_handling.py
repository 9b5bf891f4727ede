"""What the lanes of a layout make of one signal, each for itself."""

import pytest

from tailrace.requested_work.handling import SignalContext, apply
from tailrace.requested_work.work import Work
from tailrace.schema.tables import TableId
from tailrace.signals.model import Channel, ExecuteSnapshot, SnapshotKind, StopSnapshot

A, B, NOWHERE = (TableId("db", "", name) for name in ("a", "b", "nowhere"))


def lane(number, *owned):
    return SignalContext("shop", number == 0, owned.__contains__, lambda: [A, B], lambda: "here")


def asked(id_, *tables, kind=SnapshotKind.INCREMENTAL):
    names = tuple(map(str, tables))
    return ExecuteSnapshot(
        id=id_, channel=Channel.SOURCE, kind=kind, collections=names, conditions=(), surrogate_key=None
    )


def told(effect):
    return [(each.type, each.id, each.additional_data["data_collections"]) for each in effect.notifications]


def test_each_lane_keeps_its_tables_and_tells_that_it_begins():
    effects = [apply(asked("one", A, B), Work(), here) for here in (lane(0, A), lane(1, B), lane(2))]
    assert [effect.work.ids for effect in effects] == [[A], [B], []]
    assert [told(effect) for effect in effects] == [[("STARTED", "one", "db.a")], [("STARTED", "one", "db.b")], []]


def test_a_table_that_nobody_knows_waits_for_its_turn_in_the_lane_that_would_deliver_it(caplog):
    effects = [apply(asked("one", NOWHERE, B), Work(), here) for here in (lane(0), lane(1, NOWHERE, B))]
    assert [effect.work.ids for effect in effects] == [[], [NOWHERE, B]]
    assert told(effects[1]) == [("STARTED", "one", "db.nowhere,db.b")]
    assert caplog.text.count("'one' names 'db.nowhere', which no captured table matches") == 1


def named(*names, kind=SnapshotKind.INCREMENTAL, **more):
    return ExecuteSnapshot(id="one", channel=Channel.KAFKA, kind=kind, collections=names, **more)


@pytest.mark.parametrize(
    ("names", "kind", "aggregate"),
    [
        (("db.a b",), SnapshotKind.INCREMENTAL, "Incremental Snapshot"),
        (("aa",), SnapshotKind.BLOCKING, "Initial Snapshot"),
    ],
)
def test_what_names_no_table_is_told_once_with_a_hint(names, kind, aggregate, caplog):
    here = [lane(0, B), lane(1, A)]
    effects = [apply(named(*names, "db.b", kind=kind), Work(), each) for each in here]
    found = [each for effect in effects for each in effect.notifications if each.type == "TABLE_SCAN_COMPLETED"]
    assert [(each.aggregate_type, each.additional_data["scanned_collection"]) for each in found] == [(aggregate, names[0])]
    assert found[0].additional_data["status"] == "UNKNOWN_SCHEMA"
    assert caplog.text.count("the signal 'one' names") == 1
    assert "db." in caplog.text.partition("which no captured table matches (")[2]


def test_a_stop_that_names_no_table_is_told(caplog):
    work = apply(named("db.a"), Work(), lane(0, A)).work
    stop = StopSnapshot(id="two", channel=Channel.FILE, kind=SnapshotKind.INCREMENTAL, collections=("db.aa", "db.a"))
    assert apply(stop, work, lane(0, A)).work.ids == []
    assert caplog.text.count("the signal 'two' names 'db.aa'") == 1


def test_what_means_nothing_in_a_signal_is_told(caplog):
    apply(named("db.a", unknown=("why",)), Work(), lane(0, A))
    apply(named("db.a", unknown=("why",)), Work(), lane(1))
    assert caplog.text.count("the signal 'one' has in its data what means nothing: why") == 1


def test_what_is_asked_for_meanwhile_is_put_behind_and_has_no_beginning_of_its_own():
    here = lane(0, A, B)
    running = apply(asked("one", A), Work(), here).work
    effect = apply(asked("two", A, B), running, here)
    assert (effect.work.ids, effect.work.signal, told(effect)) == ([A, B], "two", [])


@pytest.mark.parametrize(
    ("here", "own", "structures"), [(lane(0, A), [A], (A, B)), (lane(1, B), [B], ()), (lane(0), [], (A, B))]
)
def test_the_first_lane_has_the_structures_of_all_tables_of_a_blocking_snapshot(here, own, structures):
    blocking = apply(asked("one", A, B, NOWHERE, kind=SnapshotKind.BLOCKING), Work(), here).work.blocking
    assert (list(blocking.tables), blocking.structures) == (own, structures)


def test_a_blocking_snapshot_of_others_tables_is_nothing_to_another_lane():
    assert apply(asked("one", A, kind=SnapshotKind.BLOCKING), Work(), lane(1, B)).work == Work()


def test_blocking_snapshots_that_come_together_are_one():
    here = lane(0, A, B)
    work = apply(asked("one", B, kind=SnapshotKind.BLOCKING), Work(), here).work
    blocking = apply(asked("two", A, B, kind=SnapshotKind.BLOCKING), work, here).work.blocking
    assert (list(blocking.tables), blocking.structures) == ([B, A], (B, A))
