"""The key by which a table is read, and its values as bounds and as literals."""

import pytest
from tests.connectors.sqlserver.snapshots.writing import KEYS
from tests.connectors.sqlserver.typed_tables import session_of

from support.sqlserver_reading import settings_of
from tailrace.connectors.change_tables.snapshots.bounds import bound_of_row
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.connectors.sqlserver import catalog, structures
from tailrace.connectors.sqlserver.connection import connect
from tailrace.connectors.sqlserver.snapshots.bounds import literals
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey, KeyColumn, Kind, choose, keys_of, led_by
from tailrace.connectors.sqlserver.snapshots.statements import are_within, ascending, chunk, chunk_end
from tailrace.errors import ProgressError
from tailrace.schema.tables import TableId

ID = ChunkKey("PK", (KeyColumn("id", Kind.INT, "int"),))


def part(column, *, index=1, primary=True, descends=False, nullable=False, computed=False, useless=False, type_="int"):
    of = (type_, 4, 10, 0, None, 70 + index if primary else None, 90 + index)
    return (index, f"i{index}", primary, column, descends, nullable, computed, useless, *of)


def test_the_primary_key_is_taken_before_a_unique_index_of_numbers():
    keys = choose([part("a", type_="date"), part("b", index=2, primary=False)], ["a", "b"])
    assert [(key.names, key.identity) for key in keys] == [(("a",), "71"), (("b",), "92")]


@pytest.mark.parametrize(
    ("index", "named", "identities"),
    [(1, "", ("71", "91")), (2, "", ("92", "92")), (2, "i2", ("72", "captured 5")), (2, "another", ("92", "92"))],
    ids=["clustered", "nonclustered", "named by the instance", "another named"],
)
def test_an_index_that_may_be_disabled_is_told_by_its_tree(index, named, identities):
    """With and without a constraint."""
    found = [choose([part("a", index=index, primary=primary)], ["a"], named, 5) for primary in (True, False)]
    assert tuple(key.identity for (key,) in found) == identities


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"nullable": True}, "may be null"),
        ({"computed": True}, "computed column a"),
        ({"useless": True}, "has a condition, is disabled"),
        ({"type_": "float"}, "of type float"),
    ],
)
def test_an_index_that_can_not_be_read_by_is_no_key(wrong, why):
    found = choose([part("a", **wrong)], ["a"])
    assert isinstance(found, NoKey)
    assert why in found.reason


def test_a_key_whose_columns_are_not_captured_is_none():
    found = choose([part("a"), part("b")], ["a"])
    assert isinstance(found, NoKey)
    assert "the column b, which is not captured" in found.reason
    other = choose([part("a"), part("b"), part("c", index=2, primary=False)], ["a", "c"])
    assert [key.names for key in other] == [("c",)]


def test_an_index_with_a_column_of_a_clr_type_is_not_taken_for_one_of_its_other_columns():
    found = choose([part("a"), part("node", type_="CLR")], ["a", "node"])
    assert isinstance(found, NoKey)
    assert "the column node of type CLR" in found.reason


def test_a_table_without_unique_indexes_has_none():
    assert choose([], []) == NoKey("it has neither a primary key nor a unique index")


def test_bounds_that_are_none_of_a_key_are_refused():
    for bound in ([], [1, 2], ["1"], [True], [None]):
        with pytest.raises(ProgressError):
            literals(ID, bound)
    date = ChunkKey("PK", (KeyColumn("d", Kind.DATE, "date"),))
    with pytest.raises(ProgressError, match="no value of the key column d"):
        literals(date, ["2026-01-01'; DROP TABLE t --"])


def test_keys_are_kept_as_json():
    columns = KeyColumn("k", Kind.TEXT, "nvarchar(20)", "Latin1_General_CI_AS"), KeyColumn("n", Kind.INT, "int")
    key = ChunkKey("PK", columns, identity="7")
    assert ChunkKey.from_dict(key.to_dict()) == key
    with pytest.raises(ProgressError):
        ChunkKey.from_dict({"index": "PK", "columns": [{"name": "k"}]})


@pytest.mark.parametrize(
    ("begun", "now", "is_like"),
    [
        ("varchar(20)", "varchar(50)", True),
        ("nvarchar(20)", "nvarchar(4000)", True),
        ("varchar(20)", "nvarchar(20)", False),
        ("char(20)", "char(21)", False),
        ("decimal(9, 2)", "decimal(10, 2)", False),
    ],
)
def test_a_length_that_varies_may_change(begun, now, is_like):
    keys = [ChunkKey("PK", (KeyColumn("k", Kind.TEXT, type_, "Latin1_General_CI_AS"),)) for type_ in (begun, now)]
    assert keys[1].is_still(keys[0]) is is_like


def test_bounds_are_as_long_as_the_column_may_have_become():
    (text,) = literals(ChunkKey("PK", (KeyColumn("k", Kind.TEXT, "varchar(2)", "Latin1_General_CI_AS"),)), ["long"])
    assert text == "CAST(N'long' COLLATE Latin1_General_CI_AS AS varchar(8000)) COLLATE Latin1_General_CI_AS"
    assert literals(ChunkKey("PK", (KeyColumn("k", Kind.BYTES, "binary(2)"),)), ["00FF"]) == ["CAST(0x00FF AS binary(2))"]


def test_a_hypothetical_index_is_no_key(sqlserver):
    sqlserver.sql("CREATE TABLE dbo.t (k int NOT NULL, n int NOT NULL); INSERT dbo.t VALUES (1, 1), (1, 2)")
    sqlserver.sql("CREATE UNIQUE INDEX tuned ON dbo.t (k) WITH STATISTICS_ONLY = -1")
    sqlserver.capture("t")
    table = TableId(sqlserver.name, "dbo", "t")
    with session_of(sqlserver) as session:
        assert isinstance(keys_of(session, catalog.instances(session))[table], NoKey)
        assert structures.tables(session, sqlserver.name, lambda _table: True)[table].primary_key == ()


def test_a_key_that_the_user_sees_masked_is_none(sqlserver, reader, login):
    """Each chunk would end at the mask, and begin with the rows behind it again."""
    sqlserver.sql(
        "CREATE TABLE dbo.t (k int MASKED WITH (FUNCTION = 'default()') PRIMARY KEY, n int NOT NULL UNIQUE); "
        "CREATE TABLE dbo.u (k int MASKED WITH (FUNCTION = 'default()') PRIMARY KEY)"
    )
    for name in ("t", "u"):
        sqlserver.capture(name)
        sqlserver.sql(f"GRANT SELECT ON dbo.{name} TO [{reader}]")
    sqlserver.sql(f"GRANT SELECT ON SCHEMA::cdc TO [{reader}]")
    t, u = (TableId(sqlserver.name, "dbo", name) for name in ("t", "u"))
    with connect(settings_of(sqlserver, **login), sqlserver.name) as session:
        instances = catalog.instances(session)
        masked = keys_of(session, instances)
        assert masked[t].names == ("n",)
        assert "the column k, which the connector's user sees masked" in masked[u].reason
        led = led_by(session, instances[0], "k", masked[t])
        assert "sees masked" in led.reason
        sqlserver.sql(f"GRANT UNMASK TO [{reader}]")
        assert [key.names for key in keys_of(session, instances).values()] == [("k",), ("k",)]


@pytest.mark.parametrize("made", ["CREATE UNIQUE INDEX u ON dbo.t (k)", "ALTER TABLE dbo.t ADD CONSTRAINT u UNIQUE (k)"])
def test_an_index_that_is_made_anew_has_another_identity(sqlserver, made):
    sqlserver.sql("CREATE TABLE dbo.t (k int NOT NULL)")
    sqlserver.sql(made)
    sqlserver.capture("t")
    drop = "DROP INDEX u ON dbo.t" if "INDEX" in made else "ALTER TABLE dbo.t DROP CONSTRAINT u"
    with session_of(sqlserver) as session:
        (first,) = keys_of(session, catalog.instances(session)).values()
        (same,) = keys_of(session, catalog.instances(session)).values()
        assert same == first
        assert same.is_still(first)
        assert first.identity
        sqlserver.sql(f"{drop}; {made}")
        (again,) = keys_of(session, catalog.instances(session)).values()
    assert (again.index, again.columns) == (first.index, first.columns)
    assert not again.is_still(first)


@pytest.mark.parametrize("made", ["CREATE UNIQUE INDEX u ON dbo.t (k)", "ALTER TABLE dbo.t ADD CONSTRAINT u UNIQUE (k)"])
@pytest.mark.parametrize("named", [None, "u"])
def test_an_index_that_was_disabled_has_another_identity_and_the_one_that_an_instance_names_can_not_be(
    sqlserver, made, named
):
    sqlserver.sql("CREATE TABLE dbo.t (k int NOT NULL)")
    sqlserver.sql(made)
    sqlserver.capture("t", index=named)
    with session_of(sqlserver) as session:
        (first,) = keys_of(session, catalog.instances(session)).values()
        if named:
            with pytest.raises(Exception, match="is used by Change Data Capture"):
                sqlserver.sql("ALTER INDEX u ON dbo.t DISABLE")
        else:
            sqlserver.sql("ALTER INDEX u ON dbo.t DISABLE")
            (none,) = keys_of(session, catalog.instances(session)).values()
            assert isinstance(none, NoKey)
        sqlserver.sql("ALTER INDEX u ON dbo.t REBUILD")
        (again,) = keys_of(session, catalog.instances(session)).values()
    assert first.identity
    assert again.is_still(first) is bool(named)


@pytest.mark.parametrize("type_", KEYS)
def test_chunks_of_keys_of_every_kind_have_each_row_once_in_the_servers_order(sqlserver, type_):
    """GIVEN 25 rows, WHEN they are read 4 at a time from bound to bound, THEN they are the rows as the server orders them."""
    sqlserver.sql(f"CREATE TABLE dbo.t (k {type_} NOT NULL PRIMARY KEY, n int)")
    for n in range(25):
        sqlserver.sql(f"INSERT dbo.t VALUES ({KEYS[type_](n)}, {n})")
    sqlserver.capture("t")
    with session_of(sqlserver) as session:
        table = TableId(sqlserver.name, "dbo", "t")
        key = keys_of(session, catalog.instances(session))[table]
        assert isinstance(key, ChunkKey)
        expected = [n for (n,) in session.rows("SELECT n FROM dbo.t ORDER BY k")]
        found, after, bounds = [], None, []
        while True:
            rows = session.rows(chunk(table, ["c.n", *key.exact_values("c")], key, (after, None), 4))
            if not rows:
                break
            found += [n for n, *_ in rows]
            bounds += [bound_of_row(key, row) for _, *row in rows]
            after = bounds[-1]
        assert found == expected
        assert ascending(session, key, [bounds[0], bounds[5], bounds[3], bounds[9]]) == [
            bounds[0],
            bounds[5],
            bounds[9],
        ]
        within = are_within(session, key, bounds, [(bounds[2], bounds[4]), (bounds[20], None)])
        assert [i for i, is_in in enumerate(within) if is_in] == [3, 4, 21, 22, 23, 24]
        ((*row,),) = session.rows(chunk_end(table, key, bounds[1], 3))
        assert bound_of_row(key, row) == bounds[4]
