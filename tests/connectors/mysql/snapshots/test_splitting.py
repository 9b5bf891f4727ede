"""Parts of a table have each row once, and about equally many where the estimates are good."""

import datetime as dt

import pytest

from support.keyed_tables import COUNT, made
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.connection import rows
from tailrace.connectors.mysql.snapshots import key_numbering
from tailrace.connectors.mysql.snapshots.bounds import literals
from tailrace.connectors.mysql.snapshots.keys import KeyColumn, Kind, keys_of
from tailrace.connectors.mysql.snapshots.splitting import TableSplitter, estimated_rows, segments, split_points
from tailrace.connectors.mysql.snapshots.statements import ascending, inside_of, names_of
from tailrace.schema.tables import TableId

TABLES = {
    "numbers": ("id INT PRIMARY KEY", "n"),
    "negative": ("id BIGINT PRIMARY KEY", "-n * 1000000007"),
    "unsigned": ("id BIGINT UNSIGNED PRIMARY KEY", "18446744073709551615 - n"),
    "clusters": ("id BIGINT PRIMARY KEY", "IF(n % 2, n, 9000000000000000000 + n)"),
    "one_tenant": ("t INT, id INT, PRIMARY KEY (t, id)", "7, n"),
    "few_tenants": ("t INT, d DATE, id INT, PRIMARY KEY (t, d, id)", "n % 3, '2024-01-01' + INTERVAL n % 50 DAY, n"),
    "uuids": ("id CHAR(36) PRIMARY KEY", "CONCAT(LEFT(SHA2(n, 256), 32), '-x')"),
    "prefixed": ("id VARCHAR(40) COLLATE utf8mb4_0900_ai_ci PRIMARY KEY", "CONCAT('Customer/', LPAD(n, 9, '0'))"),
    "wide": ("id VARCHAR(40) CHARACTER SET utf16 PRIMARY KEY", "LEFT(SHA2(n, 256), 32)"),
    "binary": ("id BINARY(16) PRIMARY KEY", "UNHEX(LEFT(SHA2(n, 256), 32))"),
    "moments": ("at DATETIME(6) PRIMARY KEY", "'2024-01-01' + INTERVAL n * 1234567 MICROSECOND"),
    "decimals": ("d DECIMAL(20, 4) PRIMARY KEY", "n / 8"),
    "days_behind": ("e ENUM('a', 'b', 'c'), id INT, PRIMARY KEY (e, id)", "1 + n % 3, n"),
}


def sizes(connection, table, key, points):
    names = names_of(key, "`t`")
    conditions = [inside_of(key, names, interval) for interval in segments(points)]
    (found,) = rows(connection, f"SELECT {', '.join(f'SUM({c})' for c in conditions)} FROM {table.catalog}.t")
    return list(map(int, found))


@pytest.mark.mysql
@pytest.mark.parametrize("most_walked", [0, COUNT * 2])
@pytest.mark.parametrize("name", TABLES)
def test_parts_cover_a_table_and_are_of_like_size(connection, database, name, most_walked):
    table, key = made(connection, database, *TABLES[name])
    points = split_points(connection, table, key, 5, least_rows=100, most_walked=most_walked)
    found = sizes(connection, table, key, points)
    assert sum(found) == COUNT
    assert len(found) == 5
    assert max(found) < COUNT / 5 * (1.5 if most_walked else 2), found
    assert ascending(connection, key, points) == points


@pytest.mark.mysql
@pytest.mark.parametrize("statement", ["DROP TABLE t", "ALTER TABLE t DROP PRIMARY KEY", "ALTER TABLE t RENAME COLUMN id TO k"])
def test_a_table_that_is_dropped_or_altered_meanwhile_is_not_split(connection, database, statement):
    """The planning of a snapshot goes on."""
    table, key = made(connection, database, *TABLES["numbers"])
    splitter = TableSplitter(connection, {table: key})
    assert splitter.span(table) == (1, COUNT)
    rows(connection, statement)
    assert splitter.span(table) is None
    assert splitter.split_points(table, 4) == []


@pytest.mark.mysql
def test_a_key_that_nobody_can_halve_is_not_split_when_it_is_too_large_to_walk(connection, database):
    table, key = made(connection, database, "at TIME(6) PRIMARY KEY", "SEC_TO_TIME(n)")
    assert split_points(connection, table, key, 4, least_rows=100, most_walked=0) == []
    assert len(split_points(connection, table, key, 4, least_rows=100)) == 3


@pytest.mark.mysql
@pytest.mark.parametrize("values", ["INSERT INTO t VALUES (1)", "DO 0"])
def test_tiny_and_empty_tables_are_not_split(connection, database, mysql_server, values):
    mysql_server.sql(f"CREATE TABLE t (id INT PRIMARY KEY); {values}", database)
    table = TableId(database, "", "t")
    key = keys_of(connection, catalog.server(connection), [table])[table]
    assert split_points(connection, table, key, 8) == []
    assert split_points(connection, table, key, 8, least_rows=0) == []


@pytest.mark.mysql
def test_estimates_wrong_by_far_still_cover_the_table(connection, database, monkeypatch):
    table, key = made(connection, database, *TABLES["numbers"])
    from tailrace.connectors.mysql.snapshots import splitting

    monkeypatch.setattr(splitting, "_explained", lambda _c, _t, _k, condition: 1 + hash(condition) % 100_000)
    points = split_points(connection, table, key, 6, least_rows=0)
    assert sum(sizes(connection, table, key, points)) == COUNT
    assert ascending(connection, key, points) == points


@pytest.mark.mysql
def test_the_size_of_a_table_is_known_at_once(connection, database):
    table, _ = made(connection, database, *TABLES["numbers"])
    server = catalog.server(connection)
    none = TableId(database, "", "none")
    found = estimated_rows(connection, server, [none, table])
    assert list(found) == [none, table]
    assert found[none] == 0
    assert COUNT / 2 < found[table] < COUNT * 2
    rows(connection, f"TRUNCATE TABLE {database}.t")
    assert estimated_rows(connection, server, [table])[table] == 0


def test_segments_follow_each_other():
    assert segments([]) == [(None, None)]
    assert segments([[1], [5]]) == [(None, [1]), ([1], [5]), ([5], None)]


@pytest.mark.parametrize(
    ("column", "least", "most"),
    [
        (KeyColumn("c", Kind.INT), -5, 2**64 - 1),
        (KeyColumn("c", Kind.DECIMAL, size=2), "-1.05", "700.00"),
        (KeyColumn("c", Kind.DATE), "0000-00-00", "9999-12-31"),
        (KeyColumn("c", Kind.DATETIME), "0000-00-00 00:00:00.000000", "2024-02-30 00:00:00.000000"),
        (KeyColumn("c", Kind.TIMESTAMP), "1970-01-01 00:00:01", "2038-01-19 03:14:07"),
        (KeyColumn("c", Kind.BYTES), {"hex": ""}, {"hex": "ff" * 20}),
        (KeyColumn("c", Kind.TEXT, "utf8mb4", "utf8mb4_bin"), {"hex": "c3a9"}, {"hex": "c3aa00"}),
        (KeyColumn("c", Kind.TEXT, "utf32", "utf32_bin"), {"hex": "00000041"}, {"hex": "0000006100000062"}),
    ],
)
def test_numbers_of_a_ruler_ascend_and_have_values(column, least, most):
    from tailrace.connectors.mysql.snapshots.keys import ChunkKey

    made = key_numbering.numbering_of(column, least, most)
    numbers = [made.low + 1 + (made.high - made.low - 1) * i // 50 for i in range(51)]
    values = [made.value(number) for number in numbers]
    assert all(literals(ChunkKey("PRIMARY", (column,)), [value]) for value in values)
    if column.kind not in (Kind.INT, Kind.DECIMAL):
        comparable = [value["hex"] if isinstance(value, dict) else value for value in values]
        assert comparable == sorted(comparable)


def test_a_ruler_ends_at_the_last_value():
    day = key_numbering.numbering_of(KeyColumn("c", Kind.DATE), "2024-01-01", "2024-03-01")
    assert day.value(day.high) == "2024-03-01"
    assert day.value(day.low + 1) == "2024-01-01"
    assert day.high - day.low == (dt.date(2024, 3, 1) - dt.date(2024, 1, 1)).days + 1
    assert key_numbering.numbering_of(KeyColumn("c", Kind.TIME), "00:00:00", "01:00:00") is None
