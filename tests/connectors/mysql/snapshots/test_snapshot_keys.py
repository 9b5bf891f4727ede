"""The key by which a table is read, and why some have none."""

import pytest

from support.mysql_settings import settings_for
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.connection import connect
from tailrace.connectors.mysql.snapshots.bounds import bound_of
from tailrace.connectors.mysql.snapshots.incremental_start import keys_now
from tailrace.connectors.mysql.snapshots.keys import ChunkKey, KeyColumn, Kind, keys_of, usable_keys
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.errors import ProgressError, UnsupportedError
from tailrace.requested_work.work import TableWork
from tailrace.schema.tables import TableId


@pytest.fixture
def key_of(mysql_server, database):
    opened = connect(settings_for(mysql_server))
    server = catalog.server(opened)

    def made(definition):
        mysql_server.sql(f"CREATE TABLE t ({definition})", database)
        table = TableId(database, "", "t")
        return keys_of(opened, server, [table])[table]

    yield made
    opened.close()


@pytest.mark.mysql
@pytest.mark.parametrize(
    ("definition", "index", "names"),
    [
        ("a INT, b INT, PRIMARY KEY (b, a), UNIQUE u (a)", "PRIMARY", ("b", "a")),
        ("a INT NOT NULL, b INT, UNIQUE u (b), UNIQUE v (a)", "v", ("a",)),
        ("a VARCHAR(9) NOT NULL, b INT NOT NULL, UNIQUE a_first (a), UNIQUE b_first (b)", "b_first", ("b",)),
        ("a INT NOT NULL, b INT NOT NULL, UNIQUE both_of_them (a, b), UNIQUE one (b)", "one", ("b",)),
        ("a VARCHAR(99), b INT NOT NULL, PRIMARY KEY (a(3)), UNIQUE u (b)", "u", ("b",)),
        ("a INT NOT NULL, b INT NOT NULL, UNIQUE u (a DESC, b DESC)", "u", ("a", "b")),
    ],
)
def test_the_primary_key_else_a_unique_index_without_nulls(key_of, definition, index, names):
    key = key_of(definition)
    assert (key.index, key.names) == (index, names)


@pytest.mark.mysql
@pytest.mark.parametrize(
    ("definition", "reason"),
    [
        ("a INT", "neither a primary key nor a unique index"),
        ("a INT, KEY (a)", "neither a primary key nor a unique index"),
        ("a INT, UNIQUE u (a)", "index u has the column a, which may be null"),
        ("a VARCHAR(99), PRIMARY KEY (a(3))", "its primary key has only a prefix of the column a"),
        ("a INT NOT NULL, UNIQUE u ((a + 1))", "index u has an expression"),
        ("a DOUBLE PRIMARY KEY", "its primary key has the column a of type DOUBLE"),
        ("a SET('x') NOT NULL, UNIQUE u (a)", "index u has the column a of type SET"),
        ("a INT, b INT, PRIMARY KEY (a, b DESC)", "ascends in one column and descends in another"),
        (f"a ENUM({', '.join(map(repr, map(str, range(300))))}) PRIMARY KEY", "an ENUM of more than 255 labels"),
    ],
)
def test_a_table_without_a_usable_key_has_a_reason(key_of, definition, reason):
    key = key_of(definition)
    assert isinstance(key, NoKey)
    assert reason in key.reason


@pytest.mark.mysql
def test_a_hash_has_no_order(key_of):
    assert key_of("a INT PRIMARY KEY) ENGINE = MEMORY COMMENT = 'x' -- ") == NoKey("its primary key has no order")


@pytest.mark.mysql
def test_an_invisible_index_is_none(key_of):
    key = key_of("a INT NOT NULL, b INT NOT NULL, UNIQUE u (b, a), UNIQUE v (a) INVISIBLE")
    assert key.index == "u"


@pytest.mark.mysql
def test_a_key_knows_its_columns_and_survives_json(key_of):
    key = key_of(
        "a BIGINT UNSIGNED, b VARCHAR(9) CHARACTER SET latin1, c DECIMAL(9, 2), d BINARY(7), e ENUM('x', 'y''z'),"
        " f TIMESTAMP(3) NOT NULL, g YEAR, PRIMARY KEY (a, b, c, d, e, f, g)"
    )
    assert key.columns == (
        KeyColumn("a", Kind.INT, unsigned=True),
        KeyColumn("b", Kind.TEXT, "latin1", "latin1_swedish_ci", padded=False),
        KeyColumn("c", Kind.DECIMAL, size=2),
        KeyColumn("d", Kind.BYTES, size=7),
        KeyColumn("e", Kind.ENUM, labels=("x", "y'z")),
        KeyColumn("f", Kind.TIMESTAMP, digits=3),
        KeyColumn("g", Kind.INT),
    )
    assert not key.is_local
    assert ChunkKey.from_dict(key.to_dict()) == key


@pytest.mark.mysql
def test_many_tables_are_asked_for_at_once(mysql_server, database, monkeypatch):
    from tailrace.connectors.mysql.snapshots import keys

    monkeypatch.setattr(keys, "TABLES_AT_ONCE", 2)
    mysql_server.sql(";".join(f"CREATE TABLE t{i} (c{i} INT PRIMARY KEY)" for i in range(5)), database)
    opened = connect(settings_for(mysql_server))
    tables = [TableId(database, "", name) for name in ("t3", "t1", "t0", "t4", "none", "t2")]
    found = keys_of(opened, catalog.server(opened), tables)
    assert list(found) == tables
    assert [getattr(key, "names", None) for key in found.values()] == [
        ("c3",),
        ("c1",),
        ("c0",),
        ("c4",),
        None,
        ("c2",),
    ]


@pytest.mark.mysql
def test_a_table_has_all_its_usable_keys_the_best_first(connection, mysql_server, database):
    mysql_server.sql("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(9) NOT NULL, c INT NOT NULL, d INT, UNIQUE (b), UNIQUE (c), UNIQUE (d))", database)
    table = TableId(database, "", "t")
    found = usable_keys(connection, catalog.server(connection), [table])[table]
    assert [key.index for key in found] == ["PRIMARY", "c", "b"]


@pytest.mark.mysql
@pytest.mark.parametrize("surrogate", [None, "c"])
def test_a_table_that_is_begun_is_read_by_the_same_key_if_a_better_one_comes(
    connection, mysql_server, database, surrogate
):
    mysql_server.sql("CREATE TABLE t (a INT NOT NULL, b VARCHAR(9) NOT NULL, c INT NOT NULL, UNIQUE u (b))", database)
    table, server = TableId(database, "", "t"), catalog.server(connection)
    begun = keys_now(connection, server, [TableWork(table, surrogate=surrogate)])[table]
    assert begun.names[-1] == "b"
    mysql_server.sql("ALTER TABLE t ADD PRIMARY KEY (a)", database)
    again = TableWork(table, surrogate=surrogate, key=begun.to_dict())
    assert keys_now(connection, server, [again])[table] == begun
    mysql_server.sql("DROP INDEX u ON t", database)
    assert keys_now(connection, server, [again])[table].names[-1] == "a"


def test_a_key_that_is_none_is_refused():
    with pytest.raises(ProgressError, match="not a key"):
        ChunkKey.from_dict({"index": "x", "columns": [{"name": "a", "kind": "colour"}]})


@pytest.mark.parametrize(
    ("column", "raw", "entry"),
    [
        (KeyColumn("c", Kind.INT), -5, -5),
        (KeyColumn("c", Kind.INT, unsigned=True), -1, 2**64 - 1),
        (KeyColumn("c", Kind.INT, unsigned=True), b"\x00\xff", 255),
        (KeyColumn("c", Kind.BITS), b"\x01\x02", 513),
        (KeyColumn("c", Kind.ENUM, labels=("a", "b")), b"b", 2),
        (KeyColumn("c", Kind.ENUM, labels=("a", "b")), b"", 0),
        (KeyColumn("c", Kind.DECIMAL, size=3), 5, "0.005"),
        (KeyColumn("c", Kind.DECIMAL, size=2), b"\xff", "-0.01"),
        (KeyColumn("c", Kind.DECIMAL), 0, "0"),
        (KeyColumn("c", Kind.BYTES, size=3), b"a", {"hex": "610000"}),
        (KeyColumn("c", Kind.TEXT, "utf16", "utf16_bin"), b"\x00a", {"hex": "0061"}),
        (KeyColumn("c", Kind.DATE), 19_782, "2024-02-29"),
        (KeyColumn("c", Kind.DATETIME), -1, "1969-12-31 23:59:59.999999"),
        (KeyColumn("c", Kind.TIMESTAMP), "0000-00-00 00:00:00", "0000-00-00 00:00:00"),
        (KeyColumn("c", Kind.TIME), 3_600_000_001, "01:00:00.000001"),
        (KeyColumn("c", Kind.TIME), -1, "-00:00:00.000001"),
    ],
)
def test_what_the_log_says_of_a_column_becomes_a_bound(column, raw, entry):
    assert bound_of(ChunkKey("PRIMARY", (column,)), [raw]) == [entry]


def test_a_date_that_is_none_has_no_place():
    with pytest.raises(UnsupportedError, match=r"key column c holds a date that is no day"):
        bound_of(ChunkKey("PRIMARY", (KeyColumn("c", Kind.DATE),)), [None])


@pytest.mark.parametrize(
    ("labels", "is_like"),
    [(("a", "b"), True), (("a", "b", "c"), True), (("new", "a", "b"), False), (("b", "a"), False), (("a",), False)],
)
def test_bounds_of_an_enum_go_on_meaning_the_same_if_labels_are_only_added_behind(labels, is_like):
    begun, now = (ChunkKey("PRIMARY", (KeyColumn("e", Kind.ENUM, labels=each),)) for each in (("a", "b"), labels))
    assert now.is_like(begun) == is_like


@pytest.mark.parametrize(
    ("begun", "now", "is_like"),
    [
        (KeyColumn("c", Kind.DATETIME, digits=6), KeyColumn("c", Kind.DATETIME, digits=6), True),
        (KeyColumn("c", Kind.DATETIME, digits=6), KeyColumn("c", Kind.DATETIME, digits=3), False),
        (KeyColumn("c", Kind.TIME, digits=0), KeyColumn("c", Kind.TIME, digits=1), False),
        (KeyColumn("c", Kind.TEXT, "latin1", "latin1_bin", padded=False), KeyColumn("c", Kind.TEXT, "latin1", "latin1_bin", padded=True), False),
        (KeyColumn.from_dict({"name": "c", "kind": "time"}), KeyColumn("c", Kind.TIME, digits=3), True),
        (KeyColumn.from_dict({"name": "c", "kind": "text"}), KeyColumn("c", Kind.TEXT, padded=True), True),
        (KeyColumn.from_dict({"name": "c", "kind": "text", "collation": "x"}), KeyColumn("c", Kind.TEXT, padded=True), False),
    ],
)
def test_what_an_older_version_has_stored_says_nothing_of_digits_and_blanks(begun, now, is_like):
    assert now.is_like(begun) == is_like
    assert KeyColumn.from_dict(begun.to_dict()) == begun
