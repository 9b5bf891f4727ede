"""Debezium's offsets as positions, and back."""

from __future__ import annotations

import random
from typing import Any

import pytest

from support.change_table_reading import Read, begin, read_on
from support.db2_reading import place_of, settings_of, write
from support.debezium_sends import changes, ends, last_change_of, sent_by_debezium, without_transaction
from support.unit_settings import db2_unit_settings
from tailrace.connectors import connector_for
from tailrace.connectors.base import Progress
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.change_tables.told_transactions import Told
from tailrace.connectors.db2.lsn import positions_of
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.taking_over import offsets_of, partitions_of, restart_from, restart_of
from tailrace.errors import ProgressError
from tailrace_standins.servers.db2_server import Database

COMMIT, CHANGE = "00000000:0005a1f0:00000000004cd21e", "00000000:0005a1ef:00000000004cd200"
OFFSET = {"commit_lsn": COMMIT, "change_lsn": CHANGE, "event_serial_no": 2}


@pytest.fixture
def settings() -> Db2Settings:
    return db2_unit_settings()


def position_of(settings: Db2Settings, offset: dict[str, object]) -> DatabasePosition:
    return positions_of(settings).restart(restart_of(settings, [offset]))[settings.database_dbname]


def test_an_offset_within_a_transaction_begins_that_again(settings: Db2Settings) -> None:
    position = position_of(settings, OFFSET)
    assert position.lsn.text == "00000000:0005a1f0:00000000004cd21d"
    assert position.taken_over is not None
    assert (position.taken_over.commit.text, position.taken_over.change.text) == (COMMIT, CHANGE)
    assert position.taken_over.serial == 2


def test_an_offset_has_what_debezium_told_of_its_transaction() -> None:
    settings = db2_unit_settings({"provide.transaction.metadata": "true"})
    offset = {**OFFSET, "transaction_id": COMMIT, "transaction_data_collection_order_S.A": 3}
    position = position_of(settings, offset)
    assert position.told == Told(is_begun=True, counts=(("S.A", 3),))
    assert position_of(settings, {**offset, "transaction_id": CHANGE}) == DatabasePosition(position.lsn)
    assert offsets_of(settings, Progress("", restart_of(settings, [offset]))) == [offset]


def test_an_offset_of_a_snapshot_that_is_done_has_no_change(settings: Db2Settings) -> None:
    offset = {"snapshot": "INITIAL", "snapshot_completed": True, "commit_lsn": COMMIT}
    assert position_of(settings, offset).lsn.text == COMMIT


@pytest.mark.parametrize(
    ("offset", "why"),
    [
        ({**OFFSET, "snapshot": "INITIAL", "snapshot_completed": False}, "within a snapshot"),
        ({**OFFSET, "incremental_snapshot_primary_key": ""}, "incremental snapshot"),
        ({}, "no commit LSN"),
        ({"commit_lsn": "12"}, "no LSN of Db2"),
    ],
)
def test_an_offset_that_can_t_be_gone_on_from_says_why(settings: Db2Settings, offset: dict[str, object], why: str) -> None:
    with pytest.raises(ProgressError, match=why):
        position_of(settings, offset)


def test_a_position_that_a_person_gives_names_its_database() -> None:
    own = {"SHOP": {"lsn": COMMIT}}
    assert restart_from(own) == own
    assert restart_from({"SHOP": {"commit_lsn": COMMIT, "change_lsn": "NULL"}}) == own
    zos = {"SHOP": {"lsn": "00d7a1f0:0004cd21:e000"}}
    assert restart_from(zos) == zos
    with pytest.raises(ProgressError, match="names its database"):
        restart_from({"lsn": COMMIT})


def written(db2: Database, transactions: int = 4, **properties: str) -> tuple[Any, Read]:
    """A connector that begins before transactions of two tables, and its settings."""
    for table in "AB":
        db2.sql(f"CREATE TABLE S.{table} (ID INTEGER NOT NULL PRIMARY KEY, N INTEGER)")
    db2.register("S.A", "S.B")
    db2.replication.step()
    settings = settings_of(db2, include_schema_changes="false", **properties)
    start = begin(settings)
    chance = random.Random(7)
    for number in range(transactions):
        work = [
            f"INSERT INTO S.{table} VALUES ({number * 10 + i}, 0)" for i in range(3) for table in chance.sample("AB", 2)
        ]
        work += [
            f"UPDATE S.A SET N = N + 1 WHERE ID >= {number * 10}",
            f"UPDATE S.B SET ID = {number + 1000} WHERE ID = {number * 10}",
        ]
        write(db2, *work)
    return settings, start


def taken_over(settings: Any, start: Read, offset: dict[str, Any], until: Any) -> Read:
    """What is read from Debezium's offset on."""
    place = start.fresh()
    place.progress = Progress("", restart_of(settings, [offset]))
    return read_on(settings, place, until=until)


def lsns(each: dict[str, Any]) -> list[str]:
    return [each["value"]["source"][name] for name in ("commit_lsn", "change_lsn")]


@pytest.mark.drivers
def test_reading_goes_on_behind_any_event_that_debezium_had_sent(db2: Database) -> None:
    settings, start = written(db2)
    end = connector_for(settings).head()
    whole = read_on(settings, start.fresh(), until=end)
    as_debezium = sorted(changes(whole.records), key=lsns)
    for sent in range(1, len(as_debezium), 5):
        source = as_debezium[sent - 1]["value"]["source"]
        is_half = sent < len(as_debezium) and lsns(as_debezium[sent]) == lsns(as_debezium[sent - 1])
        if is_half:
            continue  # a delete and a create of one change have one place: Debezium sends both or none again
        offset = {"commit_lsn": source["commit_lsn"], "change_lsn": source["change_lsn"], "event_serial_no": 1}
        rest = taken_over(settings, start, offset, end)
        assert sorted(map(repr, changes(rest.records))) == sorted(map(repr, as_debezium[sent:]))
        assert place_of(db2, rest.progress) == place_of(db2, whole.progress)


@pytest.mark.drivers
def test_transactions_go_on_behind_any_record_that_debezium_had_sent(db2: Database) -> None:
    settings, start = written(db2, 2, provide_transaction_metadata="true")
    end = connector_for(settings).head()
    whole = read_on(settings, start.fresh(), until=end)
    sent = sent_by_debezium(whole.records, lambda source: f"{source['schema']}.{source['table']}")
    for number, last in enumerate(sent[:-1]):
        if "source" in last.record["value"] and (number % 3 or _is_half(last.record, sent[number + 1].record)):
            continue
        rest = [each for each in taken_over(settings, start, last.offset, end).records if each["value"]]
        following = [each.record for each in sent[number + 1 :]]
        assert sorted(map(repr, rest[:-1])) == sorted(map(repr, following))
        assert rest[-1] == whole.records[-1]


def _is_half(record: dict[str, Any], following: dict[str, Any]) -> bool:
    """Whether it is the delete of a change whose create has the same place."""
    return "source" in following["value"] and lsns(record) == lsns(following)


@pytest.mark.drivers
def test_a_transaction_that_debezium_has_ended_is_not_told_again(db2: Database) -> None:
    settings, start = written(db2, 2, provide_transaction_metadata="true")
    end = connector_for(settings).head()
    whole = read_on(settings, start.fresh(), until=end)
    begin_, *rest = ends(whole.records)
    sent = sent_by_debezium(whole.records, lambda source: f"{source['schema']}.{source['table']}")
    last = last_change_of(begin_[1], sent)
    assert ends(taken_over(settings, start, last, end).records) == rest
    assert ends(taken_over(settings, start, without_transaction(last), end).records) == rest[1:]


@pytest.mark.drivers
def test_a_boundary_becomes_an_offset_that_nothing_of_its_transaction_is_behind(db2: Database) -> None:
    db2.sql("CREATE TABLE S.A (ID INTEGER NOT NULL PRIMARY KEY)")
    db2.register("S.A")
    db2.replication.step()
    settings = settings_of(db2)
    read = begin(settings)
    write(db2, "INSERT INTO S.A VALUES (1)")
    read_on(settings, read)
    (offset,) = offsets_of(settings, read.progress)
    lsn = positions_of(settings).restart(read.progress.restart)[db2.database].lsn
    highest = "ffffffff:ffffffff:ffffffffffffffff"
    assert offset == {"commit_lsn": lsn.text, "change_lsn": highest, "event_serial_no": 1}
    assert restart_of(settings, [offset]) == {db2.database: {"lsn": lsn.text}}
    assert partitions_of(settings) == [[{"server": "s"}]]
