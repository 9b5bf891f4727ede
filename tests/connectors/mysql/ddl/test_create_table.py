import pytest

from support.tables_of_ddl import DATABASE, applied, changes_of, names, table
from tailrace.connectors.mysql.structures import SqlMode, Structures
from tailrace.errors import StructureError
from tailrace.schema.table_changes import ChangeType
from tailrace.schema.tables import TableId


@pytest.mark.parametrize(
    ("elements", "key"),
    [
        ("a INT UNIQUE, b INT NOT NULL, UNIQUE (b)", ("a",)),
        ("a INT UNIQUE, b INT PRIMARY KEY", ("b",)),
        ("b INT NOT NULL, a INT UNIQUE, UNIQUE (b)", ("a",)),
    ],
)
def test_a_columns_own_unique_is_taken_for_the_key_even_if_it_may_be_null_as_in_debezium(elements, key):
    """SHOW CREATE TABLE has no such thing, so that behind a snapshot the key is another one."""
    assert table(applied(f"CREATE TABLE t ({elements})"), "t").primary_key == key


@pytest.mark.parametrize(
    ("elements", "key"),
    [
        ("a INT, b INT", ()),
        ("a INT AUTO_INCREMENT, UNIQUE (a)", ("a",)),
        ("a INT PRIMARY KEY, b INT", ("a",)),
        ("a INT, b INT, PRIMARY KEY (b, a)", ("b", "a")),
        ("PRIMARY KEY USING BTREE (B), a INT, b INT", ("b",)),
        ("a INT NOT NULL, b INT, CONSTRAINT u UNIQUE KEY k USING BTREE (a)", ("a",)),
        ("a INT, b INT, UNIQUE (a)", ()),
        (
            "a INT NOT NULL, b INT NOT NULL, UNIQUE u1 (a, c), UNIQUE u2 (b, a), UNIQUE u3 (a), c INT",
            ("b", "a"),
        ),
        ("a INT NOT NULL, b INT NOT NULL, UNIQUE (a), PRIMARY KEY (b)", ("b",)),
        ("a INT NOT NULL UNIQUE, b INT", ("a",)),
        ("a INT NOT NULL UNIQUE KEY, b INT PRIMARY KEY", ("b",)),
        ("a INT NOT NULL, UNIQUE f ((a + 1))", ()),
        ("a VARCHAR(20) NOT NULL, UNIQUE p (a(5) DESC)", ("a",)),
        (
            "a INT NOT NULL, KEY (a), INDEX i (a), FULLTEXT KEY (a), FOREIGN KEY (a) REFERENCES o (x), CHECK (a > 0)",
            (),
        ),
        ("`a``b` INT, b INT, PRIMARY KEY (`a``b`)", ("a`b",)),
    ],
)
def test_the_key_is_the_primary_key_or_the_first_unique_key_without_nulls(elements, key):
    found = table(applied(f"CREATE TABLE t ({elements})"), "t")

    assert found.primary_key == key
    assert not any(found.column(name).optional for name in key)


def test_columns_of_a_primary_key_lose_their_null_default():
    found = table(applied("CREATE TABLE t (a INT, b INT DEFAULT 5, PRIMARY KEY (a, b))"), "t")

    assert [(c.has_default, c.default) for c in found.columns] == [(False, None), (True, "5")]


@pytest.mark.parametrize(
    ("name", "table_id"),
    [
        ("t", (DATABASE, "t")),
        ("other.t", ("other", "t")),
        ("`an other`.`t.t`", ("an other", "t.t")),
        ("`a` . `b``c`", ("a", "b`c")),
        ("1st", (DATABASE, "1st")),
        ("other.1st", ("other", "1st")),
        ("$t_é", (DATABASE, "$t_é")),
        ("0xg", (DATABASE, "0xg")),
        ("`0x1`.0b2", ("0x1", "0b2")),
    ],
)
def test_names_may_be_qualified_quoted_and_odd(name, table_id):
    assert list(applied(f"CREATE TABLE {name} (id INT)")) == [TableId(table_id[0], "", table_id[1])]


def test_keywords_can_be_names():
    structures = applied(
        "create table date (comment int comment 'x', `key` int, status enum('a'), type varchar(5), `primary` int, "
        "data json, visible int, position int, `check` int, first int, after int, end int)"
    )

    assert names(structures, "date")[:4] == ["comment", "key", "status", "type"]
    assert len(names(structures, "date")) == 12


def test_options_and_partitions_do_not_disturb():
    structures = applied(
        "CREATE TABLE t (id INT NOT NULL, y INT NOT NULL, PRIMARY KEY (id, y)) ENGINE=InnoDB AUTO_INCREMENT=5 "
        "ROW_FORMAT=DEFAULT DEFAULT CHARSET=latin1, COMMENT='a (b), c' DATA DIRECTORY='/x' UNION=(a,b) "
        "PARTITION BY RANGE (y) (PARTITION p0 VALUES LESS THAN (2000) COMMENT='no', PARTITION p1 VALUES LESS THAN MAXVALUE)"
    )

    found = table(structures, "t")
    assert (found.default_charset, found.comment, found.primary_key) == ("latin1", "a (b), c", ("id", "y"))


def test_comments_are_blanks_and_executable_comments_are_text():
    structures = applied(
        "/* first */ CREATE /* a */ TABLE t ( -- to the end, it's\n id INT, # too `\n"
        "/*!50100 a INT, */ b VARCHAR(9) DEFAULT '/* no */ -- no' /*!50606 COMMENT 'x' */, c INT /*! */) /*!50100 ENGINE=x */"
    )

    assert names(structures) == ["id", "a", "b", "c"]
    assert table(structures, "t").columns[2].default == "/* no */ -- no"


def test_create_table_like_copies_all_but_the_comment():
    structures = applied(
        "CREATE TABLE a (id INT PRIMARY KEY COMMENT 'c', v TEXT) COMMENT 'x' CHARSET latin1",
        "CREATE TABLE b LIKE a",
    )

    assert table(structures, "b").columns == table(structures, "a").columns
    assert table(structures, "b").primary_key == ("id",)
    assert table(structures, "b").comment is None


@pytest.mark.parametrize("ddl", ["CREATE TABLE b LIKE nobody", "CREATE TABLE b (LIKE nobody.knows)"])
def test_create_table_like_an_unknown_table_is_left_alone(ddl):
    structures = applied()

    assert changes_of(structures, ddl) == []
    assert len(structures) == 0


def test_create_table_as_select_has_its_columns_in_a_row_based_log():
    structures = applied(
        "CREATE TABLE `t` (\n  `a` int NOT NULL DEFAULT '0',\n  `b` int\n) START TRANSACTION"
    )

    assert names(structures) == ["a", "b"]


@pytest.mark.parametrize(
    "ddl",
    [
        "CREATE TABLE t AS SELECT 1",
        "CREATE TABLE t SELECT 1",
        "CREATE TABLE t (a INT) SELECT 1 AS b",
        "CREATE TABLE t (a INT) IGNORE AS SELECT 1",
    ],
)
def test_create_table_as_select_without_its_columns_is_refused(ddl):
    with pytest.raises(StructureError, match="binlog_format=ROW"):
        applied(ddl)


def test_if_not_exists_changes_nothing_when_the_table_is_there():
    structures = applied("CREATE TABLE t (id INT)")

    assert changes_of(structures, "CREATE TABLE IF NOT EXISTS t (nothing INT)") == []
    assert names(structures) == ["id"]


def test_if_not_exists_changes_nothing_when_a_table_is_there_whose_structure_is_not_known():
    """The server logs the statement all the same: its columns may not be those of the table."""
    structures = applied("CREATE TABLE t (id INT)", "RENAME TABLE t TO _t_del, _t_gho TO t")
    there = TableId(DATABASE, "", "t")
    assert there in structures.unknown

    assert changes_of(structures, "CREATE TABLE IF NOT EXISTS t (id INT)") == []
    assert there in structures.unknown
    assert there not in structures


def test_a_table_that_the_log_creates_replaces_one_of_which_the_end_was_not_seen():
    structures = applied("CREATE TABLE t (id INT)", "CREATE TABLE t (other INT)")

    assert names(structures) == ["other"]


@pytest.mark.parametrize(
    "ddl",
    [
        "CREATE TEMPORARY TABLE t (id INT)",
        "DROP TEMPORARY TABLE IF EXISTS t",
        "create temporary table t like u",
    ],
)
def test_temporary_tables_are_nobodys_business(ddl):
    assert changes_of(applied(), ddl) == []


def test_the_change_names_the_table_and_the_statement():
    [change] = changes_of(applied(), '-- why\nCREATE TABLE t (id INT COMMENT "it\'s") ;')

    assert (change.type, str(change.id), change.database) == (ChangeType.CREATE, "shop.t", DATABASE)
    assert change.ddl == "CREATE TABLE t (id INT COMMENT 'it''s')"
    assert change.table.columns[0].name == "id"


@pytest.mark.parametrize(
    ("literal", "told"),
    [(r'''"it\'s"''', r"'it\'s'"), ('"a""b"', "'a\"b'"), (r'"a\"b"', r"'a\"b'"), ('"it\'s"', "'it''s'")],
)
def test_a_double_quoted_string_is_told_as_one_in_single_quotes(literal, told):
    [change] = changes_of(applied(), f"CREATE TABLE t (v VARCHAR(9) DEFAULT {literal})")

    assert change.ddl == f"CREATE TABLE t (v VARCHAR(9) DEFAULT {told})"


def test_a_backslash_before_a_quote_is_a_letter_without_escapes():
    structures = Structures()

    [change] = structures.apply(DATABASE, r"""CREATE TABLE t (e ENUM("it\'s"))""", mode=SqlMode(no_backslash_escapes=True))

    assert table(structures, "t").columns[0].enum_values == (r"it\'s",)
    assert change.ddl == r"CREATE TABLE t (e ENUM('it\''s'))"


def test_ansi_quotes_make_names_of_double_quotes():
    structures = Structures()

    structures.apply(DATABASE, 'CREATE TABLE "t" ("a""b" INT DEFAULT \'1\')', mode=SqlMode(ansi_quotes=True))

    assert names(structures) == ['a"b']


def test_backslashes_are_letters_without_escapes():
    structures = Structures()

    structures.apply(DATABASE, r"CREATE TABLE t (e ENUM('a\', 'b'))", mode=SqlMode(no_backslash_escapes=True))

    assert table(structures, "t").columns[0].enum_values == ("a\\", "b")


@pytest.mark.parametrize(
    ("bits", "mode"),
    [
        (None, SqlMode()),
        (0, SqlMode()),
        (4, SqlMode(ansi_quotes=True)),
        (1048576, SqlMode(no_backslash_escapes=True)),
        (1048580, SqlMode(ansi_quotes=True, no_backslash_escapes=True)),
    ],
)
def test_the_mode_comes_from_the_bits_of_the_log(bits, mode):
    assert SqlMode.from_bits(bits) == mode


def test_names_are_lowered_where_the_server_lowers_them():
    structures = Structures(lower_names=True)

    structures.apply("Shop", "CREATE TABLE Items (Id INT)")
    structures.apply("shop", "RENAME TABLE ITEMS TO Things")

    assert list(structures) == [TableId("shop", "", "things")]
    assert names(structures, "things") == ["Id"]
    assert structures.id("Shop", "THINGS") in structures
