"""What statements do to unique indexes, which structures do not have."""

from dataclasses import replace

import pytest

from tailrace.connectors.mysql.ddl import IndexChanges, SqlMode, index_changes
from tailrace.connectors.mysql.ddl.indexes import NewIndex
from tailrace.schema.tables import TableId

T = TableId("shop", "", "t")


def changes_of(ddl, **more):
    return index_changes(ddl, "shop", **more)


@pytest.mark.parametrize(
    ("ddl", "gone"),
    [
        ("DROP INDEX u ON t", {"u"}),
        ("drop /* now */ index `U` on shop.t ALGORITHM=INPLACE LOCK=NONE", {"u"}),
        ("DROP INDEX `PRIMARY` ON t", {"primary"}),
        ("ALTER TABLE t DROP INDEX u", {"u"}),
        ("ALTER TABLE shop.t DROP KEY u, DROP PRIMARY KEY, DROP CONSTRAINT c, DROP FOREIGN KEY f, DROP CHECK g", {"u", "primary", "c"}),
        ("ALTER TABLE t PARTITION BY HASH (a) PARTITIONS 4", set()),
    ],
)
def test_indexes_that_are_dropped_are_told(ddl, gone):
    assert changes_of(ddl) == IndexChanges(T, frozenset(gone))


@pytest.mark.parametrize(
    ("ddl", "made"),
    [
        ("CREATE UNIQUE INDEX u ON t (a, `B`)", [("u", ("a", "b"))]),
        ("CREATE UNIQUE INDEX u USING BTREE ON shop.t (a DESC) COMMENT 'ON (x)'", [("u", ("a",))]),
        ("CREATE UNIQUE INDEX u ON t (a(3))", [("u", None)]),
        ("CREATE UNIQUE INDEX u ON t (b, (a + 1))", [("u", None)]),
        ("ALTER TABLE t ADD UNIQUE u (a)", [("u", ("a",))]),
        ("ALTER TABLE t ADD UNIQUE KEY U USING BTREE (a) COMMENT 'x', ADD INDEX i (b), ALGORITHM=COPY", [("u", ("a",))]),
        ("ALTER TABLE t ADD UNIQUE (a, b)", [(None, ("a", "b"))]),
        ("ALTER TABLE t ADD CONSTRAINT c UNIQUE (a)", [("c", ("a",))]),
        ("ALTER TABLE t ADD CONSTRAINT c UNIQUE INDEX u (a)", [("u", ("a",))]),
        ("ALTER TABLE t ADD CONSTRAINT UNIQUE u (a)", [("u", ("a",))]),
        ("ALTER TABLE t ADD CONSTRAINT c PRIMARY KEY (a, b)", [("primary", ("a", "b"))]),
        ("ALTER TABLE t ADD CONSTRAINT c FOREIGN KEY (a) REFERENCES s (id), ADD CHECK (a > 0)", []),
        ("ALTER TABLE t ADD COLUMN n INT NOT NULL AUTO_INCREMENT PRIMARY KEY FIRST", [("primary", ("n",))]),
        ("ALTER TABLE t ADD n SERIAL AFTER `unique`", [(None, ("n",))]),
        ("ALTER TABLE t ADD (n INT UNIQUE KEY, m INT KEY, o INT COMMENT 'UNIQUE', UNIQUE u (a)), ADD p INT", [(None, ("n",)), ("primary", ("m",)), ("u", ("a",))]),
        ("ALTER TABLE t MODIFY COLUMN a INT UNIQUE, CHANGE b c VARCHAR(9) DEFAULT 'KEY' AFTER a", [(None, ("a",))]),
        ("ALTER TABLE t CHANGE COLUMN a n INT PRIMARY KEY", [("primary", ("n",))]),
    ],
)
def test_unique_indexes_that_are_made_are_told(ddl, made):
    assert replace(changes_of(ddl), redefined=frozenset()) == IndexChanges(T, made=tuple(NewIndex(*each) for each in made))


def test_columns_that_are_dropped_are_told():
    changes = changes_of("ALTER TABLE t DROP COLUMN a, DROP `B` RESTRICT, DROP PARTITION p, DROP CHECK c, ADD a INT")
    assert changes == IndexChanges(T, dropped=frozenset({"a", "b"}))


def test_columns_that_are_defined_anew_or_renamed_are_told():
    changes = changes_of("ALTER TABLE t MODIFY A INT, CHANGE COLUMN b c INT, RENAME COLUMN d TO e, ALTER f SET DEFAULT 1, ADD g INT")
    assert changes == IndexChanges(T, redefined=frozenset("abcde"))


def test_an_index_with_another_name_is_gone_and_made():
    changes = changes_of("ALTER TABLE t RENAME INDEX u TO w, RENAME COLUMN a TO b, RENAME TO s")
    assert changes == IndexChanges(T, frozenset({"u"}), (NewIndex("w", None),), redefined=frozenset("ab"))


@pytest.mark.parametrize(
    "ddl",
    [
        "CREATE TABLE t (a INT PRIMARY KEY)",
        "CREATE INDEX i ON t (a)",
        "DROP TABLE t",
        "RENAME TABLE t TO s",
        "INSERT INTO t VALUES ('DROP INDEX u ON t')",
        "DROP INDEX u",
        "ALTER TABLE t ADD UNIQUE u (a",
        "ALTER TABLE t ADD COLUMN a INT DEFAULT 'open",
        "",
    ],
)
def test_other_statements_and_broken_ones_tell_nothing(ddl):
    assert changes_of(ddl) is None


def test_names_are_read_as_the_session_and_the_server_have_them():
    assert changes_of('DROP INDEX "U" ON "Sh"."T"', mode=SqlMode(ansi_quotes=True), lower_names=True) == IndexChanges(
        TableId("sh", "", "t"), frozenset({"u"})
    )


@pytest.mark.parametrize(
    ("ddl", "leaves"),
    [
        ("DROP INDEX u ON t", False),
        ("DROP INDEX w ON t", True),
        ("CREATE UNIQUE INDEX u ON t (a, b)", False),
        ("CREATE UNIQUE INDEX w ON t (a, b)", True),
        ("ALTER TABLE t DROP INDEX U, ADD UNIQUE u (A, b) COMMENT 'the same'", True),
        ("ALTER TABLE t DROP INDEX u, ADD UNIQUE u (a)", False),
        ("ALTER TABLE t DROP INDEX u, ADD UNIQUE u (b, a)", False),
        ("ALTER TABLE t DROP INDEX u, ADD UNIQUE u (a(2), b)", False),
        ("ALTER TABLE t DROP INDEX u, RENAME INDEX w TO u", False),
        ("ALTER TABLE t RENAME INDEX u TO w", False),
        ("ALTER TABLE t ADD PRIMARY KEY (a, b)", True),
        ("ALTER TABLE t ADD UNIQUE (a, b)", True),
    ],
)
def test_a_key_is_left_only_by_statements_that_neither_drop_nor_make_its_index(ddl, leaves):
    assert changes_of(ddl).leaves("U", ["a", "B"]) == leaves


def test_an_index_without_a_name_has_that_of_its_first_column():
    changes = changes_of("ALTER TABLE t ADD UNIQUE (a, b)")
    assert [changes.leaves(name, ["a", "b"]) for name in ("a", "a_2", "a_b", "b")] == [False, False, True, True]
    assert changes.leaves("a", ["a"])


def test_if_only_the_columns_of_a_key_are_known_any_index_that_is_made_of_them_may_be_it():
    changes = changes_of("ALTER TABLE t DROP INDEX u, ADD UNIQUE w (a, b)")
    assert not changes.leaves("", ["b", "a"])
    assert changes.leaves("", ["a"])
