"""Debezium's offsets as positions, and back."""

from __future__ import annotations

import random
from typing import Any

import pytest

from support.debezium_sends import Sent, changes, ends, last_change_of, sent_by_debezium, without_transaction
from support.sqlserver_reading import Read, begin, read_on, settings_of
from tailrace.connectors.base import Progress
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.change_tables.told_transactions import Told
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.taking_over import offsets_of, partitions_of, position_of, restart_from, restart_of
from tailrace.errors import ProgressError
from tailrace_standins.servers.sqlserver_server import Database

COMMIT, CHANGE = "00000025:00000d98:00a2", "00000025:00000d58:0002"
OFFSET = {"commit_lsn": COMMIT, "change_lsn": CHANGE, "event_serial_no": 2}
IN_TRANSACTION = {**OFFSET, "transaction_id": COMMIT, "transaction_data_collection_order_shop.dbo.a": 3}


def test_an_offset_within_a_transaction_begins_that_again() -> None:
    position = position_of(OFFSET)
    assert position.lsn.text == "00000025:00000d98:00a1"
    assert position.taken_over is not None
    assert (position.taken_over.commit.text, position.taken_over.change.text) == (COMMIT, CHANGE)
    assert position.taken_over.serial == 2


def test_an_offset_has_what_debezium_told_of_its_transaction() -> None:
    position = position_of(IN_TRANSACTION)
    assert position.told == Told(is_begun=True, counts=(("shop.dbo.a", 3),))
    assert POSITIONS.database(position.to_dict()) == position
    assert position_of(OFFSET).told == Told()
    assert position_of(IN_TRANSACTION, counts=False) == position_of(OFFSET, counts=False)


def test_an_offset_of_a_begin_or_an_end_lies_before_all_changes_of_its_transaction() -> None:
    of_begin = position_of({**OFFSET, "transaction_id": COMMIT})
    assert of_begin.told == Told(is_begun=True)
    assert of_begin.taken_over is not None
    assert (of_begin.taken_over.change.is_zero, of_begin.taken_over.serial) == (True, 0)
    of_end = position_of({**IN_TRANSACTION, "transaction_id": "00000025:00000d90:0003"})
    assert of_end == DatabasePosition(of_begin.lsn)


@pytest.mark.parametrize("change", [None, "NULL"])
def test_an_offset_without_a_change_is_behind_its_transaction(change: str | None) -> None:
    assert position_of({**OFFSET, "change_lsn": change}) == DatabasePosition(position_of(OFFSET).lsn.next())


@pytest.mark.parametrize(
    ("offset", "why"),
    [
        ({**OFFSET, "snapshot": "INITIAL", "snapshot_completed": False}, "within a snapshot"),
        ({**OFFSET, "incremental_snapshot_primary_key": ""}, "incremental snapshot"),
        ({}, "no commit LSN"),
        ({"commit_lsn": "12"}, "no LSN of SQL Server"),
    ],
)
def test_an_offset_that_can_t_be_gone_on_from_says_why(offset: dict[str, object], why: str) -> None:
    with pytest.raises(ProgressError, match=why):
        position_of(offset)


def test_the_offset_of_a_connector_that_only_reads_names_a_place_in_the_signals_topic() -> None:
    assert position_of({**OFFSET, "incremental_snapshot_signal_offset": None}) == position_of(OFFSET)


def test_a_position_that_a_person_gives_names_its_database() -> None:
    own = {"shop": {"lsn": COMMIT}}
    assert restart_from(own) == own
    assert restart_from({"shop": {"commit_lsn": COMMIT, "change_lsn": "NULL"}}) == own
    with pytest.raises(ProgressError, match="names its database"):
        restart_from({"lsn": COMMIT})


def written(sqlserver: Database, transactions: int = 4, **properties: str) -> tuple[Any, Read]:
    """A connector that begins before transactions of two tables, and its settings."""
    sqlserver.sql("CREATE TABLE a (id int PRIMARY KEY, n int); CREATE TABLE b (id int PRIMARY KEY, n int)")
    sqlserver.capture("a")
    sqlserver.capture("b")
    settings = settings_of(sqlserver, include_schema_changes="false", **properties)
    start = begin(settings)
    chance = random.Random(7)
    for number in range(transactions):
        work = [f"INSERT {table} VALUES ({number * 10 + i}, 0)" for i in range(3) for table in chance.sample("ab", 2)]
        work += [
            f"UPDATE a SET n = n + 1 WHERE id >= {number * 10}",
            f"UPDATE b SET id = {number + 1000} WHERE id = {number * 10}",
        ]
        sqlserver.sql(f"BEGIN TRAN; {'; '.join(work)}; COMMIT")
    sqlserver.capture_all()
    return settings, start


def told_name(source: dict[str, Any]) -> str:
    return f"{source['db']}.{source['schema']}.{source['table']}"


def taken_over(settings: Any, start: Read, offset: dict[str, Any]) -> Read:
    """What is read from Debezium's offset on."""
    place = start.fresh()
    place.progress = Progress("", restart_of(settings, [offset]))
    return read_on(settings, place)


@pytest.mark.drivers
def test_reading_goes_on_behind_any_event_that_debezium_had_sent(sqlserver: Database) -> None:
    settings, start = written(sqlserver)
    whole = read_on(settings, start.fresh())
    events = changes(whole.records)
    as_debezium = sorted(
        events,
        key=lambda each: [each["value"]["source"][name] for name in ("commit_lsn", "change_lsn", "event_serial_no")],
    )
    for sent in range(1, len(as_debezium), 5):
        source = as_debezium[sent - 1]["value"]["source"]
        offset = {name: source[name] for name in ("commit_lsn", "change_lsn", "event_serial_no")}
        rest = taken_over(settings, start, offset)
        assert sorted(map(repr, changes(rest.records))) == sorted(map(repr, as_debezium[sent:]))
        assert rest.progress == whole.progress


@pytest.mark.drivers
def test_transactions_go_on_behind_any_record_that_debezium_had_sent(sqlserver: Database) -> None:
    settings, start = written(sqlserver, provide_transaction_metadata="true")
    whole = read_on(settings, start.fresh())
    sent = sent_by_debezium(whole.records, told_name)
    all_records = [each.record for each in sent] + [each for each in whole.records if is_last_end(each, sent)]
    for number, last in enumerate(sent):
        if number % 3 and "status" not in last.record["value"]:
            continue
        rest = taken_over(settings, start, last.offset)
        told = [each for each in rest.records if each["value"]]
        assert sorted(map(repr, told)) == sorted(map(repr, all_records[number + 1 :]))
        assert rest.progress == whole.progress


def is_last_end(record: dict[str, Any], sent: list[Sent]) -> bool:
    """Whether it is the END that no offset is told of."""
    value = record["value"] or {}
    return value.get("status") == "END" and value["id"] == sent[-1].offset["transaction_id"]


@pytest.mark.drivers
def test_a_transaction_that_debezium_has_ended_is_not_told_again(sqlserver: Database) -> None:
    settings, start = written(sqlserver, 2, provide_transaction_metadata="true")
    whole = read_on(settings, start.fresh())
    begin_, *rest = ends(whole.records)
    sent = sent_by_debezium(whole.records, told_name)
    last = last_change_of(begin_[1], sent)
    assert ends(taken_over(settings, start, last).records) == rest
    assert ends(taken_over(settings, start, without_transaction(last)).records) == rest[1:]


@pytest.mark.drivers
def test_the_rest_of_a_transaction_that_debezium_had_not_begun_is_counted_alone(sqlserver: Database) -> None:
    settings, start = written(sqlserver, 1, provide_transaction_metadata="true")
    sent = sent_by_debezium(read_on(settings, start.fresh()).records, told_name)
    rest = taken_over(settings, start, without_transaction(sent[3].offset))
    orders = sorted(each["value"]["transaction"]["total_order"] for each in changes(rest.records))
    (commit,) = {each["value"]["source"]["commit_lsn"] for each in changes(rest.records)}
    assert orders == list(range(1, len(orders) + 1))
    assert ends(rest.records) == [("BEGIN", commit, None), ("END", commit, len(orders))]


@pytest.mark.drivers
def test_a_progress_that_does_not_say_what_was_told_has_all_of_the_transaction_told(sqlserver: Database) -> None:
    settings, start = written(sqlserver, 1, provide_transaction_metadata="true")
    whole = read_on(settings, start.fresh())
    sent = sent_by_debezium(whole.records, told_name)
    restart = restart_of(settings, [sent[3].offset])
    del restart[sqlserver.name]["told"]
    place = start.fresh()
    place.progress = Progress("", restart)
    assert ends(read_on(settings, place).records) == ends(whole.records)


@pytest.mark.drivers
def test_an_offset_that_was_taken_over_is_handed_back_as_it_was(sqlserver: Database) -> None:
    settings = settings_of(sqlserver, provide_transaction_metadata="true")
    restart = restart_of(settings, [IN_TRANSACTION])
    assert offsets_of(settings, Progress("", restart)) == [IN_TRANSACTION]


@pytest.mark.drivers
def test_a_boundary_becomes_an_offset_that_nothing_of_its_transaction_is_behind(sqlserver: Database) -> None:
    sqlserver.sql("CREATE TABLE a (id int PRIMARY KEY)")
    sqlserver.capture("a")
    settings = settings_of(sqlserver)
    read = begin(settings)
    sqlserver.sql("INSERT a VALUES (1)")
    sqlserver.capture_all()
    read_on(settings, read)
    (offset,) = offsets_of(settings, read.progress)
    lsn = POSITIONS.restart(read.progress.restart)[sqlserver.name].lsn
    assert offset == {"commit_lsn": lsn.text, "change_lsn": "ffffffff:ffffffff:ffff", "event_serial_no": 1}
    assert POSITIONS.restart(restart_of(settings, [offset])).lsns == {sqlserver.name: lsn}
    assert partitions_of(settings)[0] == [{"server": "s", "database": sqlserver.name}, {"server": "s"}]


@pytest.mark.drivers
def test_a_position_within_a_window_has_no_offset(sqlserver: Database) -> None:
    settings = settings_of(sqlserver)
    within = {sqlserver.name: {"lsn": COMMIT, "until": "00000026:00000d98:00a2"}}
    with pytest.raises(ProgressError, match="within a window"):
        offsets_of(settings, Progress("", within))
