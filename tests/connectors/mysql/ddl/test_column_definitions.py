import pytest

from support.tables_of_ddl import applied, column, table
from tailrace.errors import StructureError


@pytest.mark.parametrize(
    ("definition", "type_name", "jdbc", "length", "scale"),
    [
        ("INT", "INT", 4, None, None),
        ("INTEGER UNSIGNED", "INTEGER UNSIGNED", 4, None, None),
        ("int(11) unsigned zerofill", "INT UNSIGNED ZEROFILL", 4, 11, None),
        ("INT ZEROFILL", "INT UNSIGNED ZEROFILL", 4, None, None),
        ("INT SIGNED", "INT SIGNED", 4, None, None),
        ("TINYINT(1)", "TINYINT", 5, 1, None),
        ("MIDDLEINT", "MIDDLEINT", 4, None, None),
        ("INT8", "INT8", -5, None, None),
        ("BOOL", "BOOL", 16, None, None),
        ("DECIMAL", "DECIMAL", 3, 10, 0),
        ("DEC(7)", "DEC", 3, 7, 0),
        ("NUMERIC(65, 30) UNSIGNED", "NUMERIC UNSIGNED", 2, 65, 30),
        ("FIXED(5,2)", "FIXED", 3, 5, 2),
        ("FLOAT(7,3)", "FLOAT", 6, 7, 3),
        ("FLOAT(53)", "FLOAT", 6, 53, None),
        ("DOUBLE PRECISION(12,4)", "DOUBLE PRECISION", 8, 12, 4),
        ("REAL UNSIGNED", "REAL UNSIGNED", 7, None, None),
        ("BIT", "BIT", -7, 1, None),
        ("BIT(64)", "BIT", -7, 64, None),
        ("BIT(0)", "BIT", -7, 1, None),
        ("BINARY(0)", "BINARY", -2, 0, None),
        ("VARBINARY(0)", "VARBINARY", -3, 0, None),
        ("YEAR(4)", "YEAR", 4, 4, None),
        ("TIME(0)", "TIME", 92, 0, None),
        ("TIMESTAMP(6) NULL", "TIMESTAMP", 2014, 6, None),
        ("DATETIME", "DATETIME", 93, None, None),
        ("BINARY(4)", "BINARY", -2, 4, None),
        ("VARBINARY(300)", "VARBINARY", -3, 300, None),
        ("LONG VARBINARY", "LONG VARBINARY", 2004, None, None),
        ("BLOB(10)", "BLOB", 2004, 10, None),
        ("JSON", "JSON", 1111, None, None),
        ("VECTOR(3)", "VECTOR", 1111, 3, None),
        ("GEOMETRYCOLLECTION", "GEOMETRYCOLLECTION", 1111, None, None),
        ("CHAR(0)", "CHAR", 1, 10, None),  # as Debezium has it
        ("CHAR(60) BINARY", "CHAR BINARY", 1, 60, None),
        ("CHARACTER VARYING(9)", "CHARACTER VARYING", 12, 9, None),
        ("TEXT(10)", "TEXT", 12, 10, None),
        ("LONG VARCHAR", "LONG VARCHAR", 12, None, None),
        ("NCHAR", "NCHAR", -15, 1, None),
        ("NATIONAL CHARACTER VARYING(7)", "NATIONAL CHARACTER VARYING", -9, 7, None),
        ("NATIONAL VARCHAR(5)", "NATIONAL VARCHAR", -9, 5, None),
        ("NVARCHAR(5)", "NVARCHAR", -9, 5, None),
        ("ENUM('a','b')", "ENUM", 1, 1, None),
        ("SET('a','b','c')", "SET", 1, 5, None),
    ],
)
def test_a_data_type_is_named_and_sized_as_debezium_does(definition, type_name, jdbc, length, scale):
    found = column(definition)

    assert (found.type_name, found.jdbc_type, found.length, found.scale) == (type_name, jdbc, length, scale)
    assert found.type_expression == type_name


@pytest.mark.parametrize(
    ("definition", "charset"),
    [
        ("VARCHAR(5)", "utf8mb4"),
        ("VARCHAR(5) CHARACTER SET latin1", "latin1"),
        ("VARCHAR(5) CHARSET 'LATIN1'", "latin1"),
        ("TEXT CHARACTER SET `koi8r` COLLATE koi8r_bin NOT NULL", "koi8r"),
        ("VARCHAR(5) NOT NULL COLLATE latin2_bin", "latin2"),
        ("CHAR(5) ASCII", "latin1"),
        ("CHAR(5) BINARY UNICODE", "ucs2"),
        ("CHAR(5) BYTE", "binary"),
        ("NCHAR(5)", "utf8"),
        ("ENUM('a') CHARACTER SET latin1", "latin1"),
        ("INT", None),
        ("JSON", None),
        ("VARBINARY(5)", None),
    ],
)
def test_a_column_has_its_own_character_set_or_the_tables(definition, charset):
    assert column(definition).charset == charset


@pytest.mark.parametrize(
    ("options", "charset"),
    [
        ("DEFAULT CHARSET=latin1", "latin1"),
        ("ENGINE=InnoDB CHARACTER SET = 'latin1' COLLATE latin1_bin", "latin1"),
        ("COLLATE=latin1_bin", "latin1"),
        ("DEFAULT COLLATE latin2_general_ci ENGINE = MyISAM", "latin2"),
        ("CHARSET DEFAULT", "utf8mb4"),
        ("", "utf8mb4"),
    ],
)
def test_the_tables_character_set_is_its_option_or_collation_or_the_databases(options, charset):
    structures = applied(f"CREATE TABLE t (c VARCHAR(5)) {options}")

    assert table(structures, "t").default_charset == charset
    assert table(structures, "t").columns[0].charset == charset


@pytest.mark.parametrize(
    ("definition", "default"),
    [
        ("INT DEFAULT 5", "5"),
        ("INT NOT NULL DEFAULT -5", "-5"),
        ("INT DEFAULT +5", "+5"),
        ("INT DEFAULT '42'", "42"),
        ("DOUBLE DEFAULT 1e10", "1e10"),
        ("DECIMAL(3,2) DEFAULT .5", ".5"),
        ("BOOL DEFAULT TRUE", "TRUE"),
        ("VARCHAR(20) DEFAULT ''", ""),
        (r"""VARCHAR(20) DEFAULT 'it''s "q" \\'""", r"""it''s "q" \\"""),
        ('VARCHAR(20) DEFAULT "it\'s"', "it''s"),
        (r"""VARCHAR(20) DEFAULT "it\'s" """, r"it\'s"),
        ("VARCHAR(20) DEFAULT _utf8mb4'日本'", "日本"),
        ("VARCHAR(20) DEFAULT N'n'", "n"),
        ("BIT(3) DEFAULT b'101'", "101"),
        ("ENUM('p ', 'q') DEFAULT 'p '", "p"),
        ("ENUM('p ', 'q') CHARACTER SET binary DEFAULT 'p '", "p "),
        ("VARCHAR(9) DEFAULT 'p '", "p "),
        ("BIT(8) DEFAULT X'5A'", "5A"),
        ("INT DEFAULT 0x1F", "1"),  # as Debezium has it
        ("DATE DEFAULT DATE '2024-02-29'", "2024-02-29"),
        ("DATETIME DEFAULT {ts '2024-02-29 01:02:03'}", "2024-02-29 01:02:03"),
        ("TIMESTAMP DEFAULT CURRENT_TIMESTAMP", "1970-01-01 00:00:00"),
        ("TIMESTAMP(3) DEFAULT now(3) ON UPDATE NOW(3)", "1970-01-01 00:00:00"),
        ("INT DEFAULT (1 + (2 * 3))", None),
        ("VARCHAR(40) NOT NULL DEFAULT (uuid())", None),
    ],
)
def test_a_default_is_kept_as_debezium_keeps_it(definition, default):
    found = column(definition)

    assert found.has_default
    assert found.default == default


@pytest.mark.parametrize(
    ("definition", "optional", "has_default"),
    [
        ("INT", True, True),
        ("INT NULL", True, True),
        ("INT NULL DEFAULT NULL", True, True),
        ("INT NOT NULL", False, False),
        ("INT PRIMARY KEY", False, False),
        ("INT KEY", False, False),
        ("INT DEFAULT 3 PRIMARY KEY", False, True),
        ("SERIAL", False, False),
        ("BIGINT NOT NULL SERIAL DEFAULT VALUE", False, False),
        ("INT AUTO_INCREMENT, UNIQUE KEY (c)", False, False),
        ("INT NULL AUTO_INCREMENT, UNIQUE KEY (c)", False, False),
        ("INT AUTO_INCREMENT NULL, UNIQUE KEY (c)", True, True),
        ("INT NULL SERIAL DEFAULT VALUE", False, False),
        ("SERIAL NULL", True, True),
        ("TIMESTAMP NULL ON UPDATE NOW()", True, True),
    ],
)
def test_a_nullable_column_has_the_default_null_and_a_key_is_never_nullable(
    definition, optional, has_default
):
    found = column(definition)

    assert (found.optional, found.has_default, found.default is None or found.default == "3") == (
        optional,
        has_default,
        True,
    )


@pytest.mark.parametrize(
    ("definition", "automatic"),
    [
        ("INT AUTO_INCREMENT PRIMARY KEY", True),
        ("SERIAL", True),
        ("DATETIME ON UPDATE CURRENT_TIMESTAMP", True),
        ("INT GENERATED ALWAYS AS (1 + 1) STORED", False),
        ("INT AS (if(1 > 0, ')', 2)) VIRTUAL NOT NULL", False),
    ],
)
def test_what_the_server_fills_in_is_generated_as_debezium_understands_it(definition, automatic):
    found = column(definition)

    assert (found.auto_incremented, found.generated) == (automatic, automatic)


def test_labels_lose_their_quotes_and_escapes():
    found = column(r"""ENUM('a', 'it''s', "q""t", 'comma,inside', '', 'back\\slash', _latin1'x')""")

    assert found.enum_values == ("a", "it's", 'q"t', "comma,inside", "", r"back\slash", "x")


@pytest.mark.parametrize(
    ("literal", "label"),
    [
        (r'''"it\'s"''', "it's"),
        (r'''"it's"''', "it's"),
        (r'''"it''s"''', "it''s"),
        (r'''"a\"b"''', 'a"b'),
        (r'''"a\\"''', "a\\"),
        (r'''"a""""b"''', 'a""b'),
        ("b'01100001'", "a"),
        ("b'1100001'", "a"),
        ("0b01100001", "a"),
        ("x'C3A9'", "é"),
        ("0x61", "a"),
        ("0x9", "\t"),
        ("x''", ""),
    ],
)
def test_a_label_may_be_written_in_many_ways(literal, label):
    assert column(f"ENUM({literal}, 'other')").enum_values == (label, "other")


def test_labels_lose_the_blanks_at_their_end_unless_they_are_bytes():
    assert column("ENUM(' a  ', 'b\t', '')").enum_values == (" a", "b\t", "")
    assert column("SET('a ', 'b')", "CHARSET=latin1").enum_values == ("a", "b")
    assert column("ENUM('a ') CHARACTER SET binary").enum_values == ("a ",)
    assert column("ENUM('a ')", "CHARSET=binary").enum_values == ("a ",)


def test_attributes_that_matter_not_are_stepped_over():
    found = column(
        "INT STORAGE DISK COLUMN_FORMAT FIXED ENGINE_ATTRIBUTE='{}' CONSTRAINT ck CHECK (c > 0) NOT ENFORCED "
        "REFERENCES o (id) ON DELETE SET NULL ON UPDATE NO ACTION NOT NULL"
    )

    assert not found.optional


def test_visibility_comment_and_spatial_reference_are_kept():
    found = column("POINT SRID 4326 /*!80023 INVISIBLE */ COMMENT 'here; -- and there'")

    assert (found.srid, found.visible, found.comment) == (4326, False, "here; -- and there")


def test_an_unknown_type_is_refused_with_the_statement_and_the_place():
    with pytest.raises(StructureError, match=r"CREATE TABLE t \(c NOTHING\)") as caught:
        column("NOTHING")

    assert "a data type is expected at: NOTHING" in str(caught.value)
