"""The key by which a table is read, and its values as bounds and as literals."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from tests.connectors.db2.snapshots.writing import KEYS

from tailrace.connectors.change_tables.snapshots.bounds import bound_of_row
from tailrace.connectors.db2.catalog import instances
from tailrace.connectors.db2.connection import Session, connect
from tailrace.connectors.db2.snapshots.bounds import literals, shown
from tailrace.connectors.db2.snapshots.key_catalog import KeyPart
from tailrace.connectors.db2.snapshots.keys import ChunkKey, KeyColumn, Kind, choose, keys_of, led_by
from tailrace.connectors.db2.snapshots.statements import are_within, ascending, chunk, chunk_end, greatest, span
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.errors import ProgressError
from tailrace.schema.tables import TableId
from tailrace_standins.servers.db2_server import Database

ID = ChunkKey("PK", (KeyColumn("ID", Kind.INT, "INTEGER"),))


def part(column: str, type_: str | None = "INTEGER", index: str = "I1", **more: Any) -> KeyPart:
    of = {"order": "A", "length": 4, "scale": 0, "is_bit_data": False, "nullable": False, "is_primary": True, **more}
    return KeyPart(index=("S", index), column=column, type=type_, **of)


def columns_of(found: ChunkKey | Sequence[ChunkKey] | NoKey) -> tuple[KeyColumn, ...]:
    """Those of a key, or of the best one."""
    assert not isinstance(found, NoKey)
    return (found if isinstance(found, ChunkKey) else found[0]).columns


def test_the_primary_key_is_taken_before_a_unique_index_of_numbers() -> None:
    made = dt.datetime(2026, 1, 2, 3, 4, 5, 6)  # noqa: DTZ001 -- the server's local time
    keys = choose([part("A", "VARCHAR", length=9), part("B", index="I2", is_primary=False, made=made)], ["A", "B"])
    assert not isinstance(keys, NoKey)
    assert [(key.names, key.identity) for key in keys] == [(("A",), ""), (("B",), "2026-01-02T03:04:05.000006")]


def test_an_index_that_only_a_constraint_makes_unique_is_another_one_when_its_table_is_altered() -> None:
    made, altered = dt.datetime(2026, 1, 2), dt.datetime(2026, 3, 4)  # noqa: DTZ001 -- the server's local time
    keys = choose([part("A", made=made, altered=altered)], ["A"])
    assert not isinstance(keys, NoKey)
    assert keys[0].identity == "2026-01-02T00:00:00 2026-03-04T00:00:00"


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (part("A", nullable=True), "may be null"),
        (part("A", order="R"), "in random order"),
        (part("A", "DOUBLE"), "of type DOUBLE"),
        (part("A", "DECFLOAT"), "of type DECFLOAT"),
        (part("A", "BOOLEAN"), "of type BOOLEAN"),
        (part("A", "MONEY"), "of type MONEY"),  # a distinct type
        (part("K00", None), "the expression K00"),
        (part("B"), "the column B, which is not captured"),
    ],
)
def test_an_index_that_can_not_be_read_by_is_no_key(wrong: KeyPart, why: str) -> None:
    found = choose([wrong], ["A"])
    assert isinstance(found, NoKey)
    assert why in found.reason


def test_an_index_that_ascends_and_descends_is_none_and_one_that_only_descends_is() -> None:
    found = choose([part("A"), part("B", order="D")], ["A", "B"])
    assert isinstance(found, NoKey)
    assert "ascends in one column" in found.reason
    assert choose([part("A", order="D"), part("B", order="D")], ["A", "B"]) == choose([part("A"), part("B")], ["A", "B"])


def test_a_decimal_is_a_number_where_it_has_no_fraction_and_fits() -> None:
    kinds = {size: columns_of(choose([part("A", "DECIMAL", length=size[0], scale=size[1])], ["A"]))[0] for size in ((18, 0), (19, 0), (5, 2))}
    assert [(each.kind, each.type) for each in kinds.values()] == [
        (Kind.WHOLE, "DECIMAL(18, 0)"), (Kind.DECIMAL, "DECIMAL(19, 0)"), (Kind.DECIMAL, "DECIMAL(5, 2)"),
    ]  # fmt: skip


def test_bounds_that_are_none_of_a_key_are_refused() -> None:
    for bound in ([], [1, 2], ["1"], [True], [None], [1.5]):
        with pytest.raises(ProgressError):
            literals(ID, bound)


@pytest.mark.parametrize(
    ("kind", "type_", "entry"),
    [
        (Kind.DECIMAL, "DECIMAL(9, 2)", "1.5)"),
        (Kind.BITS, "VARCHAR(9) FOR BIT DATA", "0G"),
        (Kind.BYTES, "BINARY(2)", "00' OR '1' = '1"),
        (Kind.MOMENT, "TIMESTAMP(6)", "2026-01-01-00.00.00.000000'; DROP TABLE T --"),
        (Kind.DATE, "DATE", "2026-01-01"),
        (Kind.TEXT, "VARCHAR(9)) || (SELECT 1", "a"),
        (Kind.TEXT, "VARCHAR(9)", 7),
    ],
)
def test_what_stored_progress_says_is_checked_before_it_is_sql(kind: Kind, type_: str, entry: Any) -> None:
    with pytest.raises(ProgressError):
        literals(ChunkKey("PK", (KeyColumn("K", kind, type_),)), [entry])


def test_text_is_a_literal_with_its_quotes_doubled() -> None:
    key = ChunkKey("PK", (KeyColumn("K", Kind.TEXT, "VARCHAR(9)", 9),))
    assert literals(key, ["it's '"]) == ["CAST('it''s ''' AS VARCHAR(9))"]


def test_dates_and_times_are_numbers_and_shown_as_people_write_them() -> None:
    date, time = KeyColumn("D", Kind.DATE, "DATE"), KeyColumn("T", Kind.TIME, "TIME")
    assert literals(ChunkKey("PK", (date, time)), [20170915, 240000]) == [
        "CAST('2017-09-15' AS DATE)", "CAST('24.00.00' AS TIME)",
    ]  # fmt: skip
    assert [shown(date, 10203), shown(time, 10203)] == ["0001-02-03", "01:02:03"]
    assert shown(KeyColumn("B", Kind.BITS, "CHAR(1) FOR BIT DATA", 2), "0A") == b"\n"


def test_keys_are_kept_as_json() -> None:
    columns = KeyColumn("K", Kind.TEXT, "VARCHAR(20)", 20), KeyColumn("N", Kind.INT, "INTEGER")
    key = ChunkKey("PK", columns, identity="2026-01-02T03:04:05")
    assert ChunkKey.from_dict(key.to_dict()) == key
    with pytest.raises(ProgressError):
        ChunkKey.from_dict({"index": "PK", "columns": [{"name": "K"}]})


@pytest.fixture
def session(db2: Database, settings_for: Callable[..., Any]) -> Iterator[Session]:
    with connect(settings_for()) as opened:
        yield opened


@pytest.mark.drivers
@pytest.mark.parametrize("type_", KEYS)
def test_chunks_of_keys_of_every_kind_have_each_row_once_in_the_servers_order(
    db2: Database, session: Session, settings_for: Callable[..., Any], type_: str
) -> None:
    """GIVEN 25 rows, WHEN they are read 4 at a time from bound to bound, THEN they are the rows as the server orders them."""
    db2.sql(f"CREATE TABLE S.T (K {type_} NOT NULL PRIMARY KEY, N INTEGER)")
    db2.sql(*(f"INSERT INTO S.T VALUES ({KEYS[type_](n)}, {n})" for n in range(25)))
    db2.register("S.T")
    table = TableId(db2.database, "S", "T")
    key = keys_of(session, instances(session, settings_for()))[table]
    assert isinstance(key, ChunkKey)
    expected = [n for (n,) in session.rows("SELECT N FROM S.T ORDER BY K")]
    found: list[int] = []
    bounds: list[Any] = []
    while rows := session.rows(chunk(table, ["c.N", *key.exact_values("c")], key, (bounds[-1] if bounds else None, None), 4)):
        found += [n for n, *_ in rows]
        bounds += [bound_of_row(key, row) for _, *row in rows]
    assert found == expected
    assert ascending(session, key, [bounds[0], bounds[5], bounds[3], bounds[9]]) == [bounds[0], bounds[5], bounds[9]]
    within = are_within(session, key, bounds, [(bounds[2], bounds[4]), (bounds[20], None)])
    assert [i for i, is_in in enumerate(within) if is_in] == [3, 4, 21, 22, 23, 24]
    (row,) = session.rows(chunk_end(table, key, bounds[1], 3))
    assert bound_of_row(key, row) == bounds[4]
    (row,) = session.rows(greatest(table, key))
    assert bound_of_row(key, row) == bounds[-1]
    if key.is_local:
        assert bounds == sorted(bounds)
        assert session.rows(span(table, key.columns[0].exact_value("c"))) == [(bounds[0][0], bounds[-1][0])]


@pytest.mark.drivers
def test_a_key_of_several_columns_with_names_that_need_quotes_is_read_as_ranges(
    db2: Database, session: Session, settings_for: Callable[..., Any]
) -> None:
    db2.sql('CREATE TABLE S."Odd T" ("ä b" CHAR(3) NOT NULL, "n" SMALLINT NOT NULL, V DATE, PRIMARY KEY ("ä b", "n"))')
    db2.sql(*(f"""INSERT INTO S."Odd T" VALUES ('{'xyz'[n % 3]}', {n // 3}, NULL)""" for n in range(12)))
    db2.register("S.Odd T")
    table = TableId(db2.database, "S", "Odd T")
    key = keys_of(session, instances(session, settings_for()))[table]
    assert isinstance(key, ChunkKey)
    assert [(each.name, each.type) for each in key.columns] == [("ä b", "CHAR(3)"), ("n", "SMALLINT")]
    rows = session.rows(chunk(table, key.exact_values("c"), key, (["x  ", 2], ["y", 1]), 99))
    assert rows == [("x  ", 3), ("y  ", 0), ("y  ", 1)]
    after_all_of_x = chunk(table, key.exact_values("c"), key, (["x"], ["y", 0]), 99)
    assert session.rows(after_all_of_x) == [("y  ", 0)]


@pytest.mark.drivers
def test_columns_that_an_index_only_includes_are_no_part_of_its_key(
    db2: Database, session: Session, settings_for: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = TableId(session.database, "S", "T")
    rows = [
        ("S", "T", "S", "U1", "U", "B", "I", "INTEGER", 4, 0, 1, "N", None),
        ("S", "T", "S", "U1", "U", "A", "A", "INTEGER", 4, 0, 1, "N", None),
    ]
    db2.sql("CREATE TABLE S.T (A INTEGER NOT NULL, B INTEGER NOT NULL)")
    db2.register("S.T")
    registered = instances(session, settings_for())
    monkeypatch.setattr(session, "rows", lambda _sql: rows)
    assert [column.name for column in columns_of(keys_of(session, registered)[table])] == ["A"]


@pytest.mark.drivers
@pytest.mark.parametrize(
    ("before", "make", "drop"),
    [
        ([], "CREATE UNIQUE INDEX S.U ON S.T (ID)", "DROP INDEX S.U"),
        ([], "ALTER TABLE S.T ADD CONSTRAINT U PRIMARY KEY (ID)", "ALTER TABLE S.T DROP PRIMARY KEY"),
        (
            ["CREATE INDEX S.U ON S.T (ID)"],
            "ALTER TABLE S.T ADD CONSTRAINT P PRIMARY KEY (ID)",
            "ALTER TABLE S.T DROP PRIMARY KEY",
        ),
    ],
    ids=["index", "constraint", "index that the constraint makes unique"],
)
def test_an_index_that_is_made_anew_has_another_identity(
    db2: Database, session: Session, settings_for: Callable[..., Any], before: list[str], make: str, drop: str
) -> None:
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL)", *before)
    db2.sql(make)
    db2.register("S.T")
    registered = instances(session, settings_for())
    (first,) = keys_of(session, registered).values()
    (same,) = keys_of(session, registered).values()
    assert isinstance(first, ChunkKey)
    assert isinstance(same, ChunkKey)
    assert same.is_still(first)
    db2.sql(drop)
    db2.sql(make)
    (again,) = keys_of(session, registered).values()
    assert isinstance(again, ChunkKey)
    assert (again.index, again.columns) == (first.index, first.columns)
    assert not again.is_still(first)


@pytest.mark.drivers
def test_a_surrogate_key_leads_the_order_of_the_tables_own(
    db2: Database, session: Session, settings_for: Callable[..., Any]
) -> None:
    db2.sql("CREATE TABLE S.T (ID INTEGER NOT NULL PRIMARY KEY, A VARCHAR(9) NOT NULL, L VARCHAR(9000) NOT NULL, N DATE)")
    db2.register("S.T")
    (instance,) = instances(session, settings_for())
    key = keys_of(session, [instance])[instance.table]
    led = columns_of(led_by(session, instance, "A", key))
    assert [(column.name, column.kind) for column in led] == [("A", Kind.TEXT), ("ID", Kind.INT)]
    for name, why in (("X", "has no column X"), ("N", "may be null"), ("L", "may be longer than 8168 bytes")):
        found = led_by(session, instance, name, key)
        assert isinstance(found, NoKey)
        assert why in found.reason
