"""Rows that wait for the capture job are compressed if they are many, and are unchanged when they are delivered.

An incremental step reads only few of them.
"""

from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from tailrace.connectors.change_tables.snapshots.blocks import BLOCK_BYTES, blocks_of
from tailrace.connectors.change_tables.snapshots.pending_chunks import PENDING_BYTES, read_pending
from tailrace.connectors.change_tables.start_positions import restart_now
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.snapshots import statements
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey, KeyColumn, Kind
from tailrace.connectors.sqlserver.snapshots.source import opened_source
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Segment

KEYS = {
    "int": ("int", KeyColumn("id", Kind.INT, "int")),
    "text": ("nvarchar(40) COLLATE Latin1_General_BIN2", KeyColumn("id", Kind.TEXT, "nvarchar(40)", "Latin1_General_BIN2")),
}
NUMBERS = (
    "(SELECT ROW_NUMBER() OVER (ORDER BY (SELECT 1)) AS n FROM (VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) a(x), "
    "(VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) b(x), (VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) c(x)) s"
)


@pytest.fixture
def filled(sqlserver):
    """Makes a captured table of so many thousand rows."""

    def made(thousands, type_="int", number="{n}", v="nvarchar(max)", value="N'x'"):
        sqlserver.sql(f"CREATE TABLE t (id {type_} NOT NULL PRIMARY KEY, v {v} NULL, at datetimeoffset NULL, d decimal(9, 2) NULL)")
        sqlserver.capture("t")
        for thousand in range(thousands):
            n = number.format(n=f"({1000 * thousand} + n)")
            rows = f"SELECT {n}, {value}, '2026-11-22 12:00:00.1234567 +05:30', n / 4.0 FROM {NUMBERS}"
            sqlserver.sql(f"INSERT t SELECT TOP (1000) * FROM ({rows}) r (id, v, at, d)")
        sqlserver.capture_all()

    return made


@pytest.fixture
def opened(sqlserver, settings_for):
    """Opens the table as a lane does."""

    def made(column, **how):
        settings = settings_for()
        name = quoted_id(TableId(sqlserver.name, "dbo", "t"))
        point = restart_now(SqlServerDialect(settings)).to_dict()
        return closing(opened_source(settings, point, {name: ChunkKey("", (column,)).to_dict()}, **how)), Segment(name)

    return made


@pytest.mark.parametrize("key", KEYS)
def test_they_are_the_same_when_their_turn_comes(filled, opened, key, monkeypatch):
    type_, column = KEYS[key]
    number = "{n}" if key == "int" else "RIGHT(CONCAT(N'a key of the table, žluť ', 1000000 + {n}), 38)"
    filled(2, type_, number, value="CASE WHEN n % 7 = 0 THEN NULL ELSE CONCAT(N'value ', n) END")
    read = {}
    for packs in (True, False):
        monkeypatch.setattr("tailrace.connectors.change_tables.snapshots.source.UNPACKED_BYTES", 0 if packs else 1 << 20)
        opens, segment = opened(column, rows_at_most=1024)
        with opens as source:
            chunk = source.read(segment)
        held, whole = (sum(getattr(block, name) for block in chunk.blocks) for name in ("held_bytes", "bytes"))
        assert held < whole / 2 if packs else held == whole
        last = chunk.bound(len(chunk) - 1)
        bounds = [chunk.bound(row) for row in (0, 1, 17, len(chunk) - 2)]
        values = [vector.to_arrow().to_pylist() for block in chunk.blocks for vector in block.columns if vector is not None]
        read[packs] = last, bounds, values, chunk.digests
    *found, digests = read[True]
    *expected, of_rows = read[False]
    assert found == expected
    assert len(expected[2][0]) == len(digests) == 1024
    np.testing.assert_array_equal(digests, of_rows)


def test_only_what_is_read_while_many_wait_is_packed(filled, opened, monkeypatch):
    monkeypatch.setattr("tailrace.connectors.change_tables.snapshots.source.UNPACKED_BYTES", 1 << 18)
    filled(12)
    opens, segment = opened(KEYS["int"][1], rows_at_most=1000)
    waiting, packed = 0, []
    with opens as source:
        for _ in range(11):
            (block,) = source.read(segment).blocks
            segment = replace(segment, after=block.bound(len(block) - 1))
            packed.append(block.held_bytes < block.bytes)
            assert packed[-1] == (waiting >= 1 << 18)
            waiting += block.held_bytes
    assert set(packed) == {True, False}


def test_a_step_of_an_incremental_snapshot_has_so_many_bytes_however_well_they_pack(filled, opened, monkeypatch):
    monkeypatch.setattr("tailrace.connectors.change_tables.snapshots.pending_chunks.PENDING_SECONDS", 60.0)  # bytes end it
    filled(24, v="varchar(1000)", value="REPLICATE('x', 1000)")
    opens, segment = opened(KEYS["int"][1])
    with opens as source:
        gathered = read_pending(source, segment)
        size = sum(block.bytes for chunk in gathered.chunks for block in chunk.blocks)
    assert PENDING_BYTES <= size < 2 * PENDING_BYTES
    assert sum(map(len, gathered.chunks)) < 16_000


@pytest.mark.parametrize(("v", "length"), [("nvarchar(max)", 20_000), ("nvarchar(100)", 100)])
def test_a_table_without_a_key_is_read_as_many_rows_at_a_time_as_some_megabytes_hold(sqlserver, settings_for, v, length):
    sqlserver.sql(f"CREATE TABLE dbo.wide (v {v})")
    sqlserver.capture("wide")
    sqlserver.sql(f"INSERT dbo.wide SELECT REPLICATE(CAST(N'x' AS {v}), {length}) FROM {NUMBERS}")
    sqlserver.capture_all()
    settings, table = settings_for(), TableId(sqlserver.name, "dbo", "wide")
    point = restart_now(SqlServerDialect(settings))
    with closing(opened_source(settings, point.to_dict(), {quoted_id(table): None})) as source:
        read, session = source.table(table), source.database(table).reading()
        sql = statements.whole(table, read.selects)
        blocks = blocks_of(read, lambda rows: session.batches(sql, rows=rows))
        sizes = [(len(block), block.bytes) for block in blocks]
    assert sum(count for count, _ in sizes) == 1000
    assert all(size < 2 * BLOCK_BYTES for _, size in sizes)
    assert (len(sizes) > 1) == (length > 100)
