import pytest

from support.tables_of_ddl import applied, changes_of, names, table
from tailrace.errors import StructureError
from tailrace.schema.table_changes import ChangeType

START = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10))"


@pytest.mark.parametrize(
    ("action", "columns"),
    [
        ("ADD c INT", ["id", "a", "b", "c"]),
        ("ADD COLUMN c INT FIRST", ["c", "id", "a", "b"]),
        ("ADD COLUMN c INT NOT NULL DEFAULT 7 AFTER id", ["id", "c", "a", "b"]),
        ("ADD COLUMN (c INT, d INT NOT NULL)", ["id", "a", "b", "c", "d"]),
        ("ADD (c INT, KEY (c), UNIQUE (c))", ["id", "a", "b", "c"]),
        ("ADD c INT, ADD d INT AFTER c, ADD e INT FIRST", ["e", "id", "a", "b", "c", "d"]),
        ("DROP a", ["id", "b"]),
        ("DROP COLUMN A, DROP COLUMN b", ["id"]),
        ("DROP COLUMN a CASCADE", ["id", "b"]),
        ("MODIFY b TEXT FIRST", ["b", "id", "a"]),
        ("MODIFY COLUMN id INT AFTER b", ["a", "b", "id"]),
        ("MODIFY id INT AFTER a", ["a", "id", "b"]),
        ("CHANGE a aa BIGINT", ["id", "aa", "b"]),
        ("CHANGE COLUMN a aa BIGINT AFTER b", ["id", "b", "aa"]),
        ("RENAME COLUMN a TO aa, RENAME COLUMN b TO bb", ["id", "aa", "bb"]),
        ("RENAME COLUMN a TO b2, ADD a INT", ["id", "b2", "b", "a"]),
        ("RENAME COLUMN a TO b, RENAME COLUMN b TO a, ADD c INT AFTER a", ["id", "b", "a", "c"]),
        ("CHANGE a b INT, CHANGE b a INT", ["id", "b", "a"]),
        ("DROP a, ADD a TEXT FIRST", ["a", "id", "b"]),
        ("ADD c INT AFTER aa, RENAME COLUMN a TO aa", ["id", "aa", "c", "b"]),
        ("ENGINE=InnoDB", ["id", "a", "b"]),
        ("ALGORITHM=INPLACE, LOCK=NONE, ADD c INT", ["id", "a", "b", "c"]),
        ("ADD INDEX i (a), ADD FULLTEXT ft (b), ADD c INT, DROP INDEX i", ["id", "a", "b", "c"]),
        (
            "ADD CONSTRAINT ck CHECK (a > 0), ADD FOREIGN KEY (a) REFERENCES o (x) ON DELETE CASCADE, DROP a",
            ["id", "b"],
        ),
        ("DROP FOREIGN KEY f, DROP KEY k, DROP CONSTRAINT ck, DROP CHECK ck2, DROP a", ["id", "b"]),
        ("RENAME INDEX x TO y, ALTER INDEX y INVISIBLE, ALTER CHECK ck NOT ENFORCED, DROP a", ["id", "b"]),
        ("AUTO_INCREMENT = 10, COMMENT 'ADD c INT, DROP a'", ["id", "a", "b"]),
        ("ADD PARTITION (PARTITION p3 VALUES LESS THAN (5))", ["id", "a", "b"]),
        ("DROP PARTITION p0, p1", ["id", "a", "b"]),
        ("REORGANIZE PARTITION p0 INTO (PARTITION a VALUES LESS THAN (5))", ["id", "a", "b"]),
        ("PARTITION BY HASH (id) PARTITIONS 4", ["id", "a", "b"]),
        ("EXCHANGE PARTITION p WITH TABLE u WITHOUT VALIDATION", ["id", "a", "b"]),
        ("ADD c INT PARTITION BY KEY (id)", ["id", "a", "b", "c"]),
        ("ADD c INT REMOVE PARTITIONING", ["id", "a", "b", "c"]),
        ("REMOVE PARTITIONING", ["id", "a", "b"]),
        (
            "PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (5), PARTITION p1 VALUES LESS THAN MAXVALUE)",
            ["id", "a", "b"],
        ),
        ("DISABLE KEYS", ["id", "a", "b"]),
        ("ORDER BY a, b DESC", ["id", "a", "b"]),
        ("FORCE, DISCARD TABLESPACE", ["id", "a", "b"]),
        ("ADD COLUMN `odd ``name` INT /* , DROP a */", ["id", "a", "b", "odd `name"]),
    ],
)
def test_columns_stand_where_the_server_puts_them(action, columns):
    assert names(applied(START, f"ALTER TABLE t {action}")) == columns


@pytest.mark.parametrize(
    ("action", "key"),
    [
        ("DROP PRIMARY KEY", ()),
        ("DROP INDEX `PRIMARY`", ()),
        ("DROP KEY `primary`", ()),
        ("DROP CONSTRAINT `PRIMARY`, ADD PRIMARY KEY (a)", ("a",)),
        ("DROP INDEX u, DROP CONSTRAINT ck", ("id",)),
        ("DROP COLUMN id, ADD COLUMN ID INT FIRST", ("ID",)),
        ("DROP COLUMN id, ADD COLUMN id INT UNSIGNED", ("id",)),
        ("DROP COLUMN id, RENAME COLUMN a TO id", ()),
        ("RENAME COLUMN id TO old_id, ADD COLUMN id INT AUTO_INCREMENT FIRST", ("id",)),
        ("RENAME COLUMN id TO old_id, ADD COLUMN id BIGINT", ("old_id",)),
        ("CHANGE id old_id INT AFTER b, ADD COLUMN id INT FIRST", ("id",)),
        ("DROP PRIMARY KEY, ADD PRIMARY KEY (a, id)", ("a", "id")),
        ("RENAME COLUMN id TO key_", ("key_",)),
        ("CHANGE id Id BIGINT", ("Id",)),
        ("MODIFY id BIGINT", ("id",)),
        ("DROP COLUMN id", ()),
        ("DROP PRIMARY KEY, MODIFY a INT NOT NULL, ADD UNIQUE INDEX u (a)", ("a",)),
        ("ADD UNIQUE (a)", ("id",)),
        ("ADD PRIMARY KEY (a), DROP PRIMARY KEY", ("a",)),
        ("RENAME COLUMN id TO a, RENAME COLUMN a TO id", ("a",)),
        ("ADD PRIMARY KEY (n), DROP PRIMARY KEY, ADD n INT", ("n",)),
        ("DROP COLUMN id, ADD n INT AUTO_INCREMENT PRIMARY KEY FIRST", ("n",)),
        ("DROP PRIMARY KEY, ADD CONSTRAINT pk PRIMARY KEY USING BTREE (b(5))", ("b",)),
    ],
)
def test_the_key_follows(action, key):
    found = table(applied(START, f"ALTER TABLE t {action}"), "t")

    assert found.primary_key == key
    assert not any(found.column(name).optional for name in key)


def test_a_modified_column_keeps_nothing_of_its_old_definition():
    structures = applied(
        "CREATE TABLE t (e ENUM('a','b') CHARACTER SET latin1 NOT NULL DEFAULT 'a' COMMENT 'old')",
        "ALTER TABLE t MODIFY e VARCHAR(5)",
    )

    [found] = table(structures, "t").columns
    assert (found.type_name, found.enum_values, found.comment, found.default, found.optional, found.charset) == (
        "VARCHAR", (), None, None, True, "utf8mb4",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("action", "name"),
    [("MODIFY aA BIGINT", "aA"), ("MODIFY aA INT", "aA"), ("CHANGE aA AA INT", "AA"), ("ALTER aA SET DEFAULT 5", "Aa")],
)
def test_a_column_that_is_defined_again_has_its_name_as_it_is_written_then(action, name):
    found = table(applied("CREATE TABLE t (Aa INT PRIMARY KEY)", f"ALTER TABLE t {action}"), "t")

    assert ([c.name for c in found.columns], found.primary_key) == ([name], (name,))


@pytest.mark.parametrize(
    ("create", "optional"),
    [
        ("a INT NOT NULL, UNIQUE (a)", True),
        ("a INT NOT NULL UNIQUE", True),
        ("a INT PRIMARY KEY", False),
        ("a INT UNIQUE, PRIMARY KEY (a)", False),
    ],
)
def test_only_a_primary_key_keeps_a_column_from_becoming_nullable(create, optional):
    structures = applied(f"CREATE TABLE t ({create})", "CREATE TABLE t2 LIKE t", "ALTER TABLE t2 MODIFY a BIGINT")

    assert table(structures, "t2").columns[0].optional is optional
    assert table(structures, "t2").primary_key == ("a",)


@pytest.mark.parametrize(
    ("action", "optional"),
    [
        ("DROP INDEX `PRIMARY`, MODIFY id INT", {"id": True}),
        ("DROP INDEX `PRIMARY`", {"id": False}),
        ("CHANGE id old_id INT, ADD COLUMN id INT FIRST", {"id": False, "old_id": True}),
        ("RENAME COLUMN id TO old_id, ADD COLUMN id INT FIRST", {"id": False, "old_id": False}),
    ],
)
def test_a_column_that_leaves_the_primary_key_may_become_nullable_and_one_that_comes_in_is_not(action, optional):
    found = table(applied(START, f"ALTER TABLE t {action}"), "t")

    assert {name: found.column(name).optional for name in optional} == optional


@pytest.mark.parametrize(
    ("action", "has_default", "default"),
    [
        ("ALTER COLUMN a SET DEFAULT 8", True, "8"),
        ("ALTER a SET DEFAULT 'x'", True, "x"),
        ("ALTER a SET DEFAULT (1 + 1)", True, None),
        ("ALTER a SET DEFAULT NULL", True, None),
        ("ALTER a DROP DEFAULT", False, None),
    ],
)
def test_defaults_are_set_and_dropped(action, has_default, default):
    found = table(applied("CREATE TABLE t (a INT DEFAULT 3)", f"ALTER TABLE t {action}"), "t").columns[0]

    assert (found.has_default, found.default) == (has_default, default)


def test_binary_columns_are_not_converted():
    structures = applied(
        "CREATE TABLE t (v VARCHAR(5) CHARACTER SET binary, e ENUM('a') CHARACTER SET latin1)",
        "ALTER TABLE t CONVERT TO CHARACTER SET ucs2",
    )

    assert [c.charset for c in table(structures, "t").columns] == ["binary", "ucs2"]


def test_labels_that_become_bytes_as_they_are_defined_keep_their_blanks():
    structures = applied("CREATE TABLE t (a INT)", "ALTER TABLE t ADD e ENUM('a ') CHARSET utf8mb4, CONVERT TO CHARACTER SET binary")

    assert table(structures, "t").columns[1].enum_values == ("a ",)


def test_visibility_is_altered():
    found = table(applied(START, "ALTER TABLE t ALTER COLUMN a SET INVISIBLE"), "t")

    assert [c.visible for c in found.columns] == [True, False, True]


@pytest.mark.parametrize(
    ("action", "of_table", "of_column", "of_new_column"),
    [
        ("CONVERT TO CHARACTER SET latin1", "latin1", "latin1", "latin1"),
        ("CONVERT TO CHARSET latin1 COLLATE latin1_bin", "latin1", "latin1", "latin1"),
        ("CONVERT TO CHARACTER SET DEFAULT", "utf8mb4", "utf8mb4", "utf8mb4"),
        ("DEFAULT CHARACTER SET latin1", "latin1", "utf8mb4", "latin1"),
        ("COLLATE = latin1_bin", "latin1", "utf8mb4", "latin1"),
        ("ENGINE=InnoDB CHARSET latin1 COMMENT 'x'", "latin1", "utf8mb4", "latin1"),
        ("MODIFY b TEXT, CHARSET latin1", "latin1", "latin1", "latin1"),
    ],
)
def test_character_sets_are_converted_or_only_the_default_is(action, of_table, of_column, of_new_column):
    found = table(applied(START, f"ALTER TABLE t {action}", "ALTER TABLE t ADD n TEXT"), "t")

    assert found.default_charset == of_table
    assert [c.charset for c in found.columns] == [None, None, of_column, of_new_column]


@pytest.mark.parametrize(
    "words",
    [
        "RENAME TO t2",
        "RENAME AS t2",
        "RENAME t2",
        "RENAME = t2",
        "RENAME shop.t2",
        "ADD c INT, RENAME TO t2, DROP a",
    ],
)
def test_a_table_is_renamed(words):
    structures = applied(START)

    [change] = changes_of(structures, f"ALTER TABLE t {words}")

    assert [i.name for i in structures] == ["t2"]
    assert (change.type, change.id.name, change.previous_id.name) == (ChangeType.ALTER, "t2", "t")
    assert change.table.id.name == "t2"


@pytest.mark.parametrize("action", ["ADD c INT SHINY AFTER a", "ADD c INT)", "MODIFY a INT a INT", "DROP a b"])
def test_words_that_are_not_understood_are_not_passed_over(action):
    with pytest.raises(StructureError, match="the next action is expected at"):
        applied(START, f"ALTER TABLE t {action}")


def test_a_table_that_is_not_known_is_left_alone():
    assert changes_of(applied(), "ALTER TABLE nobody ADD c INT") == []


def test_a_column_that_is_not_known_stops_and_nothing_is_changed():
    structures = applied(START)

    with pytest.raises(StructureError, match=r"shop\.t has no column zz"):
        changes_of(structures, "ALTER TABLE t ADD c INT, DROP COLUMN zz")

    assert names(structures) == ["id", "a", "b"]
