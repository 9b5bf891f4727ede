"""Table maps, with all metadata and with little."""

from tests.connectors.mysql.log.streams import Reader, recorded

from tailrace.connectors.mysql.log import table_map as types

NAMES = [
    "id",
    "t1",
    "i8",
    "d",
    "f",
    "dd",
    "b",
    "c",
    "c2",
    "v",
    "bin",
    "vb",
    "tx",
    "bl",
    "e",
    "s",
    "j",
    "g",
    "p",
    "ve",
    "dt",
    "ti",
    "dtt",
    "ts",
    "y",
    "hid",
]


def columns(recording):
    table = next(t for t in Reader().read(recorded(recording)).maps if t.table == "types")
    return table, dict(zip(NAMES, table.columns, strict=True))


def test_full_metadata_names_columns_and_keys():
    table, _ = columns("types-full")
    assert [column.name for column in table.columns] == NAMES
    assert table.has_names
    assert table.primary_key == ((0, 0),)
    assert (table.database, table.table) == ("logs", "types")


def test_a_key_of_a_prefix_says_how_long_it_is():
    prefixed = next(t for t in Reader().read(recorded("types-full")).maps if t.table == "prefixed")
    assert prefixed.primary_key == ((1, 0), (0, 10))


def test_a_table_without_a_key_has_an_empty_one():
    maps = Reader().read(recorded("gtid-crc-full")).maps
    assert next(t for t in maps if t.table == "b").primary_key == ()


def test_minimal_metadata_does_not_say_names_or_keys():
    table, column = columns("plain-minimal")
    assert table.primary_key is None
    assert not table.has_names
    assert column["e"].labels is None
    assert column["hid"].visible is None


def test_types_and_their_parameters_are_the_same_either_way():
    for recording in ("types-full", "plain-minimal"):
        _, c = columns(recording)
        assert (c["d"].type, c["d"].meta) == (types.NEWDECIMAL, 12 << 8 | 3)
        assert (c["b"].type, c["b"].meta) == (types.BIT, 11)
        assert (c["c"].type, c["c"].meta) == (types.STRING, 10)
        assert (c["c2"].type, c["c2"].meta) == (types.STRING, 800)
        assert (c["v"].type, c["v"].meta) == (types.VARCHAR, 1200)
        assert (c["e"].type, c["e"].meta) == (types.ENUM, 1)
        assert (c["s"].type, c["s"].meta) == (types.SET, 1)
        assert (c["bl"].type, c["bl"].meta) == (types.BLOB, 3)
        assert [c[n].meta for n in ("ti", "dtt", "ts")] == [2, 6, 3]
        assert c["ve"].type == types.VECTOR
        assert [n for n in NAMES if c[n].unsigned] == ["t1", "dd", "y"]
        assert (c["g"].geometry, c["p"].geometry) == (0, 1)
        assert not c["id"].nullable
        assert c["i8"].nullable


def test_character_sets_are_told_column_by_column():
    _, c = columns("types-full")
    assert [c[n].collation for n in ("c", "c2", "v", "bin", "vb", "tx", "bl")] == [
        8,
        255,
        54,
        63,
        63,
        255,
        63,
    ]
    assert (c["e"].collation, c["s"].collation) == (8, 255)
    assert c["id"].collation is None


def test_labels_dimensions_and_visibility():
    _, c = columns("types-full")
    assert c["e"].labels == (b"x", b"y,z")
    assert c["s"].labels == (b"p", b"q")
    assert c["ve"].dimensions == 3
    assert [n for n in NAMES if not c[n].visible] == ["hid"]
