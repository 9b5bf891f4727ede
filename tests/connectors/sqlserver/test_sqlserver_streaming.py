"""Reading change tables: the records, their positions, and how reading resumes."""

from __future__ import annotations

import random
from typing import Any

import pytest

from support.sqlserver_reading import Read, batches, begin, read_on, records_of, settings_of, told
from tailrace.connectors.base import Lane, LogRange, Progress
from tailrace.connectors.change_tables import window_tables
from tailrace.connectors.sqlserver.reader import SqlServerConnector
from tailrace.errors import PositionLostError, RetriableError
from tailrace_standins.servers.sqlserver_server import Database

pytestmark = pytest.mark.drivers

SHOP = """
    CREATE TABLE orders (id int PRIMARY KEY, item nvarchar(20), amount decimal(8, 2));
    CREATE TABLE lines (id int, no int, item nvarchar(20), PRIMARY KEY (id, no));
    CREATE TABLE notes (text varchar(30))"""
TABLES = ("orders", "lines", "notes")


@pytest.fixture
def shop(sqlserver: Database) -> Database:
    """A database with three captured tables."""
    sqlserver.sql(SHOP)
    for table in TABLES:
        sqlserver.capture(table)
    return sqlserver


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of a few rows."""
    monkeypatch.setattr(window_tables, "FIRST_ROWS", 3)
    monkeypatch.setattr(window_tables, "MOST_ROWS", 3)


def work(database: Database, seed: int, transactions: int = 8) -> None:
    """Random transactions over the shop's tables, captured."""
    chance = random.Random(seed)
    keys: set[int] = set(range(1, 4))
    database.sql("; ".join(f"INSERT orders VALUES ({key}, N'o{key}', {key}.5)" for key in keys))
    for number in range(10, 10 + transactions):
        statements = []
        for _ in range(chance.randint(1, 5)):
            key = chance.choice(sorted(keys))
            kind = chance.randint(1, 7)
            fresh = number * 10 + len(statements)
            if kind <= 2:
                keys.add(fresh)
                statements.append(f"INSERT orders VALUES ({fresh}, N'n', NULL)")
            elif kind == 3:
                statements.append(f"UPDATE orders SET item = item + N'x' WHERE id <= {key}")
            elif kind == 4:
                keys = (keys - {key}) | {1000 + fresh}
                statements.append(f"UPDATE orders SET id = {1000 + fresh} WHERE id = {key}")
            elif kind == 5:
                statements.append(f"INSERT lines VALUES ({number}, {len(statements)}, N'line')")
            elif kind == 6:
                statements.append(f"INSERT notes VALUES ('note {number}'), ('another')")
            else:
                statements.append("UPDATE lines SET item = item + N'y'")
        database.sql(f"BEGIN TRAN; {'; '.join(statements)}; COMMIT")
    database.capture_all()


def test_each_operation_becomes_its_event(shop: Database) -> None:
    settings = settings_of(shop)
    read = begin(settings)
    shop.sql("INSERT orders VALUES (1, N'a', 1.5); UPDATE orders SET item = N'b'; DELETE orders")
    shop.capture_all()
    read_on(settings, read)
    one = {"id": 1, "item": "a", "amount": "AJY="}
    other = {**one, "item": "b"}
    assert told(read.of("dbo.orders")) == [("c", None, one), ("u", one, other), ("d", other, None), (None,)]
    assert [record["key"] for record in read.of("dbo.orders")] == [{"id": 1}] * 4
    sources = [record["value"]["source"] for record in read.of("dbo.orders")[:3]]
    assert [source["event_serial_no"] for source in sources] == [1, 2, 1]
    assert all(source["commit_lsn"] > source["change_lsn"] for source in sources)
    assert len({source["commit_lsn"] for source in sources}) == 3


def test_an_update_of_the_key_is_a_delete_and_a_create_with_the_same_lsns(shop: Database) -> None:
    settings = settings_of(shop)
    read = begin(settings)
    shop.sql("INSERT orders VALUES (1, N'a', NULL); UPDATE orders SET id = 2")
    shop.capture_all()
    read_on(settings, read)
    _, delete, tombstone, create = read.of("dbo.orders")
    assert [delete["key"], tombstone["key"], create["key"]] == [{"id": 1}, {"id": 1}, {"id": 2}]
    assert (delete["value"]["op"], tombstone["value"], create["value"]["op"]) == ("d", None, "c")
    first, second = (each["value"]["source"] for each in (delete, create))
    assert (first["event_serial_no"], second["event_serial_no"]) == (1, 2)
    assert (first["commit_lsn"], first["change_lsn"]) == (second["commit_lsn"], second["change_lsn"])


def test_nothing_comes_before_it_is_captured(shop: Database) -> None:
    settings = settings_of(shop)
    read = begin(settings)
    shop.sql("INSERT notes VALUES ('one'); INSERT notes VALUES ('two')")
    read_on(settings, read)
    assert read.of("notes") == []
    shop.step()
    read_on(settings, read)
    assert [each["value"]["after"]["text"] for each in read.of("notes")] == ["one", "two"]


def test_positions_ascend_within_a_topic(shop: Database, small_batches: None) -> None:
    settings = settings_of(shop)
    read = begin(settings)
    work(shop, 1)
    read_on(settings, read)
    for records in read.by_topic.values():
        positions = [record["position"] for record in records]
        assert positions == sorted(positions)


@pytest.mark.parametrize(
    ("mode", "metadata", "has_commands"),
    [("direct", "false", True), ("direct", "false", False), ("direct", "true", True), ("function", "true", True)],
)
def test_reading_goes_on_behind_any_batch(
    shop: Database, small_batches: None, mode: str, metadata: str, has_commands: bool
) -> None:
    seed = random.randrange(1 << 30)
    print("seed", seed)
    settings = settings_of(shop, data_query_mode=mode, provide_transaction_metadata=metadata)
    start = begin(settings)
    work(shop, seed)
    if not has_commands:  # as rows are that an older version of SQL Server captured
        for table in TABLES:
            shop.sql(f"UPDATE cdc.dbo_{table}_CT SET [__$command_id] = NULL")
    places: list[Read] = []
    whole = start.fresh()
    for batch in batches(settings, whole.fresh()):
        whole.take(batch)
        places.append(Read(whole.progress, list(whole.history), list(whole.records)))
    assert len(places) > 6
    for place in places:
        rest = read_on(settings, place.fresh())
        assert place.records + rest.records == whole.records
        assert rest.progress == whole.progress


@pytest.mark.parametrize("metadata", ["false", "true"])
def test_lanes_give_the_same_records_in_each_topic(shop: Database, small_batches: None, metadata: str) -> None:
    settings = settings_of(shop, provide_transaction_metadata=metadata)
    start = begin(settings)
    work(shop, 3)
    alone = read_on(settings, start.fresh())
    for count in (2, 3):
        together: dict[str, list[dict[str, Any]]] = {}
        for number in range(count):
            lane = read_on(settings, start.fresh(), Lane(number, count))
            assert not together.keys() & lane.by_topic.keys()
            together |= lane.by_topic
            assert lane.progress == alone.progress
        assert together == alone.by_topic


def test_both_query_modes_give_the_same_changes(shop: Database, small_batches: None) -> None:
    direct, function = settings_of(shop), settings_of(shop, data_query_mode="function")
    start = begin(direct)
    work(shop, 4)
    found = [read_on(settings, start.fresh()) for settings in (direct, function)]

    def by_change(read: Read) -> dict[str, list[Any]]:
        """Within a command the order differs: one mode knows it, the other does not."""
        return {topic: sorted(map(repr, told(records))) for topic, records in read.by_topic.items() if ".dbo." in topic}

    assert by_change(found[0]) == by_change(found[1])
    assert len(found[0].records) > 40


def test_windows_of_a_few_transactions_and_queries_of_a_few_rows_give_the_same(shop: Database) -> None:
    plain = settings_of(shop)
    bounded = settings_of(shop, max_iteration_transactions="2", streaming_fetch_size="3")
    start = begin(plain)
    work(shop, 5)
    one, other = read_on(plain, start.fresh()), read_on(bounded, start.fresh())
    assert other.by_topic == one.by_topic
    assert other.progress == one.progress
    assert other.batches > one.batches


def test_skipped_operations_do_not_come(shop: Database) -> None:
    settings = settings_of(shop, skipped_operations="u,d")
    read = begin(settings)
    shop.sql("INSERT orders VALUES (1, N'a', NULL); UPDATE orders SET item = N'b'; DELETE orders")
    shop.capture_all()
    read_on(settings, read)
    assert [each[0] for each in told(read.of("orders"))] == ["c"]


def test_transactions_are_told_with_the_counts_of_all_tables(shop: Database) -> None:
    settings = settings_of(shop, provide_transaction_metadata="true")
    read = begin(settings)
    shop.sql(
        "BEGIN TRAN; INSERT orders VALUES (1, N'a', NULL); INSERT lines VALUES (1, 1, N'x'), (1, 2, N'y'); "
        "UPDATE orders SET item = N'b'; UPDATE orders SET id = 2; INSERT notes VALUES ('n'); COMMIT"
    )
    shop.capture_all()
    read_on(settings, read)
    begun, ended = (record["value"] for record in read.of(".transaction"))
    assert (begun["status"], ended["status"], ended["event_count"]) == ("BEGIN", "END", 7)
    counted = {each["data_collection"]: each["event_count"] for each in ended["data_collections"]}
    assert counted == {
        f"{shop.name}.dbo.{table}": count for table, count in (("orders", 4), ("lines", 2), ("notes", 1))
    }
    blocks = [each["value"]["transaction"] for each in read.records if each["value"] and "transaction" in each["value"]]
    assert sorted(block["total_order"] for block in blocks) == list(range(1, 8))
    assert {block["id"] for block in blocks} == {ended["id"]}
    orders = [each["value"]["transaction"] for each in read.of("dbo.orders") if each["value"]]
    assert [each["total_order"] for each in orders] == [1, 4, 5, 6]
    assert [each["data_collection_order"] for each in orders] == [1, 2, 3, 4]


def test_several_databases_are_read_by_one_connector(shop: Database) -> None:
    other = shop.server.create_database()
    try:
        other.sql("CREATE TABLE things (id int PRIMARY KEY)")
        other.capture("things")
        settings = settings_of(shop, other)
        read = begin(settings)
        shop.sql("INSERT notes VALUES ('here')")
        other.sql("INSERT things VALUES (7)")
        other.capture_all()
        read_on(settings, read)
        first = read.progress.delivered
        assert told(read.of(f"{other.name}.dbo.things")) == [("c", None, {"id": 7})]
        assert read.of("notes") == []
        shop.capture_all()
        read_on(settings, read)
        assert told(read.of(f"{shop.name}.dbo.notes")) == [("c", None, {"text": "here"})]
        assert list(read.progress.restart) == [shop.name, other.name]
        assert read.progress.delivered > first
    finally:
        other.drop()


def test_a_reader_without_an_end_says_when_nothing_comes_and_goes_on_when_something_does(shop: Database) -> None:
    settings = settings_of(shop)
    read = begin(settings)
    connector = SqlServerConnector(settings)
    reader = connector.read(LogRange(read.progress.restart), read.progress, read.history)
    for batch in reader:
        read.take(batch)
        if batch.idle:
            break
    assert batch.at_head
    shop.sql("INSERT notes VALUES ('later')")
    shop.capture_all()
    for batch in reader:
        read.take(batch)
        if read.of("notes"):
            break
    assert [record["value"]["after"] for record in records_of(batch)] == [{"text": "later"}]
    reader.close()


def test_a_position_behind_the_end_of_the_log_is_of_another_database(shop: Database) -> None:
    settings = settings_of(shop)
    read = begin(settings)
    lost = {shop.name: {"lsn": "ffffffff:00000000:0001"}}
    with pytest.raises(PositionLostError, match="restored"):
        list(SqlServerConnector(settings).read(LogRange(lost), type(read.progress)("", lost), read.history))


def test_a_database_is_named_as_the_server_spells_it(shop: Database) -> None:
    settings = settings_of(shop)
    shouted = settings_of(shop, database_names=shop.name.upper())
    start, other = begin(settings), begin(shouted)
    shop.sql("INSERT notes VALUES ('one')")
    shop.capture_all()
    assert read_on(shouted, other).by_topic == read_on(settings, start).by_topic


def test_a_database_that_was_read_before_and_can_not_be_opened_now_may_come_back(shop: Database) -> None:
    settings, place = settings_of(shop, database_names="nowhere"), {"nowhere": {"lsn": "00000025:00000d98:0003"}}
    with pytest.raises(RetriableError, match="nowhere"):
        next(SqlServerConnector(settings).read(LogRange(place), Progress("", place), ()))


def test_tables_whose_names_sort_oddly_are_all_gone_on_with(sqlserver: Database) -> None:
    sqlserver.sql("CREATE SCHEMA [a]")
    sqlserver.sql("CREATE SCHEMA [a-b]")
    tables = [("a", "z"), ("a-b", "x"), ("a", "b.c")]
    for schema, table in tables:
        sqlserver.sql(f"CREATE TABLE [{schema}].[{table}] (id int PRIMARY KEY)")
        sqlserver.capture(table, schema=schema, instance=f"i{len(table)}{schema}".replace("-", "_"))
    settings = settings_of(sqlserver)
    start = begin(settings)
    for schema, table in tables:
        sqlserver.sql(f"INSERT [{schema}].[{table}] VALUES (1), (2)")
    sqlserver.capture_all()
    whole = start.fresh()
    for batch in batches(settings, start.fresh()):
        whole.take(batch)
        rest = read_on(settings, whole.fresh())
        assert len([each for each in whole.records + rest.records if "op" in each["value"]]) == 6
