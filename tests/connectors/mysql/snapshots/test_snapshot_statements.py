"""Chunks have each row once, in the server's order, and are ranges of the index."""

import random
import zlib

import pytest
from chunked_tables import KEYS, Chunked

from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.connection import rows
from tailrace.connectors.mysql.snapshots.bounds import bound_of, expressions, literals
from tailrace.connectors.mysql.snapshots.keys import ChunkKey, KeyColumn, Kind, keys_of
from tailrace.connectors.mysql.snapshots.statements import (
    are_within,
    ascending,
    chunk,
    chunk_end,
    inside_of,
    whole,
    within,
)
from tailrace.errors import ProgressError
from tailrace.schema.tables import TableId

SEED = random.SystemRandom().randrange(2**32)
OLD = Server((5, 7, 44), {})
ID = ChunkKey("PRIMARY", (KeyColumn("id", Kind.INT),))


@pytest.fixture(params=KEYS)
def chunked(request, connection, database):
    print(f"seed {SEED}")
    own = random.Random(SEED + zlib.crc32(request.param.encode()))
    return Chunked(connection, database, request.param, own), own


@pytest.mark.mysql
class TestChunks:
    """With keys of every kind and several collations."""

    def pages(self, chunked, limit, upto=None):
        after, found = None, []
        columns = expressions(chunked.key, "`t``1`")
        while page := chunked.read(chunk(chunked.table, columns, chunked.key, after, upto, limit)):
            assert len(page) <= limit
            found += page
            after = page[-1]
        return found

    def test_paging_gives_each_row_once_in_order(self, chunked):
        chunked, own = chunked
        assert len(chunked.bounds) > 1
        assert self.pages(chunked, own.randint(1, 7)) == chunked.bounds

    def test_a_segment_ends_with_its_upper_bound(self, chunked):
        chunked, own = chunked
        end = own.randrange(len(chunked.bounds))
        assert self.pages(chunked, own.randint(1, 7), chunked.bounds[end]) == chunked.bounds[: end + 1]

    def test_the_end_of_a_chunk_is_known_before_it_is_read(self, chunked):
        chunked, own = chunked
        size, after, found = own.randint(1, 7), None, []
        columns = expressions(chunked.key)
        while end := chunked.read(chunk_end(chunked.table, chunked.key, after, None, size)):
            page = chunked.read(chunk(chunked.table, columns, chunked.key, after, end[0]))
            assert len(page) == size
            found, after = found + page, end[0]
        found += chunked.read(chunk(chunked.table, columns, chunked.key, after, None))
        assert found == chunked.bounds

    def test_a_chunk_is_a_range_of_the_key(self, chunked):
        chunked, own = chunked
        low, high = sorted(own.sample(range(1, len(chunked.bounds) - 1), 2))  # the type's own ends make no range
        for after, upto in ((low, None), (None, high), (low, high)):
            ends = (None if i is None else chunked.bounds[i] for i in (after, upto))
            sql = chunk(chunked.table, ["v", *expressions(chunked.key)], chunked.key, *ends, limit=5)
            plan = chunked.explained(sql)
            assert (plan["type"], plan["key"]) == ("range", "PRIMARY"), sql
            assert "filesort" not in (plan["Extra"] or "")

    def test_what_is_within_is_what_lies_between_in_the_table(self, chunked):
        chunked, own = chunked
        bounds = chunked.bounds
        places = [sorted(own.sample(range(len(bounds)), 2)) for _ in range(2)]
        intervals = [(bounds[a], bounds[b]) for a, b in places]
        intervals.append((None, bounds[0]))
        expected = [any(a < i <= b for a, b in (*places, (-1, 0))) for i in range(len(bounds))]
        for server in (chunked.server, OLD):
            found = are_within(chunked.connection, server, chunked.key, bounds, intervals)
            assert found.tolist() == expected

    def test_bounds_in_order_ascend_and_others_are_dropped(self, chunked):
        chunked, _ = chunked
        connection, key, bounds = chunked.connection, chunked.key, chunked.bounds
        assert ascending(connection, key, bounds) == bounds
        assert ascending(connection, key, [bounds[0], bounds[0], bounds[-1], bounds[0]]) == [bounds[0], bounds[-1]]


@pytest.mark.mysql
def test_more_candidates_than_fit_one_statement(connection, mysql_server):
    print(f"seed {SEED}")
    own = random.Random(SEED)
    numbers = [own.randint(-50, 5000) for _ in range(2500)]
    intervals = [([10], [100]), ([4000], None)]
    for server in (Server((9, 0, 0), {}), OLD):
        found = are_within(connection, server, ID, [[n] for n in numbers], intervals)
        assert found.tolist() == [10 < n <= 100 or n > 4000 for n in numbers]
    assert not are_within(connection, OLD, ID, [[1]], []).any()


@pytest.mark.mysql
def test_what_the_log_says_of_a_key_is_the_row_itself(connection, database):
    """GIVEN a row's key as the log has it, THEN its bound is that row and no other."""
    columns = {
        "i": ("BIGINT UNSIGNED", "18446744073709551615", -1),
        "j": ("BIGINT UNSIGNED", "18446744073709551614", (2**64 - 2).to_bytes(9, "big")),
        "d": ("DECIMAL(10, 3)", "-0.050", b"\xce"),
        "w": ("DECIMAL(10, 0)", "1234", 1234),
        "day": ("DATE", "'1969-12-31'", -1),
        "at": ("DATETIME(3)", "'2024-02-29 12:34:56.789'", 1_709_210_096_789_000),
        "ts": ("TIMESTAMP", "'1970-01-01 00:00:01'", 1_000_000),
        "clock": ("TIME(6)", "'-838:59:58.999999'", -(838 * 3600 + 59 * 60 + 58) * 10**6 - 999_999),
        "e": ("ENUM('x', 'it''s')", "'it''s'", b"it's"),
        "b": ("BIT(12)", "b'100000000001'", (2049).to_bytes(2, "little")),
        "bin": ("BINARY(4)", "'a'", b"a"),
        "c": ("VARCHAR(5) CHARACTER SET cp932", "_cp932 X'879a'", b"\x87\x9a"),
    }
    declared = ", ".join(f"{name} {type_} NOT NULL" for name, (type_, _, _) in columns.items())
    rows(connection, f"CREATE TABLE {database}.t ({declared}, PRIMARY KEY ({', '.join(columns)}))")
    rows(connection, f"INSERT INTO {database}.t VALUES ({', '.join(value for _, value, _ in columns.values())})")
    table = TableId(database, "", "t")
    key = keys_of(connection, catalog.server(connection), [table])[table]
    bound = bound_of(key, [raw for _, _, raw in columns.values()])
    for name, value in zip(columns, literals(key, bound), strict=True):
        assert rows(connection, f"SELECT COUNT(*) FROM {database}.t WHERE {name} = {value}")[0] == (1,), name


@pytest.mark.mysql
def test_a_bound_with_fewer_columns_stands_behind_all_that_begin_with_it(connection, database):
    rows(connection, f"CREATE TABLE {database}.t (a INT, b INT, PRIMARY KEY (a, b))")
    rows(connection, f"INSERT INTO {database}.t VALUES (1, 1), (1, 9), (2, 0), (2, 5), (3, 3)")
    key = ChunkKey("PRIMARY", (KeyColumn("a", Kind.INT), KeyColumn("b", Kind.INT)))
    table = TableId(database, "", "t")

    def read(after, upto):
        return rows(connection, chunk(table, ["a", "b"], key, after, upto))

    assert read([1], [2]) == [(2, 0), (2, 5)]
    assert read([1, 1], [2]) == [(1, 9), (2, 0), (2, 5)]
    assert read(None, [1]) == [(1, 1), (1, 9)]
    assert ascending(connection, key, [[1, 5], [1], [1, 9], [2, 0], [2]]) == [[1, 5], [1], [2, 0], [2]]


@pytest.mark.mysql
def test_an_expression_called_like_the_key_does_not_change_the_order(connection, database):
    rows(connection, f"CREATE TABLE {database}.t (id INT PRIMARY KEY)")
    rows(connection, f"INSERT INTO {database}.t VALUES (1), (2), (10)")
    found = rows(connection, chunk(TableId(database, "", "t"), ["CONCAT(100 - id, '') AS id"], ID, [1], None, 5))
    assert found == [("98",), ("90",)]


@pytest.mark.mysql
def test_an_own_statement_is_read_as_if_it_were_the_table(connection, database):
    rows(connection, f"CREATE TABLE {database}.t (id INT PRIMARY KEY, gone INT)")
    rows(connection, f"INSERT INTO {database}.t VALUES (1, 0), (2, 1), (3, 0), (4, 0)")
    table, own = TableId(database, "", "t"), f"SELECT * FROM {database}.t WHERE gone = 0; -- the others"
    own = own.replace("; --", " --")
    assert rows(connection, chunk(table, ["id"], ID, [1], None, 1, own)) == [(3,)]
    assert rows(connection, chunk_end(table, ID, None, None, 2, f"{own}\n;")) == [(3,)]
    assert len(rows(connection, whole(table, ["*"], own))) == 3
    assert len(rows(connection, whole(table, ["*"]))) == 4


def test_a_question_about_an_old_server_needs_no_values_statement():
    sql = within(OLD, ID, [[1], [2]], [([0], [1])])
    assert "SELECT 0 AS n, 1 AS k0 UNION ALL SELECT 1, 2" in sql
    assert "VALUES" not in sql


@pytest.mark.parametrize("bound", [[], [1, 2], ["1"], [{"hex": "00"}]])
def test_what_is_no_bound_of_a_key_is_refused(bound):
    with pytest.raises(ProgressError, match="id"):
        inside_of(ID, ["id"], (bound, None))


@pytest.mark.parametrize(
    ("kind", "entry"),
    [(Kind.DECIMAL, "1; DROP"), (Kind.DATE, "2024-01-01' OR '1"), (Kind.TEXT, {"hex": "zz"}), (Kind.TIME, "1")],
)
def test_no_bound_becomes_other_sql(kind, entry):
    key = ChunkKey("PRIMARY", (KeyColumn("c", kind, "latin1", "latin1_bin"),))
    with pytest.raises(ProgressError, match="no value of the key column c"):
        literals(key, [entry])
