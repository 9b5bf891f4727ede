"""Reading CD tables: the records, their positions, and how reading resumes."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import pytest

from support.change_table_reading import NOW_US, Read, batches, begin, read_on, records_of, told
from support.db2_reading import place_of, settings_of, write
from tailrace.connectors import connector_for
from tailrace.connectors.base import Lane, LogRange
from tailrace.connectors.change_tables import window_tables
from tailrace.errors import PositionLostError
from tailrace_standins.servers.db2_server import Database

pytestmark = pytest.mark.drivers

EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 -- as the server's times come
SHOP = (
    "CREATE TABLE S.ORDERS (ID INTEGER NOT NULL PRIMARY KEY, ITEM VARCHAR(20), AMOUNT DECIMAL(8, 2))",
    "CREATE TABLE S.LINES (ID INTEGER NOT NULL, NO INTEGER NOT NULL, ITEM VARCHAR(20), PRIMARY KEY (ID, NO))",
    "CREATE TABLE S.NOTES (TEXT VARCHAR(30))",
)


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of a few rows."""
    monkeypatch.setattr(window_tables, "FIRST_ROWS", 3)
    monkeypatch.setattr(window_tables, "MOST_ROWS", 3)


@pytest.fixture
def shop(db2: Database) -> Database:
    """A database with three captured tables."""
    db2.sql(*SHOP)
    db2.register("S.ORDERS", "S.LINES", "S.NOTES")
    db2.replication.step()
    return db2


def test_each_operation_becomes_its_event(shop: Database) -> None:
    settings = settings_of(shop)
    read = begin(settings)
    shop.sql("INSERT INTO S.ORDERS VALUES (1, 'a', 1.5)")
    shop.sql("UPDATE S.ORDERS SET ITEM = 'b'")
    write(shop, "DELETE FROM S.ORDERS")
    read_on(settings, read)
    one = {"ID": 1, "ITEM": "a", "AMOUNT": "AJY="}
    other = {**one, "ITEM": "b"}
    assert [each["topic"] for each in read.of("ORDERS")] == ["s.S.ORDERS"] * 4
    assert told(read.of("ORDERS")) == [("c", None, one), ("u", one, other), ("d", other, None), (None,)]
    assert [record["key"] for record in read.of("ORDERS")] == [{"ID": 1}] * 4
    sources = [record["value"]["source"] for record in read.of("ORDERS")[:3]]
    assert len({source["commit_lsn"] for source in sources}) == 3
    assert [source["change_lsn"] for source in sources] == sorted(source["change_lsn"] for source in sources)


def test_an_update_of_the_key_is_a_delete_and_a_create(shop: Database) -> None:
    settings = settings_of(shop)
    read = begin(settings)
    write(shop, "INSERT INTO S.ORDERS VALUES (1, 'a', NULL)", "UPDATE S.ORDERS SET ID = 2")
    read_on(settings, read)
    _, delete, tombstone, create = read.of("ORDERS")
    assert [delete["key"], tombstone["key"], create["key"]] == [{"ID": 1}, {"ID": 1}, {"ID": 2}]
    assert (delete["value"]["op"], tombstone["value"], create["value"]["op"]) == ("d", None, "c")
    first, second = (each["value"]["source"] for each in (delete, create))
    assert (first["commit_lsn"], first["change_lsn"]) == (second["commit_lsn"], second["change_lsn"])


def test_nothing_comes_before_the_synchpoint_says_so(shop: Database) -> None:
    settings = settings_of(shop)
    read = begin(settings)
    shop.sql("INSERT INTO S.NOTES VALUES ('one')")
    shop.replication.capture()
    read_on(settings, read)
    assert read.of("NOTES") == []
    shop.replication.advance()
    read_on(settings, read)
    assert [each["value"]["after"]["TEXT"] for each in read.of("NOTES")] == ["one"]


def test_positions_ascend_within_a_topic(shop: Database, small_batches: None) -> None:
    settings = settings_of(shop)
    read = begin(settings)
    work(shop, 1)
    read_on(settings, read)
    assert len(read.by_topic) == 4
    for records in read.by_topic.values():
        positions = [record["position"] for record in records]
        assert positions == sorted(positions)


@pytest.mark.parametrize("metadata", ["false", "true"])
def test_reading_goes_on_behind_any_batch(shop: Database, small_batches: None, metadata: str) -> None:
    seed = random.randrange(1 << 30)
    print("seed", seed)
    settings = settings_of(shop, provide_transaction_metadata=metadata)
    start = begin(settings)
    work(shop, seed)
    places: list[Read] = []
    whole, end = start.fresh(), connector_for(settings).head()
    for batch in batches(settings, whole.fresh(), until=end):
        whole.take(batch)
        places.append(Read(whole.progress, list(whole.history), list(whole.records)))
    assert len(places) > 6
    for place in places:
        rest = read_on(settings, place.fresh(), until=end)
        assert place.records + rest.records == whole.records
        assert place_of(shop, rest.progress) == place_of(shop, whole.progress)


@pytest.mark.parametrize("metadata", ["false", "true"])
def test_lanes_give_the_same_records_in_each_topic(shop: Database, small_batches: None, metadata: str) -> None:
    settings = settings_of(shop, provide_transaction_metadata=metadata)
    start = begin(settings)
    work(shop, 3)
    end = connector_for(settings).head()
    alone = read_on(settings, start.fresh(), until=end)
    for count in (2, 3):
        together: dict[str, list[dict[str, Any]]] = {}
        for number in range(count):
            lane = read_on(settings, start.fresh(), Lane(number, count), end)
            assert not together.keys() & lane.by_topic.keys()
            together |= lane.by_topic
            assert place_of(shop, lane.progress) == place_of(shop, alone.progress)
        assert together == alone.by_topic


def test_skipped_operations_do_not_come_and_an_update_is_no_insert(shop: Database) -> None:
    settings = settings_of(shop, skipped_operations="u,d")
    read = begin(settings)
    write(shop, "INSERT INTO S.ORDERS VALUES (1, 'a', NULL)", "UPDATE S.ORDERS SET ITEM = 'b'", "DELETE FROM S.ORDERS")
    read_on(settings, read)
    assert [each[0] for each in told(read.of("ORDERS"))] == ["c"]


def test_transactions_are_told_with_the_counts_of_all_tables(shop: Database) -> None:
    settings = settings_of(shop, provide_transaction_metadata="true")
    read = begin(settings)
    write(
        shop, "INSERT INTO S.ORDERS VALUES (1, 'a', NULL)", "INSERT INTO S.LINES VALUES (1, 1, 'x'), (1, 2, 'y')",
        "UPDATE S.ORDERS SET ITEM = 'b'", "UPDATE S.ORDERS SET ID = 2", "INSERT INTO S.NOTES VALUES ('n')",
    )  # fmt: skip
    read_on(settings, read)
    begun, ended = (record["value"] for record in read.of(".transaction"))
    assert (begun["status"], ended["status"], ended["event_count"]) == ("BEGIN", "END", 7)
    counted = {each["data_collection"]: each["event_count"] for each in ended["data_collections"]}
    assert counted == {"S.ORDERS": 4, "S.LINES": 2, "S.NOTES": 1}
    orders = [each["value"]["transaction"] for each in read.of("ORDERS") if each["value"]]
    assert [each["total_order"] for each in orders] == [1, 4, 5, 6]
    assert [each["data_collection_order"] for each in orders] == [1, 2, 3, 4]


def test_the_time_of_a_change_is_that_of_its_commit_or_of_reading_as_debezium_has_it(shop: Database) -> None:
    settings, other = settings_of(shop), settings_of(shop, source_timestamp_mode="processing")
    read, late = begin(settings), begin(other)
    write(shop, "INSERT INTO S.NOTES VALUES ('one')")
    (committed,) = shop.sql("SELECT IBMSNAP_LOGMARKER - CURRENT TIMEZONE FROM ASNCDC.IBMSNAP_UOW")[0]
    (record,) = read_on(settings, read).of("NOTES")
    assert record["value"]["source"]["ts_us"] == (committed - EPOCH) // dt.timedelta(microseconds=1)
    (record,) = read_on(other, late).of("NOTES")
    assert record["value"]["source"]["ts_us"] == NOW_US


def test_windows_are_no_longer_than_the_configuration_says(shop: Database) -> None:
    plain, bounded = settings_of(shop), settings_of(shop, streaming_query_timespan_seconds="2")
    start = begin(plain)
    for number in range(4):
        shop.sql(f"INSERT INTO S.NOTES VALUES ('{number}')")
    shop.replication.step()
    shop.sql(
        "UPDATE ASNCDC.IBMSNAP_UOW u SET IBMSNAP_LOGMARKER = IBMSNAP_LOGMARKER + "
        "(3 * (SELECT COUNT(*) FROM ASNCDC.IBMSNAP_UOW o WHERE o.IBMSNAP_COMMITSEQ < u.IBMSNAP_COMMITSEQ)) SECONDS"
    )
    end = connector_for(plain).head()
    one, other = read_on(plain, start.fresh(), until=end), read_on(bounded, start.fresh(), until=end)
    assert other.by_topic == one.by_topic
    assert place_of(shop, other.progress) == place_of(shop, one.progress)
    assert other.batches > one.batches


def test_a_reader_without_an_end_says_when_nothing_comes_and_goes_on_when_something_does(shop: Database) -> None:
    settings = settings_of(shop)
    read = begin(settings)
    connector = connector_for(settings)
    reader = connector.read(LogRange(read.progress.restart), read.progress, read.history)
    for batch in reader:
        read.take(batch)
        if batch.idle:
            break
    assert batch.at_head
    write(shop, "INSERT INTO S.NOTES VALUES ('later')")
    for batch in reader:
        read.take(batch)
        if read.of("NOTES"):
            break
    assert [record["value"]["after"] for record in records_of(batch)] == [{"TEXT": "later"}]
    reader.close()  # type: ignore[attr-defined]


def test_a_position_behind_the_end_of_the_log_is_of_another_database(shop: Database) -> None:
    settings = settings_of(shop)
    read = begin(settings)
    lost = {shop.database: {"lsn": "ffffffff:00000000:0000000000000001"}}
    with pytest.raises(PositionLostError, match="restored"):
        list(connector_for(settings).read(LogRange(lost), type(read.progress)("", lost), read.history))


def test_a_database_is_named_as_the_server_spells_it(shop: Database) -> None:
    settings, whispered = settings_of(shop), settings_of(shop, database_dbname=shop.database.lower())
    start, other = begin(settings), begin(whispered)
    write(shop, "INSERT INTO S.NOTES VALUES ('one')")
    assert read_on(whispered, other).of("NOTES") == read_on(settings, start).of("NOTES")
    assert other.by_topic.keys() == start.by_topic.keys()
    assert {each["value"]["source"]["db"] for each in other.of("NOTES")} == {shop.database}


def test_tables_whose_names_need_quotes_are_all_read(db2: Database) -> None:
    tables = [("a", "z"), ("a-b", "x y"), ("a", "b.c"), ("S", "žluť 日本")]
    for schema, table in tables:
        name = f'"{schema}"."{table.replace(chr(34), chr(34) * 2)}"'
        db2.sql(f'CREATE TABLE {name} ("id" INTEGER NOT NULL PRIMARY KEY, "n ä" INTEGER)')
        call = ", ".join("'" + part + "'" for part in (schema, table))
        db2.sql(f"CALL ASNCDC.ADDTABLE({call})")
    db2.replication.reinit()
    db2.replication.step()
    settings = settings_of(db2)
    start = begin(settings)
    for schema, table in tables:
        name = f'"{schema}"."{table.replace(chr(34), chr(34) * 2)}"'
        db2.sql(f"INSERT INTO {name} VALUES (1, 5), (2, 6)")
    db2.replication.step()
    whole = start.fresh()
    for batch in batches(settings, start.fresh()):
        whole.take(batch)
        rest = read_on(settings, whole.fresh())
        assert len([each for each in whole.records + rest.records if "op" in each["value"]]) == 8
    afters = [each["value"]["after"] for each in whole.records if "op" in each["value"]]
    assert {tuple(each) for each in afters} == {("id", "n ä")}


def work(database: Database, seed: int, transactions: int = 8) -> None:
    """Random transactions over the shop's tables, captured."""
    chance = random.Random(seed)
    keys: set[int] = set(range(1, 4))
    database.sql(*(f"INSERT INTO S.ORDERS VALUES ({key}, 'o{key}', {key}.5)" for key in keys))
    for number in range(10, 10 + transactions):
        statements = []
        for _ in range(chance.randint(1, 5)):
            key = chance.choice(sorted(keys))
            kind = chance.randint(1, 7)
            fresh = number * 10 + len(statements)
            if kind <= 2:
                keys.add(fresh)
                statements.append(f"INSERT INTO S.ORDERS VALUES ({fresh}, 'n', NULL)")
            elif kind == 3:
                statements.append(f"UPDATE S.ORDERS SET ITEM = ITEM CONCAT 'x' WHERE ID <= {key}")
            elif kind == 4:
                keys = (keys - {key}) | {1000 + fresh}
                statements.append(f"UPDATE S.ORDERS SET ID = {1000 + fresh} WHERE ID = {key}")
            elif kind == 5:
                statements.append(f"INSERT INTO S.LINES VALUES ({number}, {len(statements)}, 'line')")
            elif kind == 6:
                statements.append(f"INSERT INTO S.NOTES VALUES ('note {number}'), ('another')")
            else:
                statements.append("UPDATE S.LINES SET ITEM = ITEM CONCAT 'y'")
        database.sql(*statements)
    database.replication.step()
