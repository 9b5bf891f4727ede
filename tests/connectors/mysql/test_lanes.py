"""Several lanes over one log: together they give what one gives, and at a boundary all stand at one place."""

import pytest

from support.every_scenario import EVERY, WHY, only_with_all
from support.reading import SMALL_BLOCK, batches, begin, fresh, read_on, read_with_stops
from tailrace.connectors.base import Lane
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace_standins.servers.mysql_server import MySqlServer

DATABASE = "lanes"
TABLES = ("a", "b", "c", "d", "e")
SMALL_EVENTS = ("--binlog-row-event-max-size=256",)
MANY = "INSERT INTO {table} (id, v) SELECT n, REPEAT('x', 60) FROM (WITH RECURSIVE s AS (SELECT {from_} n UNION ALL SELECT n+1 FROM s WHERE n < {to}) SELECT n FROM s) t"


@pytest.fixture(scope="module", params=["gtid-full", "nogtid-minimal"])
def server(request):
    gtid = request.param == "gtid-full"
    with MySqlServer(gtid=gtid, row_metadata="FULL" if gtid else "MINIMAL", flags=SMALL_EVENTS) as started:
        yield started


@pytest.fixture(scope="module", params=["counted", "not-counted"])
def played(request, server):
    """Settings, a reading that stands before the log, and the head of the log after each step.

    Without `--all` transactions are counted where there are GTIDs, and not counted where there are none.
    """
    metadata = request.param == "counted"
    if not EVERY and metadata != server.gtid:
        pytest.skip(WHY)
    server.sql(f"DROP DATABASE IF EXISTS {DATABASE}; CREATE DATABASE {DATABASE}")
    for table in TABLES:
        server.sql(f"CREATE TABLE {table} (id INT PRIMARY KEY, v VARCHAR(200))", DATABASE)
    server.sql("CREATE TABLE other (n INT)", DATABASE)
    settings, start = begin(
        server,
        table_include_list=f"{DATABASE}.({'|'.join(TABLES)}|made|late)",
        provide_transaction_metadata=metadata,
        skipped_operations="none",
    )
    heads = [start.progress.restart]
    for statements in steps():
        server.sql(statements, DATABASE)
        heads.append(MySqlConnector(settings).head())
    return settings, start, heads


def steps():
    mixed = ";".join(
        f"INSERT INTO b VALUES ({n}, 'b'); UPDATE a SET v = 'u{n}' WHERE id = {n}; UPDATE c SET id = id + 100 WHERE id = {n}; DELETE FROM d WHERE id = {n}"
        for n in range(8)
    )
    return [
        ";".join(f"INSERT INTO {table} VALUES (-1, 'first'), (-2, 'second')" for table in TABLES),
        f"BEGIN; {';'.join(MANY.format(table=table, from_=0, to=40) for table in 'acd')}; {mixed}; COMMIT",
        "INSERT INTO other VALUES (1)",
        "ALTER TABLE b ADD COLUMN w INT DEFAULT 7",
        "INSERT INTO b VALUES (50, 'c', 2); INSERT INTO e VALUES (1, 'e')",
        "FLUSH BINARY LOGS",
        "XA START 'one'; INSERT INTO a VALUES (200, 'xa'); INSERT INTO b VALUES (200, 'xa', 1); INSERT INTO c VALUES (200, 'xa'), (201, 'xa'); XA END 'one'; XA PREPARE 'one'",
        "INSERT INTO e VALUES (2, 'between')",
        "ALTER TABLE e ADD COLUMN z INT FIRST",
        "XA COMMIT 'one'",
        f"SET binlog_transaction_compression = ON; BEGIN; {MANY.format(table='a', from_=300, to=340)}; {MANY.format(table='d', from_=300, to=320)}; UPDATE b SET v = 'packed'; COMMIT",
        "BEGIN; INSERT INTO other VALUES (2); INSERT INTO c VALUES (-7, 'not undone'); ROLLBACK",
        "CREATE TABLE made AS SELECT * FROM b",
        "TRUNCATE TABLE b; TRUNCATE TABLE e",
        "CREATE TABLE late (n INT); INSERT INTO late VALUES (1), (2); INSERT INTO b VALUES (1, 'again', 1)",
        "FLUSH BINARY LOGS",
    ]


def lanes(count):
    return [Lane(number, count) for number in range(count)]


def read_lanes(settings, start, count, until=None):
    return [read_on(settings, fresh(start), until, lane=lane) for lane in lanes(count)]


def together(reads):
    """All lanes' topics; no topic comes from two."""
    names = [topic for read in reads for topic in read.topics]
    assert len(names) == len(set(names))
    return {topic: records for read in reads for topic, records in read.topics.items()}


def wanted_topics(settings):
    own = {f"test.{DATABASE}.{table}" for table in (*TABLES, "made", "late")} | {"test"}
    return own | ({"test.transaction"} if settings.provide_transaction_metadata else set())


@pytest.mark.mysql
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_lanes_give_the_records_that_one_gives_in_the_same_order(played, count):
    settings, start, _ = played
    whole = read_on(settings, fresh(start))
    assert set(whole.topics) == wanted_topics(settings)
    reads = read_lanes(settings, start, count)
    assert together(reads) == whole.topics
    assert sum(bool(read.topics) for read in reads) > 1 or count == 1
    assert {"test"} | (wanted_topics(settings) & {"test.transaction"}) <= set(reads[0].topics)


@pytest.mark.mysql
@pytest.mark.parametrize("count", [pytest.param(2, marks=only_with_all), 3])
def test_a_lane_that_stops_at_every_batch_gives_what_it_gives_without_a_stop(played, count):
    settings, start, _ = played
    whole = read_on(settings, fresh(start))
    stopped = [read_with_stops(settings, fresh(start), 1, block_bytes=SMALL_BLOCK, lane=lane) for lane in lanes(count)]
    assert together(stopped) == whole.topics
    assert all(read.batches > 10 for read in stopped)
    assert [read.progress for read in stopped] == [whole.progress] * count
    for read in stopped:
        assert [r["ddl"] for r in read.history] == [r["ddl"] for r in whole.history]


@pytest.mark.mysql
def test_all_lanes_stand_at_one_place_at_every_boundary(played):
    settings, start, heads = played
    files = {head["file"] for head in heads}
    assert len(files) == 3
    heads = [*heads, *({**heads[-1], "file": file, "pos": 4} for file in files)]
    for until in heads:
        one = read_on(settings, fresh(start), until).progress
        reads = read_lanes(settings, start, 3, until)
        assert [read.progress for read in reads] == [one] * 3, until
    assert any(read_on(settings, fresh(start), head).progress.restart.get("is_prepared") for head in heads)


@pytest.mark.mysql
def test_a_table_goes_on_in_another_lane_when_their_number_changes(played):
    """At every boundary, from two lanes to three: those that go on take any lane's progress and history."""
    settings, start, heads = played
    whole = read_on(settings, fresh(start))
    for until in heads[1:]:
        before = read_lanes(settings, start, 2, until)
        after = read_lanes(settings, before[0], 3)
        told, rest = together(before), together(after)
        assert {topic: told.get(topic, []) + rest.get(topic, []) for topic in {*told, *rest}} == whole.topics


@pytest.mark.mysql
def test_lanes_without_a_captured_row_move_on_as_well(server):
    server.sql(f"DROP DATABASE IF EXISTS {DATABASE}_none; CREATE DATABASE {DATABASE}_none")
    settings, start = begin(server, database_include_list=f"{DATABASE}_none", include_schema_changes=False)
    server.sql("CREATE TABLE IF NOT EXISTS mysql.elsewhere (n INT); INSERT INTO mysql.elsewhere VALUES (1), (2)")
    server.sql("FLUSH BINARY LOGS; INSERT INTO mysql.elsewhere VALUES (3)")
    reads = read_lanes(settings, start, 3)
    assert together(reads) == {}
    assert [read.progress for read in reads] == [reads[0].progress] * 3
    assert reads[0].progress.delivered > start.progress.delivered
    head = MySqlConnector(settings).head()
    assert {name: reads[0].progress.restart[name] for name in head} == head


@pytest.mark.mysql
def test_figures_count_only_what_a_lane_delivers(played):
    settings, start, _ = played
    until = MySqlConnector(settings).head()
    whole = list(batches(settings, fresh(start), until))
    total = 0
    for lane in lanes(3):
        got = list(batches(settings, fresh(start), until, lane=lane))
        own = [topic for topic in wanted_topics(settings) if lane.owns(topic) and topic.startswith(f"test.{DATABASE}.")]
        changes = sum(batch.changes for batch in got)
        assert (changes > 0) == bool(own) == any(batch.source_ts_ms for batch in got)
        total += changes
    assert total == sum(batch.changes for batch in whole)
